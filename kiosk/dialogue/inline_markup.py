"""Markup inside a line: emphasis, links, tags, special tokens, entities, pictures."""

from __future__ import annotations

import html
import re
import string
import unicodedata

from kiosk.dialogue.pieces import Piece, PieceWriter, plain
from kiosk.normalize.width import PICTURES
from models.types import Language

_LONGEST_LABEL = 200
"""Characters of a link's label; a bracket that stays open longer is a plain bracket."""
_LONGEST_ADDRESS = 2000
"""Characters of a link's target."""
_LONGEST_TAG = 120
"""Characters of a tag, a special token or an address in angle brackets."""

_TOKEN_BEGUN = re.compile(r"<[|｜][^>\n]*")
_TAG_BEGUN = re.compile(
    r"</?[A-Za-z][A-Za-z0-9_:-]*(?:[\s/][^<>\n]*)?|<!-{0,2}[^>\n]*|</|<[A-Za-z0-9._%+-]+@?[A-Za-z0-9.-]*|<https?:[^<>\s]*"
)
_ENDS_TURN = re.compile(r"end_of|im_end|^<[|｜](?:end|eot|eos|return|EOT)|^</s>", re.IGNORECASE)
_OPENS_TURN = re.compile(r"im_start|start_header|start_of_turn", re.IGNORECASE)
_OWN_ROLES = ("assistant", "model")
_CODE_BEGUN = re.compile(r"\*#?\d{0,9}#?")
"""A code that is keyed into a telephone, such as *99#; what is begun so may still be emphasis."""
_ROLES = (*_OWN_ROLES, "user", "system", "human", "tool")


