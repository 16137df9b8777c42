"""The agreed spoken forms: every reported case, and the kinds of form they stand for."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kiosk.normalize import is_speakable, normalize
from models.types import Language

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "spoken_cases.jsonl").read_text(encoding="utf-8").splitlines()
]


def comparable(spoken: str, language: Language) -> str:
    """Letters only: spaces and marks do not count, nor does case; in English `and` inside numbers is free."""
    spoken = spoken.replace("’", "'").lower()
    if language == "en":
        spoken = re.sub(r"\band\b", "", spoken.replace("-", " ").replace("metre", "meter"))
    return "".join(char for char in spoken if char.isalnum())


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_reported_case_is_read_as_agreed(case: dict) -> None:
    language: Language = "zh" if case["id"].startswith("ZH") else "en"
    spoken = normalize(case["input"], language)
    accepted = [comparable(form, language) for form in [case["expect"], *case["accept"]]]
    assert comparable(spoken, language) in accepted, spoken


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        # dialled and identity strings
        ("客服热线：95588", "客服热线：九五五八八"),
        ("请拨打110、119或120", "请拨打幺幺零、幺幺九或幺二零"),
        ("热线电话010-12345678转8001", "热线电话零幺零，幺二三四五六七八转八零零幺"),
        ("请致电400-820-8888", "请致电四零零，八二零，八八八八"),
        ("身份证号11010519491231002X", "身份证号幺幺零幺零五幺九四九幺二三幺零零二X"),
        ("验证码是123456，5分钟内有效", "验证码是幺二三四五六，五分钟内有效"),
        ("卡号6222****1234", "卡号六二二二，幺二三四"),
        ("转账1000元，手续费2元", "转账一千元，手续费两元"),
        ("电话2部", "电话两部"),
        # 二 and 两
        ("2个人2天2万元2000元", "两个人两天两万元两千元"),
        ("第2季度2月2日2号窗口2楼2类账户", "第二季度二月二日二号窗口二楼二类账户"),
        ("2-3天", "两到三天"),
        ("第1、2个", "第一、二个"),
        ("22.5元", "二十二点五元"),
        # dates, years, times
        ("2024年3月5日-8日", "二零二四年三月五日到八日"),
        ("2020-2024年", "二零二零到二零二四年"),
        ("存款5年", "存款五年"),
        ("14:05", "十四点零五分"),
        ("08:30开门", "八点三十分开门"),
        ("周一-周五9:00~17:00", "周一到周五九点到十七点"),
        # money, percentages, temperatures
        ("¥1,234.56", "一千二百三十四点五六元"),
        ("$100", "一百美元"),
        ("¥100-¥200", "一百到二百元"),
        ("¥300日元", "三百日元"),
        ("¥3.5万", "三点五万元"),
        ("3%-5%", "百分之三到百分之五"),
        ("-2.5%", "负百分之二点五"),
        ("今天-5℃到3℃", "今天零下五摄氏度到三摄氏度"),
        ("零下-5℃", "零下五摄氏度"),
        # fractions, ratios, units, signs
        ("1½小时", "一又二分之一小时"),
        ("1:1.5", "一比一点五"),
        ("100m²", "一百平方米"),
        ("60km/h", "六十公里每小时"),
        ("5元/人", "五元每人"),
        ("3+2=5", "三加二等于五"),
        # codes, versions, addresses, letters
        ("G1234次", "G幺二三四次"),
        ("5G网络A4纸", "五G网络A四纸"),
        ("版本2.0.1", "版本二点零点一"),
        ("https://www.example.com/a/b?id=123", "网址见屏幕"),
        ("下载APP，找ATM", "下载APP，找A T M"),
        ("10000", "一万"),
        ("二〇二四年", "二零二四年"),
        ("他说I have 3 apples", "他说I have three apples"),
    ],
)
def test_chinese_forms(written: str, spoken: str) -> None:
    assert comparable(normalize(written, "zh"), "zh") == comparable(spoken, "zh"), normalize(written, "zh")


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("It is $1.", "It is one dollar."),
        ("$0.50", "fifty cents"),
        ("$1.2 million", "one point two million dollars"),
        ("RMB 300", "three hundred yuan"),
        ("¥300 (JPY)", "three hundred yen (J P Y)"),
        ("$5/month", "five dollars per month"),
        ("We open at 9:00 a.m.", "We open at nine A M."),
        ("9am-5pm, Mon-Fri", "nine A M to five P M, Monday to Friday"),
        ("at 8:05", "at eight oh five"),
        ("March 5, 2024", "March fifth, twenty twenty-four"),
        ("2024-03-05", "March fifth, twenty twenty-four"),
        ("in 1998 and since 1905", "in nineteen ninety-eight and since nineteen oh five"),
        ("the 1990s", "the nineteen nineties"),
        ("We have 2024 branches.", "We have two thousand twenty-four branches."),
        ("Your code is 4821.", "Your code is four eight two one."),
        ("card ending in 6688", "card ending in six six eight eight"),
        ("call 3 times", "call three times"),
        ("order 12 items", "order twelve items"),
        ("ticket A012", "ticket A zero one two"),
        ("Call 110, 119", "Call one one zero, one one nine"),
        ("5-10%", "five to ten percent"),
        ("1 1/2 hours", "one and a half hours"),
        ("5 km at -5°C", "five kilometers at minus five degrees Celsius"),
        ("24-hour service", "twenty-four-hour service"),
        ("version 2.0.1", "version two point zero point one"),
        ("St. John lives on Main St.", "Saint John lives on Main Street"),
        ("Henry VIII and I", "Henry the eighth and I"),
        ("Phase II, Part V", "Phase two, Part five"),
        ("R&D", "R and D"),
        ("PLEASE WAIT for the ATM", "PLEASE WAIT for the A T M"),
        ("go to 3号窗口", "go to 三号窗口"),
        ("see www.example.com.", "see w w w dot example dot com."),
    ],
)
def test_english_forms(written: str, spoken: str) -> None:
    assert comparable(normalize(written, "en"), "en") == comparable(spoken, "en"), normalize(written, "en")


def test_words_stay_apart() -> None:
    assert normalize("See you at 4:45 this afternoon.", "en") == "See you at four forty-five this afternoon."


@pytest.mark.parametrize("nothing", ["", "...", "——", "😊", "   ", "***", "！", "┌─┐", "👨‍👩‍👧"])
def test_marks_and_pictures_are_not_speakable(nothing: str) -> None:
    assert not is_speakable(nothing)
    assert not is_speakable(normalize(nothing, "zh"))


@pytest.mark.parametrize("something", ["8...", "好", "OK"])
def test_words_and_figures_are_speakable(something: str) -> None:
    assert is_speakable(something)
