"""Does what was said over an answer end it? Words of a listener, a murmur and the kiosk's own voice do not."""

from __future__ import annotations

from kiosk.dialogue.backchannel import Remark, is_murmur, is_single, is_too_short, kind_of_remark
from kiosk.dialogue.own_words import beyond_own_words, echoes, repeats
from kiosk.events import Question


def asks_nothing(question: Question, *, heard: str, reply: str, filler: str) -> bool:
    """Whether the answer goes on.

    Args:
        question: What was recognised.
        heard: What was heard of the answer until it was held, as written.
        reply: The whole answer as far as it is known, as written.
        filler: The words that bridge the wait; empty if there were none.
    """
    return (
        _is_passing(question)
        or _is_own_voice(question, heard, reply)
        or _adds_nothing(question.text, heard, reply, filler)
    )


def _is_passing(question: Question) -> bool:
    remark = kind_of_remark(question.text)
    return remark is Remark.LISTENING or (
        remark is Remark.SPEECH
        and (is_too_short(question.text) or is_murmur(question.text, question.log_probability))
    )


def _is_own_voice(question: Question, heard: str, reply: str) -> bool:
    """The kiosk heard itself."""
    return repeats(question.text, heard) or (
        bool(heard) and echoes(question.text, reply, heard, question.log_probability)
    )


def _adds_nothing(text: str, heard: str, reply: str, filler: str) -> bool:
    """A sign of listening, or one word, that was recognised together with the kiosk's own words before it.

    Who asks "what?" there hears the clause again.
    """
    own, heard = (reply, heard) if heard else (filler, filler)
    rest = beyond_own_words(text, own, heard) if own else text
    return rest != text and (kind_of_remark(rest) is Remark.LISTENING or is_single(rest))
