"""From what a language model writes to what may be shown and spoken.

The filter reads one character at a time and decides on what it has read, never on where a delta ended: every way of
splitting a reply gives the same pieces.
"""

from __future__ import annotations

import re

from kiosk.dialogue.inline_markup import InlineMarkup
from kiosk.dialogue.pieces import Piece, PieceWriter
from kiosk.normalize.width import PICTURES
from models.types import Language

_SPACE = " \t\u3000"
_UNDECIDED = re.compile(r"[>#`~]+|[-*+_=]+|-{3,}[ \t]*|\d{1,3}[.)）]?")
_HEADING = re.compile(r"#{1,6}[ \t]")
_ITEM = re.compile(r"[-*+][ \t]|[•●▪◦○‣·■◆▶►➤※]")
_NUMBERED = re.compile(r"(\d{1,3})[.)）][ \t]")
_RULE = re.compile(r"[-*+_=#>`~]+")
_BARS = ("|", "│", "┃")
_ROLES = ("assistant", "user", "system", "human", "助手")
_ROLE_LINE = re.compile(rf"({'|'.join(_ROLES)})\s?[:：]", re.IGNORECASE)
_ENDS_WITH_MARK = re.compile(r"[。！？!?.…；;：:，,、—][”’」』）)】》\]\"']*\s*$")

_TEXT_FENCES = ("markdown", "md", "text", "txt", "plaintext")
_CODE = re.compile(r"[{}<>;=|\u2500-\u257f]|\w\(|^\s*(?:import|def|class|SELECT)\b", re.MULTILINE)
_TABLE_HINT: dict[Language, str] = {"zh": "表格见屏幕。", "en": "See the table on the screen."}
_CODE_HINT: dict[Language, str] = {"zh": "代码见屏幕。", "en": "See the code on the screen."}


class SpeechFilter:
    """Takes the markup out of one reply.

    Removed: emphasis, headings, list and quote marks, rules, backticks, tags, special tokens, role words, emoji, box
    drawing. Kept for the captions only: targets of links, tables, code. What follows the end of the model's turn is
    dropped. It knows nothing of sentences and numbers.
    """

    def __init__(self, language: Language) -> None:
        self._language: Language = language
        self._writer = PieceWriter()
        self._inline = InlineMarkup(self._writer, language)
        self._start: str | None = ""  # of a line whose kind is not yet known; None inside a line
        self._newlines = 0  # since the last line with text
        self._marked = False  # the last line was a heading or a list item
        self._rows: list[str] = []  # of the table being read
        self._fence: str | None = None  # the code block being read, from its info line on
        self._ended = False

    def push(self, delta: str) -> list[Piece]:
        """Take the next part of the reply, give what is decided by now."""
        for char in delta:
            self._read(char)
        return self._writer.take()

    def finish(self) -> list[Piece]:
        """The reply is over: give the rest."""
        self._read("\n")
        if self._fence is not None:
            self._close_fence(self._fence)
            self._read("\n")
        self._close_table()
        return self._writer.take()

    def _read(self, char: str) -> None:
        if self._ended or self._inline.ended or char == "\r":
            return
        if self._fence is not None:
            self._read_fence(self._fence + char)
        elif self._start is not None:
            self._read_start(self._start + char)
        elif char == "\n":
            self._inline.end_line()
            self._start = ""
            self._newlines = 1
        else:
            self._inline.read(" " if char == "\t" else char)

    def _read_start(self, start: str) -> None:
        """Find out what kind of line this is."""
        self._start = start
        held = start.lstrip(_SPACE)
        if start[-1] == "\n":
            self._end_unknown_line(held.strip())
        elif held in ("```", "~~~"):
            self._start, self._fence = None, ""
        elif held[:1] == ">":
            self._start = ""
        elif not held or held[0] in _BARS or _UNDECIDED.fullmatch(held):
            pass
        elif _HEADING.fullmatch(held) or _ITEM.fullmatch(held):
            self._begin_line(marked=True)
        elif match := _NUMBERED.fullmatch(held):
            self._begin_line(marked=True)
            self._writer.show(Piece(held, match[1] + ("、" if self._language == "zh" else ", ")))
        elif any(role.startswith(held.lower().rstrip()) for role in _ROLES):
            pass
        elif match := _ROLE_LINE.fullmatch(held):
            self._start = ""
            self._ended = bool(self._writer.tail) and match[1].lower() in ("user", "human")
        else:
            self._begin_line(marked=False)
            for char in held:
                self._inline.read(" " if char == "\t" else char)

    def _end_unknown_line(self, held: str) -> None:
        self._start = ""
        if held.startswith(_BARS):
            self._rows.append(held)
        elif not held or _RULE.fullmatch(held):
            self._newlines += 1 + len(held)  # an empty line or a rule across the page
        else:
            self._begin_line(marked=False)
            for char in held + "\n":
                self._read(char)

    def _begin_line(self, *, marked: bool) -> None:
        """The line holds text: settle what lies before it."""
        self._close_table()
        if self._writer.tail and self._newlines:
            self._pause(strong=marked or self._marked or self._newlines > 1)
        self._start = None
        self._newlines = 0
        self._marked = marked

    def _pause(self, *, strong: bool) -> None:
        if _ENDS_WITH_MARK.search(self._writer.tail):
            self._writer.pause("\n" if strong else "" if self._language == "zh" else " ")
        elif self._language == "zh":
            self._writer.pause("。" if strong else "，")
        else:
            self._writer.pause(". " if strong else " ")

    def _close_table(self) -> None:
        rows, self._rows = self._rows, []
        cells = [
            [cell.strip(" *`_") for cell in re.split(r"[|│┃]", PICTURES.sub("|", row).strip("| "))] for row in rows
        ]
        shown = [
            " | ".join(cell for cell in row if cell) for row in cells if any(cell.strip(":-─═= |") for cell in row)
        ]
        self._show_block("\n".join(shown), _TABLE_HINT[self._language])

    def _read_fence(self, fence: str) -> None:
        self._fence = fence
        if fence.endswith(("\n```", "\n~~~")):
            self._close_fence(fence[:-3])

    def _close_fence(self, fence: str) -> None:
        self._fence, self._start = None, ""
        info, _, body = fence.partition("\n")
        info = info.strip().lower()
        if info in _TEXT_FENCES or (not info and not _CODE.search(body)):
            for char in body:
                self._read(char)
        else:
            self._show_block(body.strip("\n"), _CODE_HINT[self._language])

    def _show_block(self, written: str, hint: str) -> None:
        """Something to be looked at: the voice only points to it."""
        if not written.strip():
            return
        if self._writer.tail:
            self._pause(strong=True)
        self._writer.show(Piece(f"\n{written}\n", hint))
        self._newlines = 1
