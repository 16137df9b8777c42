"""From the words of an answer to the events that carry it: clauses, the clips of their sound, or sound to prepare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kiosk.dialogue.reply import ReplyBuilder
from kiosk.dialogue.reply import clauses_of as reply_clauses
from kiosk.events import (
    EndOfReply,
    Event,
    FirstToken,
    PrepareAnswer,
    PrepareSpeech,
    ReplyClause,
    Source,
    SpeechClip,
)
from models.tts.base import SynthesisedSpeech
from models.types import Language


def clauses_of(deltas: Iterator[str], turn_id: int, language: Language, source: Source) -> Iterator[Event]:
    """Cut streamed text into clauses: `FirstToken`, `ReplyClause` …, `EndOfReply`."""
    builder = ReplyBuilder(language)
    is_first = True
    index = 0
    for delta in _with_end(deltas):
        if is_first:
            is_first = False
            yield FirstToken(turn_id=turn_id)
        for clause in builder.finish() if delta is None else builder.push(delta):
            yield ReplyClause(
                turn_id=turn_id,
                index=index,
                written=clause.written,
                spoken=clause.spoken,
                language=language,
                source=source,
            )
            index += 1
    yield EndOfReply(turn_id=turn_id)


def clips_of(clause: ReplyClause, parts: Iterable[SynthesisedSpeech]) -> Iterator[SpeechClip]:
    """The sound of a clause, as it is made."""
    for part in parts:
        yield SpeechClip(
            turn_id=clause.turn_id,
            clause=clause,
            samples=part.samples,
            sample_rate=part.sample_rate,
            phonemes=part.phonemes,
        )


def sound_of(text: str, event: PrepareAnswer) -> Iterator[PrepareSpeech]:
    """What must be spoken beforehand so that this text is ready as the answer to the question of `event`."""
    spoken = [clause.spoken for clause in reply_clauses(text, event.language) if clause.spoken]
    for number, line in enumerate(spoken, 1):
        yield PrepareSpeech(
            turn_id=event.turn_id,
            spoken=line,
            language=event.language,
            completes=event.text if number == len(spoken) else "",
        )


def _with_end(deltas: Iterator[str]) -> Iterator[str | None]:
    yield from deltas
    yield None
