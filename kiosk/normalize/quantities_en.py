"""English: numbers with a meaning (money, percentages, units, fractions, ranges, ordinals) and the plain ones."""

from __future__ import annotations

import re

from kiosk.normalize.numbers_en import digits, integer, number, ordinal
from kiosk.normalize.rules import DASH, MODEL_NAME, NUMBER, START, Rule, clause_around, rule

_TO = rf" ?{DASH} ?"
_MAGNITUDE = r"(?:hundred|thousand|million|billion|trillion|[kKmM]|B|T|[bBmM]n|tn)"
_MAGNITUDES = {
    "k": "thousand",
    "m": "million",
    "mn": "million",
    "bn": "billion",
    "b": "billion",
    "t": "trillion",
    "tn": "trillion",
}
_CURRENCIES: dict[str, tuple[str, str, str, str]] = {
    "$": ("dollar", "dollars", "cent", "cents"),
    "US$": ("US dollar", "US dollars", "cent", "cents"),
    "USD": ("US dollar", "US dollars", "cent", "cents"),
    "HK$": ("Hong Kong dollar", "Hong Kong dollars", "cent", "cents"),
    "HKD": ("Hong Kong dollar", "Hong Kong dollars", "cent", "cents"),
    "A$": ("Australian dollar", "Australian dollars", "cent", "cents"),
    "AUD": ("Australian dollar", "Australian dollars", "cent", "cents"),
    "C$": ("Canadian dollar", "Canadian dollars", "cent", "cents"),
    "CAD": ("Canadian dollar", "Canadian dollars", "cent", "cents"),
    "S$": ("Singapore dollar", "Singapore dollars", "cent", "cents"),
    "SGD": ("Singapore dollar", "Singapore dollars", "cent", "cents"),
    "€": ("euro", "euros", "cent", "cents"),
    "EUR": ("euro", "euros", "cent", "cents"),
    "£": ("pound", "pounds", "penny", "pence"),
    "GBP": ("pound", "pounds", "penny", "pence"),
    "¥": ("yuan", "yuan", "", ""),
    "CN¥": ("yuan", "yuan", "", ""),
    "RMB": ("yuan", "yuan", "", ""),
    "CNY": ("yuan", "yuan", "", ""),
    "JP¥": ("yen", "yen", "", ""),
    "JPY": ("yen", "yen", "", ""),
    "CHF": ("Swiss franc", "Swiss francs", "", ""),
    "₩": ("won", "won", "", ""),
    "KRW": ("won", "won", "", ""),
}
"""Sign or code → one, many, one hundredth, many hundredths."""
_SIGNS = r"CN¥|JP¥|HK\$|US\$|A\$|C\$|S\$|[¥$€£₩]"
_CODES = "RMB|CNY|USD|HKD|EUR|GBP|JPY|KRW|AUD|CAD|SGD|CHF"
_NAMES = r"(?: ?(?:RMB|CNY|USD|yuan|dollars?|euros?|pounds|yen)\b)?"

