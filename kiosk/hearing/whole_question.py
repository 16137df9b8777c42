"""Is a transcript a whole question, so that what is said after it is another one and not its end?"""

from __future__ import annotations

import re

from kiosk.hearing.unfinished import sounds_unfinished

_MARK = re.compile(r"[?？]\s*$")
_WHOLE_ZH = re.compile(
    r"(?:吗|呢|吧|么|没有|什么|多少|多少钱|哪里|哪儿|在哪|怎么办|怎么走|几点|谁)[。！!.]?\s*$|"
    r"(?:怎么|几点|多少|哪|什么|谁|为什么).{2,}"
)
_WHOLE_EN = re.compile(
    r"^(?:so |and |hello |hi |excuse me )*"
    r"(?:what|when|where|who|why|how|which|is|are|do|does|did|can|could|will|would|may)\b(?: \S+){2,}",
    re.IGNORECASE,
)


def is_whole_question(text: str) -> bool:
    """Whether a transcript is a question that can be answered as it stands, so that what follows is another one."""
    if _MARK.search(text):
        return True
    return not sounds_unfinished(text) and (_WHOLE_ZH.search(text) or _WHOLE_EN.search(text)) is not None
