"""The operator page: what it shows, how it opens and closes, and that visitors do not come upon it."""

import re
from dataclasses import fields, replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from kiosk.operator_facts import StageFacts
from kiosk.pipeline.progress import StageState
from kiosk.ui.gallery import sample_facts, sample_states
from kiosk.ui.operator_page import HOLD_MS
from kiosk.ui.operator_rows import figure_rows, stage_rows, turn_rows
from kiosk.ui.operator_texts import OperatorTexts, load_operator_texts
from models.types import LANGUAGES

LEFT = Qt.MouseButton.LeftButton
CORNER = QPoint(10, 10)


def words(page):
    return [label.text() for label in page.findChildren(QLabel) if label.isVisible()]


@pytest.fixture
def quick(window):
    """A window whose corner needs a short hold."""
    window.show_state(sample_states("zh")["listening"])
    window.operator.corner._timer.setInterval(30)
    return window


def test_the_finger_rests_three_seconds():
    assert HOLD_MS == 3000


def test_f12_opens_and_closes(make_window, qtbot):
    window = make_window(on_screen=True)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    with qtbot.waitSignal(window.operator.opened):
        QTest.keyClick(window, Qt.Key.Key_F12)
    assert window.operator.isVisible()
    assert window.operator.geometry() == window.rect()
    QTest.keyClick(window, Qt.Key.Key_F12)
    assert not window.operator.isVisible()


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1080, 1920)])
def test_a_finger_held_in_the_corner_opens_and_closes(make_window, qtbot, width, height):
    window = make_window(width, height)
    window.show_state(sample_states("zh")["listening"])
    window.operator.corner._timer.setInterval(30)
    target = window.childAt(CORNER)
    QTest.mousePress(target, LEFT, pos=target.mapFrom(window, CORNER))
    qtbot.waitUntil(window.operator.isVisible)
    QTest.mouseRelease(target, LEFT)
    QTest.mousePress(window.operator, LEFT, pos=CORNER)
    qtbot.waitUntil(lambda: not window.operator.isVisible())
    QTest.mouseRelease(window.operator, LEFT)


@pytest.mark.parametrize("what", ["tap", "elsewhere", "slide"])
def test_visitors_do_not_come_upon_it(quick, qtbot, what):
    place = QPoint(300, 300) if what == "elsewhere" else CORNER
    QTest.mousePress(quick, LEFT, pos=place)
    if what == "tap":
        QTest.mouseRelease(quick, LEFT, pos=place)
    elif what == "slide":
        QTest.mouseMove(quick, QPoint(400, 10))
    qtbot.wait(120)
    assert not quick.operator.isVisible()
    QTest.mouseRelease(quick, LEFT, pos=place)


def test_its_button_closes_it_and_no_press_reaches_the_visitors_page(window, qtbot):
    window.operator.toggle()
    with qtbot.assertNotEmitted(window.touched):
        QTest.mouseClick(window.operator, LEFT, pos=QPoint(300, 500))
    QTest.mouseClick(window.operator.close_button, LEFT)
    assert not window.operator.isVisible()


def test_staff_who_walk_away_leave_a_kiosk_that_works(window, qtbot):
    window.operator._forgotten.setInterval(30)
    window.operator.toggle()
    qtbot.waitUntil(lambda: not window.operator.isVisible())


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_shows_the_facts(window, language):
    window.show_state(sample_states(language)["listening"])
    window.operator.toggle()
    assert window.operator.stages.isHidden()
    facts = sample_facts()
    window.operator.show_facts(facts)
    page, texts = window.operator, load_operator_texts(language)
    assert [row[0] for row in page.stages.rows] == [
        texts.stage_hearing, texts.stage_recogniser, texts.stage_language_model, texts.stage_voice,
    ]  # fmt: skip
    assert page.stages.rows[2][1] == texts.turn.format(state=texts.state_working, number=118)
    assert page.stages.rows[1][3].startswith(texts.restarted.split("{")[0])
    assert page.sound.rows[1][2] == facts.microphone.name
    assert page.turns.rows[1][1:] == ("212", "95", "310", "204", "388", "61", "1270")
    assert page.figures.rows[0][1] == texts.offset_behind.format(ms=12)
    assert page.errors.rows[0][1] == facts.errors[0].message
    assert page.level.value() == 40
    page.show_level(0.7)
    assert page.level.value() == 70
    assert "1423" in page.uptime.text()


