"""The desk's own sentences, and what it listens for: yes, no, never mind, and attempts to talk it round."""

from __future__ import annotations

import re

from kiosk.tools.base import Sentences
from kiosk.tools.sounds import as_sound, says
from models.types import Language

CARD: Sentences = {"zh": "请说银行卡的后四位数字。", "en": "Please tell me the last four digits of your card."}
CARD_AGAIN: Sentences = {
    "zh": "我需要四位数字，请再说一遍卡的后四位。",
    "en": "I need four digits. Please say the last four digits of your card again.",
}
CODE: Sentences = {"zh": "请说六位查询密码。", "en": "Please tell me your six-digit code."}
CODE_AGAIN: Sentences = {
    "zh": "密码是六位数字，请再说一遍。",
    "en": "The code has six digits. Please say it again.",
}
WRONG: Sentences = {
    "zh": "卡号和密码对不上，请重新说卡的后四位。",
    "en": "The card and the code do not match. Please say the last four digits of your card again.",
}
LOCKED: Sentences = {
    "zh": "密码错误次数太多，这张卡10分钟内不能查询。",
    "en": "There were too many wrong codes. This card is locked for 10 minutes.",
}
LEFT: Sentences = {"zh": "好的，不办了。", "en": "All right, never mind."}
REFUSED: Sentences = {
    "zh": "对不起，账户信息只能告诉本人，需要本人的卡号和密码。",
    "en": "Sorry, I only tell account details to the customer, with that customer's own card and code.",
}

_OUT_ZH = ("算了", "不查了", "不用了", "不办了", "取消", "不要了", "不说了", "没事了")
_OUT_EN = re.compile(r"\b(?:never ?mind|cancel|forget it|stop it|leave it|no thanks?)\b")
_YES_ZH = re.compile(
    r"(?:是|是的|对|对的|好|好的|好啊|可以|确认|确定|行|要|要的|没问题|嗯|念吧|同意|麻烦你了?|请){1,3}(?:的|吧|啊|呀|了)?"
)
_YES_EN = re.compile(
    r"(?:(?:yes|yeah|yep|sure|ok|okay|please|do|go ahead|confirm(?:ed)?|of course|i do|correct|it|that)\s*)+"
)
_NO_ZH = re.compile(r"^(?:不|别|没|否|先不)")
_NO_EN = re.compile(r"\b(?:no|nope|don't|do not|not)\b")
_FOLLOW_ZH = re.compile(r"^(?:那|那么|还有|再)|呢[？?。！!]*$")
_FOLLOW_EN = re.compile(r"^(?:and|what about|how about|then|now)\b")
_PERSUASION_ZH = (
    "忽略*规则",
    "忽略*指令",
    "忽略*要求",
    "无视*规则",
    "我是经理",
    "我是*经理",
    "我是*主任",
    "我是*员工",
    "我是*警察",
    "我是管理员",
    "开发者模式",
    "管理员模式",
    "不用密码",
    "跳过*密码",
    "跳过*验证",
    "别人的",
    "他的*余额",
    "她的*余额",
    "我老公的",
    "我老婆的",
    "我妈的",
    "我爸的",
    "所有客户",
    "其他客户",
    "另一个客户",
    "系统提示",
    "测试模式",
    "先生的",
    "女士的",
    "小姐的",
)
_PERSUASION_EN = re.compile(
    r"\b(?:ignore|disregard|bypass|override|skip|pretend)\b|"
    r"\bi(?:'m| am) (?:the |a |an )?(?:manager|admin\w*|police|director|employee|developer|boss|staff)\b|"
    r"\b(?:mr|mrs|ms|miss)\b\.? \w+|\b(?:his|her|their)\b|"
    r"\bmy (?:wife|husband|mother|father|son|daughter|boss|friend)(?:'s)?\b|"
    r"\b(?:other|another|all|every) customers?\b|\b(?:someone|somebody) else|"
    r"\b(?:developer|admin|debug|test) mode\b|\bsystem prompt\b|\bwithout (?:a |the |my )?code\b"
)


def is_backing_out(text: str, language: Language) -> bool:
    """Whether the visitor does not want it any more."""
    return says(as_sound(text), _OUT_ZH) if language == "zh" else _OUT_EN.search(_plain(text)) is not None


def is_yes(text: str, language: Language) -> bool:
    """Whether a text is a yes and nothing else."""
    return (_YES_ZH if language == "zh" else _YES_EN).fullmatch(_plain(text)) is not None


def is_no(text: str, language: Language) -> bool:
    """Whether a text is a no."""
    return (_NO_ZH if language == "zh" else _NO_EN).search(_plain(text)) is not None


def is_follow_up(text: str, language: Language) -> bool:
    """Whether a text goes on with the question before it: 那五月呢, and in May."""
    plain = " ".join(text.lower().split())
    return (_FOLLOW_ZH if language == "zh" else _FOLLOW_EN).search(plain) is not None


def is_persuasion(text: str, language: Language) -> bool:
    """Whether a text asks for another person's data or gives a reason to skip the rules."""
    is_english = _PERSUASION_EN.search(text.lower().replace("’", "'")) is not None
    return is_english or (language == "zh" and says(as_sound(text), _PERSUASION_ZH))


def _plain(text: str) -> str:
    words = re.sub(r"[^\w']+", " ", text.lower().replace("’", "'"))
    return " ".join(words.split()) if words.isascii() else words.replace(" ", "")