_UNITS: dict[str, tuple[str, str]] = {
    "mm": ("millimeter", "s"), "cm": ("centimeter", "s"), "m": ("meter", "s"), "km": ("kilometer", "s"),
    "mg": ("milligram", "s"), "g": ("gram", "s"), "kg": ("kilogram", "s"), "t": ("ton", "s"),
    "ml": ("milliliter", "s"), "mL": ("milliliter", "s"), "L": ("liter", "s"), "l": ("liter", "s"),
    "lb": ("pound", "s"), "lbs": ("pound", "s"), "oz": ("ounce", "s"), "ft": ("foot", ""),
    "sq ft": ("square foot", ""), "mph": ("mile", "s per hour"), "Mbps": ("megabit", "s per second"),
    "Gbps": ("gigabit", "s per second"), "fps": ("frame", "s per second"),
    "pp": ("percentage point", "s"), "km/h": ("kilometer", "s per hour"), "m/s": ("meter", "s per second"),
    "h": ("hour", "s"), "hr": ("hour", "s"), "yr": ("year", "s"), "yrs": ("year", "s"), "wk": ("week", "s"),
    "wks": ("week", "s"), "hrs": ("hour", "s"), "min": ("minute", "s"), "mins": ("minute", "s"),
    "s": ("second", "s"), "sec": ("second", "s"), "secs": ("second", "s"), "ms": ("millisecond", "s"),
    "W": ("watt", "s"), "kW": ("kilowatt", "s"), "kWh": ("kilowatt hour", "s"), "V": ("volt", "s"),
    "mA": ("milliampere", "s"), "mAh": ("milliampere hour", "s"), "Hz": ("hertz", ""), "kHz": ("kilohertz", ""),
    "MHz": ("megahertz", ""), "GHz": ("gigahertz", ""), "dB": ("decibel", "s"), "KB": ("kilobyte", "s"),
    "MB": ("megabyte", "s"), "GB": ("gigabyte", "s"), "TB": ("terabyte", "s"), "bp": ("basis point", "s"),
    "bps": ("basis point", "s"), "mmHg": ("millimeter", "s of mercury"), "bpm": ("beat", "s per minute"),
    "mos": ("month", "s"),
    "tsp": ("teaspoon", "s"), "tbsp": ("tablespoon", "s"), "μm": ("micrometer", "s"), "nm": ("nanometer", "s"),
    "μg": ("microgram", "s"), "kPa": ("kilopascal", "s"), "MPa": ("megapascal", "s"), "mV": ("millivolt", "s"),
    "kV": ("kilovolt", "s"), "Wh": ("watt hour", "s"), "MW": ("megawatt", "s"), "rpm": ("revolution", "s per minute"),
    "kcal": ("kilocalorie", "s"), "lx": ("lux", ""), "km/s": ("kilometer", "s per second"),
    "m/min": ("meter", "s per minute"), "mi": ("mile", "s"), "gal": ("gallon", "s"), "sqm": ("square meter", "s"),
    "°C": ("degree", "s Celsius"), "°F": ("degree", "s Fahrenheit"),
    "°": ("degree", "s"), "m²": ("square meter", "s"), "cm²": ("square centimeter", "s"),
    "mm²": ("square millimeter", "s"), "km²": ("square kilometer", "s"), "m³": ("cubic meter", "s"),
    "cm³": ("cubic centimeter", "s"), "mm³": ("cubic millimeter", "s"), "Ω": ("ohm", "s"), "ha": ("hectare", "s"),
}  # fmt: skip
_UNIT = "|".join(re.escape(u) for u in sorted(_UNITS, key=len, reverse=True))
_GLOBE = {"N": "north", "S": "south", "E": "east", "W": "west"}
_LINES = {
    "480": "four eighty",
    "720": "seven twenty",
    "1080": "ten eighty",
    "1440": "fourteen forty",
    "2160": "twenty-one sixty",
}
_PARTS = {"2": ("half", "halves"), "4": ("quarter", "quarters")}
_POWERS = {"²": "squared", "³": "cubed"}
_PERIODS = {
    "mo": "month", "yr": "year", "hr": "hour", "h": "hour", "wk": "week", "min": "minute", "g": "gram",
    "kg": "kilogram", "oz": "ounce", "lb": "pound", "L": "liter", "km": "kilometer", "m²": "square meter",
    "GB": "gigabyte",
}  # fmt: skip
"""What a price may be for."""
_GOODS = (
    "notes?|bills?|coins?|tickets?|fees?|deposits?|limit|discount|vouchers?|(?:gift )?cards?|fine|charge|minimum|"
    "maximum|loans?|che(?:que|ck)s?|bonus|coupons?|passe?s?|plans?|budget|investment|prizes?|refund|surcharge|payments?|"
    "transfers?|rewards?|cap|credit|donation|rebate|item|offer|upgrade|balance|increase|salary"
)
"""What an amount may stand before as its adjective: a fifty euro note."""
_THINGS = (
    "run|race|walk|batter(?:y|ies)|chargers?|screens?|displays?|loans?|deposits?|terms?|contracts?|warrant(?:y|ies)|leases?|drives?|"
    "limit|radius|pool|cables?|robots?|motors?|bags?|bottles?|adapters?|panels?|disks?|track|swim|dash|zone|cameras?|monitors?|"
    "tablets?|phones?|walls?|fence|ladder|trip|drive|distance|break|lesson|class|course|video|speech|guarantee|notice|period"
)
"""What a measure may stand before as its adjective: a five kilometer run."""
_MONEY_WORDS = "dollars?|euros?|pounds?|yuan|yen|cents?|pence|penny|won|francs?"


def _amount(value: str, scale: str | None, sign: str) -> str:
    """An amount with its unit: $18.25 → eighteen dollars and twenty-five cents."""
    one, many, cent, cents = _CURRENCIES[sign.upper()]
    if scale:
        word = scale.strip()
        return f"{number(value)} {_MAGNITUDES.get(word.lower(), word)} {many}"
    whole, _, decimals = value.partition(".")
    if not decimals or not cent or len(decimals) > 2:
        return f"{number(value)} {one if value == '1' else many}"
    hundredths = int(decimals.ljust(2, "0"))
    words = f"{integer(whole)} {one if whole == '1' else many}"
    small = f"{integer(str(hundredths))} {cent if hundredths == 1 else cents}"
    if not hundredths:
        return words
    return small if not whole.strip("0,") else f"{words} and {small}"


