"""The keys of the on-screen keyboard: Latin letters, digits and signs."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QWidget

from kiosk.ui.buttons import Look, TouchButton
from kiosk.ui.texts import Texts
from kiosk.ui.theme import Theme

SHIFT, DELETE, LAYER, LANGUAGE, SPACE = "shift", "delete", "layer", "language", "space"
_UNITS = 10.0
"""Width of a row in keys."""
_ROWS = 4
_KEY_HEIGHT = 1.15
"""Touch targets per key."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key: what it types or does, and its width in keys."""

    name: str
    width: float = 1.0


def _row(characters: str) -> list[Key]:
    return [Key(c) for c in characters]


LETTERS = [
    _row("qwertyuiop"),
    _row("asdfghjkl"),
    [Key(SHIFT, 1.5), *_row("zxcvbnm"), Key(DELETE, 1.5)],
    [Key(LAYER, 1.5), Key(LANGUAGE, 1.5), Key(","), Key(SPACE, 4.0), Key("."), Key("?")],
]
DIGITS = [
    _row("1234567890"),
    _row("-/:;()@&#"),
    [*_row("¥$%+=*"), Key("'"), Key('"'), Key(DELETE, 2.0)],
    [Key(LAYER, 1.5), Key(LANGUAGE, 1.5), Key(","), Key(SPACE, 4.0), Key("."), Key("?")],
]
CHINESE_SIGNS = {",": "，", ".": "。", "?": "？", ":": "：", ";": "；", "(": "（", ")": "）", "!": "！"}
"""What the sign keys type in Chinese."""


class Keypad(QWidget):
    """Four rows of keys. Signals: `typed(str)` one character, `deleted()`, `language_toggled()`."""

    typed = Signal(str)
    deleted = Signal()
    language_toggled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = Theme(16.0, "")
        self._texts: Texts | None = None
        self._rows: list[list[Key]] = []
        self._buttons: list[TouchButton] = []
        self._keys: list[Key] = []
        self._is_shifted = False
        self._is_chinese = False
        self._group = QButtonGroup(self)
        self._group.setExclusive(False)
        self._group.idClicked.connect(self._on_clicked)
        self._build(LETTERS)

    def apply(self, theme: Theme, texts: Texts, *, chinese: bool) -> None:
        """Take sizes and words; `chinese`: signs are Chinese and letters are pinyin."""
        self._theme, self._texts, self._is_chinese = theme, texts, chinese
        self._label()
        self._arrange()

    def reset(self) -> None:
        """Back to small letters."""
        self._is_shifted = False
        if self._rows is not LETTERS:
            self._build(LETTERS)
        self._label()
        self._arrange()

    def key(self, name: str) -> TouchButton:
        """The button of a key by the character it types or its name; for tests."""
        return self._buttons[[k.name for k in self._keys].index(name)]

    def _build(self, rows: list[list[Key]]) -> None:
        for button in self._buttons:
            self._group.removeButton(button)
            button.hide()
            button.deleteLater()
        self._rows = rows
        self._keys = [key for row in rows for key in row]
        self._buttons = []
        for index, key in enumerate(self._keys):
            button = TouchButton({SHIFT: "shift", DELETE: "delete"}.get(key.name, ""), Look.KEY, parent=self)
            button.setAutoRepeat(key.name == DELETE)
            self._group.addButton(button, index)
            self._buttons.append(button)
            button.show()

    def _label(self) -> None:
        if self._texts is None:
            return
        names = {
            SHIFT: "",
            DELETE: "",
            LAYER: self._texts.key_letters if self._rows is DIGITS else self._texts.key_digits,
            LANGUAGE: self._texts.key_english if self._is_chinese else self._texts.key_chinese,
            SPACE: self._texts.key_space,
        }
        spoken = {SHIFT: self._texts.key_shift, DELETE: self._texts.key_delete}
        for key, button in zip(self._keys, self._buttons, strict=True):
            is_character = key.name not in names
            text = self._character(key.name) if is_character else names[key.name]
            size = self._theme.caption if is_character else self._theme.body
            button.apply(self._theme, text, text_size=size)
            button.setAccessibleName(spoken.get(key.name, text))
            button.setCheckable(key.name == SHIFT)
            button.setChecked(key.name == SHIFT and self._is_shifted)

    def _character(self, name: str) -> str:
        if self._is_chinese and name in CHINESE_SIGNS:
            return CHINESE_SIGNS[name]
        return name.upper() if self._is_shifted else name

    @Slot(int)
    def _on_clicked(self, index: int) -> None:
        name = self._keys[index].name
        if name == SHIFT:
            self._is_shifted = not self._is_shifted
            self._label()
        elif name == DELETE:
            self.deleted.emit()
        elif name == LAYER:
            self._build(LETTERS if self._rows is DIGITS else DIGITS)
            self._label()
            self._arrange()
        elif name == LANGUAGE:
            self.language_toggled.emit()
        elif name == SPACE:
            self.typed.emit(" ")
        else:
            self.typed.emit(self._character(name))
            if self._is_shifted:
                self._is_shifted = False
                self._label()

    def _arrange(self) -> None:
        gap = self._theme.space(0.6)
        unit = (self.width() + gap) / _UNITS
        height = (self.height() + gap) / _ROWS
        index = 0
        for number, row in enumerate(self._rows):
            x = (_UNITS - sum(key.width for key in row)) / 2
            for key in row:
                left, right = round(x * unit), round((x + key.width) * unit) - gap
                top, bottom = round(number * height), round((number + 1) * height) - gap
                self._buttons[index].setGeometry(left, top, right - left, bottom - top)
                x += key.width
                index += 1

    def sizeHint(self) -> QSize:  # noqa: D102
        height = round(self._theme.touch * _KEY_HEIGHT)
        return QSize(self._theme.touch * 10, _ROWS * height + 3 * self._theme.space(0.6))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        self._arrange()
