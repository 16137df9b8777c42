"""Chinese: numbers with a meaning (dates, times, money, percentages, units, ranges) and what is left of them."""

from __future__ import annotations

import re

from kiosk.normalize import numbers_en
from kiosk.normalize.numbers_zh import digits, number, quantity
from kiosk.normalize.rules import DASH, MODEL_NAME, NUMBER, START, Rule, rule

_TO = rf"(?:\s?{DASH}\s?|\s?[至到]\s?)"
_UNITS_BEFORE_TO = (
    r"个月|小时|分钟|年|月|日|号|点|时|分|秒|天|周|元|块|万元|亿元|万|亿|千|岁|级|层|楼|人|位|名|个|次|%|‰|折|米|公里|"
    r"厘米|公斤|千克|克|吨|升|倍|页|条|款|章|节|期|季度|美元|欧元|日元|港元|°[CF]?|mm|cm|km|m|kg|g|ml|L"
)
_PER = (
    "天|日|周|月|季|年|期|人|位|户|次|个|笔|张|件|台|间|晚|小时|分钟|秒|"
    "平方米|平米|立方米|公里|千米|米|公斤|千克|斤|克|吨|升|股|份|瓶|盒|袋|包|箱|杯|套|只|支|辆|床|桌|课时|节|学期|席|展位"
)
_LATIN_UNITS = {
    "mm": "毫米", "cm": "厘米", "dm": "分米", "m": "米", "km": "公里", "kg": "千克", "g": "克", "mg": "毫克",
    "t": "吨", "L": "升", "l": "升", "ml": "毫升", "mL": "毫升", "cc": "毫升", "mm²": "平方毫米",
    "cm²": "平方厘米", "m²": "平方米", "km²": "平方公里", "mm³": "立方毫米", "cm³": "立方厘米", "m³": "立方米",
    "m2": "平方米", "m3": "立方米", "km/h": "公里每小时", "m/s": "米每秒", "h": "小时", "min": "分钟", "s": "秒",
    "ms": "毫秒", "W": "瓦", "kW": "千瓦", "MW": "兆瓦", "kWh": "千瓦时", "V": "伏", "mA": "毫安",
    "mAh": "毫安时", "Hz": "赫兹", "kHz": "千赫", "MHz": "兆赫", "GHz": "吉赫", "dB": "分贝", "bp": "个基点",
    "bps": "个基点", "BP": "个基点", "rpm": "转每分钟", "Pa": "帕", "kPa": "千帕", "Mbps": "兆比特每秒",
    "Gbps": "吉比特每秒", "MPa": "兆帕", "kcal": "千卡", "fps": "帧每秒",
    "μm": "微米", "μg": "微克", "μL": "微升", "μl": "微升", "μs": "微秒", "nm": "纳米",
    "mmHg": "毫米汞柱", "mV": "毫伏", "kV": "千伏", "Ah": "安时",
    "GWh": "吉瓦时", "MWh": "兆瓦时", "Wh": "瓦时", "kJ": "千焦", "mol": "摩尔", "lx": "勒克斯", "nit": "尼特",
    "°C": "摄氏度", "°F": "华氏度", "°": "度", "ha": "公顷",
    "lb": "磅", "oz": "盎司", "Ω": "欧姆",
}  # fmt: skip
_UNIT = "|".join(re.escape(u) for u in sorted(_LATIN_UNITS, key=len, reverse=True))
_READ_UNIT = "|".join(sorted({*_LATIN_UNITS.values(), "元", "起"}, key=len, reverse=True))
"""Units as they are after their rules, and what may follow a price."""
_POWERS = {"²": "平方", "³": "立方"}


def _date(match: re.Match[str]) -> str:
    year, _, month, day, to = match.groups()
    words = f"{digits(year)}年{number(str(int(month)))}月"
    return words + (f"{number(str(int(day)))}日" if day else "") + ("到" if to else "")


def _percent(match: re.Match[str]) -> str:
    minus, low, to_minus, high, mark = match.groups()
    base = {"%": "百分之", "‰": "千分之", "‱": "万分之"}[mark]

    def share(value: str) -> str:
        return "百" if value == "100" and mark == "%" else number(value)

    words = ("负" if minus else "") + base + share(low)
    return words + (f"到{'负' if to_minus else ''}{base}{share(high)}" if high else "")


