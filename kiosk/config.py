"""The configuration: one TOML file → one tree of frozen dataclasses, checked at start, passed down in parts.

Each option has its type, default, unit and limits here and nowhere else. An unknown key is an error that names the
nearest known one.
"""

from __future__ import annotations

import dataclasses
import difflib
import tomllib
import types
import typing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from kiosk.errors import ConfigError
from models.types import Language

ProfileName = Literal["bank", "classroom", "booth"]


def _check(key: str, ok: bool, rule: str, value: object) -> None:
    if not ok:
        raise ConfigError("bad-config", f"configuration: {key} must be {rule}, not {value!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SoundConfig:
    """Microphone and loudspeaker."""

    input_device: str = "default"
    """Part of the microphone's name as `doctor` lists it, or "default"."""
    output_device: str = "default"
    """Part of the loudspeaker's name, or "default"."""
    volume: float = 0.9
    """Loudness of the voice, 0..1."""
    echo_cancellation: bool = True
    """WebRTC audio processing with the loudspeaker's signal as reference."""

    def __post_init__(self) -> None:
        _check("sound.volume", 0 <= self.volume <= 1, "between 0 and 1", self.volume)


@dataclass(frozen=True, slots=True, kw_only=True)
class HearingConfig:
    """When the visitor speaks and when the turn is over."""

    languages: tuple[Language, ...] = ("zh", "en")
    """Languages that are understood; any other is taken for the nearest of these."""
    push_to_talk: bool = False
    """Listen only while the talk button is held."""
    interruptible: bool = True
    """Listen also while the kiosk thinks and speaks; false where the loudspeaker drowns every visitor."""
    speech_threshold: float = 0.5
    """Probability of speech at which an utterance begins, 0..1."""
    pre_roll_ms: int = 400
    """Sound kept from before the detected beginning, at least 300."""
    pause_ms: int = 200
    """Silence after which the end-of-turn model is asked."""
    end_of_turn_threshold: float = 0.5
    """Probability at which the model closes the turn, 0..1."""
    max_silence_ms: int = 1200
    """Silence that closes the turn whatever the model says."""
    unfinished_silence_ms: int = 2000
    """Silence that closes a turn whose words ask for more, such as a number half dictated: people look at a card."""
    max_open_s: float = 20.0
    """The longest time one utterance may keep the microphone open."""

    def __post_init__(self) -> None:
        _check("hearing.languages", 0 < len(self.languages), "at least one language", self.languages)
        _check("hearing.speech_threshold", 0 < self.speech_threshold < 1, "between 0 and 1", self.speech_threshold)
        _check("hearing.pre_roll_ms", 300 <= self.pre_roll_ms <= 2000, "from 300 to 2000", self.pre_roll_ms)
        _check("hearing.pause_ms", 100 <= self.pause_ms <= 2000, "from 100 to 2000", self.pause_ms)
        _check(
            "hearing.end_of_turn_threshold",
            0 < self.end_of_turn_threshold < 1,
            "between 0 and 1",
            self.end_of_turn_threshold,
        )
        _check(
            "hearing.max_silence_ms",
            self.pause_ms <= self.max_silence_ms <= 10_000,
            "from hearing.pause_ms to 10000",
            self.max_silence_ms,
        )
        _check(
            "hearing.unfinished_silence_ms",
            self.max_silence_ms <= self.unfinished_silence_ms <= 10_000,
            "from hearing.max_silence_ms to 10000",
            self.unfinished_silence_ms,
        )
        _check("hearing.max_open_s", 2 <= self.max_open_s <= 28, "from 2 to 28", self.max_open_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecogniserConfig:
    """Speech recognition."""

    engine: Literal["auto", "faster-whisper", "openai-whisper"] = "auto"
    """auto: faster-whisper."""
    model: str = "auto"
    """A name of the catalogue, a folder or a file; auto: whisper-base."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageModelConfig:
    """The chat model."""

    engine: Literal["auto", "onnxruntime", "ctranslate2", "transformers", "server"] = "auto"
    """auto: onnxruntime without a GPU, transformers with one."""
    model: str = "auto"
    """A name of the catalogue, a folder or a GGUF file; auto: the largest fetched one that fits the memory."""
    server_url: str = ""
    """For engine "server": base address of an OpenAI-compatible server in the building, such as http://host:8000/v1."""
    server_key: str = ""
    """For engine "server": its key, if it wants one."""
    max_new_tokens: int = 96
    """The longest answer."""
    speculate: bool = True
    """Think about a question at a pause that may be its end; worth nothing if the visitor goes on."""
    prepare_suggested: bool = True
    """While nobody is here, think and speak the answers to the suggested questions, to give them at once."""
    context_tokens: int = 2048
    """Prompt and answer together; older turns are left out whole."""

    def __post_init__(self) -> None:
        _check(
            "language_model.max_new_tokens", 8 <= self.max_new_tokens <= 1024, "from 8 to 1024", self.max_new_tokens
        )
        _check(
            "language_model.context_tokens",
            512 <= self.context_tokens <= 131_072,
            "from 512 to 131072",
            self.context_tokens,
        )
        _check(
            "language_model.server_url",
            self.engine != "server" or bool(self.server_url),
            'set when engine is "server"',
            self.server_url,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersConfig:
    """The answers that the house itself wrote."""

    approved: bool = True
    """Give them before any model is asked: answers/PROFILE.csv in the data folder, or those that ship."""
    prepare: bool = True
    """While nobody is here, make the sound of the approved answers, to give them at once; kept for later starts."""
    max_prepared_mb: int = 300
    """Disk space for that sound; a minute takes 3 MB."""

    def __post_init__(self) -> None:
        _check(
            "answers.max_prepared_mb", 0 <= self.max_prepared_mb <= 100_000, "from 0 to 100000", self.max_prepared_mb
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsConfig:
    """What looks things up for a visitor."""

    demo_bank: bool = True
    """In the bank profile: balance, spending, tickets and loans of a demo bank whose customers are invented."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthesiserConfig:
    """The voice."""

    engine: Literal["auto", "kokoro", "hibari"] = "auto"
    """auto: Kokoro for Chinese; for English hibari on a CPU when the voice is af_heart, else Kokoro."""
    voice_zh: str = "auto"
    """A Kokoro voice, such as zf_xiaoxiao; auto: the avatar's."""
    voice_en: str = "auto"
    """A Kokoro voice, such as af_heart; auto: the avatar's."""
    speed: float = 1.0
    """Speaking rate, 0.5..2."""

    def __post_init__(self) -> None:
        _check("synthesiser.speed", 0.5 <= self.speed <= 2, "from 0.5 to 2", self.speed)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenConfig:
    """The window."""

    windowed: bool = False
    """A window instead of the full screen."""
    language: Language = "zh"
    """Language of the first greeting and of the buttons."""
    larger_text: bool = False
    """Start with larger text."""
    max_fps: int = 30
    """Frames per second of the face at most; lower it on a weak machine."""

    def __post_init__(self) -> None:
        _check("screen.max_fps", 5 <= self.max_fps <= 144, "from 5 to 144", self.max_fps)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionConfig:
    """When a conversation ends."""

    idle_s: float = 45.0
    """Silence after which the screen asks whether anybody is there."""
    farewell_s: float = 10.0
    """How long it waits for an answer before everything is forgotten."""
    answer_deadline_s: float = 30.0
    """An answer that has not begun by then is given up, however slow this machine is."""
    filler_after_s: float = 1.2
    """Without an answer after so long, a few words bridge the wait."""

    def __post_init__(self) -> None:
        _check("session.idle_s", 5 <= self.idle_s <= 3600, "from 5 to 3600", self.idle_s)
        _check("session.farewell_s", 1 <= self.farewell_s <= 120, "from 1 to 120", self.farewell_s)
        _check(
            "session.answer_deadline_s", 3 <= self.answer_deadline_s <= 300, "from 3 to 300", self.answer_deadline_s
        )
        _check("session.filler_after_s", 0.5 <= self.filler_after_s <= 60, "from 0.5 to 60", self.filler_after_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputeConfig:
    """What the networks run on."""

    device: Literal["auto", "cpu", "cuda"] = "auto"
    """auto: CUDA where there is a GPU."""
    threads: int = 0
    """CPU threads for each network; 0: as many as there are cores, at most 8."""

    def __post_init__(self) -> None:
        _check("compute.threads", 0 <= self.threads <= 256, "from 0 to 256", self.threads)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Everything that can be set."""

    profile: ProfileName = "bank"
    """Persona, facts and suggested questions."""
    avatar: str = "mei"
    """Name of a face, as `avatar list` prints it."""
    sound: SoundConfig = field(default_factory=SoundConfig)
    hearing: HearingConfig = field(default_factory=HearingConfig)
    recogniser: RecogniserConfig = field(default_factory=RecogniserConfig)
    language_model: LanguageModelConfig = field(default_factory=LanguageModelConfig)
    answers: AnswersConfig = field(default_factory=AnswersConfig)
    tools: ToolsConfig = field(default_factory=ToolsConfig)
    synthesiser: SynthesiserConfig = field(default_factory=SynthesiserConfig)
    screen: ScreenConfig = field(default_factory=ScreenConfig)
    session: SessionConfig = field(default_factory=SessionConfig)
    compute: ComputeConfig = field(default_factory=ComputeConfig)


def load_config(path: Path | None) -> Config:
    """Read the file, or give the defaults for None.

    Raises:
        ConfigError: The file cannot be read, is no TOML, or holds an unknown key or a wrong value.
    """
    if path is None:
        return Config()
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError("no-config", f"{path}: cannot be read ({error.strerror}); check --config") from error
    except UnicodeDecodeError as error:
        raise ConfigError("bad-config", f"{path}: is not UTF-8 text; save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError("bad-config", f"{path}: is no valid TOML: {error}") from error
    try:
        return typing.cast("Config", _build(Config, table, ""))
    except ConfigError as error:
        raise ConfigError(error.code, f"{path}: {error.message}") from error


def _build(cls: type, table: dict[str, Any], prefix: str) -> object:
    hints = typing.get_type_hints(cls)
    known = [f.name for f in dataclasses.fields(cls)]
    values = {}
    for key, value in table.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {prefix}{near[0]}?" if near else f"known here: {', '.join(known)}"
            raise ConfigError("bad-config", f"configuration: unknown key {prefix}{key}; {hint}")
        values[key] = _convert(hints[key], value, prefix + key)
    return cls(**values)


def _convert(hint: Any, value: Any, key: str) -> object:
    if dataclasses.is_dataclass(hint):
        _check(key, isinstance(value, dict), "a table", value)
        return _build(typing.cast("type", hint), value, key + ".")
    origin = typing.get_origin(hint)
    if origin is Literal:
        choices = typing.get_args(hint)
        _check(key, value in choices, "one of " + ", ".join(map(str, choices)), value)
        return value
    if origin is tuple:
        _check(key, isinstance(value, list), "a list", value)
        item = typing.get_args(hint)[0]
        return tuple(_convert(item, v, key) for v in value)
    if isinstance(hint, types.UnionType):  # pragma: no cover - no such option yet
        raise TypeError(f"{key}: unions are not supported")
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    names = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
    _check(key, type(value) is hint, names[hint], value)
    return value