def test_news_change_the_figures_and_rows_come_and_go(window, qtbot):
    window.operator.toggle()
    facts = sample_facts()
    window.operator.show_facts(facts)
    window.operator.show_facts(replace(facts, turns=facts.turns[:1], errors=(), stages=facts.stages[:2]))
    page = window.operator
    assert (len(page.turns.rows), len(page.stages.rows)) == (2, 2)
    assert page.errors.rows == [(load_operator_texts("zh").no_errors,)]
    qtbot.waitUntil(lambda: len([text for text in words(page.stages) if text]) == 1 + 2 * 4)


def test_a_closed_page_does_no_work_and_keeps_nothing(window):
    window.operator.show_facts(sample_facts())
    window.operator.toggle()
    assert window.operator.stages.isHidden()
    assert window.operator.uptime.text() == load_operator_texts("zh").waiting


def cut(page):
    """Texts with too little room."""
    found = []
    for label in page.findChildren(QLabel):
        if label.isVisible():
            room = label.contentsRect()
            flags = int(Qt.TextFlag.TextWordWrap) if label.wordWrap() else 0
            needed = label.fontMetrics().boundingRect(room, flags, label.text())
            if needed.width() > room.width() + 1 or needed.height() > room.height() + 1:
                found.append((label.text(), needed, room))
    return found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("width", "height"), [(800, 600), (1280, 720), (1080, 1920)])
@pytest.mark.parametrize("larger", [False, True])
def test_no_text_is_cut(make_window, qtbot, language, width, height, larger):
    window = make_window(width, height)
    window.show_state(replace(sample_states(language)["listening"], larger_text=larger))
    window.operator.toggle()
    window.operator.show_facts(sample_facts())
    qtbot.waitUntil(lambda: window.operator.stages.height() > 50)
    qtbot.waitUntil(lambda: not cut(window.operator), timeout=1000)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_state_has_a_word(language):
    texts = load_operator_texts(language)
    for state in StageState:
        assert texts.named("state", state.value) != state.value or language == "en"
        assert hasattr(texts, f"state_{state.value.replace(' ', '_')}")
    assert texts.named("stage", "unheard of") == "unheard of"
    placeholders = {
        field.name: set(re.findall(r"{\w+}", getattr(load_operator_texts("zh"), field.name)))
        for field in fields(OperatorTexts)
    }
    for name, expected in placeholders.items():
        assert set(re.findall(r"{\w+}", getattr(texts, name))) == expected, name


def test_rows_of_what_is_not_known_yet():
    texts, facts = load_operator_texts("en"), sample_facts()
    assert figure_rows(replace(facts, av_offset_ms=None), texts)[0][1] == "not measured"
    assert figure_rows(replace(facts, av_offset_ms=0.4), texts)[0][1] == "together"
    assert turn_rows(replace(facts, turns=()), texts) == [("No answer yet",)]
    uneven = (replace(facts.turns[0], parts_ms={"filler": 5.0, "total": 9.0}), *facts.turns[1:])
    heading, newest, *_ = turn_rows(replace(facts, turns=uneven), texts)
    assert heading[1] == "filler"
    assert heading[-1] == "total"
    assert newest[1:3] == ("5", "–")
    stage = StageFacts(name="voice", state="loading", since_s=100.0)
    assert stage_rows(replace(facts, stages=(stage,)), texts, 100.0 + 26 * 3600) == [
        ("Voice", "loading", "for 1 d 2 h", "no restart")
    ]
