"""Cuts the stream of the microphone into turns. Pure logic: time comes in with the sound.

One thread pushes sound and takes the results. Gate, talk button, words and visitor may be told from any other: they
take effect with the next block.

listening ──voice──► speaking ──pause──► paused ──voice, words, silence──► listening
    │                   ▲                  │
    │                   └──────voice───────┘
    └──press──► held ──release──► listening
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable

import numpy as np

from kiosk.config import HearingConfig
from kiosk.events import EndedBy
from kiosk.hearing.onset import Onset
from kiosk.hearing.patience import GOES_ON_MS, Patience
from kiosk.hearing.results import (
    HearingResult,
    SpeechBegan,
    SpeechDropped,
    SpeechEnded,
    SpeechPaused,
    SpeechResumed,
)
from kiosk.hearing.sample_buffer import SampleBuffer
from kiosk.hearing.windows import Windows
from models.endpointing.base import EndOfTurnDetector
from models.types import FloatArray
from models.vad.base import SAMPLE_RATE, WINDOW_SAMPLES, VoiceActivityDetector

SAMPLES_PER_MS = SAMPLE_RATE // 1000
STOP_MARGIN = 0.15
"""Speech that has begun lasts down to this much below the threshold; Silero's own choice."""
FADE_MARGIN = 0.2
"""The voice fades away in a window whose probability lies less than this above the threshold and …"""
FADE_FALL = 0.15
"""… this much below that of the window before. Silero trails behind the voice by one to three windows, in noise by
more. Told by its fall, a pause begins a window earlier; few more pauses are found within sentences."""
RESUME_WINDOWS = 2
"""Voiced windows in a row that end a pause; one alone may be a click."""
ASK_AGAIN_MS = 400
"""Silence after which the end-of-turn model is asked again; by then the words mostly are there."""
PAUSE_BEGINS_MS = 32
"""Silence after which recognition may begin on trial: one window. Silero bridges most closures of p, t and k:
a twentieth more pauses are found than after two. Whether the turn is over is asked after the configured pause."""
GAP_MS = 120
"""Silence that may stand in a word or before a weak one: so soon after the voice a single window goes on with it."""
TAIL_MS = PAUSE_BEGINS_MS
"""Silence left after the last voiced sample: what is there when recognition begins. More makes it invent words."""
LEAD_MS = 100
"""So long before the first voiced window a soft consonant may have begun."""
SAME_PAUSE_NS = 16_000_000
"""Half a window: the clock of the microphone trembles, the end of speech moves by whole windows."""
VAD_REFRESH_S = 30.0
"""Without speech the detector's state is renewed this often: after hours of noise it may drift and go deaf."""
MIN_HELD_WINDOWS = 2
"""Voiced windows without which a held button counts as pressed by mistake."""
RELEASE_TAIL_MS = 200
"""Sound taken after the button is let go: people release it on the last syllable."""


class _State(enum.Enum):
    LISTENING = enum.auto()
    SPEAKING = enum.auto()
    PAUSED = enum.auto()
    HELD = enum.auto()