def _temperature(match: re.Match[str]) -> str:
    minus, low, to_minus, high, unit = match.groups()
    name = _LATIN_UNITS.get(unit, unit)

    def degrees(sign: str | None, value: str, following: str) -> str:
        return ("零下" if sign else "") + quantity(value, following)

    words = degrees(minus, low, name if not high else "")
    return words + ("到" + degrees(to_minus, high, name) if high else "") + name


def _time(match: re.Match[str]) -> str:
    hour, minute, second, half = match.groups()
    words = ("两" if hour.lstrip("0") == "2" else number(str(int(hour)))) + "点"
    if int(minute) or (second and int(second)):
        words += ("零" if minute[0] == "0" and minute != "00" else "") + number(str(int(minute))) + "分"
    if second and int(second):
        words += number(str(int(second))) + "秒"
    return {"a": "上午", "p": "下午"}.get((half or " ").strip().lower()[:1], "") + words


def _fraction(match: re.Match[str]) -> str:
    whole, over, under = match.groups()
    return (f"{number(whole)}又" if whole else "") + f"{number(under)}分之{number(over)}"


def _latin_unit(match: re.Match[str]) -> str:
    value, unit = match[1], _LATIN_UNITS[match[2]]
    if value == "2" and unit == "千克":  # 两千克 would be two thousand grams
        unit = "公斤"
    return quantity(value, unit) + unit


def _per(match: re.Match[str]) -> str:
    return f"{match[1]}每{_LATIN_UNITS[match[2]] if match[2] else ''}"


def _slash_date(match: re.Match[str]) -> str:
    return f"{number(match[1].lstrip('0'))}月{number(match[2].lstrip('0'))}日"


def _years(match: re.Match[str]) -> str:
    return digits(match[1]) + "到" + digits(match[2])


def _quarter(match: re.Match[str]) -> str:
    return (f"{digits(match[1])}年" if match[1] else "") + f"第{number(match[2])}季度"


def _hour(match: re.Match[str]) -> str:
    hour = match[1].lstrip("0")
    return {"a": "上午", "p": "下午"}[match[2].lower()] + ("两" if hour == "2" else number(hour)) + "点"


def _floor(match: re.Match[str]) -> str:
    return ("地下" if match[1] else "") + number(match[2]) + "楼"


def _power(match: re.Match[str]) -> str:
    exponent = "".join(str("⁰¹²³⁴⁵⁶⁷⁸⁹".index(c)) if c in "⁰¹²³⁴⁵⁶⁷⁸⁹" else c for c in match[3])
    return f"{number(match[1])}的{'负' if match[2] else ''}{number(exponent)}次方"


_AFTER_DI = re.compile(r"第\s?(?:\d+\s?[、,和及到至-]\s?)*$")
"""Ranks: also the second of 第1、2个."""


def _quantity(match: re.Match[str]) -> str:
    if _AFTER_DI.search(match.string[max(0, match.start() - 20) : match.start()]):
        return number(match.group())
    return quantity(match.group(), match.string[match.end() : match.end() + 16])


_YEAR_NAMES = (
    "款|版|世界|中国|全国|全球|国际|亚[洲太运]|欧洲|奥运|春[季夏节招]|夏季|秋[季招冬]|冬季|新[年春品款]|高考|中考|考研|国考|财报|"
    "年报|中报|校招|应届|大会|峰会|论坛|博览|赛季|世[界博]|智能|人工智能|机器人|金融|教育|半?年度"
)
"""What four digits name the year of, though 年 is not there."""
_YEAR = r"年(?![级限])|年度|财年|学年|届|级(?=新生|学生|毕业)"
_ISO = r"(?<![\d./-])([12]\d{3})([-/.])(0?[1-9]|1[0-2])"

