"""The texts of the operator page, one file per language in resources/i18n/operator, read into one typed value."""

from __future__ import annotations

import dataclasses
import tomllib
from dataclasses import dataclass
from functools import lru_cache

from kiosk.errors import ConfigError
from kiosk.paths import RESOURCES
from models.types import LANGUAGES, Language


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorTexts:
    """All words of the operator page; {…} are filled in.

    `stage_…`, `state_…`, `device_…` and `part_…` translate names that the facts hold; see `named`.
    """

    title: str
    close: str
    waiting: str
    uptime: str
    stages: str
    stage_hearing: str
    stage_recogniser: str
    stage_answers: str
    stage_language_model: str
    stage_voice: str
    state_pending: str
    state_loading: str
    state_idle: str
    state_working: str
    state_waiting: str
    state_restarting: str
    state_failed: str
    state_given_up: str
    state_ended: str
    since: str
    turn: str
    never_restarted: str
    restarted: str
    sound: str
    microphone: str
    loudspeaker: str
    device_ok: str
    device_absent: str
    device_silent_device: str
    device_closed: str
    turns: str
    no_turns: str
    part_end_of_turn: str
    part_recogniser: str
    part_first_token: str
    part_first_clause: str
    part_synthesis: str
    part_output: str
    part_total: str
    figures: str
    offset: str
    offset_ahead: str
    offset_behind: str
    offset_none: str
    offset_unknown: str
    memory: str
    memory_figures: str
    errors: str
    no_errors: str
    seconds: str
    minutes: str
    hours: str
    days: str

    def named(self, kind: str, name: str) -> str:
        """The word for a name that the facts hold; the name itself where there is none."""
        found = getattr(self, f"{kind}_{name.replace(' ', '_').replace('-', '_')}", name)
        return str(found)

    def duration(self, seconds: float) -> str:
        """A length of time in its two coarsest units at most."""
        whole = max(0, round(seconds))
        if whole < 60:
            return self.seconds.format(number=whole)
        if whole < 3600:
            return self.minutes.format(number=whole // 60)
        if whole < 86_400:
            return f"{self.hours.format(number=whole // 3600)} {self.minutes.format(number=whole % 3600 // 60)}"
        return f"{self.days.format(number=whole // 86_400)} {self.hours.format(number=whole % 86_400 // 3600)}"


@lru_cache(maxsize=len(LANGUAGES))
def load_operator_texts(language: Language) -> OperatorTexts:
    """Read the texts of one language, once per run.

    Raises:
        ConfigError: The file is missing or damaged, lacks a text, or holds one that nobody shows.
    """
    path = RESOURCES / "i18n" / "operator" / f"{language}.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError("bad-texts", f"{path}: cannot be read ({error}); install the program again") from error
    wrong = sorted({field.name for field in dataclasses.fields(OperatorTexts)}.symmetric_difference(table))
    if wrong:
        raise ConfigError("bad-texts", f"{path}: missing or unknown texts: {', '.join(wrong)}")
    return OperatorTexts(**table)
