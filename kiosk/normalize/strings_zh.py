"""Chinese: strings of digits that name something (telephones, cards, codes, versions) and are read digit by digit."""

from __future__ import annotations

import re

from kiosk.normalize.numbers_zh import MEASURES, digits, integer
from kiosk.normalize.rules import KEY_CODE, START, Rule, rule

_NAMES = (
    r"尾号|房间号|门牌号|末[三四34]位|后[三四34]位|[卡账帐户单编票工学房行税番]号|订单|编号|流水号?|号码|验证码|校验码|识别码|动态码|邀请码|取件码|"
    r"提货码|代码|密码|口令|身份证号?码?|护照号?码?|证件号?码?|手机号?码?|邮编|邮政编码|QQ群?号?|微信号?|(?<![A-Za-z])ID号?|[抖快]音号?|群号|公众号|端口号?|航班号?|车次|车牌号?|传真|分机号?"
)
"""Words after which a number is an identity, whatever follows it except 位 and 元."""
_KEYED = r"用户名|登录名|账号|帐号|微信号?|QQ号?|抖音号?|密码|口令|邀请码|兑换码|(?<![A-Za-z])ID"
"""Words after which letters and digits are one thing to be keyed in."""
_DIALS = r"电话|座机|热线|专线|客服|致电|来电|呼叫|短信|拨|打|转"
"""Words after which a number is dialled unless a unit follows."""
_LINK = r"(?:号码|[为是：:「“\"（(号码请通到至叫打发送您的尾四六位数\s*]){0,6}"
_STRING = r"\d+(?:[ -]\d+)*(?:[Xx](?![A-Za-z]))?"
_LIST = rf"{_STRING}(?:(?:,|\s?(?:、|或者?|和|及|与)\s?)\d{{3,}}(?![\d.:%]))*"
_AFTER = r"(?![\d.:/%‰°~–—])"
_KEYS = {"*": "星号", "#": "井号"}
UNIT = rf"\s?(?:{MEASURES}|月|日|号|楼|层|美|年|%|折|[A-Za-z²³°])"
"""What makes the number before it a quantity."""


def read_string(text: str) -> str:
    """Read an identity or telephone number; groups are set apart by a short pause."""
    groups = re.split(r"[ \-()（）]+", text.strip(" -()（）"))
    return "，".join(digits(g, dialled=True) + ("X" if g[-1:] in "Xx" else "") for g in groups if g)


def _keyed_in(text: str) -> str:
    return re.sub(
        r"\d+|[_-]", lambda m: {"_": "下划线", "-": "杠"}.get(m.group()) or digits(m.group(), dialled=True), text
    )


def _list(match: re.Match[str]) -> str:
    return match[1] + re.sub(_STRING, lambda m: read_string(m.group()), match[2])


def _version(match: re.Match[str]) -> str:
    parts = match[2].split(".")
    return match[1] + (integer(parts[0]) if len(parts) == 1 else "点".join(digits(part) for part in parts))


def _four_parts(match: re.Match[str]) -> str:
    return "点".join(digits(part) for part in match[1].split(".")) + (f"冒号{digits(match[2])}" if match[2] else "")


def _code(match: re.Match[str]) -> str:
    return match[1] + digits(match[2], dialled=True)


def _keys(match: re.Match[str]) -> str:
    return "".join(_KEYS.get(char) or digits(char, dialled=True) for char in match.group())


def _ordered(match: re.Match[str]) -> str:
    return "点".join(integer(part) for part in match.group().split("."))


VERSIONS: list[Rule] = [
    rule(
        "version",
        r"((?<![A-Za-z])[vV](?:er(?:sion)?\s?)?\.?|版本号?[：:为是]?\s?)(\d+(?:\.\d+){0,4})(?![\d年月个])",
        _version,
    ),
    rule("version before 版", rf"{START}()(\d+(?:\.\d+){{1,4}})(?=\s?版)", _version),
    rule("four-part address", rf"{START}(\d{{1,3}}(?:\.\d{{1,3}}){{3}})(?::(\d{{1,5}}))?(?![\d.]\d)", _four_parts),
    rule("numbered section", rf"{START}\d{{1,3}}(?:\.\d{{1,3}}){{2,4}}(?![\d.]\d)", _ordered),
]

