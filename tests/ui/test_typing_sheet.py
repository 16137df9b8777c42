import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from kiosk.ui.keyboard.pinyin import load_lexicon
from kiosk.ui.keyboard.sheet import TypingSheet
from kiosk.ui.texts import load_texts
from kiosk.ui.theme import make_theme


@pytest.fixture
def sheet(qtbot):
    made = TypingSheet(load_lexicon())
    qtbot.addWidget(made)
    made.apply(make_theme(1280, 720, "Noto Sans CJK SC", larger_text=False), load_texts("zh"))
    made.resize(1280, 380)
    made.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    made.show()
    made.open("zh")
    return made


def press(sheet, *keys):
    for key in keys:
        QTest.mouseClick(sheet.keypad.key(key), Qt.MouseButton.LeftButton)


def test_pinyin_to_a_question(sheet, qtbot):
    press(sheet, *"guashi")
    assert sheet.candidates.visible_texts[0] == "挂失"
    QTest.mouseClick(sheet.candidates.button("挂失"), Qt.MouseButton.LeftButton)
    assert sheet.line.text() == "挂失"
    assert sheet.candidates.visible_texts == []
    press(sheet, *"yinhangka", "space", "?")
    assert sheet.line.text() == "挂失银行卡？"
    with qtbot.waitSignal(sheet.submitted) as sent:
        QTest.mouseClick(sheet.send, Qt.MouseButton.LeftButton)
    assert sent.args == ["挂失银行卡？"]
    assert sheet.line.text() == ""


def test_send_takes_the_pinyin_that_is_still_open(sheet, qtbot):
    assert not sheet.send.isEnabled()
    press(sheet, *"nihao")
    assert sheet.send.isEnabled()
    with qtbot.waitSignal(sheet.submitted) as sent:
        QTest.mouseClick(sheet.send, Qt.MouseButton.LeftButton)
    assert sent.args == ["你好"]


def test_more_candidates_page_through_all(sheet):
    press(sheet, *"shi")
    seen = list(sheet.candidates.visible_texts)
    QTest.mouseClick(sheet.candidates._more, Qt.MouseButton.LeftButton)
    assert sheet.candidates.visible_texts
    assert not set(seen) & set(sheet.candidates.visible_texts)


def test_delete_takes_pinyin_first_then_the_line(sheet):
    press(sheet, *"ka", "space", *"n", "delete")
    assert sheet.line.text() == "卡"
    press(sheet, "delete")
    assert sheet.line.text() == ""


def test_english_with_capitals_digits_and_signs(sheet, qtbot):
    press(sheet, "language", "shift", *"hi", "space", "layer", *"42$", "layer", "?")
    assert sheet.line.text() == "Hi 42$?"
    assert sheet.candidates.height() == 0


def test_a_real_keyboard_types_too(sheet, qtbot):
    QTest.keyClicks(sheet.line, "where is the ATM")
    with qtbot.waitSignal(sheet.submitted) as sent:
        QTest.keyClick(sheet.line, Qt.Key.Key_Return)
    assert sent.args == ["where is the ATM"]


def test_a_blank_line_is_no_question(sheet, qtbot):
    press(sheet, "space", "space")
    assert not sheet.send.isEnabled()
    with qtbot.assertNotEmitted(sheet.submitted):
        QTest.keyClick(sheet.line, Qt.Key.Key_Return)


def test_opening_again_begins_empty(sheet):
    press(sheet, *"ni", "space", *"hao", "layer")
    sheet.open("en")
    assert sheet.keypad.key("q").isVisible()
    assert sheet.line.text() == ""
    assert not sheet.line.isUndoAvailable()
    assert sheet.candidates.visible_texts == []


def test_a_question_has_a_longest_length(sheet):
    sheet.line.setText("")
    QTest.keyClicks(sheet.line, "x" * 260)
    assert len(sheet.line.text()) == 200
