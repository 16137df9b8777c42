"""The kiosk's words in a transcript: its own voice, or a visitor who uses the same ones."""

from __future__ import annotations

import pytest

from kiosk.dialogue.own_words import beyond_own_words, echoes, repeats

ZH = "开户请带身份证和手机，在1号柜台办理。办一张银行卡收费5元，没有年费。跨行转账手续费2元，用手机银行转账免费。"
EN = (
    "To open an account, bring your original ID card or passport and your mobile phone to counter 1. "
    "A bank card costs 5 yuan and has no yearly fee."
)


CLEAR = -0.3
"""The log probability of clear speech."""


@pytest.mark.parametrize(
    ("transcript", "said"),
    [
        ("开户请带身份证和手机", ZH),
        ("在一号柜台办理", ZH),
        ("在1号柜台办理", ZH),
        ("身份正和手机在一号贵台办里", ZH),  # other characters, the same sounds
        ("半一张银行卡收费五元", ZH),
        ("办一张银行咖，收费无元，没有连费", ZH),
        ("手续费两元用手机银行转账免费", ZH),
        ("跨行转帐手术费二元", ZH),
        ("请带身份证河手机再一号", ZH),
        ("bring your original ID card", EN),
        ("bring your original idea card or passport", EN),
        ("and your mobile phone to counter one.", EN),
        ("A bank cart cost five yuan and has no early fee", EN),
        ("to open account bring your original", EN),
    ],
)
def test_a_piece_of_the_answer_is_the_kiosks(transcript: str, said: str) -> None:
    assert repeats(transcript, said)


@pytest.mark.parametrize(
    ("transcript", "said"),
    [
        ("好", ZH),
        ("好的", ZH),
        ("手机", ZH),
        ("", ZH),
        ("开户请带身份证和手机", ""),
        ("几号柜台？", ZH),
        ("二号柜台呢？", ZH),
        ("是在一号柜台吗？", ZH),
        ("开户要带什么证件？", ZH),
        ("办卡要多少钱", ZH),
        ("银行卡有年费吗？", ZH),
        ("转账手续费多少？", ZH),
        ("等一下，我没带手机", ZH),
        ("不是，我要换美元", ZH),
        ("厕所在哪里", ZH),
        ("那护照可以吗", ZH),
        ("不用了，我用手机银行", ZH),
        ("yes", EN),
        ("Which counter?", EN),
        ("Do I need my passport?", EN),
        ("How much does a bank card cost?", EN),
        ("Wait, I don't have a mobile phone.", EN),
        ("I only have a passport.", EN),
        ("Where is the toilet?", EN),
        ("Is there a yearly fee?", EN),
        ("Can I bring my passport to counter two?", EN),
        ("Where is the toilet?", ZH),
        ("厕所在哪里", EN),
    ],
)
def test_a_visitor_may_use_the_same_words(transcript: str, said: str) -> None:
    assert not repeats(transcript, said)


def test_an_echo_is_of_what_was_said_just_now() -> None:
    """Only the end of a long answer is compared, whatever its length."""
    assert repeats("跨行转账手续费两元", 20 * EN + ZH)
    assert not repeats("跨行转账手续费两元", ZH + 20 * EN)


@pytest.mark.parametrize(
    ("transcript", "reply", "heard"),
    [
        ("贷款机。", "贷款请到3号柜台，找客户经理办理。", "贷款"),
        ("两月。", "2元。", "2"),
        ("开户请。", "开户请带身份证和手机，在1号柜台办理。", "开户"),
        ("We open it.", "We open at 9 am.", "We"),
        ("身份郑和手指在", "开户请带身份证和手机，在1号柜台办理。", "开户请带身份证和"),
    ],
)
def test_a_few_sounds_of_what_was_just_said_are_its_echo(transcript: str, reply: str, heard: str) -> None:
    assert echoes(transcript, reply, heard, CLEAR)


@pytest.mark.parametrize("heard", ["我们周一到周五", "我们周一到周五上午9点开门，"])
def test_words_that_the_recogniser_doubts_are_its_echo_with_less(heard: str) -> None:
    reply = "我们周一到周五上午9点开门，下午5点关门。"
    assert echoes("败物上经验，开门。", reply, heard, -0.9)
    assert not echoes("败物上经验，开门。", reply, heard, CLEAR)


@pytest.mark.parametrize(
    ("transcript", "reply", "heard"),
    [
        ("多少钱？", "贷款请到3号柜台，找客户经理办理。", "贷款"),
        ("厕所。", "我们周一到周五上午9点开门，下午5点关门。", "我们周一"),
        ("我要办卡。", "开户请带身份证和手机，在1号柜台办理。", "开户"),
        ("Where is it?", "We open at 9 am.", "We open"),
        ("办理开户手续要多久", "开户请带身份证和手机，在1号柜台办理。", "开户"),
        ("我想问信用卡的事情", "开户请带身份证和手机，在1号柜台办理。", "开户请带身份证和"),
        ("那我要换五百美元", "我们周一到周五上午9点开门，下午5点关门。", "我们周一到周五上午9点"),
        ("我没有带身份证", "开户请带身份证和手机，在1号柜台办理。", "开户请带身份证和"),
        ("可是今天是星期天", "我们周一到周五上午9点开门，下午5点关门。", "我们周一到周五上午"),
        ("I want to speak to a person", "We open at 9 am and close at 5 pm.", "We open at 9"),
        ("I have lost my card today", "A bank card costs 5 yuan and has no yearly fee.", "A bank card costs"),
        ("办理", "贷款请到3号柜台，请您慢走，然后再往右边走，找客户经理办理。", "贷款"),
    ],
)
def test_other_words_are_a_visitors(transcript: str, reply: str, heard: str) -> None:
    assert not echoes(transcript, reply, heard, CLEAR)
    assert not echoes(transcript, reply, heard, -0.9)


HOURS = "From Monday to Friday we open at 9 am and close at 5 pm."


@pytest.mark.parametrize(
    ("transcript", "own", "heard", "rest"),
    [
        ("Transfer? Okay.", "A transfer to another bank costs 2 yuan.", "A transfer", "okay"),
        ("Yes, sir.", "Yes, we are open on Saturday.", "Yes", "sir"),
        ("For Monday. Okay.", HOURS, "From", "okay"),
        ("Let me see.", "Let me see.", "Let me see.", ""),
        ("A transfer, a transfer.", "A transfer to another bank costs 2 yuan.", "A transfer", ""),
        ("Yes, what?", "Yes, we are open on Saturday.", "Yes", "what"),
        ("Monday what time?", HOURS, "From Monday", "what time"),
        ("To Friday, stop.", HOURS, "From Monday to", "stop"),
        ("开户请带，嗯。", ZH, "开户请带", "嗯"),
        ("在一号柜台，好的", ZH, "开户请带身份证和手机，在", "好的"),
    ],
)
def test_what_is_added_to_the_kiosks_own_words(transcript: str, own: str, heard: str, rest: str) -> None:
    assert beyond_own_words(transcript, own, heard).strip(" ,.?!，。？！") == rest


@pytest.mark.parametrize(
    ("transcript", "own", "heard"),
    [
        ("Where is the toilet?", HOURS, "From Monday to Friday"),
        ("几号柜台？", ZH, "开户请带身份证和手机，在"),
        ("Stop.", HOURS, "From"),
        ("厕所在哪里", ZH, "开户请带"),
        ("Saturday", HOURS, "From Monday to Friday we open at 9 am"),
    ],
)
def test_who_says_something_else_is_taken_whole(transcript: str, own: str, heard: str) -> None:
    assert beyond_own_words(transcript, own, heard) == transcript