DATES: list[Rule] = [
    rule("date", rf"{_ISO}\2(0?[1-9]|[12]\d|3[01])(?![\d/])(?:日)?(\s?(?:{DASH}|[至到])\s?(?=\d))?", _date),
    rule(
        "quarter",
        r"(?<![\dA-Za-z.])((?:19|20)\d\d)?(?:年?\s?)Q([1-4])(?![\dA-Za-z])(?![：:、][^。；\n]{0,40}[？?])",
        _quarter,
    ),
    rule(
        "years in brackets",
        rf"(?<=[（(])([12]\d{{3}})\s?{DASH}\s?([12]\d{{3}})?(?=[)）年])",
        lambda m: digits(m[1]) + "到" + digits(m[2] or ""),
    ),
    rule("school year", rf"{START}((?:19|20)\d\d)/(\d\d)(?=学年|财年|年度|赛季)", _years),
    rule(
        "range of years without their word",
        rf"(?<![\d.,A-Za-z/:-])((?:19|20)\d\d)\s?{DASH}\s?((?:19|20)\d\d)(?=$|[，。；！？、）)的]|间)",
        _years,
    ),
    rule("year after an apostrophe", r"(?<!\d)'(\d\d)(?=年)", lambda m: digits(m[1])),
    rule("year of a thing", rf"(?<![\d.,:/-])((?:19|20)\d\d)(?={_YEAR_NAMES})", lambda m: digits(m[1])),
    rule("year at the end of a name", r"(?<=[\u4e00-\u9fff])((?:19|20)\d\d)(?=[”」』》\"])", lambda m: digits(m[1])),
    rule(
        "date with a slash",
        r"(?<![\d./])(0?[1-9]|1[0-2])/(0?[1-9]|[12]\d|3[01])"
        r"(?=\s?(?:上午|下午|早上?|晚上?|中午|凌晨|之?前|起|截止|开始|[（(]?周[一二三四五六日]|[（(]?星期|\d{1,2}[:点]\d?))",
        _slash_date,
    ),
    rule(
        "date with a slash after its word",
        r"((?:日期|时间|改到|改在|定于|截止到?|截至|将于)[是为：:]?\s?)(0?[1-9]|1[0-2])/(0?[1-9]|[12]\d|3[01])(?![\d/.])",
        lambda m: m[1] + f"{number(m[2].lstrip('0'))}月{number(m[3].lstrip('0'))}日",
    ),
    rule("two of a kind", r"(?<![\d./])(\d{1,2})/(?=\d{1,2}(?:号[线馆楼口柜窗门]|[路栋]))", lambda m: m[1] + "、"),
    rule(
        "blood pressure", r"(?<![\d./])(\d{2,3})/(\d{2,3})\s?(?=mmHg|毫米汞柱)", lambda m: f"{number(m[1])}、{m[2]}"
    ),
    rule(
        "points out of",
        r"(?<![\d./])(\d{1,3}(?:\.\d)?)/(5|10|100|120|150)分(?![之钟米])",
        lambda m: f"{quantity(m[1], '分')}分，满分{number(m[2])}分",
    ),
    rule("voltage and frequency", rf"{START}({NUMBER})\s?(V|W|kW|A)/(?=\d)", lambda m: f"{_latin_unit(m)}、"),
    rule(
        "range of names",
        r"(?<![A-Za-z\d-])([A-Z])(\d{1,2})\s?[-–—~]\s?(\1\d{1,2})(?![\d-])",
        lambda m: f"{m[1]}{m[2]}到{m[3]}",
    ),
    rule(
        "minutes and seconds",
        r"(?<![\d.])(\d{1,2})'([0-5]\d)\"",
        lambda m: f"{quantity(m[1], '分')}分{quantity(m[2], '秒')}秒",
    ),
    rule(
        "inches",
        rf"{START}({NUMBER})\s?\"(?=屏|的|显|大|高|宽|电|平|液|触|[，。；、）)]|$)",
        lambda m: quantity(m[1], "英寸") + "英寸",
    ),
    rule("floor", r"(?<![\dA-Za-z.°])(B)?([1-9]\d?)F(?![\dA-Za-z])", _floor),
    rule(
        "page of pages",
        r"第\s?(\d{1,4})\s?/\s?(\d{1,4})\s?([页题步章节关张])",
        lambda m: f"第{number(m[1])}{m[3]}，共{number(m[2])}{m[3]}",
    ),
    rule("year and month", r"(?<![\d./-])((?:19|20)\d\d)([-/])(0[1-9]|1[0-2])()()(?![\d/.-]|\s?年)", _date),
]

