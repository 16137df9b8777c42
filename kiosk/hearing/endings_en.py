"""How English sentences end. Functions over the bare text, without punctuation at its end."""

from __future__ import annotations

import re


def _any(*lines: str) -> str:
    """Alternatives of a regular expression, written with commas between them."""
    return "(?:" + "|".join(words.strip() for line in lines for words in line.split(",") if words.strip()) + ")"


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_OPEN_TAIL = _compile(
    r"\b"
    + _any(
        # connecting words
        "and, or, but, so, because, if, whether, although, unless, than, as, like, plus, also, then",
        # what stands before a noun
        "the, a, an, my, your, his, our, their, its, some, any, every, each, another, which, what kind of",
        # subjects
        "i, we, (?:is|are) there, who, where, when, why",
        "(?:if|whether|that|can|could|when|what|how|where) you",
        # verbs of which only a half was said
        "am, i'm, it's, there's, that's, i've, i'd, i'll, does, did, can, could, would",
        "should",
        "will, must, has, have to, (?<!what i )want, wanna, need, i'd like, would like, looking, trying, going",
        "number is",
        "name is",
        # requests that do not say what for
        "tell me, show me, give me, help me to, let me, let me know",
        "(?:can|could|would) you please, to ask you, (?:is|think|know|said|sure) that, how many, how much",
        "(?:me|know|see|understand|about) (?:how|what)",
        "(?:kind|sort|one|out|because|lot) of",
        # thinking aloud
        "um, uh, er, well, (?<!do )you know, i mean, i think, i guess",
    )
    + "$"
)
_PREPOSITION = _compile(
    r"\b"
    + _any(
        "to, of, for, with, at, in, on, from, about, into, onto, between, by, without, until, near, during, through",
        "under, against",
    )
    + "$"
)
_PARTICLE = _compile(r"\b" + _any("it, them, come, log, check, sign, go, get, plug, turn, switch") + " (?:in|on)$")
_HALF_QUESTION = _compile(
    "^"
    + _any("how, what, where, when, why")
    + " "
    + _any("do, does, did, can, could, should, would, will")
    + " "
    + _any("i, you, we, they, he, she")
    + "$"
)
_BE = _compile(r"\b(?:is|are|was|were)$")
_ASKED_BEFORE = _compile(r"\b(?:how|what|where|who|when|which|whether)\b.+ (?:is|are|was|were)$")
"""Asked within another sentence: do you know where the exit is."""
_STRANDED = _compile(r"^(?:\w+,? )?(?:what|who|which|where)\b")
"""Questions whose object stands in front: where are you from, what can you do."""
_BETWEEN_ONE = _compile(r"\bbetween(?: (?:the |a |an |my )?(?!them\b|us\b)\w+)?$")
_ANSWER = _compile(
    "^"
    + _any(
        "yes, no, yeah, yep, nope, ok, okay, sure, right, correct, thanks, thank you, hello, hi, bye, goodbye, stop",
        "go on, continue, nothing, never mind, please do, i do, i am, i can, i have, it is, that's it",
        "that's all, that is all, that will be all",
    )
    + r"\b.{0,12}$"
)
_CLOSING = _compile(
    "^(?:no|ok|okay|yes)?,? ?"
    + _any("thanks, thank you, bye, goodbye, never mind, that's it, that's all, that is all, that will be all")
    + r"\b.{0,12}$"
)
_WISH_WITHOUT_OBJECT = _compile(
    r"\b"
    + _any(
        "i want to, i'd like to, i would like to, i need to, i have to, i'm here to, can i, could i, may i, can you",
        "could you, would you, please, let me, help me, how do i, how can i",
    )
    + " "
    + _any(
        "open, get, find, buy, send, make, change, have, exchange, withdraw, deposit, transfer, book, reserve",
        "see, know",
        "ask, use, do, cancel, order, bring, take, check, tell, show, give, explain, set, put, speak to",
        "talk to, apply",
        "report, replace, reset",
    )
    + "$"
)
_SUBORDINATE = _compile(
    r"^(?:(?:so|and|well|uh|um|hello|hi),? )*"
    + _any(
        "because, if, although, since, while, after, before, unless, as soon as",
        r"when (?!(?:do|does|did|is|are|was|were|can|could|will|would|should|must)\b)",
    )
    + r"\b"
)
_MAIN_CLAUSE = _compile(r", ?\w+ \w+|\b(?:what|where|how|who|can i|could i|do i|should i|please)\b")
_STARTS_WITH_NOUN = _compile(
    "^" + _any("the, a, an, my, your, this, that, these, those, our, some, about, for, in, on, at, from") + r"\b"
)
_VERB = _compile(
    r"\b"
    + _any(
        "is, are, am, was, were, be, been, do, does, did, don't, doesn't, didn't, can, can't, could, will",
        "won't, would",
        "should, must, has, have, had, isn't, aren't, wasn't, works?, worked, costs?, needs?, wants?, goes, went, go",
        "comes?, came, gets?, got, takes?, took, makes?, made, says?, said, opens?, closes?, broke, lost",
        "stopped, ate",
        "looks?, seems?, please, thanks?",
    )
    + r"\b|'(?:s|m|re|ve|ll|d)\b"
)
_INTRODUCTION = _compile(
    r"\b(?:my name is|i'm|i am|this is|i come from)"
    r"(?: (?!looking|here|trying|going|lost|sorry|not|interested))\S+(?: \S+)?$"
)
_GREETED = _compile(r"^(?:hello|hi|good (?:morning|afternoon|evening)),? .*\b(?:my name is|i'm|i am) \w+(?: \w+)?$")
"""Who greets and gives a name came for something."""
_NOUN_AGAIN = _compile(
    r"\w (?!(?:face|one|end|door|side|person|back|word|like|time|day|week|month|year) )"
    r"(\w{3,}) (?:to|for|with|from|of|about) \1$"
)
"""What recognisers put where the object is missing: the noun before once more."""
_EMPTY_NOUN = _compile(
    r"\bthe (?:very )?(?:first|last|only|right|\w+est) (?:person|people|man|woman|way|thing|reason)$"
)
"""The first person, the best way: which, is still to be said."""
_ASKED_NOUN = _compile(r"^(?:how many|how much|which|what(?! about)|whose)(?: \w+){1,2}$")


