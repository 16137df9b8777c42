"""What visitors ask in the lobby test: five questions in each language about the bank profile's facts.

`heard` and `fact` are read against the spoken form (`kiosk.normalize`) of what was recognised, so that 9, 九 and nine
are the same.
"""

from __future__ import annotations

from tests.lobby.visitors import Question

QUESTIONS: tuple[Question, ...] = (
    Question("你们周六开门吗？", "zh", "周六|星期六", "十点.*三点"),
    Question("开户需要带什么证件？", "zh", "开户.*证件", "身份证"),
    Question("跨行转账手续费是多少？", "zh", "转账.*手续费|手续费", "[二两]元"),
    Question("请问厕所在哪里？", "zh", "厕所", "左边|走廊"),
    Question("贷款找谁办理？", "zh", "贷款", "三号柜台|客户经理", snr_db=10),
    Question("What time do you open on Monday?", "en", "time do you open", "nine"),
    Question("Are you open on Saturday?", "en", "open on saturday", "ten.*three"),
    Question("What do I need to open an account?", "en", "open an account", "id|passport|identity"),
    Question("How much is the transfer fee?", "en", "transfer fee", "(?:two|to) (?:yuan|you on)"),
    Question("Where is the toilet?", "en", "toilet", "left|corridor"),
)
