"""Which engine and which weights for each stage: what the machine has (`auto`) and what the configuration says."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import psutil

from kiosk import __version__
from kiosk.answers.answer_file import read_answers, shipped_path
from kiosk.answers.approved import ApprovedAnswer
from kiosk.answers.live import LiveAnswers
from kiosk.answers.store import AnswerStore
from kiosk.config import Config, LanguageModelConfig
from kiosk.dialogue.answer import Answerer
from kiosk.dialogue.follow_up import HistoryUse
from kiosk.dialogue.history import History
from kiosk.dialogue.homophones import HomophoneRepair
from kiosk.dialogue.question_repair import QuestionRepair
from kiosk.face.portrait import Portrait
from kiosk.hearing.segmenter import Segmenter
from kiosk.paths import RESOURCES, cache_dir, checkpoints_dir, data_dir
from kiosk.pipeline.answering import Approved
from kiosk.pipeline.prepared_speech import PreparedSpeech
from kiosk.pipeline.stages import Repair
from kiosk.profile import Profile
from kiosk.tools.bank.desk import open_bank_desk
from kiosk.tools.desk import Desk
from models.asr import load_recogniser
from models.asr.base import Recogniser
from models.embedding.universal import UniversalSentenceEncoder
from models.endpointing.base import EndOfTurnDetector
from models.endpointing.smart_turn import SmartTurn
from models.llm import load_chat_model
from models.llm.base import ChatModel
from models.tts import load_synthesiser
from models.tts.base import Synthesiser
from models.types import LANGUAGES, Language, ShouldStop, never_stop
from models.vad.base import VoiceActivityDetector
from models.vad.silero import SileroVad
from models.weights import State, load_catalog, locate, state

MAX_THREADS = 8
VOICE_ACTIVITY, END_OF_TURN, VOICE = "silero-vad", "smart-turn-v3.2", "kokoro-82m"
DEFAULT_RECOGNISER = "whisper-base"

Device = Literal["cpu", "cuda"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ear:
    """The segmenter with the networks that it asks."""

    segmenter: Segmenter
    vad: VoiceActivityDetector
    end_of_turn: EndOfTurnDetector

    def close(self) -> None:
        """Free the networks."""
        self.vad.close()
        self.end_of_turn.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Engines:
    """How to load each stage's model. Nothing is loaded until a member is called, in the thread that will use it."""

    ear: Callable[[], Ear]
    recogniser: Callable[[], Recogniser]
    repair: Callable[[], Repair]
    chat_model: Callable[[], ChatModel]
    answerer: Callable[[ChatModel, History], Answerer]
    synthesiser: Callable[[], Synthesiser]
    history_use: HistoryUse = "when_needed"
    """What earlier turns may change."""
    approved: Callable[[ShouldStop], Approved] | None = None
    """None: there are no approved answers."""
    without_model: Mapping[Language, str] = field(default_factory=lambda: dict.fromkeys(LANGUAGES, ""))
    """What is said while the language model does not work."""
    desk: Callable[[], Desk] | None = None
    """Opens what looks things up; None: nothing does."""
    often_asked: tuple[tuple[str, Language], ...] = ()
    """Questions whose answers are worth preparing."""
    prepared_speech: PreparedSpeech = field(default_factory=PreparedSpeech)
    """Sound that is ready."""


def plan_engines(config: Config, profile: Profile, portrait: Portrait) -> Engines:
    """Choose engine, weights and device of each stage.

    Args:
        config: What the operator set.
        profile: Gives facts and terms.
        portrait: Gives the voice.

    Raises:
        ConfigError: A file of approved answers or their database is wrong.
    """
    threads = cpu_threads(config)
    answers = approved_answers(profile.name) if config.answers.approved else ()
    on_cpu = config.language_model.engine != "server" and device_of(config) == "cpu"
    history_use: HistoryUse = "when_needed" if on_cpu else "always"  # reading all with every question costs seconds
    return Engines(
        ear=lambda: load_ear(config),
        recogniser=lambda: load_recogniser(
            config.recogniser.engine,
            _weights(DEFAULT_RECOGNISER, config.recogniser.model),
            device=device_of(config),
            threads=threads,
            languages=config.hearing.languages,
            prompt_words={language: "、".join(profile.text(language).recogniser_words) for language in LANGUAGES},
        ),
        repair=lambda: load_repair(
            profile, answers if config.answers.approved else read_answers(shipped_path(profile.name))
        ),
        chat_model=lambda: _load_chat_model(config, threads),
        answerer=lambda model, history: Answerer(
            model,
            profile,
            history=history,
            max_new_tokens=config.language_model.max_new_tokens,
            history_use=history_use,
        ),
        synthesiser=lambda: load_voice(config, portrait),
        history_use=history_use,
        approved=(lambda should_stop: load_approved(profile.name, should_stop)) if config.answers.approved else None,
        desk=(lambda: open_bank_desk(profile, datetime.date.today())) if _has_demo_bank(config, profile) else None,
        without_model={language: profile.text(language).unknown for language in LANGUAGES},
        often_asked=_often_asked(answers) if config.answers.prepare else (),
        prepared_speech=PreparedSpeech(
            cache_dir() / "speech", _voice_identity(config, portrait), config.answers.max_prepared_mb * 1_000_000
        ),
    )


def approved_answers(profile: str) -> tuple[ApprovedAnswer, ...]:
    """What the database holds, once the files that are new have been taken over.

    Raises:
        ConfigError: The database or a file is wrong.
    """
    with AnswerStore() as store:
        store.bring_in(profile)
        return store.answers(profile)


