"""The texts of the screen, one file per language in resources/i18n, read into one typed value."""

from __future__ import annotations

import dataclasses
import tomllib
from dataclasses import dataclass
from functools import lru_cache

from kiosk.errors import ConfigError
from kiosk.paths import RESOURCES
from models.types import LANGUAGES, Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """All words that the screen itself says; what each one is for stands in its name.

    `loading_count` holds {done} and {total}, `idle_text` holds {seconds}; the others are shown as they are.
    """

    ai_label: str
    default_title: str
    status_loading: str
    status_attract: str
    status_greeting: str
    status_listening: str
    status_heard: str
    status_push_to_talk: str
    status_thinking: str
    status_speaking: str
    status_idle_warning: str
    status_farewell: str
    status_error: str
    attract_title: str
    attract_invitation: str
    attract_other: str
    attract_suggestions: str
    privacy_note: str
    you_said: str
    reply: str
    listening_hint: str
    suggestions_title: str
    loading_title: str
    loading_count: str
    stage_hearing: str
    stage_recogniser: str
    stage_answers: str
    stage_language_model: str
    stage_voice: str
    microphone_absent: str
    recovering: str
    microphone_silent: str
    loudspeaker_absent: str
    step_pending: str
    step_running: str
    step_done: str
    step_failed: str
    idle_title: str
    idle_text: str
    idle_continue: str
    idle_end: str
    farewell_title: str
    farewell_text: str
    error_title: str
    error_text: str
    type_question: str
    stop: str
    replay: str
    volume: str
    larger_text: str
    normal_text: str
    other_language: str
    call_staff: str
    hold_to_talk: str
    release_to_send: str
    volume_mute: str
    volume_down: str
    volume_up: str
    done: str
    typing_placeholder: str
    send: str
    cancel: str
    key_space: str
    key_chinese: str
    key_english: str
    key_digits: str
    key_letters: str
    key_delete: str
    key_shift: str
    key_more: str


@lru_cache(maxsize=len(LANGUAGES))
def load_texts(language: Language) -> Texts:
    """Read the texts of one language, once per run.

    Raises:
        ConfigError: The file is missing or damaged, lacks a text, or holds one that nobody shows.
    """
    path = RESOURCES / "i18n" / f"{language}.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError("bad-texts", f"{path}: cannot be read ({error}); install the program again") from error
    names = {field.name for field in dataclasses.fields(Texts)}
    wrong = sorted(names.symmetric_difference(table))
    if wrong or not all(isinstance(value, str) and value for value in table.values()):
        raise ConfigError("bad-texts", f"{path}: missing, unknown or empty texts: {', '.join(wrong) or 'not text'}")
    return Texts(**table)
