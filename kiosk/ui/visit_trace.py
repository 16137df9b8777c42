"""What a visit leaves in the trace: one line for everything that tests and developers want to see of it."""

from __future__ import annotations

from kiosk.events import NothingHeard, Question, ReplyClause, SpeechClip, StageError, Utterance
from kiosk.pipeline.conversation import Conversation
from kiosk.pipeline.interruption import Interruption
from kiosk.trace import Trace
from models.vad.base import SAMPLE_RATE


class VisitTrace:
    """Turns events into lines, and notices what changed in a conversation since it was last looked at."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._interruption: Interruption | None = None
        self._was_held = False
        self._held_turn = 0

    def write(self, what: str, **values: object) -> None:
        """See `Trace.write`."""
        self._trace.write(what, **values)

    def utterance(self, utterance: Utterance) -> None:
        """A visitor has finished."""
        self._trace.write(
            "utterance",
            turn=utterance.turn_id,
            seconds=round(len(utterance.samples) / SAMPLE_RATE, 2),
            speech_end_ns=utterance.speech_end_ns,
            ended_by=utterance.ended_by,
            is_interruption=utterance.is_interruption,
            continues=utterance.continues,
        )

    def question(self, question: Question) -> None:
        """Words were recognised, for good or on trial."""
        self._trace.write(
            "on_trial" if question.is_trial else "question",
            turn=question.turn_id,
            text=question.text,
            language=question.language,
            is_interruption=question.is_interruption,
            log_probability=round(question.log_probability, 2),
        )

    def nothing_heard(self, event: NothingHeard) -> None:
        """It was noise."""
        if not event.is_trial:
            self._trace.write("nothing_heard", turn=event.turn_id, is_interruption=event.is_interruption)

    def clause(self, clause: ReplyClause) -> None:
        """A part of the answer is known."""
        self._trace.write(
            "clause", turn=clause.turn_id, written=clause.written, spoken=clause.spoken, source=clause.source
        )

    def sound(self, clip: SpeechClip, heard_ns: int) -> None:
        """A part of the answer, or a filler, was queued and will be heard at that time."""
        if clip.clause.is_filler:
            self._trace.write("filler", turn=clip.turn_id, heard_ns=heard_ns)
            return
        phonemes = [(p.symbol, round(p.start_s, 3), round(p.end_s, 3)) for p in clip.phonemes]
        self._trace.write("sound", turn=clip.turn_id, heard_ns=heard_ns, phonemes=phonemes)

    def error(self, error: StageError) -> None:
        """A stage could not do its part."""
        self._trace.write("error", stage=error.stage, message=error.message, is_permanent=error.is_permanent)

    def turn_taking(self, conversation: Conversation) -> None:
        """Holding, going on and interruptions since the last call."""
        if conversation.interruption is not self._interruption:
            self._interruption = conversation.interruption
            if (cut := conversation.interruption) is not None:
                self._trace.write("interrupted", turn=cut.turn_id, by=cut.by.value, heard=cut.heard)
        if conversation.is_held != self._was_held:
            self._was_held = conversation.is_held
            if conversation.is_held:
                self._held_turn = conversation.turn_id
                self._trace.write("held", turn=conversation.turn_id)
            elif self._held_turn == conversation.turn_id:
                self._trace.write("resumed", turn=conversation.turn_id)