def is_closing(text: str) -> bool:
    """Thanks, a farewell, or that there is nothing more."""
    return _CLOSING.search(text) is not None


def is_open(text: str) -> bool:
    """It cannot end here."""
    if _ANSWER.search(text):
        return False
    if _BETWEEN_ONE.search(text) or _NOUN_AGAIN.search(text):
        return True
    if _BE.search(text) and not _ASKED_BEFORE.search(text):
        return True
    if _OPEN_TAIL.search(text) or _HALF_QUESTION.search(text):
        return True
    if _PREPOSITION.search(text) and not _PARTICLE.search(text):
        return not _STRANDED.search(text)
    if _WISH_WITHOUT_OBJECT.search(text) and not _STRANDED.search(text):
        return True
    subordinate = _SUBORDINATE.search(text)
    return subordinate is not None and not _MAIN_CLAUSE.search(text[subordinate.end() :])


def is_fragment(text: str) -> bool:
    """A topic about which nothing is said yet: it begins like a noun and holds no verb, or is a single word."""
    if _ANSWER.search(text):
        return False
    if _GREETED.search(text) or _EMPTY_NOUN.search(text) or (_ASKED_NOUN.search(text) and not _VERB.search(text)):
        return True
    return " " not in text or (_STARTS_WITH_NOUN.search(text) is not None and not _VERB.search(text))


def is_complete(text: str) -> bool:
    """It stands for itself."""
    if _ANSWER.search(text):
        return True
    return " " in text and not _INTRODUCTION.search(text)
