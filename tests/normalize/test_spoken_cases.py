"""The agreed spoken forms: every reported case, and the kinds of form they stand for."""

from __future__ import annotations

import csv
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

with (Path(__file__).parents[1] / "data" / "spoken_sentences.csv").open(encoding="utf-8", newline="") as file:
    SENTENCES = list(csv.DictReader(file))


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


@pytest.mark.parametrize("row", SENTENCES, ids=[row["written"] for row in SENTENCES])
def test_sentence_of_the_house(row: dict[str, str]) -> None:
    """From banking, teaching and exhibition life; each expected form was read by a person."""
    language: Language = "zh" if row["language"] == "zh" else "en"
    assert normalize(row["written"], language) == row["spoken"]


def test_there_are_enough_sentences_of_each_field() -> None:
    assert len(SENTENCES) > 300
    for field in ("banking", "teaching", "exhibition"):
        for language in ("zh", "en"):
            assert sum(row["field"] == field and row["language"] == language for row in SENTENCES) >= 20


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
        # prices and rates per unit
        ("单价¥45,000/㎡", "单价四万五千元每平方米"),
        ("每晚¥328起/间", "每晚三百二十八元起每间"),
        ("100ml/瓶，300元/课时", "一百毫升每瓶，三百元每课时"),
        ("油耗6.5L/100km", "油耗六点五升每一百公里"),
        ("3.0×10⁸m/s", "三点零乘十的八次方米每秒"),
        ("1w元、3k元", "一万元、三千元"),
        ("LPR加点-20BP，亏损-5kg", "L P R加点负二十个基点，亏损负五千克"),
        ("¥-50.00", "负五十元"),
        # more and less
        ("延迟<800ms", "延迟小于八百毫秒"),
        ("观众5万+，好评90%+", "观众五万以上，好评百分之九十以上"),
        ("TOP10企业", "前十企业"),
        # years and quarters
        ("鲁迅（1881-1936）", "鲁迅（一八八一到一九三六）"),
        ("1993-2023，价格1500-2000元", "一九九三到二零二三，价格一千五百到两千元"),
        ("2024Q3营收，Q1利润", "二零二四年第三季度营收，第一季度利润"),
        ("2024/25学年", "二零二四到二五学年"),
        ("20:00~次日8:00", "二十点到次日八点"),
        ("5pm结束", "下午五点结束"),
        # floors, pages, keys, names
        ("2F的VIP室", "二楼的V I P室"),
        ("第2/3页", "第二页，共三页"),
        ("第IV章", "第四章"),
        ("请按#号键，输入*99#", "请按井号键，输入星号九九井号"),
        ("(010)8888-6666", "零幺零，八八八八，六六六六"),
        ("输入*#06#", "输入星号井号零六井号"),
        ("QQ群123456789，端口8080", "Q Q群幺二三四五六七八九，端口八零八零"),
        ("微信公众号：cgbank2020", "微信公众号：cgbank二零二零"),
        ("iPhone 15 Pro Max 256GB", "iPhone 十五 Pro Max 二百五十六G B"),
        ("Llama-3-8B", "Llama三八B"),
        ("请访问https://www.example.com/a/b?id=123", "请访问屏幕上的网址"),
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
        ("$3.2B and $5k", "three point two billion dollars and five thousand dollars"),
        ("10k users, 50¢", "ten thousand users, fifty cents"),
        (
            "$1,200/mo, ¥568.5/g",
            "one thousand two hundred dollars per month, five hundred sixty-eight point five yuan per gram",
        ),
        ("6.5 L/100 km", "six point five liters per one hundred kilometers"),
        ("3 × 10⁸ m/s", "three times ten to the power of eight meters per second"),
        ("120 x 60 x 75 cm", "one hundred twenty by sixty by seventy-five centimeters"),
        ("1920×1080", "one thousand nine hundred twenty by one thousand eighty"),
        ("f(x) = 2x + 1", "f(x) equals two x plus one"),
        ("Latency < 800 ms", "Latency less than eight hundred milliseconds"),
        ("5 > 3", "five is greater than three"),
        ("4.8/5 stars", "four point eight out of five stars"),
        ("the 80/20 rule", "the eighty twenty rule"),
        ("a 30-yr loan", "a thirty year loan"),
        ("Sat 10am, closed Sun.", "Saturday ten A M, closed Sunday."),
        ("Jan 1st - Feb 3rd", "January first to February third"),
        ("Q1-Q3, the 2024/25 season", "Q one to Q three, the twenty twenty-four to twenty twenty-five season"),
        ("up 3.2pp YoY", "up three point two percentage points year on year"),
        ("The Wi-Fi password is abc12345.", "The Wi-Fi password is abc one two three four five."),
        ("dial *99#", "dial star nine nine hash"),
        ("port 8080", "port eight oh eight oh"),
        (
            "ID no. 110105199005051234",
            "I D number one one zero one zero five one nine nine zero zero five zero five one two three four",
        ),
        ("0800 1111", "zero eight zero zero, one one one one"),
        ("Llama-3-8B", "Llama three eight B"),
        ("Visit https://www.example.com/a/b?id=1", "Visit the web address on the screen"),
        ("w/o fees, pp. 20-25", "without fees, pages twenty to twenty-five"),
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
