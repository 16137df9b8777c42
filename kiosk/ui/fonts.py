"""Which font family the screen uses, and whether this machine can show Chinese at all."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase, QRawFont

FAMILIES = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "Microsoft YaHei UI",
    "Microsoft YaHei",
    "PingFang SC",
    "WenQuanYi Micro Hei",
)
"""Sans-serif families with simplified Chinese, the best first; the first is what the installer brings."""
_SAMPLE = "您好语音"
"""Characters that a font without simplified Chinese lacks."""


def ui_family() -> str:
    """The first of `FAMILIES` on this machine, else any with simplified Chinese, else the system's own family."""
    present = set(QFontDatabase.families())
    for family in FAMILIES:
        if family in present:
            return family
    chinese = QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese)
    return next((f for f in chinese if _has_sample(f)), QFont().family())


def chinese_font_available() -> bool:
    """Whether Chinese captions show characters instead of empty boxes; asked by `doctor`. Needs a QGuiApplication."""
    return _has_sample(ui_family())


def _has_sample(family: str) -> bool:
    raw = QRawFont.fromFont(QFont(family))
    return raw.isValid() and all(raw.supportsCharacter(ord(character)) for character in _SAMPLE)