class InlineMarkup:
    """Reads the characters of lines, shows what is text, and holds what is not yet decided."""

    def __init__(self, writer: PieceWriter, language: Language) -> None:
        self._writer = writer
        self._comma = "，" if language == "zh" else ", "
        self._brackets = ("（", "）") if language == "zh" else (" (", ")")
        self._held = ""
        self._role: str | None = None  # the word after a token that opens a turn
        self._gap = False  # a picture stood here
        self.ended = False
        """The model has closed its turn; what follows is invented."""

    def read(self, char: str) -> None:
        """Take one character, not a newline."""
        if self.ended:
            return
        if self._role is not None:
            self._read_role(char)
        elif self._held:
            self._continue(char)
        elif char in "*_~\\!&[<":
            self._held = char
        elif char == "`":
            pass
        elif char == "|":
            self._writer.show(Piece("|", self._comma))
        elif PICTURES.fullmatch(char) and unicodedata.digit(char, None) is None:
            self._gap = self._gap or unicodedata.category(char) in ("So", "Me", "Cn")
        else:
            self._show(char)

    def end_line(self) -> None:
        """The line is over: what is still open stays text."""
        if self._role is not None:
            self._read_role("\n")
        while self._held and not self.ended:
            self._settle("\n")
        self._gap = False

    def _show(self, char: str) -> None:
        before = self._writer.tail[-1:]
        if self._gap and before.isascii() and before.isalnum() and char.isascii() and char.isalnum():
            self._writer.show(Piece(" ", " "))
        self._gap = False
        self._writer.show(Piece(char, char))

    def _replay(self, text: str) -> None:
        for char in text:
            self.read(char)

    def _continue(self, char: str) -> None:
        """Add a character to what is held, or settle what is held and read it anew."""
        held = self._held
        if self._belongs(held, char):
            self._held = held + char
            self._close_if_complete()
        else:
            self._settle(char)
            self.read(char)

    def _belongs(self, held: str, char: str) -> bool:
        match held[0]:
            case "*":
                digits_before = self._writer.tail.rstrip()[-1:].isdigit()
                if _CODE_BEGUN.fullmatch(held + char) and not digits_before:
                    return True
                return held[-1] == "*" and (char == "*" or (held == "*" and char == " " and digits_before))
            case "_" | "~":
                return char == held[0]
            case "!":
                return char == "["
            case "\\":
                return char in string.punctuation
            case "&":
                return len(held) < 10 and (char in "#;" or (char.isascii() and char.isalnum()))
            case "[":
                return self._belongs_to_link(held, char)
            case "<":
                pattern = _TOKEN_BEGUN if held[1:2] in ("|", "｜") or char in "|｜" else _TAG_BEGUN
                return len(held) < _LONGEST_TAG and (char == ">" or pattern.fullmatch(held + char) is not None)
        return False

    @staticmethod
    def _belongs_to_link(held: str, char: str) -> bool:
        if "](" in held:
            return len(held) < _LONGEST_LABEL + _LONGEST_ADDRESS
        if held[-1] == "]":
            return char == "("
        return char != "[" and len(held) < _LONGEST_LABEL

    def _close_if_complete(self) -> None:
        held = self._held
        if held == "![":
            self._held = "["
        elif held[0] == "\\":
            self._held = ""
            self._show(held[1])
        elif held[0] == "*" and re.search(r"\d#$", held):
            self._held = ""
            for char in held:
                self._show(char)
        elif held[0] == "&" and held[-1] == ";":
            self._held = ""
            for piece in plain(html.unescape(held)):
                self._writer.show(piece)
        elif held[0] == "<" and held[-1] == ">" and len(held) > 2:
            self._held = ""
            self._close_tag(held)
        elif held[0] == "[" and "](" in held and held[-1] == ")":
            label, address = held[1:-1].split("](", 1)
            if held.count("(", len(label)) == held.count(")", len(label)):
                self._held = ""
                self._close_link(label, address)

    def _settle(self, following: str) -> None:
        """What is held is complete, or was no markup; `following` is the next character."""
        held, self._held = self._held, ""
        before = self._writer.tail.rstrip()[-1:]
        if held[0] == "*":
            run = held.rstrip(" ")
            if before.isdigit() and following.isdigit() and (len(run) == 1 or len(run) > 2):
                self._writer.show(Piece(held, run if len(run) == 1 else " "))  # a product; a masked number
            elif held[-1] == " ":
                self._show(" ")
            elif held == "*" and following == "键":
                self._show("*")
            self._replay(run.lstrip("*"))
        elif held[0] == "_":
            ascii_word = before.isascii() and before.isalnum() and following.isascii() and following.isalnum()
            if ascii_word or self._in_address():
                self._writer.show(Piece(held, held))
        elif held[0] == "~":
            if len(held) == 1:
                self._show("~")
        elif held == "\\" or held in ("[ ]", "[x]", "[X]") or re.fullmatch(r"\[\^\w{1,8}\]", held):
            pass
        elif held[0] == "[" and "](" in held:
            label, address = held[1:].split("](", 1)
            self._close_link(label, address)
        else:
            self._show(held[0])
            self._replay(held[1:])

    def _in_address(self) -> bool:
        word = re.split(r"[\s\u3000-\u9fff]", self._writer.tail)[-1]
        return "://" in word or word.startswith("www.")

    def _close_link(self, label: str, address: str) -> None:
        self._replay(label)
        target = address.strip().split(" ")[0]
        if target and target != label:
            opening, closing = self._brackets
            self._writer.show(Piece(f"{opening}{target}{closing}", ""))

    def _close_tag(self, tag: str) -> None:
        inner = tag[1:-1]
        if re.fullmatch(r"https?:\S+|[\w.%+-]+@[\w.-]+", inner, re.ASCII):
            for piece in plain(inner):
                self._writer.show(piece)
        elif _ENDS_TURN.search(tag):
            self.ended = bool(self._writer.tail)
        elif _OPENS_TURN.search(tag):
            self._role = ""
        elif inner.strip("|｜").lower() in _ROLES and tag[1] in "|｜":
            self.ended = bool(self._writer.tail) and inner.strip("|｜").lower() not in _OWN_ROLES
        elif re.fullmatch(r"br\s*/?|/p|/li|/div|/h\d", inner, re.IGNORECASE) and self._writer.tail:
            self._writer.pause(self._comma)

    def _read_role(self, char: str) -> None:
        word = (self._role or "") + char.lower()
        if any(role.startswith(word) for role in _ROLES):
            self._role = word
            return
        role, self._role = self._role or "", None
        if role in _ROLES:
            self.ended = bool(self._writer.tail) and role not in _OWN_ROLES
            if char not in "\n :：":
                self.read(char)
        else:
            self._replay(role + char.strip("\n"))
