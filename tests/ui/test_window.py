"""The window as a passive view: what each state shows, what each control says, and that nothing stays behind."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit

from kiosk.ui.captions import line_height
from kiosk.ui.gallery import sample_states
from kiosk.ui.state import LoadStep, Notice, Phase, ScreenState, Severity, StepState
from kiosk.ui.texts import load_texts

LEFT = Qt.MouseButton.LeftButton
TALKING = ScreenState(
    phase=Phase.SPEAKING,
    title="示例银行",
    visitor_caption="我叫王芳，想取50000元",
    reply_caption="王女士您好，取5万元请预约。",
    suggestions=("几点关门？", "怎么挂失？"),
    can_replay=True,
)


def enabled(window):
    dock = window.dock
    names = ("type", "stop", "replay", "volume", "larger", "language", "staff")
    return {name for name in names if getattr(dock, name).isEnabled()}


@pytest.mark.parametrize(
    ("phase", "page", "status", "controls"),
    [
        (Phase.LOADING, "loading", "正在准备", {"larger", "language"}),
        (Phase.ERROR, "loading", "暂停服务", {"larger", "language", "staff"}),
        (Phase.ATTRACT, "attract", "欢迎", {"type", "volume", "larger", "language", "staff", "replay"}),
        (Phase.GREETING, "conversation", "您好", {"type", "stop", "volume", "larger", "language", "staff"}),
        (
            Phase.LISTENING,
            "conversation",
            "请讲，我在听",
            {"type", "replay", "volume", "larger", "language", "staff"},
        ),
        (Phase.THINKING, "conversation", "正在思考", {"type", "stop", "volume", "larger", "language", "staff"}),
        (Phase.SPEAKING, "conversation", "正在回答", {"type", "stop", "volume", "larger", "language", "staff"}),
        (Phase.IDLE_WARNING, "message", "您还在吗？", {"type", "replay", "volume", "larger", "language", "staff"}),
        (Phase.FAREWELL, "message", "再见", {"type", "replay", "volume", "larger", "language", "staff"}),
    ],
)
def test_each_phase_has_its_page_and_controls(window, phase, page, status, controls):
    window.show_state(replace(TALKING, phase=phase))
    assert window.pages.currentWidget() is getattr(window, page)
    assert window.status.text == status
    assert enabled(window) == controls
    assert "AI" in window.face.ai_label.text()
    assert window.face.ai_label.isVisible()


def test_captions_are_shown_as_written_and_never_as_markup(window):
    window.show_state(replace(TALKING, reply_caption="<b>¥5.5</b> & 3<4"))
    label = window.conversation.reply.text_label
    assert label.text() == "<b>¥5.5</b> & 3<4"
    assert label.textFormat() == Qt.TextFormat.PlainText
    assert window.conversation.visitor.text_label.text() == "我叫王芳，想取50000元"


def test_a_long_answer_is_scrolled_to_its_newest_words(window, qtbot):
    window.show_state(replace(TALKING, reply_caption="第一句。" * 5))
    window.show_state(replace(TALKING, reply_caption="第一句。" * 200))
    qtbot.waitUntil(lambda: window.conversation.reply._scroll.verticalScrollBar().maximum() > 0)
    qtbot.waitUntil(lambda: window.conversation.reply.shows_newest)


@pytest.mark.parametrize(("width", "height"), [(800, 600), (1280, 720), (1080, 1920)])
@pytest.mark.parametrize("larger", [False, True])
def test_captions_show_whole_lines_and_a_short_one_needs_no_scrolling(make_window, qapp, width, height, larger):
    window = make_window(width, height)
    window.show_state(
        replace(TALKING, larger_text=larger, visitor_caption="怎么办？" * 6, reply_caption="第一句。" * 200)
    )
    qapp.processEvents()
    assert window.conversation.visitor._scroll.verticalScrollBar().maximum() == 0
    card = window.conversation.reply
    line = line_height(window._theme)
    assert card._scroll.viewport().height() % line == 0
    assert card._scroll.viewport().height() >= 3 * line


@pytest.mark.parametrize("phase", [Phase.ATTRACT, Phase.FAREWELL, Phase.ERROR])
def test_nothing_of_a_visitor_stays_on_any_page(window, phase):
    window.show_state(TALKING)
    window.open_keyboard()
    QTest.keyClicks(window.sheet.line, "13800138000")
    window.show_state(ScreenState(phase=phase, title="示例银行"))
    words = [label.text() for label in window.findChildren(QLabel)]
    words += [line.text() for line in window.findChildren(QLineEdit)]
    assert not [w for w in words if "王" in w or "5万" in w or "1380" in w]
    assert not window.is_typing
    assert not window.sheet.line.isUndoAvailable()


@pytest.mark.parametrize("phase", [Phase.ATTRACT, Phase.LISTENING])
def test_a_suggestion_is_asked(window, qtbot, phase):
    window.show_state(replace(TALKING, phase=phase, visitor_caption="", reply_caption=""))
    page = window.attract if phase is Phase.ATTRACT else window.conversation
    assert page.suggestions.visible_questions == TALKING.suggestions
    with qtbot.waitSignal(window.question_asked) as asked:
        QTest.mouseClick(page.suggestions._buttons[1], LEFT)
    assert asked.args == ["怎么挂失？"]


@pytest.mark.parametrize(
    ("control", "signal", "args"),
    [
        ("stop", "stop_requested", []),
        ("language", "language_chosen", ["en"]),
        ("larger", "larger_text_toggled", [True]),
        ("staff", "staff_called", []),
    ],
)
def test_controls_say_what_was_pressed(window, qtbot, control, signal, args):
    window.show_state(TALKING)
    with qtbot.waitSignal(getattr(window, signal)) as heard:
        QTest.mouseClick(getattr(window.dock, control), LEFT)
    assert heard.args == args


def test_replay_and_language_back(window, qtbot):
    window.show_state(replace(TALKING, phase=Phase.LISTENING, language="en", larger_text=True))
    with qtbot.waitSignal(window.replay_requested):
        QTest.mouseClick(window.dock.replay, LEFT)
    with qtbot.waitSignal(window.language_chosen) as heard:
        QTest.mouseClick(window.dock.language, LEFT)
    assert heard.args == ["zh"]
    with qtbot.waitSignal(window.larger_text_toggled) as heard:
        QTest.mouseClick(window.dock.larger, LEFT)
    assert heard.args == [False]


def test_volume(window, qtbot):
    window.show_state(replace(TALKING, volume=0.5))
    QTest.mouseClick(window.dock.volume, LEFT)
    bar = window.dock.volume_bar
    assert bar.isVisible()
    for button, value in ((bar.up, 0.6), (bar.down, 0.4), (bar.mute, 0.0)):
        with qtbot.waitSignal(window.volume_changed) as heard:
            QTest.mouseClick(button, LEFT)
        assert heard.args == [pytest.approx(value)]
    with qtbot.waitSignal(window.volume_changed) as heard:
        QTest.mouseClick(bar.steps, LEFT, pos=bar.steps.rect().center() + bar.steps.rect().topRight() / 4)
    assert heard.args[0] > 0.6
    window.show_state(replace(TALKING, volume=1.0))
    assert not bar.up.isEnabled()
    QTest.mouseClick(bar.done, LEFT)
    assert not bar.isVisible()


def test_the_volume_row_goes_by_itself(window, qtbot):
    window.show_state(TALKING)
    window.dock._close_later.setInterval(30)
    QTest.mouseClick(window.dock.volume, LEFT)
    assert window.dock.volume_bar.isVisible()
    qtbot.waitUntil(lambda: not window.dock.volume_bar.isVisible())
    assert window.dock.stop.isVisible()


def test_news_during_typing_does_not_take_the_keyboard_away(window):
    for phase in (Phase.ATTRACT, Phase.LISTENING):
        window.show_state(replace(TALKING, phase=phase, visitor_caption="", reply_caption=""))
        window.open_keyboard()
        QTest.keyClicks(window.sheet.line, "abc")
        window.show_state(replace(window.state, notice=Notice(text="没有找到话筒")))
        assert window.is_typing
        assert window.sheet.line.text() == "abc"
        window.close_keyboard()


def test_talk_button_is_held(window, qtbot):
    window.show_state(replace(TALKING, phase=Phase.LISTENING, push_to_talk=True))
    talk = window.conversation.talk
    assert talk.isVisible()
    with qtbot.waitSignal(window.talk_pressed):
        QTest.mousePress(talk, LEFT)
    assert talk.text() == load_texts("zh").release_to_send
    with qtbot.waitSignal(window.talk_released):
        QTest.mouseRelease(talk, LEFT)
    window.show_state(replace(TALKING, phase=Phase.LISTENING))
    assert not talk.isVisible()


def test_a_typed_question(window, qtbot):
    window.show_state(replace(TALKING, phase=Phase.LISTENING, language="en"))
    QTest.mouseClick(window.dock.type, LEFT)
    assert window.sheet.isVisible()
    assert not window.dock.isVisible()
    QTest.keyClicks(window.sheet.line, "Where is the ATM?")
    with qtbot.waitSignal(window.question_asked) as asked:
        QTest.mouseClick(window.sheet.send, LEFT)
    assert asked.args == ["Where is the ATM?"]
    assert not window.sheet.isVisible()


def test_a_press_on_nothing_and_typing_are_signs_of_life(window, qtbot):
    window.show_state(replace(TALKING, phase=Phase.ATTRACT))
    with qtbot.waitSignal(window.touched):
        QTest.mouseClick(window.face, LEFT)
    with qtbot.waitSignal(window.touched):
        QTest.mouseClick(window.attract, LEFT)
    window.show_state(TALKING)
    window.open_keyboard()
    with qtbot.waitSignal(window.touched):
        QTest.mouseClick(window.sheet.keypad.key("a"), LEFT)


def test_idle_warning_counts_down_and_offers_both_ways(window, qtbot):
    window.show_state(TALKING)
    window.open_keyboard()
    warning = replace(TALKING, phase=Phase.IDLE_WARNING, idle_seconds_left=7, idle_seconds_total=10)
    window.show_state(warning)
    assert not window.is_typing
    assert "7" in window.message.text.text()
    window.show_state(replace(warning, idle_seconds_left=6))
    assert "6" in window.message.text.text()
    with qtbot.waitSignal(window.touched):
        QTest.mouseClick(window.message.go_on, LEFT)
    with qtbot.waitSignal(window.goodbye_requested):
        QTest.mouseClick(window.message.end, LEFT)
    window.show_state(replace(TALKING, phase=Phase.FAREWELL))
    assert not window.message.go_on.isVisible()


def test_loading_shows_each_model(window):
    steps = (
        LoadStep(name="asr", label="语音识别", state=StepState.DONE, detail="whisper-base"),
        LoadStep(name="llm", label="语言模型", state=StepState.RUNNING, progress=0.5),
        LoadStep(name="tts", label="语音合成"),
    )
    window.show_state(ScreenState(phase=Phase.LOADING, loading=steps))
    words = [label.text() for label in window.loading.findChildren(QLabel) if label.isVisible()]
    for word in ("语音识别", "whisper-base", "就绪", "语言模型", "50 %", "语音合成", "等待", "已就绪 1 / 3"):
        assert word in words
    assert window.loading.overall.value() == 500
    failed = (replace(steps[0], state=StepState.FAILED, detail="whisper-base: 缺少文件"), *steps[1:])
    window.show_state(ScreenState(phase=Phase.ERROR, loading=failed, error="请运行 models fetch。"))
    words = [label.text() for label in window.loading.findChildren(QLabel) if label.isVisible()]
    assert "whisper-base: 缺少文件" in words
    assert any("请运行 models fetch。" in word for word in words)


def test_notice_appears_and_goes(window):
    window.show_state(replace(TALKING, notice=Notice(text="没有找到话筒", severity=Severity.WARNING)))
    assert window.notice.isVisible()
    assert window.notice.accessibleName() == "没有找到话筒"
    assert window.pages.geometry().top() >= window.notice.geometry().bottom()
    window.show_state(TALKING)
    assert not window.notice.isVisible()


def test_language_and_larger_text_change_everything(window):
    window.show_state(TALKING)
    small = window.dock.stop.font().pixelSize()
    window.show_state(replace(TALKING, language="en", larger_text=True))
    assert window.dock.stop.text() == "Stop"
    assert window.status.text == "Answering"
    assert window.dock.stop.font().pixelSize() == pytest.approx(small * 1.3, abs=1)


def test_loudness_alone_moves_only_the_bars(window, monkeypatch):
    state = replace(TALKING, phase=Phase.LISTENING)
    window.show_state(state)
    assert window.status.is_animated
    monkeypatch.setattr(window, "_render", lambda _state: pytest.fail("rendered everything"))
    for level in (0.1, 0.7, 0.7, 0.2):
        window.show_state(replace(state, hearing_level=level))
    assert window.state.hearing_level == 0.2
    monkeypatch.undo()
    window.show_state(TALKING)
    assert not window.status.is_animated


def test_escape_stops_and_closes_the_keyboard(make_window, qtbot):
    window = make_window(on_screen=True)
    window.show_state(TALKING)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    with qtbot.waitSignal(window.stop_requested):
        QTest.keyClick(window, Qt.Key.Key_Escape)
    window.open_keyboard()
    with qtbot.assertNotEmitted(window.stop_requested):
        QTest.keyClick(window.sheet.line, Qt.Key.Key_Escape)
    assert not window.is_typing


@pytest.mark.parametrize(("is_kiosk", "modifier", "closes"), [
    (True, Qt.KeyboardModifier.ControlModifier, False),
    (True, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier, True),
    (False, Qt.KeyboardModifier.ControlModifier, True),
])  # fmt: skip
def test_only_staff_can_quit_the_kiosk(make_window, qtbot, is_kiosk, modifier, closes):
    window = make_window(is_kiosk=is_kiosk, on_screen=True)
    window.show_state(TALKING)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    heard = []
    window.closing.connect(lambda: heard.append(True))
    QTest.keyClick(window, Qt.Key.Key_Q, modifier)
    assert bool(heard) is closes
    assert window.isVisible() is not closes


@pytest.mark.parametrize("name", list(sample_states("zh")))
def test_closing_works_in_every_state(make_window, qtbot, name):
    for _ in range(3):
        window = make_window(800, 600)
        window.show_state(sample_states("zh")[name])
        with qtbot.waitSignal(window.closing):
            window.close()
        assert not window.isVisible()


def test_without_opengl_the_face_is_a_still_picture(window):
    assert window.face.view is None
    assert window.face.stats() is None
    assert "OpenGL" in window.face.problem
    picture = window.face.still.grab().toImage()
    middle = picture.pixelColor(picture.width() // 2, picture.height() // 2)
    corner = picture.pixelColor(2, picture.height() // 3)
    assert middle.red() > middle.blue() + 30, "skin in the middle"
    assert abs(corner.red() - corner.blue()) < 40, "the grey-blue wall at the edge"
    window.face.close_gl()