def _money(match: re.Match[str]) -> str:
    minus, sign, minus_after, low, low_scale, second_sign, high, high_scale = match.groups()
    if sign == "¥" and re.search("日元|JPY|yen", clause_around(match), re.IGNORECASE):
        sign = "JP¥"
    words = _amount(low, low_scale, sign)
    if high and (second_sign or not low_scale):
        words = words if second_sign else number(low)
        words += " to " + _amount(high, high_scale, sign)
    elif high:
        words += " to " + _amount(high, high_scale, sign)
    return ("minus " if minus or minus_after else "") + words


def _percent(match: re.Match[str]) -> str:
    minus, low, low_mark, minus_high, high, mark = match.groups()
    name = {"%": " percent", "‰": " per mille"}[mark]
    words = ("minus " if minus else "") + number(low)
    if high:
        words += (name if low_mark else "") + " to " + ("minus " if minus_high else "") + number(high)
    return words + name


def _fraction(match: re.Match[str]) -> str:
    whole, over, under = match.groups()[:3]
    if int(under) < 2 or int(under) > 100:
        words = f"{number(over)} over {number(under)}"
    else:
        one, many = _PARTS.get(under, (ordinal(under), ordinal(under) + "s"))
        words = f"{number(over)} {one if int(over) == 1 else many}"
    if not whole:
        return words
    return f"{number(whole)} and " + (words if int(over) != 1 else ("a" + words[3:]))


_BEFORE_A_THING = re.compile(rf" (?:{_THINGS})\b")


def _unit(match: re.Match[str]) -> str:
    minus, value, _, unit = match.groups()
    name, many = _UNITS[unit]
    # a 30-year loan, a 5 km run
    single = value == "1" or match[3] == "-" or _BEFORE_A_THING.match(match.string, match.end()) is not None
    if single:
        many = many[1:] if many.startswith("s ") else ""
    elif name.endswith("foot"):
        name, many = name.replace("foot", "feet"), ""
    return ("minus " if minus else "") + f"{number(value)} {name}{many}"


def _unit_per_unit(match: re.Match[str]) -> str:
    one, many = _UNITS[match[2]]
    name, names = _UNITS[match[4]]
    return f"{number(match[1])} {one}{'' if match[1] == '1' else many} per {number(match[3])} {name}{names}"


def _range_with_unit(match: re.Match[str]) -> str:
    return f"{number(match[1])} to "


def _quantity(match: re.Match[str]) -> str:
    before = match.string[match.start() - 1 : match.start()]
    after = match.string[match.end() : match.end() + 1]
    return (" " if before.isalpha() else "") + number(match.group()) + (" " if after.isalpha() else "")


def _adjective(match: re.Match[str]) -> str:
    """A price before what it is the price of."""
    before, sign, value, scale = match.groups()
    word = _MAGNITUDES.get(scale.strip().lower(), scale.strip()) + " " if scale else ""
    return f"{before}{number(value)} {word}{_CURRENCIES[sign.upper()][0]}"


def _inches(match: re.Match[str]) -> str:
    """Inches, unless the mark closes a quotation."""
    if match.string.count('"', max(0, match.start() - 80), match.start()) % 2:
        return match.group()
    return f"{match[1]} inches" if match[1] != "1" else "1 inch"


MONEY: list[Rule] = [
    rule(
        "price as an adjective",
        rf"(\b(?:an?|the|this|that|each|every|your|our|any|one) (?:[a-z]{{2,12}} )?)({_SIGNS})({NUMBER})"
        rf"(?: ?({_MAGNITUDE})\b)?(?= (?:{_GOODS})\b)",
        _adjective,
        re.IGNORECASE,
    ),
    rule(
        "money",
        rf"((?<![\dA-Za-z])[-−])?((?:{_SIGNS})|(?<![A-Za-z])(?:{_CODES}))\s?(-)?({NUMBER})(?: ?({_MAGNITUDE})\b)?"
        rf"(?:(?:{_TO}| to )({_SIGNS})?\s?({NUMBER})(?![\d:%])(?: ?({_MAGNITUDE})\b)?)?{_NAMES}",
        _money,
    ),
    rule(
        "money with its code behind",
        rf"{START}({NUMBER})(?: ?({_MAGNITUDE}))? ?({_CODES})(?![A-Za-z])",
        lambda m: _amount(m[1], m[2], m[3]),
    ),
]

