"""`bench`: how fast each stage and a whole turn are on this machine, beside the goal for its class."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Annotated

import numpy as np
import typer

from kiosk.cli.options import ConfigOption, ProfileOption, configure
from kiosk.config import Config
from kiosk.dialogue.history import History
from kiosk.face.avatar_import import find_avatar
from kiosk.face.portrait import Portrait
from kiosk.pipeline.engines import Engines, plan_engines
from kiosk.profile import Profile, load_profile
from models.types import FloatArray, Language

ROUNDS = 5
QUESTIONS: dict[Language, str] = {"zh": "你们周六开门吗？", "en": "Are you open on Saturday?"}
CLAUSES: dict[Language, str] = {"zh": "我们周六上午十点开门", "en": "We open at ten on Saturday"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured quantity."""

    stage: str
    """Which part."""
    what: str
    """What was measured."""
    unit: str
    """Of all figures in this line."""
    p50: float
    """Median."""
    p95: float
    """95th percentile; of few rounds, close to the slowest."""
    rounds: int
    """How often."""
    goal: str
    """The budget of docs/performance.md for this class of machine, or empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What the stages need."""

    config: Config
    profile: Profile
    portrait: Portrait
    engines: Engines
    on_gpu: bool
    """Which column of the budgets holds."""

    def goal(self, cpu: str, gpu: str) -> str:
        """The goal for this machine."""
        return gpu if self.on_gpu else cpu


def bench(
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    stage: Annotated[str | None, typer.Option("--stage", help="Only this stage.")] = None,
    rounds: Annotated[int, typer.Option("--rounds", min=1, max=100, help="How often each is measured.")] = ROUNDS,
    profile: ProfileOption = None,
    config: ConfigOption = None,
) -> None:
    """Measure the latency of each stage and of the whole turn, with percentiles."""
    if stage is not None and stage not in STAGES:
        raise typer.BadParameter(f"{stage}: must be one of {', '.join(STAGES)}", param_hint="--stage")
    settings = configure(config, profile)
    facts, portrait = load_profile(settings.profile), find_avatar(settings.avatar)
    setup = Bench(
        config=settings,
        profile=facts,
        portrait=portrait,
        engines=plan_engines(settings, facts, portrait),
        on_gpu=_has_cuda(settings),
    )
    device = device_name(setup.on_gpu)
    if not as_json:
        typer.echo(f"{device}\n{'stage':14}{'what':44}{'p50':>9}{'p95':>9}  unit  goal")
    figures = []
    for name in STAGES if stage is None else (stage,):
        for figure in STAGES[name](setup, rounds):
            figures.append(figure)
            if not as_json:
                values = f"{figure.p50:9.1f}{figure.p95:9.1f}"
                typer.echo(f"{figure.stage:14}{figure.what:44}{values}  {figure.unit:6}{figure.goal}")
    if as_json:
        typer.echo(json.dumps({"device": device, "figures": [asdict(f) for f in figures]}, ensure_ascii=False))


def device_name(on_gpu: bool) -> str:
    """What the figures were measured on."""
    import os

    name = platform.processor() or platform.machine()
    if on_gpu:
        import torch

        name = torch.cuda.get_device_name()
    else:
        try:
            with open("/proc/cpuinfo", encoding="utf-8") as lines:
                name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), name)
        except OSError:
            pass
    return f"{name}, {os.cpu_count()} cores, {platform.system()}"


def figure(stage: str, what: str, unit: str, values: list[float], goal: str = "") -> Figure:
    """Percentiles of what was measured."""
    p50, p95 = np.percentile(values, [50, 95])
    return Figure(
        stage=stage,
        what=what,
        unit=unit,
        p50=round(float(p50), 2),
        p95=round(float(p95), 2),
        rounds=len(values),
        goal=goal,
    )


def timed(work: Callable[[], object], rounds: int) -> list[float]:
    """Milliseconds of each round, after one that is not counted."""
    work()
    values = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        values.append(1000 * (time.perf_counter() - began))
    return values


def _has_cuda(config: Config) -> bool:
    if config.compute.device == "cpu":
        return False
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


def _question_sound(setup: Bench, language: Language) -> FloatArray:
    """The question spoken by the kiosk's own voice, 16 kHz."""
    import soxr

    synthesiser = setup.engines.synthesiser()
    try:
        speech = synthesiser.synthesise(QUESTIONS[language].rstrip("？?"), language)
    finally:
        synthesiser.close()
    return np.asarray(soxr.resample(speech.samples, speech.sample_rate, 16_000), np.float32)


