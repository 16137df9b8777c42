"""The system prompt: who answers, from which facts, in which manner. The same all day, so engines keep its state.

Everything stands in the one system message, the examples too: without any, small models guess freely or refuse what
they know; with a few of both kinds they copy the fitting fact.
"""

from __future__ import annotations

from dataclasses import dataclass

from kiosk.profile import Profile
from models.llm.base import ChatMessage
from models.types import Language


@dataclass(frozen=True, slots=True)
class _Wording:
    """The fixed words of the prompt in one language."""

    rules: str
    facts: str
    examples: str
    example: str
    gap: str


_WORDINGS: dict[Language, _Wording] = {
    "zh": _Wording(
        rules="请根据下面的资料回答客人的问题，尽量照着资料里的原话说，只说一句话。资料里没有的事不要猜，就说：{unknown}",
        facts="资料：",
        examples="例子：",
        example="问：{question}\n答：{answer}",
        gap="",
    ),
    "en": _Wording(
        rules=(
            "Answer the visitor from the facts below, in their own words, with one short sentence. "
            "If the facts do not hold the answer, do not guess, say: {unknown}"
        ),
        facts="Facts:",
        examples="Examples:",
        example="Q: {question}\nA: {answer}",
        gap=" ",
    ),
}


def system_prompt(profile: Profile, language: Language) -> str:
    """Persona, rules, all facts and the examples, for conversations in that language."""
    text, wording = profile.text(language), _WORDINGS[language]
    lines = [
        text.persona + wording.gap + wording.rules.format(unknown=text.unknown),
        wording.facts,
        *text.facts,
        wording.examples,
        *(wording.example.format(question=e.question, answer=e.answer) for e in text.examples),
    ]
    return "\n".join(lines)


def opening_messages(profile: Profile, language: Language) -> list[ChatMessage]:
    """What stands before every conversation in that language."""
    return [ChatMessage(role="system", content=system_prompt(profile, language))]
