"""One palette, one type scale, one spacing unit, and the style sheet made from them.

All lengths are logical pixels and multiples of `Theme.base`, which follows the short side of the window, so that a
32-inch portrait screen and a laptop show the same picture at their own size.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QColor, QFont

BASES_PER_HEIGHT = 43.0
"""Height of a landscape window / size of body text: 17 px at 720, 25 px at 1080 lines."""
BASES_PER_WIDTH = 41.0
"""Width of a portrait window / size of body text: 26 px at 1080, which is 10 mm on 32 inch."""
SMALLEST_BASE = 13.0
"""Below this, body text cannot be read at arm's length (px)."""
LARGER_TEXT = 1.3
"""Factor of the larger-text button."""
DESIGN_BASE = 16.0
"""Base at which a touch target is 44 px (the common guideline for fingers)."""
TOUCH_TARGET = 44.0 / DESIGN_BASE
"""Height of the smallest button in bases."""


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours. Each text colour has a contrast of at least 4.5 on each ground it is used on (tests check it)."""

    background: str = "#0D1820"
    surface: str = "#15242F"
    raised: str = "#1F3341"
    pressed: str = "#2B4657"
    line: str = "#34505F"
    text: str = "#F6F2E9"
    muted: str = "#B4C4CD"
    disabled: str = "#6C8290"
    accent: str = "#F3B65F"
    accent_pressed: str = "#D99A40"
    on_accent: str = "#20160A"
    listening: str = "#58D6AC"
    thinking: str = "#9CC4FF"
    speaking: str = "#F3B65F"
    warning: str = "#FFD479"
    danger: str = "#FF9A8B"
    on_status: str = "#0A141A"


PALETTE = Palette()


@dataclass(frozen=True, slots=True)
class Theme:
    """Sizes for one window size."""

    base: float
    """Size of body text, px; every other length is a multiple."""
    family: str
    """Font family."""

    @property
    def small(self) -> int:
        """Labels under icons and side notes, px."""
        return max(12, round(self.base * 0.86))

    @property
    def body(self) -> int:
        """Plain text, px."""
        return round(self.base)

    @property
    def button(self) -> int:
        """Text of large buttons, px."""
        return round(self.base * 1.18)

    @property
    def caption(self) -> int:
        """Captions of the conversation, px."""
        return round(self.base * 1.4)

    @property
    def title(self) -> int:
        """Headings, px."""
        return round(self.base * 1.75)

    @property
    def display(self) -> int:
        """The one large line of a page, px."""
        return round(self.base * 2.2)

    @property
    def touch(self) -> int:
        """Height of the smallest button, px."""
        return round(self.base * TOUCH_TARGET)

    @property
    def radius(self) -> int:
        """Corners of cards and buttons, px."""
        return round(self.base * 0.75)

    def space(self, units: float = 1.0) -> int:
        """A gap of half a base per unit, px."""
        return round(self.base * 0.5 * units)

    def font(self, size: int, *, bold: bool = False) -> QFont:
        """A font of the family at a size of the scale (px)."""
        font = QFont(self.family)
        font.setPixelSize(size)
        font.setWeight(QFont.Weight.Bold if bold else QFont.Weight.Normal)
        return font


def make_theme(width: int, height: int, family: str, *, larger_text: bool) -> Theme:
    """The theme for a window of width × height logical pixels."""
    fitting = min(height / BASES_PER_HEIGHT, width / BASES_PER_WIDTH)
    base = max(SMALLEST_BASE, fitting)
    return Theme(base * (LARGER_TEXT if larger_text else 1.0), family)


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two colours, 1..21.

    Source: W3C, Web Content Accessibility Guidelines 2.2, relative luminance and contrast ratio.
    """
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(name: str) -> float:
    color = QColor(name)
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (color.redF(), color.greenF(), color.blueF())
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def style_sheet(theme: Theme, palette: Palette = PALETTE) -> str:
    """The style sheet of the window; own-painted widgets read the theme directly."""
    pad = theme.space()
    return f"""
    QLabel, QLineEdit {{ color: {palette.text}; font-family: "{theme.family}"; font-size: {theme.body}px; }}
    QWidget#window {{ background: {palette.background}; }}
    QLabel {{ background: transparent; }}
    QLabel[role="muted"] {{ color: {palette.muted}; }}
    QLabel[role="small"] {{ color: {palette.muted}; font-size: {theme.small}px; }}
    QLabel[role="label"] {{ color: {palette.accent}; font-size: {theme.small}px; font-weight: bold; }}
    QLabel[role="caption"] {{ font-size: {theme.caption}px; }}
    QLabel[role="brand"] {{ font-size: {theme.button}px; font-weight: bold; }}
    QLabel[role="title"] {{ font-size: {theme.title}px; font-weight: bold; }}
    QLabel[role="display"] {{ font-size: {theme.display}px; font-weight: bold; }}
    QLabel[role="other"] {{ font-size: {theme.button}px; color: {palette.muted}; }}
    QLabel[role="invitation"] {{ font-size: {theme.title}px; font-weight: bold; color: {palette.accent}; }}
    QLabel[role="danger"] {{ color: {palette.danger}; font-size: {theme.small}px; }}
    QLabel[role="ai"] {{
        color: {palette.text}; background: {palette.raised}; border: 1px solid {palette.line};
        border-radius: {theme.radius}px; font-size: {theme.small}px; padding: {pad // 3}px {pad}px;
    }}
    QFrame[role="card"] {{ background: {palette.surface}; border-radius: {theme.radius}px; }}
    QFrame[role="panel"] {{ background: {palette.surface}; }}
    QFrame[role="sheet"] {{ background: {palette.surface}; border-top: 1px solid {palette.line}; }}
    QScrollArea, QScrollArea > QWidget > QWidget {{ background: transparent; border: none; }}
    QScrollBar:vertical {{ background: transparent; width: {pad}px; margin: 0; }}
    QScrollBar::handle:vertical {{
        background: {palette.line}; border-radius: {pad // 3}px; min-height: {theme.touch}px; margin: 0 {pad // 6}px;
    }}
    QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{
        background: transparent; height: 0;
    }}
    QLineEdit {{
        background: {palette.background}; border: 2px solid {palette.line}; border-radius: {theme.radius}px;
        padding: {pad // 2}px {pad}px; font-size: {theme.caption}px; selection-background-color: {palette.pressed};
    }}
    QLineEdit:focus {{ border-color: {palette.accent}; }}
    QProgressBar {{ background: {palette.raised}; border: none; border-radius: {max(2, pad // 4)}px; }}
    QProgressBar::chunk {{ background: {palette.accent}; border-radius: {max(2, pad // 4)}px; }}
    """