def _hearing(setup: Bench, rounds: int) -> Iterator[Figure]:
    ear = setup.engines.ear()
    vad, end_of_turn = ear.vad, ear.end_of_turn
    second = np.random.default_rng(1).standard_normal(16_000).astype(np.float32) * 0.05
    values = timed(lambda: [vad.probability(second[i : i + 512]) for i in range(0, 15_872, 512)], rounds)
    yield figure("hearing", "voice activity, 1 s of sound", "ms", values, "10")
    yield figure(
        "hearing",
        "end of turn, 8 s of sound",
        "ms",
        timed(lambda: end_of_turn.probability(np.tile(second, 8)), rounds),
        "100",
    )
    ear.close()


def _recogniser(setup: Bench, rounds: int) -> Iterator[Figure]:
    sounds = {language: _question_sound(setup, language) for language in QUESTIONS}
    recogniser = setup.engines.recogniser()
    recogniser.warm_up()
    for language, sound in sounds.items():
        values = timed(lambda sound=sound: recogniser.transcribe(sound), rounds)  # type: ignore[misc]
        what = f"{language}, {len(sound) / 16_000:.1f} s question"
        yield figure("recogniser", what, "ms", values, setup.goal("1000", "40"))
    recogniser.close()


def _language_model(setup: Bench, rounds: int) -> Iterator[Figure]:
    model = setup.engines.chat_model()
    answerer = setup.engines.answerer(model, History())
    answerer.warm_up()
    for language, question in QUESTIONS.items():
        first, rate = [], []
        for _ in range(rounds):
            answerer.clear()
            began = time.perf_counter()
            moments = [time.perf_counter() for _ in answerer.answer(question, language)]
            first.append(1000 * (moments[0] - began))
            if len(moments) > 1:
                rate.append((len(moments) - 1) / (moments[-1] - moments[0]))
        yield figure("language_model", f"{language}, first token", "ms", first, setup.goal("350", "30"))
        yield figure("language_model", f"{language}, pieces a second after that", "1/s", rate)
    model.close()


def _voice(setup: Bench, rounds: int) -> Iterator[Figure]:
    synthesiser = setup.engines.synthesiser()
    synthesiser.warm_up()
    for language, clause in CLAUSES.items():
        seconds = synthesiser.synthesise(clause, language).duration_s
        values = timed(lambda c=clause, lang=language: synthesiser.synthesise(c, lang), rounds)  # type: ignore[misc]
        yield figure("voice", f"{language}, a clause of {seconds:.1f} s", "ms", values, setup.goal("500", "40"))
        factors = [v / 1000 / seconds for v in values]
        yield figure("voice", f"{language}, real-time factor", "", factors)
    synthesiser.close()


def _face(setup: Bench, rounds: int) -> Iterator[Figure]:
    from kiosk.face.animator import FaceAnimator
    from kiosk.face.offscreen import OffscreenRenderer
    from kiosk.face.types import Mood

    for width, height in ((1280, 720), (1920, 1080)):
        animator = FaceAnimator(seed=1)
        animator.set_mood(Mood.SPEAKING)
        renderer = OffscreenRenderer(setup.portrait, width, height)
        moment = iter(range(10_000))
        values = timed(lambda r=renderer, a=animator, m=moment: r.frame(a.pose(next(m) / 30, None, 0.0)), 20 * rounds)  # type: ignore[misc]
        renderer.close()
        yield figure("face", f"a frame of {width}x{height}, read back", "ms", values, "33")


def _turn(setup: Bench, rounds: int) -> Iterator[Figure]:
    from kiosk.pipeline.one_turn import OneTurn

    sounds = {language: _question_sound(setup, language) for language in QUESTIONS}
    turn = OneTurn(setup.engines, hears=True, speaks=True)
    for language, sound in sounds.items():
        results = [turn.ask_aloud(sound) for _ in range(rounds + 1)][1:]
        for key in ("recogniser", "first_token", "first_clause", "first_sound", "total"):
            values = [r.timings_ms[key] for r in results if key in r.timings_ms]
            goal = setup.goal("1500", "350") if key == "first_sound" else ""
            if values:
                yield figure("turn", f"{language}, end of speech to {key}", "ms", values, goal)
    turn.close()


STAGES: dict[str, Callable[[Bench, int], Iterator[Figure]]] = {
    "hearing": _hearing,
    "recogniser": _recogniser,
    "language_model": _language_model,
    "voice": _voice,
    "face": _face,
    "turn": _turn,
}