class Segmenter:
    """Decides where a turn begins and ends. Knows no microphone, no clock, no words."""

    def __init__(self, vad: VoiceActivityDetector, end_of_turn: EndOfTurnDetector, config: HearingConfig) -> None:
        """Start listening with the gate open.

        Args:
            vad: Asked for each 32 ms; belongs to this segmenter alone.
            end_of_turn: Asked at pauses.
            config: Thresholds and times.
        """
        self._vad = vad
        self._end_of_turn = end_of_turn
        self._config = config
        self._max_open = int(config.max_open_s * SAMPLE_RATE)
        pre_roll = config.pre_roll_ms * SAMPLES_PER_MS
        self._buffer = SampleBuffer(self._max_open + pre_roll)
        self._tail = min(TAIL_MS, config.pause_ms) * SAMPLES_PER_MS
        self._words_buffer = SampleBuffer(self._max_open + pre_roll)
        self._windows = Windows()
        self._anchor_sample = 0
        self._anchor_ns = 0
        self._gate_open = True
        self._requests: deque[Callable[[], list[HearingResult]]] = deque()
        self._floor = 0  # no turn reaches back before this sample
        self._state = _State.LISTENING
        self._onset = Onset()
        self._quiet_windows = 0
        self._last_probability = 0.0
        self._start = 0  # first sample of the turn, pre-roll included
        self._voice_start = 0
        self._voice_end = 0  # sample after the last voiced one
        self._voiced_windows = 0
        self._voiced_in_row = 0
        self._fluent_windows = 0  # voiced ones since the last pause
        self._next_question = 0  # sample from which the model is asked again
        self._patience = Patience(config)
        self._completeness: float | None = None  # of the pause under way, by the voice
        self._text: str | None = None  # of the pause under way
        self._release_at: int | None = None
        self._wait_for_release = False
        self._goes_on = False  # this turn began soon after another was closed
        self._closed_voice_end: int | None = None  # of the turn closed last, if the ear has been open since

    @property
    def is_open(self) -> bool:
        """Is a turn under way?"""
        return self._state is not _State.LISTENING

    def push(
        self,
        block: FloatArray,
        captured_ns: int,
        is_own_voice: bool = False,
        evidence: float = 0.0,
        *,
        to_recognise: FloatArray | None = None,
    ) -> list[HearingResult]:
        """Take the next block of the microphone.

        Args:
            block: float32 mono at 16 kHz in [-1, 1], any length.
            captured_ns: time.monotonic_ns() at which its last sample reached the microphone.
            is_own_voice: What speaks in it is the kiosk itself: it begins no turn and ends no pause. A window is the
                kiosk's own voice if most of its samples are.
            evidence: How clearly something stands out of the kiosk's own voice; 0 while that is silent.
            to_recognise: The block as a recogniser is to read it, as long; None: as it is.

        Returns:
            What happened, in order; mostly nothing.
        """
        results: list[HearingResult] = []
        while self._requests:
            results += self._requests.popleft()()
        if not self._gate_open:
            return results
        self._anchor_sample = self._buffer.end + len(self._windows) + len(block)
        self._anchor_ns = captured_ns
        for window in self._windows.push(block, block if to_recognise is None else to_recognise, is_own_voice):
            self._buffer.append(window.samples)
            self._words_buffer.append(window.to_recognise)
            probability = self._vad.probability(np.ascontiguousarray(window.samples, np.float32))
            results += self._take(probability, window.is_own_voice)
        return results + self._doubt(evidence)

    def note_text(self, speech_end_ns: int, text: str) -> None:
        """What was recognised on trial of the turn up to a pause; it helps to tell whether the turn is over.

        Nothing happens when the pause is over or the turn is closed.

        Args:
            speech_end_ns: That of the `SpeechPaused` whose samples were recognised.
            text: The words; empty if there were none.
        """
        self._requests.append(lambda: self._apply_text(speech_end_ns, text))

    def reset_visitor(self) -> None:
        """Another visitor: forget how the last one paused."""
        self._requests.append(self._apply_reset)

    def set_gate(self, is_open: bool) -> None:
        """Close the ears while the kiosk itself speaks, or open them again. Nothing heard in between is kept."""
        self._requests.append(lambda: self._apply_gate(is_open))

    def press(self) -> None:
        """The talk button goes down: the turn lasts until it is released."""
        self._requests.append(self._apply_press)

    def release(self) -> None:
        """The talk button comes up; the turn ends a moment later."""
        self._requests.append(self._apply_release)

    def close(self) -> None:
        """Free both networks."""
        self._vad.close()
        self._end_of_turn.close()

    def _apply_gate(self, is_open: bool) -> list[HearingResult]:
        if is_open == self._gate_open:
            return []
        self._gate_open = is_open
        results: list[HearingResult] = [SpeechDropped(reason="gate")] if self.is_open else []
        self._forget()
        return results

    def _apply_press(self) -> list[HearingResult]:
        if not self._gate_open or self._state is _State.HELD:
            return []
        was_open = self.is_open
        self._state = _State.HELD
        self._onset.end_doubt()
        self._release_at = None
        if was_open:
            return []
        self._open_turn(self._buffer.end)
        self._voiced_windows = self._onset.voiced_windows
        return [SpeechBegan(speech_start_ns=self._time_of(self._voice_start))]

    def _apply_release(self) -> list[HearingResult]:
        if self._wait_for_release:
            self._wait_for_release = False
            self._floor = self._buffer.end
        if self._state is _State.HELD and self._release_at is None:
            self._release_at = self._buffer.end + RELEASE_TAIL_MS * SAMPLES_PER_MS
        return []

    def _apply_text(self, speech_end_ns: int, text: str) -> list[HearingResult]:
        if self._state is _State.PAUSED and abs(self._time_of(self._voice_end) - speech_end_ns) < SAME_PAUSE_NS:
            self._text = text
            return self._judge()
        return []

    def _apply_reset(self) -> list[HearingResult]:
        self._patience.forget()
        return []

    def _take(self, probability: float, is_own_voice: bool) -> list[HearingResult]:
        """One window has been appended to the buffer."""
        fall = self._last_probability - probability
        self._last_probability = probability
        is_voice = probability >= self._config.speech_threshold and not is_own_voice
        if self._state is _State.LISTENING:
            return self._listen(probability, is_voice)
        if self._onset.is_doubtful:
            self._onset.push(self._buffer.end, probability, is_voice)
            return self._settle()
        if self._state is _State.PAUSED:
            # What only falls further is still the end that began the pause.
            goes_on = fall < 0 and probability >= self._config.speech_threshold - STOP_MARGIN and not is_own_voice
            results = self._wait(is_voice, goes_on)
        else:
            fades = fall >= FADE_FALL and probability < self._config.speech_threshold + FADE_MARGIN
            lasts = probability >= self._config.speech_threshold - STOP_MARGIN
            results = self._follow(lasts and not (fades and self._state is _State.SPEAKING))
        if self.is_open and self._buffer.end + WINDOW_SAMPLES - self._start > self._max_open:
            self._wait_for_release = self._state is _State.HELD
            results.append(self._close("length"))
        return results

    def _listen(self, probability: float, is_voiced: bool) -> list[HearingResult]:
        if self._wait_for_release:
            return []
        self._onset.push(self._buffer.end, probability, is_voiced)
        self._quiet_windows = 0 if is_voiced else self._quiet_windows + 1
        if self._quiet_windows * WINDOW_SAMPLES >= VAD_REFRESH_S * SAMPLE_RATE:
            self._vad.reset()
            self._quiet_windows = 0
        voice_start = self._onset.voice_start()
        if self._config.push_to_talk or voice_start is None:
            return []
        began = self._begin(voice_start)
        self._learn_gap()
        return began

    def _doubt(self, evidence: float) -> list[HearingResult]:
        """Rather fall silent for a noise than speak on over a visitor."""
        if self._state is not _State.LISTENING or self._wait_for_release or self._config.push_to_talk:
            return []
        voice_start = self._onset.doubt(evidence)
        return [] if voice_start is None else self._begin(max(voice_start, self._floor))

    def _settle(self) -> list[HearingResult]:
        """A turn begun in doubt becomes one, or never was."""
        match self._onset.settle():
            case True:
                self._voice_end = self._buffer.end
                self._learn_gap()
            case False:
                self._rest()
                return [SpeechDropped(reason="no-speech")]
        return []

    def _begin(self, voice_start: int) -> list[HearingResult]:
        self._open_turn(voice_start)
        self._state = _State.SPEAKING
        self._voice_end = self._buffer.end
        return [SpeechBegan(speech_start_ns=self._time_of(self._voice_start))]

    def _learn_gap(self) -> None:
        """How long the visitor was silent before this turn."""
        self._goes_on = False
        if self._closed_voice_end is not None:
            pause_ms = (self._voice_start - self._closed_voice_end) // SAMPLES_PER_MS
            self._goes_on = pause_ms <= GOES_ON_MS
            self._patience.learn(pause_ms, was_closed=True)

    def _follow(self, is_voiced: bool) -> list[HearingResult]:
        """Speaking, or the button held."""
        if is_voiced:
            self._voice_end = self._buffer.end
            self._voiced_windows += 1
            self._fluent_windows += 1
        if self._state is _State.HELD:
            if self._release_at is None or self._buffer.end < self._release_at:
                return []
            if self._voiced_windows < MIN_HELD_WINDOWS:
                self._forget()
                return [SpeechDropped(reason="no-speech")]
            return [self._close("button")]
        if self._buffer.end - self._voice_end < self._tail:
            return []
        self._state = _State.PAUSED
        self._voiced_in_row = 0
        self._next_question = self._voice_end + self._config.pause_ms * SAMPLES_PER_MS
        self._completeness = None
        self._text = None
        paused = SpeechPaused(samples=self._turn_samples(), speech_end_ns=self._time_of(self._voice_end))
        return [paused, *self._judge()]

    def _wait(self, is_voiced: bool, goes_on: bool) -> list[HearingResult]:
        """Paused; whether it is certainly voice, and whether it would count as such within a word."""
        if goes_on and self._silence_ms() - WINDOW_SAMPLES // SAMPLES_PER_MS <= GAP_MS:
            self._voice_end = self._buffer.end
            self._state = _State.SPEAKING
            return [SpeechResumed()]
        self._voiced_in_row = self._voiced_in_row + 1 if is_voiced else 0
        if self._voiced_in_row >= RESUME_WINDOWS:
            self._fluent_windows = 0
            self._patience.learn(self._silence_ms() - RESUME_WINDOWS * WINDOW_SAMPLES // SAMPLES_PER_MS)
            self._voice_end = self._buffer.end
            self._state = _State.SPEAKING
            return [SpeechResumed()]
        return self._judge()

    def _judge(self) -> list[HearingResult]:
        """Is the turn over?"""
        if self._voiced_in_row:
            return []
        if self._buffer.end >= self._next_question:
            self._next_question = self._buffer.end + ASK_AGAIN_MS * SAMPLES_PER_MS
            self._completeness = self._end_of_turn.probability(self._buffer.slice(self._start, self._buffer.end))
        if self._completeness is None:
            return []
        fluent_ms = self._fluent_windows * WINDOW_SAMPLES // SAMPLES_PER_MS
        verdict = self._patience.verdict(self._completeness, self._text, fluent_ms=fluent_ms, goes_on=self._goes_on)
        return [self._close(verdict.ended_by)] if self._silence_ms() >= verdict.silence_ms else []

    def _silence_ms(self) -> int:
        return (self._buffer.end - self._voice_end) // SAMPLES_PER_MS

    def _open_turn(self, voice_start: int) -> None:
        self._voice_start = self._voice_end = voice_start
        self._start = max(self._floor, voice_start - self._config.pre_roll_ms * SAMPLES_PER_MS)
        self._voiced_windows = 0
        self._fluent_windows = 0

    def _close(self, ended_by: EndedBy) -> SpeechEnded:
        ended = SpeechEnded(
            samples=self._turn_samples(),
            speech_start_ns=self._time_of(self._voice_start),
            speech_end_ns=self._time_of(self._voice_end),
            ended_by=ended_by,
        )
        self._closed_voice_end = self._voice_end
        self._rest()
        # The pre-roll of the next turn may begin where this one's sound ends, not earlier.
        self._floor = min(self._buffer.end, self._voice_end + self._tail)
        return ended

    def _turn_samples(self) -> FloatArray:
        """What is to be recognised. Before the visitor begins only the kiosk could be read."""
        begin = max(self._start, self._voice_start - LEAD_MS * SAMPLES_PER_MS)
        end = min(self._buffer.end, self._voice_end + self._tail)
        return np.concatenate((self._buffer.slice(self._start, begin), self._words_buffer.slice(begin, end)))

    def _forget(self) -> None:
        """Nothing heard so far may reach a later turn."""
        self._rest()
        self._windows.clear()
        self._floor = self._buffer.end
        self._closed_voice_end = None

    def _rest(self) -> None:
        """Back to listening, the detector as new."""
        self._state = _State.LISTENING
        self._vad.reset()
        self._onset.reset()
        self._quiet_windows = 0
        self._last_probability = 0.0
        self._release_at = None

    def _time_of(self, sample: int) -> int:
        return self._anchor_ns + (sample - self._anchor_sample) * 1_000_000_000 // SAMPLE_RATE