def cpu_threads(config: Config) -> int:
    """Threads for one network."""
    return config.compute.threads or min(os.cpu_count() or 1, MAX_THREADS)


def device_of(config: Config) -> Device:
    """Where networks run; auto takes CUDA where there is a GPU."""
    if config.compute.device != "auto":
        return config.compute.device
    import ctranslate2

    return "cuda" if ctranslate2.get_cuda_device_count() else "cpu"


def load_ear(config: Config) -> Ear:
    """Load voice activity and end-of-turn detection."""
    vad = SileroVad.load(locate(VOICE_ACTIVITY, checkpoints_dir()) / "silero_vad.onnx")
    end_of_turn = SmartTurn.load(locate(END_OF_TURN, checkpoints_dir()) / "smart-turn-v3.2-cpu.onnx")
    return Ear(segmenter=Segmenter(vad, end_of_turn, config.hearing), vad=vad, end_of_turn=end_of_turn)


def load_repair(profile: Profile, answers: Sequence[ApprovedAnswer] = ()) -> Repair:
    """Prepare the repair of transcripts; only Chinese writes one sound in many ways.

    Args:
        profile: Gives the terms of the place and questions that are asked there.
        answers: Tell more such questions; whether they are given does not matter.
    """
    homophones = HomophoneRepair.from_profile(profile)
    questions = QuestionRepair.from_profile(profile, [q for answer in answers for q in answer.questions["zh"]])

    def repair(text: str, language: Language) -> str:
        return questions.repair(homophones.repair(text)) if language == "zh" else text

    return repair


def load_approved(profile: str, should_stop: ShouldStop = never_stop) -> LiveAnswers:
    """Load the sentence encoder and read the questions of a profile's approved answers.

    Raises:
        ConfigError: Their database cannot be used.
    """
    encoder = UniversalSentenceEncoder.load()
    kept_in = cache_dir() / "sentences" / f"{profile}-{encoder.identity}.npz"
    return LiveAnswers(profile, encoder, kept_in, should_stop)


def _has_demo_bank(config: Config, profile: Profile) -> bool:
    return config.tools.demo_bank and profile.name == "bank"


def _often_asked(answers: Sequence[ApprovedAnswer]) -> tuple[tuple[str, Language], ...]:
    """One question of each answer, both languages in turn, in the order of the file."""
    return tuple(
        (answer.questions[language][0], language)
        for answer in answers
        for language in LANGUAGES
        if answer.questions[language]
    )


def _voice_identity(config: Config, portrait: Portrait) -> str:
    """All that changes the sound of a text."""
    files = sorted(path for path in (checkpoints_dir() / VOICE).rglob("*") if path.is_file())
    files += sorted(own_readings().glob("*.txt"))
    facts = [f"{path.name} {(stat := path.stat()).st_size} {stat.st_mtime_ns}" for path in files]
    return "\n".join([__version__, device_of(config), repr(config.synthesiser), repr(dict(portrait.voices)), *facts])


def needed_checkpoints(config: Config) -> tuple[str, ...]:
    """Names of the catalogue's weights that this configuration uses."""
    names = [VOICE_ACTIVITY, END_OF_TURN, VOICE]
    if config.recogniser.model in ("auto", *_known()):
        names.append(DEFAULT_RECOGNISER if config.recogniser.model == "auto" else config.recogniser.model)
    language_model = config.language_model
    if language_model.engine != "server" and language_model.model in ("auto", *_known()):
        names.append(_language_model_name(language_model))
    return tuple(names)


def _known() -> tuple[str, ...]:
    return tuple(checkpoint.name for checkpoint in load_catalog().checkpoints)


def _weights(default: str, model: str) -> Path:
    """The folder or file of a model: a name of the catalogue, or a path."""
    if model == "auto":
        return locate(default, checkpoints_dir())
    if model in load_catalog():
        return locate(model, checkpoints_dir())
    return Path(model)


def _language_model_name(config: LanguageModelConfig) -> str:
    """The configured one, or the best that is there, even if damaged: no silent change to a weaker one."""
    if config.model != "auto":
        return config.model
    fitting = load_catalog().language_models(psutil.virtual_memory().total)
    there = (c for c in fitting if state(c, checkpoints_dir()) is not State.ABSENT)
    return next(there, fitting[0]).name


def _load_chat_model(config: Config, threads: int) -> ChatModel:
    settings = config.language_model
    model = settings.model
    if settings.engine != "server" and model in ("auto", *_known()):
        model = locate(_language_model_name(settings), checkpoints_dir()).name
    return load_chat_model(
        settings.engine,
        model,
        checkpoints=checkpoints_dir(),
        device=device_of(config),
        threads=threads,
        context_tokens=settings.context_tokens,
        server_url=settings.server_url,
        server_key=settings.server_key,
        states=cache_dir() / "language-model",
    )


def load_voice(config: Config, portrait: Portrait) -> Synthesiser:
    """Load the voices that suit a face, or those that are configured."""
    settings = config.synthesiser

    def voice(language: Language, configured: str) -> str:
        return portrait.voices[language] if configured == "auto" else configured

    return load_synthesiser(
        settings.engine,
        locate(VOICE, checkpoints_dir()),
        RESOURCES / "voices",
        voice_zh=voice("zh", settings.voice_zh),
        voice_en=voice("en", settings.voice_en),
        device=device_of(config),
        threads=cpu_threads(config),
        speed=settings.speed,
        own_readings=own_readings(),
    )


def own_readings() -> Path:
    """The folder of the operator's lists of readings; it need not exist."""
    return data_dir() / "lexicon"
