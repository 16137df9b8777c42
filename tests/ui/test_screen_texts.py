"""Texts, theme, fonts, icons: what every page is made of."""

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QLabel

import kiosk.ui
from kiosk.errors import ConfigError
from kiosk.ui import fonts, texts
from kiosk.ui.icons import ICONS, icon_pixmap
from kiosk.ui.theme import PALETTE, contrast, make_theme, style_sheet
from models.types import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_there(language):
    loaded = texts.load_texts(language)
    assert loaded.loading_count.format(done=2, total=5).count("2") == 1
    assert "7" in loaded.idle_text.format(seconds=7)
    assert "AI" in loaded.ai_label


def test_a_missing_text_is_named(tmp_path, monkeypatch):
    (tmp_path / "i18n").mkdir()
    source = (texts.RESOURCES / "i18n" / "en.toml").read_text(encoding="utf-8")
    (tmp_path / "i18n" / "en.toml").write_text(re.sub(r"^stop = .*$", "", source, flags=re.M), encoding="utf-8")
    monkeypatch.setattr(texts, "RESOURCES", tmp_path)
    with pytest.raises(ConfigError, match=r"missing, unknown or empty texts: stop$"):
        texts.load_texts.__wrapped__("en")


@pytest.mark.parametrize(
    ("ink", "grounds"),
    [
        (PALETTE.text, ["background", "surface", "raised", "pressed"]),
        (PALETTE.muted, ["background", "surface"]),
        (PALETTE.accent, ["background", "surface", "raised", "pressed"]),
        (PALETTE.danger, ["surface", "background"]),
        (PALETTE.on_accent, ["accent", "accent_pressed"]),
        (PALETTE.on_status, ["listening", "thinking", "speaking", "warning", "danger"]),
    ],
)
def test_words_stand_out_from_their_ground(ink, grounds):
    assert {ground: contrast(ink, getattr(PALETTE, ground)) for ground in grounds if
            contrast(ink, getattr(PALETTE, ground)) < 4.5} == {}  # fmt: skip


def test_contrast_of_known_pairs():
    assert contrast("#FFFFFF", "#000000") == pytest.approx(21.0)
    assert contrast("#767676", "#FFFFFF") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize(("width", "height"), [(800, 600), (1280, 720), (1080, 1920), (3840, 2160)])
def test_type_scale_grows_with_the_screen(width, height):
    theme = make_theme(width, height, "Sans", larger_text=False)
    scale = [theme.small, theme.body, theme.button, theme.caption, theme.title, theme.display]
    assert scale == sorted(set(scale))
    assert theme.small >= 12
    assert theme.touch >= 36
    assert theme.touch >= 2.7 * theme.body
    assert make_theme(width, height, "Sans", larger_text=True).caption == pytest.approx(theme.caption * 1.3, abs=1)
    assert f"font-size: {theme.caption}px" in style_sheet(theme)


def test_a_1080p_kiosk_has_large_captions():
    assert make_theme(1080, 1920, "Sans", larger_text=False).caption >= 34
    assert (
        make_theme(3840, 2160, "Sans", larger_text=False).touch
        >= 2 * make_theme(1920, 1080, "S", larger_text=False).touch - 2
    )


def test_chinese_is_told_from_no_chinese(qapp):
    if not QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese):
        pytest.skip("no Chinese font on this machine")
    assert fonts.chinese_font_available()
    assert fonts.ui_family() in QFontDatabase.families()
    without = [f for f in QFontDatabase.families() if f.startswith("DejaVu Sans")]
    if without:
        assert not fonts._has_sample(without[0])


def test_every_icon_that_is_named_exists_and_is_tinted(qapp):
    code = "".join(path.read_text(encoding="utf-8") for path in Path(kiosk.ui.__file__).parent.rglob("*.py"))
    pattern = r'(?:TouchButton\(|icon_pixmap\(|set_icon\(|Phase\.\w+: \(|Severity\.\w+: \(|StepState\.\w+: \()"(\w+)"'
    named = set(re.findall(pattern, code)) | {"mute", "volume", "volume_low", "shift", "delete"}
    assert len(named) > 20
    assert {name for name in named if not (ICONS / f"{name}.svg").is_file()} == set()
    for name in named:
        image = icon_pixmap(name, "#FF0000", 32, 2.0).toImage()
        assert (image.width(), image.height()) == (64, 64)
        colors = {
            image.pixelColor(x, y).getRgb()[:3]
            for x in range(64)
            for y in range(64)
            if image.pixelColor(x, y).alpha() == 255
        }
        assert colors == {(255, 0, 0)}, name


def test_qt_keeps_the_references_to_none(qapp, qtbot):
    """PySide6 6.12.0 on Python 3.11 gives one away per call: the process ends after some ten thousand."""
    import sys

    label = QLabel()
    qtbot.addWidget(label)
    before = sys.getrefcount(None)
    for number in range(500):
        label.setText(str(number % 2))
    assert sys.getrefcount(None) > before - 100