QUANTITIES: list[Rule] = [
    rule("feet and inches", r"(?<![\d.])(\d)'(\d{1,2})\"", lambda m: f"{integer(m[1])} foot {integer(m[2])}"),
    rule("plus in front", r"(?<=\()\+(?=\d)", "plus "),
    rule("sides in feet", r"(?<=\d)'\s?[x×]\s?(?=\d)", " feet by "),
    rule("sides in inches", r"(?<=\d)\"\s?[x×]\s?(?=\d)", " inches by "),
    rule("inches", rf"{START}({NUMBER})\"(?![A-Za-z0-9])", _inches),
    rule("feet", rf"{START}({NUMBER})'(?=\s(?:x|×|long|wide|tall|high|deep|by)|[.,;]|$)", lambda m: f"{m[1]} feet"),
    rule(
        "unit with a full stop",
        r"(?<=\d) ?(ft|lbs?|oz|yrs?|hrs?|min|sec|mos|gal|mi)\.(?= [a-z])",
        lambda m: f" {m[1]}",
    ),
    rule("blood pressure", r"(?<![\d./])(\d{2,3})/(\d{2,3})(?= ?mmHg)", lambda m: f"{number(m[1])} over {m[2]}"),
    rule(
        "picture lines",
        r"(?<![\d.A-Za-z])(480|720|1080|1440|2160)([pi])(?![A-Za-z\d])",
        lambda m: f"{_LINES[m[1]]} {m[2].upper()}",
    ),
    rule("to a time of day", r"(?<=[ap]m|m\.)\s?-\s?(?=(?:noon|midnight)\b)", " to "),
    rule("half of the globe", r"(?<=\d)°\s?([NSEW])(?![A-Za-z])", lambda m: f" degrees {_GLOBE[m[1]]}"),
    rule("cents", rf"{START}(\d{{1,3}}) ?¢", lambda m: _amount(f"0.{m[1].zfill(2)}", None, "$")),
    rule(
        "price per unit",
        rf"\b({_MONEY_WORDS}) ?/ ?({'|'.join(_PERIODS)})(?![A-Za-z²³])",
        lambda m: f"{m[1]} per {_PERIODS[m[2]]}",
    ),
    rule(
        "dimensions",
        rf"{START}{NUMBER}(?: ?[x×] ?{NUMBER}){{1,2}}(?= ?(?:mm|cm|m|km|in|inch|inches|ft|feet|px|pixels)\b)",
        lambda m: re.sub(" ?[x×] ?", " by ", m.group()),
    ),
    rule("unit per unit", rf"{START}({NUMBER}) ?({_UNIT})/(\d{{1,4}}) ?({_UNIT})(?![A-Za-z0-9²³/])", _unit_per_unit),
    rule("thousands written short", rf"{START}({NUMBER})k(?![A-Za-z0-9/])", lambda m: f"{number(m[1])} thousand"),
    rule("always open", r"(?<![\d/])24/7(?![\d/])", "twenty-four seven"),
    rule(
        "percentage", rf"((?<![\dA-Za-z])-)?{START}({NUMBER})(?:(%)?(?:{_TO}| to )(-)?({NUMBER}))? ?([%‰])", _percent
    ),
    MODEL_NAME,
    rule(
        "out of",
        rf"{START}(\d{{1,3}}\.\d{{1,2}}|\d{{1,3}}(?=/\d{{1,3}} (?:stars?|points?|marks?)))/(\d{{1,3}})(?![\d./])",
        lambda m: f"{number(m[1])} out of {number(m[2])}",
    ),
    rule(
        "shares of a hundred",
        r"(?<![\d./])([1-9]0)/([1-9]0)(?= (?:rule|split|chance|ratio|mix|odds|principle|basis))",
        lambda m: f"{number(m[1])} {number(m[2])}",
    ),
    rule(
        "resolution",
        rf"{START}(\d{{3,4}}) ?[x×] ?(\d{{3,4}})(?![\d.])",
        lambda m: f"{number(m[1])} by {number(m[2])}",
    ),
    rule("is less", r"(?<=\d)\s?<\s?(?=-?\d)", " is less than "),
    rule("is greater", r"(?<=\d)\s?>\s?(?=-?\d)", " is greater than "),
    rule("less", r"\s?<\s?(?=[-\d$¥€£])", " less than "),
    rule("more", r"\s?>\s?(?=[-\d$¥€£])", " more than "),
    rule("difference", r"(?<=\d) - (?=\d+ ?=)", " minus "),
    rule(
        "range",
        rf"(?<=\d)( ?(?:[ap]\.?m\.?|°[CF]?|%|km|kg|cm|mm|m|g|th|st|nd|rd)?){_TO}(?=[$¥€£]?-?\d)",
        lambda m: m[1] + " to ",
        re.IGNORECASE,
    ),
]

