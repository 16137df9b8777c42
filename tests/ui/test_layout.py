"""At every size, language and type size: whole texts, no overlap, nothing outside the screen, targets for fingers."""

from dataclasses import replace
from itertools import combinations

import pytest
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from kiosk.ui.buttons import TouchButton
from kiosk.ui.gallery import sample_states

SIZES = [(640, 600), (800, 600), (1024, 600), (1280, 720), (1920, 1080), (3840, 2160), (640, 800), (1080, 1920)]


def problems(window) -> list[str]:
    """What a visitor would see as broken."""
    window.ensurePolished()
    found = []
    for button in window.findChildren(TouchButton):
        if button.isVisible():
            if not button.text_fits():
                found.append(f"cut text: {button.text()!r} in {button.size()}")
            if not window.rect().contains(button.mapTo(window, button.rect().center())):
                found.append(f"outside: {button.text()!r}")
    for label in window.findChildren(QLabel):
        if label.isVisible() and label.text():
            needed = label.heightForWidth(label.width()) if label.wordWrap() else label.sizeHint().height()
            width = 0 if label.wordWrap() else label.sizeHint().width()
            if needed > label.height() + 1 or width > label.width() + 1:
                found.append(f"cut label: {label.text()!r} {label.size()} needs {width}x{needed}")
            if not in_scroll_area(label) and not inside(window, label):
                found.append(f"label outside: {label.text()!r}")
    for parent in (window, window.attract, window.conversation, window.dock._row, window.sheet.keypad):
        shown = [w for w in parent.children() if isinstance(w, QWidget) and w.isVisible() and not w.size().isEmpty()]
        for first, second in combinations(shown, 2):
            if first.geometry().intersects(second.geometry()):
                found.append(f"overlap: {first} {first.geometry()} {second} {second.geometry()}")
    return found


def in_scroll_area(label: QLabel) -> bool:
    parent = label.parentWidget()
    while parent is not None:
        if isinstance(parent, QScrollArea):
            return True
        parent = parent.parentWidget()
    return False


def inside(window: QWidget, label: QLabel) -> bool:
    return window.rect().contains(label.mapTo(window, label.rect().topLeft())) and window.rect().contains(
        label.mapTo(window, label.rect().bottomRight())
    )


@pytest.mark.parametrize("larger", [False, True], ids=["normal", "larger"])
@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_every_state_fits(make_window, qapp, size, language, larger):
    window = make_window(*size)
    found = {}
    for name, state in sample_states(language).items():
        window.show_state(replace(state, larger_text=larger))
        qapp.processEvents()
        if broken := problems(window):
            found[name] = broken
    window.show_state(replace(sample_states(language)["listening"], larger_text=larger))
    window.open_keyboard()
    window.sheet.keypad.typed.emit("n")
    qapp.processEvents()
    found["typing"] = problems(window)
    window.close_keyboard()
    window.show_state(replace(sample_states(language)["attract"], larger_text=larger))
    window.open_keyboard()
    qapp.processEvents()
    found["typing at once"] = problems(window)
    window.close_keyboard()
    window.dock.volume.click()
    qapp.processEvents()
    found["volume"] = problems(window)
    assert {name: broken for name, broken in found.items() if broken} == {}


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_suggestions_and_dock_are_large_enough_for_a_finger(make_window, size):
    window = make_window(*size)
    window.show_state(sample_states("zh")["listening"])
    touch = window._theme.touch
    assert touch >= 36
    buttons = [b for b in window.findChildren(TouchButton) if b.isVisible()]
    assert len(buttons) >= 8
    assert min(b.height() for b in buttons) >= touch
    assert min(b.width() for b in buttons) >= touch


@pytest.mark.parametrize(
    ("size", "least"), [((1280, 720), 0.45), ((1920, 1080), 0.45), ((1080, 1920), 0.45), ((800, 600), 0.4)]
)
def test_the_face_is_large(make_window, size, least):
    window = make_window(*size)
    window.show_state(sample_states("zh")["speaking"])
    face = window.face.geometry()
    longer_share = face.width() / size[0] if size[0] > size[1] else face.height() / size[1]
    assert longer_share >= least


def test_turning_the_screen_moves_the_captions_below_the_face(make_window):
    window = make_window(1280, 720)
    window.show_state(sample_states("zh")["speaking"])
    assert window.pages.geometry().left() >= window.face.geometry().right()
    window.resize(720, 1280)
    assert window.pages.geometry().top() >= window.face.geometry().bottom()


def test_opening_the_keyboard_does_not_resize_the_face(make_window):
    window = make_window(1280, 720)
    window.show_state(sample_states("zh")["listening"])
    before = window.face.still.size()
    window.open_keyboard()
    assert window.face.still.size() == before
    assert window.face.height() < before.height()
    window.close_keyboard()
    assert window.face.still.pos().y() == 0
