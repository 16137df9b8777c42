"""Markup never reaches the voice, and how the stream is cut does not matter."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kiosk.dialogue.markup import SpeechFilter
from kiosk.dialogue.pieces import Piece
from models.types import Language


def filtered(deltas: list[str], language: Language = "zh") -> list[Piece]:
    markup = SpeechFilter(language)
    out = [piece for delta in deltas for piece in markup.push(delta)]
    return out + markup.finish()


def written(text: str, language: Language = "zh") -> str:
    return "".join(piece.written for piece in filtered([text], language))


def speakable(text: str, language: Language = "zh") -> str:
    return "".join(piece.speakable for piece in filtered([text], language))


@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        ("# 办理步骤\n- **第一步**：取号\n- 第二步：到`3号`窗口", "办理步骤。第一步：取号。第二步：到3号窗口"),
        ("*重点*很***重要***。", "重点很重要。"),
        ("请填 user_name_cn 字段\n* 甲\n* 乙", "请填 user_name_cn 字段。甲。乙"),
        ("_姓名_和__地址__", "姓名和地址"),
        ("~~原价~~ 3~5 天", "原价 3~5 天"),
        ("3*4=12，面积 3 * 4", "3*4=12，面积 3 * 4"),
        ("卡号6222****1234", "卡号6222****1234"),
        ("✅ 已完成 👨‍👩‍👧 🇨🇳❤️", "已完成"),
        ("请按3️⃣", "请按3"),
        ("上文\n\n---\n\n下文", "上文。下文"),
        ("> 引用\n> 第二行", "引用，第二行"),
        ("1. 打开\n2. 签字", "1. 打开。2. 签字"),
        ("3.85%", "3.85%"),
        ("-5℃", "-5℃"),
        ("┌─┐\n└─┘", ""),
        ("A&amp;B &lt; C", "A&B < C"),
        ("第一行<br>第二行", "第一行，第二行"),
        ("若a<b则停", "若a<b则停"),
        ("[未完", "[未完"),
        ("数组[1]和[^2]脚注", "数组[1]和脚注"),
        ("- [x] 已办\n- [ ] 未办", "已办。未办"),
        ("\\*星号\\*", "*星号*"),
        ("```\n请取号\n```\n谢谢", "请取号。谢谢"),
        ("看 https://a.com/x_y_z/~me", "看 https://a.com/x_y_z/~me"),
    ],
)
def test_captions_show_text_without_markup(reply: str, shown: str) -> None:
    assert written(reply).replace("\n", "，").rstrip("。") == shown.rstrip("。")


def test_link_speaks_its_label_and_shows_its_address() -> None:
    reply = "详情见[利率公告](http://www.example.com/a?b=1&c=%E4%BD%A0)。"
    assert speakable(reply) == "详情见利率公告。"
    assert written(reply) == "详情见利率公告（http://www.example.com/a?b=1&c=%E4%BD%A0）。"


@pytest.mark.parametrize(("language", "hint"), [("zh", "表格见屏幕"), ("en", "See the table on the screen")])
def test_table_is_shown_and_pointed_to(language: Language, hint: str) -> None:
    reply = "|项目|金额|\n|---|---|\n|A|1|\n"
    assert hint in speakable(reply, language)
    assert "项目" not in speakable(reply, language)
    assert "项目 | 金额\nA | 1" in written(reply, language)
    assert "---" not in written(reply, language)


def test_code_is_shown_and_pointed_to() -> None:
    reply = "如下：\n```python\nx = 1\n```\n好了"
    assert speakable(reply).replace("\n", "") == "如下：代码见屏幕。好了"
    assert "x = 1" in written(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "您好！<|im_end|>",
        "您好！<|im_end|>\n<|im_start|>user\n你是谁",
        "<|im_start|>assistant\n您好！<|endoftext|>",
        "您好！\nuser: 你是谁",
        "assistant: 您好！",
        "<start_of_turn>model\n您好！<end_of_turn>\n<start_of_turn>user\n",
        "<|start_header_id|>assistant<|end_header_id|>\n您好！<|eot_id|>",
        "您好！</s>",
        "<think></think>您好！",
        "您好！<｜end▁of▁sentence｜>",
    ],
)
def test_turn_marks_and_invented_turns_are_dropped(reply: str) -> None:
    assert written(reply).strip("。") == "您好！"


def test_english_lines_are_joined_with_spaces() -> None:
    assert written("Please take\na ticket.\n- Sign\n- Wait", "en") == "Please take a ticket.\nSign. Wait"


def test_words_do_not_stick_when_a_picture_goes() -> None:
    assert written("Hello😊World", "en") == "Hello World"


ATOMS = st.sampled_from(
    [
        "**",
        "*",
        "_",
        "`",
        "```",
        "\n",
        "\n\n",
        "# ",
        "- ",
        "1. ",
        "[",
        "](",
        ")",
        "<",
        "<|",
        "|>",
        "|",
        "---",
        "~",
        "!",
        "&",
        "amp;",
        "\\",
        "重点",
        "3",
        "4.5",
        "word",
        " ",
        "。",
        "，",
        "😊",
        "\u200d",
        "👧",
        "user",
        "assistant",
        ":",
        "im_end",
        "im_start",
        "think>",
        "/",
        "http://a.b",
    ]
)


@settings(max_examples=80, deadline=None)
@given(st.lists(ATOMS, max_size=14).map("".join), st.data())
def test_every_way_of_splitting_gives_the_same_pieces(reply: str, data: st.DataObject) -> None:
    whole = filtered([reply])
    cut = data.draw(st.integers(0, len(reply)))
    assert filtered([reply[:cut], reply[cut:]]) == whole
    assert filtered(list(reply)) == whole


@settings(max_examples=80, deadline=None)
@given(st.lists(ATOMS, max_size=14).map("".join))
def test_nothing_of_the_markup_is_left_to_speak(reply: str) -> None:
    spoken = speakable(reply)
    assert not {"😊", "\u200d"} & set(spoken)
    assert "`" not in spoken or "\\" in reply
    assert "**" not in spoken.replace("****", "")
    assert "<|im_end|>" not in spoken