STRINGS: list[Rule] = [
    rule(
        "name that is keyed in",
        rf"((?:{_KEYED})(?:号码?)?[为是：:]?\s?)(?=[A-Za-z\d]{{0,20}}[A-Za-z_])([A-Za-z\d][A-Za-z\d_-]{{1,24}})(?![A-Za-z\d_@.])",
        lambda m: m[1] + _keyed_in(m[2]),
    ),
    rule("first so many by its sign", r"(?<=[按拨键输入选])\s?#号?(?!\d)", "井号"),
    rule(
        "picture lines",
        r"(?<![\d.A-Za-z])(480|720|1080|1440|2160)(?=[pPi](?![A-Za-z\d]))",
        lambda m: digits(m[1], dialled=True),
    ),
    rule(
        "standard of two digits",
        r"(?<![A-Za-z])(IP|N|KN|FFP|H\.)(?=\d)((?<=IP)[0-6][0-9]|(?<=N)9[0-9]|(?<=FFP)\d|(?<=H\.)26\d)(?!\d)",
        lambda m: m[1].rstrip(".") + digits(m[2]),
    ),
    rule(
        "share code in brackets",
        r"(?<=[\u4e00-\u9fff][(（])(?:[03689]0\d{4}|[48]3\d{4})(?=[)）])",
        lambda m: digits(m.group(), dialled=True),
    ),
    rule(
        "emergency number after its name",
        r"(?<=火警|匪警|报警|急救|消防|交警)\s?(?:110|119|12[02])(?!\d)",
        lambda m: read_string(m.group().strip()),
    ),
    rule("service code", KEY_CODE, _keys),
    rule("key", r"([*#])号?(?=键)", lambda m: _KEYS[m[1]]),
    rule("first so many", r"(?<![A-Za-z])(?:TOP|Top|top)[ -]?(?=[1-9]\d{0,3}(?!\d))", "前"),
    rule(
        "masked number",
        r"(?<![\d.])(\d{3,6})\*{2,}(\d{2,6})(?!\d)",
        lambda m: f"{read_string(m[1])}，{read_string(m[2])}",
    ),
    rule(
        "mobile telephone",
        r"(?<![\d.])(?:\+?86[ -]?)?1[3-9]\d(?:[ -]?\d{4}){2}(?!\d)",
        lambda m: read_string(m.group().replace("+", "")),
    ),
    rule(
        "landline",
        r"(?<![\d.])(?:[(（]0\d{2,3}[)）]|(?:\+?86[ -]?)?0\d{2,3})[ -]?"
        r"(?:\d{3,4}[ -]\d{4}|\d{7,8})(?:[ -]\d{1,5})?(?!\d)",
        lambda m: read_string(m.group().replace("+", "")),
    ),
    rule(
        "toll-free number",
        r"(?<![\d.])[48]00(?:-\d{3}-\d{4}|-?\d{7}|-\d{4}-\d{3}| \d{3} \d{4})(?!\d)",
        lambda m: read_string(m.group()),
    ),
    rule("identity by its name", rf"((?:{_NAMES}){_LINK})({_LIST}){_AFTER}(?!\s?[位元万亿])", _list),
    rule("dialled by its verb", rf"((?:{_DIALS}){_LINK})(\d{{5,}}(?!\d)|{_LIST}){_AFTER}(?!{UNIT}|-?\d)", _list),
    rule(
        "service number",
        rf"{START}(?:95\d{{3}}|96\d{{3,4}}|100(?:86|10)|123(?:06|15|45|78|63))(?![\d.:%,-])(?!{UNIT})",
        lambda m: read_string(m.group()),
    ),
    rule(
        "number before 热线",
        rf"{START}\d{{3,8}}(?=(?:这个|的)?(?:客服|服务|报警|急救|市民|投诉|官方)*(?:热线|电话|专线|客服))",
        lambda m: read_string(m.group()),
    ),
    rule(
        "emergency number",
        rf"{START}(?:110|119|12[02])(?=报警|指挥|消防|急救|火警|匪警|平台|中心)",
        lambda m: read_string(m.group()),
    ),
    rule(
        "known projects",
        r"(?<!\d)(985|211)(?=[、/]?(?:985|211|高校|大学|院校|工程|名校))|(?<=985[、/])211(?!\d)",
        lambda m: read_string(m.group()),
    ),
    rule("citizen identity", r"(?<![\d.])\d{17}[\dXx](?![\dA-Za-z])", lambda m: read_string(m.group())),
    rule("card in groups", r"(?<![\d.])\d{4}(?: \d{4}){2,4}(?: \d{1,3})?(?!\d)", lambda m: read_string(m.group())),
    rule(
        "long number", rf"{START}(?!\d+0{{6}}(?!\d))\d{{11,}}(?![\d.,%])(?!{UNIT})", lambda m: read_string(m.group())
    ),
    rule(
        "room or line",
        rf"{START}\d{{3,4}}(?=室|号?房间?(?!价)|路(?:公交|车|巴士))",
        lambda m: digits(m.group(), dialled=True),
    ),
    rule("letters and number", r"(?<![A-Za-z])([A-Za-z]{1,12})-?(0\d+|\d{3,})(?![\d.:%])", _code),
    rule("leading zero dropped", r"(?<![\dA-Za-z.:-])0+(?=[1-9]\d?(?:月|日|号|点|时|分|秒))", ""),
    rule("leading zero", r"(?<![\d.,:/])(0\d+)(?![\d.:,/])", lambda m: digits(m.group(), dialled=True)),
    rule(
        "parts joined by hyphens",
        rf"(?<![\dA-Za-z])\d+(?:-\d+){{2,}}(?!\d)(?!{UNIT})",
        lambda m: read_string(m.group()),
    ),
]