REST: list[Rule] = [
    rule(
        "ordinal",
        rf"{START}(\d{{1,3}}(?:,\d{{3}})+|\d+)(?:st|nd|rd|th)(?![A-Za-z])",
        lambda m: ordinal(m[1]),
        re.IGNORECASE,
    ),
    rule(
        "fraction of a unit",
        rf"(?<![\d./])(?:(\d{{1,3}}) )?(\d{{1,4}})/(\d{{1,4}}) ({_UNIT})(?![A-Za-z0-9²³/])",
        lambda m: f"{_fraction(m)} {_UNITS[m[4]][0]}{_UNITS[m[4]][1] if m[1] else ''}",
    ),
    rule("unit", rf"((?<![\dA-Za-z])-)?{START}({NUMBER})(\s|-)?({_UNIT})(?![A-Za-z0-9²³/])", _unit),
    rule("power", rf"{START}({NUMBER})([²³])", lambda m: f"{number(m[1])} {_POWERS[m[2]]}"),
    rule(
        "other power",
        rf"{START}({NUMBER})([⁰¹²³⁴-⁹]+)",
        lambda m: f"{number(m[1])} to the power of {number(''.join(str('⁰¹²³⁴⁵⁶⁷⁸⁹'.index(c)) for c in m[2]))}",
    ),
    rule(
        "unit after a power",
        rf"(?<=to the power of )([a-z]{{2,9}}(?: [a-z]{{2,9}})?) ({_UNIT})(?![A-Za-z²³])",
        lambda m: f"{m[1]} {_UNITS[m[2]][0]}{_UNITS[m[2]][1]}",
    ),
    rule("fraction", r"(?<![\d./])(?:(\d{1,3}) )?(\d{1,4})/(\d{1,4})(?![\d./])", _fraction),
    rule("ratio", rf"{START}({NUMBER}) ?: ?({NUMBER})", lambda m: f"{number(m[1])} to {number(m[2])}"),
    rule("product", r"(?<=[\da-z²³])\s?[×*]\s?(?=\d)|(?<=\d)\s?[xX]\s?(?=\d)", " times "),
    rule("factor", rf"{START}({NUMBER})x(?!\s?[-+=*/^²³)]|[A-Za-z])", lambda m: number(m[1]) + " times"),
    rule(
        "number with a leading zero",
        r"(?<![A-Za-z])(?:No\.|no\.|#)\s?(0\d{1,9})(?!\d|[.,]\d)",
        lambda m: f"number {digits(m[1])}",
    ),
    rule("number sign", r"(?<![A-Za-z])(?:No\.|Nos\.|no\.|NO\.)\s?(?=\d)|#(?=\d)", "number "),
    rule("power with a sign", r"(?<=\d)\^(?=-?\d)", " to the power of "),
    rule("about", r"~(?=\d)", "about "),
    rule("negative", r"(?<![\dA-Za-z)])-(?=\.?\d)", "minus "),
    rule("hyphen before a digit", r"(?<=[A-Za-z)])-(?=\d)", " "),
    rule("plus", r"\s?\+\s?(?=\d)", " plus "),
    rule("more than", r"(?<=\d)\+(?=[\s,.]|$)", " plus"),
    rule("equals", r"\s?=\s?(?=-?\d)", " equals "),
    rule("decimal without a zero", r"(?<![\d.A-Za-z])\.(?=\d)", "0."),
    rule("quantity", rf"{START}{NUMBER}", _quantity),
    rule("digit left over", r"[⁰¹⁴-⁹₀-₉]|\d", lambda m: f" {digits(_plain(m.group()))} "),
]


def _plain(char: str) -> str:
    return (
        str("⁰¹²³⁴⁵⁶⁷⁸⁹".find(char))
        if char in "⁰¹²³⁴⁵⁶⁷⁸⁹"
        else str("₀₁₂₃₄₅₆₇₈₉".find(char))
        if char in "₀₁₂₃₄₅₆₇₈₉"
        else char
    )
