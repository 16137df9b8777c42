"""What visitors say in the measurement of turn ends: half with pauses inside, half without, in both languages.

A bar is a pause. Every third utterance of each group is held out: rules are tuned without looking at it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from models.types import Language

Topic = Literal["question", "request", "number", "introduction", "hesitation"]

_TOPICS: dict[str, Topic] = {
    "?": "question",
    "!": "request",
    "#": "number",
    "@": "introduction",
    "~": "hesitation",
}

_ZH_PAUSED = """\
? 你们周六|几点开门
! 我想|办理一张信用卡
# 一三八|零零一三|八零零零
@ 我叫李明|是三年级二班的学生
~ 嗯|我想问一下怎么开户
? 一年定期|利息是多少
! 请帮我查一下|我的账户余额
# 我的电话是|一三九|二四六八|五七零一
? 从这里|到火车站怎么走
! 我要取|两万块钱
~ 那个|请问厕所在哪里
? 如果我把卡弄丢了|应该怎么办
@ 我是第一次来这里|想看看你们的产品
? 这道数学题|应该怎么做
! 麻烦您|给我讲一讲光合作用
# 我的卡号是六二二二|零二零零|一一二三
~ 就是|我昨天转的钱还没有到账
? 你们公司的新机器人|可以说英语吗
! 请告诉我|明天的会议在哪个房间
? 因为我下周要出国|所以想问换外币需要多久
@ 您好我姓王|我想找张经理
? 李白和杜甫|谁的年纪更大
! 我想把这笔钱|转到我妈妈的账户
# 身份证号码是三一零|一零五|一九八八
~ 嗯我想想|还是办一张储蓄卡吧"""

_ZH_WHOLE = """\
? 你们周六开门吗
? 开户需要带什么证件
? 请问厕所在哪里
! 我想办一张信用卡
! 帮我查一下余额
~ 谢谢
# 一三八零零一三八零零零
@ 我叫王芳
~ 嗯我想取五百块钱
? 转账手续费是多少
~ 你好
? 什么是光合作用
! 请给我讲一个故事
? 这台机器多少钱
# 我的号码是一三六八八六六九九二二
? 贷款找谁办理
? 三加五等于几
@ 我是来参观的
! 我想知道明天的天气怎么样
~ 不用了
! 可以用英语说一遍吗
! 你能帮我叫工作人员吗
! 那就办一张储蓄卡吧
! 我要挂失银行卡
~ 好的我知道了"""

_EN_PAUSED = """\
! I want to open|a savings account
? What is the|interest rate for one year
# one three eight|zero zero one three|eight zero zero zero
@ My name is David|and I'm a student from Canada
~ uh|where is the toilet
? Can you tell me|how much the transfer fee is
! I lost my card and|I need a new one
# My phone number is|six one seven|five five five|zero one nine two
! Could you help me with|my homework please
? How do I get to|the train station from here
? I'd like to know if|you are open on Saturday
! Because I'm travelling next week|I need some foreign money
~ Well|I'm looking for a small gift for my mother
? The machine over there|does it take foreign cards
! Please show me|the new robot
? What is the difference between|a verb and a noun
@ I have an appointment with|Mister Brown at three o'clock
# My account number is four four one two|seven seven zero nine
? Who was the first person|to walk on the moon
@ I'm here for|the science class in room two
~ um I think|I want to change five hundred dollars
? Is there a place where|I can charge my phone
! I need to send money to|my brother in London
? How many students|can join the robot class
? When the bank is closed|can I still use the cash machine"""

_EN_WHOLE = """\
? What time do you open on Monday
? Where is the toilet
! I want to open an account
? How much is the transfer fee
~ Thank you very much
@ My name is Sarah
! Can you help me please
# one three nine two four six eight five seven zero one
! I lost my card
? What is photosynthesis
! Tell me a joke
? Is this robot for sale
~ uh how old are you
! I'd like to make an appointment
~ No thanks
? Who wrote Romeo and Juliet
? Can I pay by card
! I'm looking for the manager
! Please speak more slowly
? How do I reset my password
# My number is six one seven five five five zero one nine two
? Do you have a restroom on this floor
? What is twelve times eleven
! I need to change my address
~ That's all for today"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One utterance of a visitor."""

    parts: tuple[str, ...]
    """In spoken form; a pause lies between each two."""
    language: Language
    topic: Topic
    is_held_out: bool
    """Not to be looked at while rules are tuned."""

    @property
    def has_pause(self) -> bool:
        """Does the visitor pause inside?"""
        return len(self.parts) > 1

    def text(self, mark: str | None = None) -> str:
        """The words, joined as one sentence or with a mark at each pause."""
        space = " " if self.language == "en" else ""
        return ((mark or "") + space).join(self.parts)


def _read(lines: str, language: Language) -> list[Sentence]:
    return [
        Sentence(
            parts=tuple(line[2:].split("|")),
            language=language,
            topic=_TOPICS[line[0]],
            is_held_out=number % 3 == 2,
        )
        for number, line in enumerate(lines.splitlines())
    ]


SENTENCES: tuple[Sentence, ...] = (
    *_read(_ZH_PAUSED, "zh"),
    *_read(_ZH_WHOLE, "zh"),
    *_read(_EN_PAUSED, "en"),
    *_read(_EN_WHOLE, "en"),
)