QUANTITIES: list[Rule] = [
    rule(
        "score",
        rf"{START}(\d{{1,3}})\s?[-:]\s?(\d{{1,3}})(?=(?:的比分|大比分)?(?:获胜|战胜|击败|取胜|险胜|力克|领先|落后|告负|战平|平局))",
        lambda m: f"{number(m[1])}比{number(m[2])}",
    ),
    rule(
        "score by its name",
        r"((?:比分|比例|配比|之比)[为是：:]?\s?)(\d+(?:\s?[-:]\s?\d+){1,3})(?![\d.])",
        lambda m: m[1] + "比".join(number(part) for part in re.findall(r"\d+", m[2])),
    ),
    rule(
        "date in one run",
        r"(?<![\d.])((?:19|20)\d\d)()(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])()(?![\d.]|[元个万亿号])",
        _date,
    ),
    MODEL_NAME,
    rule(
        "thousands written short",
        rf"{START}({NUMBER})([wWkK])(\+?)(?=元|块|人|粉丝|次|像素|播放|阅读|点赞|用户|浏览)",
        lambda m: quantity(m[1], "万") + {"w": "万", "k": "千"}[m[2].lower()] + ("多" if m[3] else ""),
    ),
    rule("many more", r"(?<=\d[万亿千百])\+(?=[\u4e00-\u9fff])", "多"),
    rule("and above", r"(?<=[\d%万亿千百])\+(?=\s*(?:$|[，。、！？；）)]))", "以上"),
    rule("less", r"\s?<\s?(?=[-\d])", "小于"),
    rule("greater", r"\s?>\s?(?=[-\d])", "大于"),
    rule("difference", r"(?<=\d)\s?-\s?(?=\d{1,9}(?:\.\d{1,9})?\s?=)", "减"),
    rule("range", rf"(?<=\d)(\s?(?:{_UNITS_BEFORE_TO})?){_TO}(?=[¥$€£]?(?:-?\d))", lambda m: m[1].rstrip() + "到"),
    rule(
        "range of weekdays",
        rf"(?<=(?:周|期)[一二三四五六日天])\s?{DASH}\s?(?=(?:周|星期|礼拜)[一二三四五六日天])",
        "到",
    ),
    rule(
        "range to another day",
        rf"(?<=[\d点分日号])\s?{DASH}\s?(?=次日|第二天|翌日|凌晨|明[天早晚]|今[天早晚]|[早晚中]|[上下]午|周[一二三四五六日]|至今)",
        "到",
    ),
    rule("positive", rf"(?<![\dA-Za-z])\+(?={NUMBER}[%°])", "正"),
    rule(
        "temperature",
        rf"((?<![\dA-Za-z])(?:零下|负)?-)?{START}({NUMBER})(?:到(-)?({NUMBER}))?\s?(°[CF]?|摄氏度|华氏度|度(?!假|过|数))",
        _temperature,
    ),
    rule("percentage", rf"((?<![\dA-Za-z])-)?{START}({NUMBER})(?:%?到(-)?({NUMBER}))?\s?([%‰‱])", _percent),
    rule(
        "clock time",
        rf"{START}([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d))?(?![\d:])(\s?(?:[aApP]\.?[mM]\.?)(?![A-Za-z]))?分?",
        _time,
    ),
    rule("hour of half a day", rf"{START}(0?[1-9]|1[0-2])\s?([aApP])\.?[mM]\.?(?![A-Za-z])", _hour),
    rule(
        "ratio",
        rf"{START}({NUMBER})\s?:\s?({NUMBER})(?::({NUMBER}))?",
        lambda m: "比".join(number(g) for g in m.groups() if g),
    ),
    rule(
        "per",
        rf"(?<=\d)(\s?[\u4e00-\u9fff]{{1,3}})/(?=(?:{_PER})|m²)(?:m²)?",
        lambda m: m[1] + "每" + ("平方米" if "²" in m.group() else ""),
    ),
    rule("fraction", r"(?<![\d./])(?:(\d{1,3})[ 又])?(\d{1,4})/(\d{1,6})(?![\d./])", _fraction),
    rule("range of years", rf"{START}([12]\d{{3}})(?=年?到\d{{4}}(?:{_YEAR}))", lambda m: digits(m[1])),
    rule("list of years", rf"{START}([12]\d{{3}})(?=(?:[、和及]\d{{4}}){{1,6}}年)", lambda m: digits(m[1])),
    rule(
        "year by its word",
        rf"((?:[成创建设]立于|建于|始于|年份|公元)[为是：:]?\s?)([12]\d{{3}})(?![\d.,]\d|\d|{_YEAR})",
        lambda m: m[1] + digits(m[2]),
    ),
    rule("discount", rf"{START}(\d\d)(?=折)", lambda m: digits(m[1])),
    rule("height", r"(?<=\d米)(\d\d)(?![\d.])", lambda m: digits(m[1])),
    rule(
        "day of a name",
        r"(?<![\d.])([1-9])[.·]?(1[58]|20|8|1)(?=(?:国际)?(?:妇女节|劳动节|儿童节|大促|晚会|购物节|假期|小长假|消费者))",
        lambda m: digits(m[1] + m[2]),
    ),
    rule("day with a middle dot", r"(?<![\d.])(\d{1,2})·(\d{1,2})(?!\d)", lambda m: digits(m[1] + m[2])),
    rule("short year before its month", rf"{START}(\d\d)(?=年(?:0?[1-9]|1[0-2])月)", lambda m: digits(m[1])),
    rule("birth cohort", r"(?<!\d)(00|05|[5-9][05])(?=(?:、\d\d)?后(?![来天面期续台方者]))", lambda m: digits(m[1])),
    rule("year", rf"{START}([012]\d{{3}})(?={_YEAR})", lambda m: digits(m[1])),
    rule("negative", r"(?<![\dA-Za-z年月日)）])-(?=\.?\d)", "负"),
    rule("Latin unit", rf"{START}({NUMBER})\s?({_UNIT})(?![A-Za-z²³])", _latin_unit),
    rule(
        "per after a unit",
        rf"({_READ_UNIT})/(?:(m²|m³|kg|g|L|ml|km|h|min|s)(?![A-Za-z²³])|(?={_PER})|(?=[一二三五两十百千][一二三五十百千万]*(?:{_READ_UNIT})))",
        _per,
    ),
    rule("other power", rf"{START}({NUMBER})(⁻?)([⁰¹²³⁴-⁹]{{2,}}|[⁰¹⁴-⁹]|(?<=⁻)[²³])", _power),
    rule("unit after a power", rf"(?<=次方)\s?({_UNIT})(?![A-Za-z²³])", lambda m: _LATIN_UNITS[m[1]]),
    rule("power with a sign", rf"{START}({NUMBER})\^(-?)(\d{{1,3}})(?![\d.])", _power),
    rule("power", rf"{START}({NUMBER})([²³])", lambda m: f"{number(m[1])}的{_POWERS[m[2]]}"),
    rule(
        "multiplication",
        r"(?<=[\da-z\u4e00-\u9fff²³])\s?[×*]\s?(?=\d)|(?<=[\d\u4e00-\u9fff²³])\s?[xX]\s?(?=\d)",
        "乘",
    ),
    rule(
        "number of an English noun",
        rf"{START}({NUMBER}) (?=[a-z]{{3,}}(?![A-Za-z]))",
        lambda m: numbers_en.number(m[1]) + " ",
    ),
    rule("number sign", r"(\d)\s?#(?=[\u4e00-\u9fff])", lambda m: m[1] + "号"),
    rule("ordinal sign", r"(?<![A-Za-z])[Nn][Oo]\.?\s?(?=\d)|#(?=\d)", "第"),
    rule("hyphen before a digit", r"(?<=[A-Za-z年月日)）])-(?=\d)", " "),
    rule("about", r"约?~(?=\d)", "约"),
    rule("plus", r"(?<=\d)\s?\+\s?(?=\d)", "加"),
    rule("more than", r"(?<=\d)\+(?=[\u4e00-\u9fff])", "多"),
    rule("equals", r"\s?=\s?(?=-?\d)", "等于"),
    rule("decimal without a zero", r"(?<![\d.A-Za-z])\.(?=\d)", "0."),
    rule("quantity", rf"{START}{NUMBER}", _quantity),
]
