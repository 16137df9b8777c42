"""Takes a model's reasoning out of the stream: from <think> to </think>, also when only one of the tags arrives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

OPENING = ("<think>", "<thinking>", "<reasoning>")
CLOSING = ("</think>", "</thinking>", "</reasoning>")
"""Tags of the known reasoning models, compared without case."""
_LONGEST = max(len(tag) for tag in OPENING + CLOSING)


class ReasoningFilter:
    """Removes reasoning from deltas, delaying plain text only while it could be the beginning of a tag.

    A block that was opened by the prompt shows only its closing tag. By then its text may have been passed on: with
    `hold_until_closed`, for models whose template opens the block, everything up to the closing tag is held back.
    """

    def __init__(self, *, hold_until_closed: bool = False) -> None:
        """Start before the first delta; `hold_until_closed`: the answer begins inside a block."""
        self._inside = hold_until_closed
        self._pending = ""
        self._at_start = True
        self.was_opened_by_prompt = False
        """True once a closing tag came without its opening one."""

    def push(self, delta: str) -> str:
        """Add a delta; return the text that may be passed on, possibly none."""
        self._pending += delta
        passed = []
        while self._pending:
            tags = CLOSING if self._inside else OPENING + CLOSING
            start, tag = _first_tag(self._pending, tags)
            if tag is None:
                keep = _could_begin(self._pending, tags)
                if not self._inside:
                    passed.append(self._pending[: len(self._pending) - keep])
                self._pending = self._pending[len(self._pending) - keep :]
                break
            if tag in CLOSING and not self._inside:
                self.was_opened_by_prompt = True
                passed.clear()  # opened by the prompt: what came before it in this delta was reasoning
            elif not self._inside:
                passed.append(self._pending[:start])
            self._inside = tag in OPENING
            self._pending = self._pending[start + len(tag) :]
        return self._without_leading_space("".join(passed))

    def finish(self) -> str:
        """End of the answer: the rest that turned out to be no tag."""
        rest = "" if self._inside else self._pending
        self._pending = ""
        return self._without_leading_space(rest)

    def _without_leading_space(self, text: str) -> str:
        if self._at_start:
            text = text.lstrip()
            self._at_start = not text
        return text


def _first_tag(text: str, tags: Iterable[str]) -> tuple[int, str | None]:
    """The earliest of the tags and where it begins."""
    folded = text.lower()
    found = [(folded.find(tag), tag) for tag in tags if tag in folded]
    return min(found) if found else (0, None)


def _could_begin(text: str, tags: Sequence[str]) -> int:
    """How many characters at the end of the text could be the beginning of a tag."""
    start = text.rfind("<", -_LONGEST)
    tail = text[start:].lower() if start >= 0 else ""
    return len(tail) if tail and any(tag.startswith(tail) for tag in tags) else 0
