"""The tools of the bank lobby: what each does, in data and in sentences."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from decimal import Decimal
from typing import cast

from kiosk.tools.bank.database import BankDatabase
from kiosk.tools.bank.house import House
from kiosk.tools.bank.sums import annuity, simple_interest
from kiosk.tools.base import Arguments, Context, Kind, Parameter, Permission, Tool, ToolResult, clean, money
from kiosk.tools.periods import Period
from models.types import Language

CATEGORIES: Mapping[str, tuple[str, ...]] = {
    "dining": ("餐饮", "吃饭", "外卖", "餐厅", "dining", "food", "restaurants?", "eating out", "meals?"),
    "groceries": ("超市", "买菜", "groceries", "supermarkets?"),
    "transport": ("交通", "出行", "打车", "地铁", "transport", "taxis?", "travel"),
    "housing": ("住房", "房租", "物业", "housing", "rent"),
    "shopping": ("购物", "买东西", "shopping", "clothes"),
    "leisure": ("娱乐", "电影", "健身", "leisure", "entertainment", "fun"),
    "health": ("医疗", "看病", "买药", "health", "medicine", "pharmacy"),
    "utilities": ("水电", "话费", "电费", "缴费", "utilities", "bills", "phone"),
}
"""Category of the database → ways to say it; the first Chinese and the first English one is its name."""
DEFAULT_COUNT, MAX_COUNT = 3, 5
"""Transactions that are read aloud."""
_ACCOUNTS: Mapping[str, tuple[str, str]] = {"current": ("活期", "current"), "savings": ("储蓄", "savings")}
_WEEKDAYS = ("一", "二", "三", "四", "五", "六", "日")

_PERIOD = Parameter(
    name="period",
    kind=Kind.PERIOD,
    description="Days to look at: 2026-05 for a month, 2026 for a year, 2026-05-03 for a day",
    question={"zh": "您想查哪个月的？", "en": "For which month?"},
)
_CATEGORY = Parameter(name="category", kind=Kind.CHOICE, description="Kind of spending", choices=CATEGORIES)
_AMOUNT = Parameter(
    name="amount",
    kind=Kind.AMOUNT,
    description="Yuan",
    question={"zh": "请问金额是多少？", "en": "What amount, please?"},
    most=100_000_000,
)
_TERM = Parameter(
    name="months",
    kind=Kind.MONTHS,
    description="Term in months",
    question={"zh": "请问期限是几年？", "en": "For how many years?"},
    most=360,
)
_RATE = Parameter(
    name="rate",
    kind=Kind.RATE,
    description="Per cent per year, as the loan manager offers it",
    question={
        "zh": "请问年利率是百分之几？贷款利率请以客户经理的报价为准。",
        "en": "At what yearly rate? The loan manager tells you the rate of a loan.",
    },
    least=0,
    most=36,
)


class BankTools:
    """Makes the tools over one database and one house."""

    def __init__(self, database: BankDatabase, house: House) -> None:
        """Keep both; nothing is read yet."""
        self._database = database
        self._house = house

    def tools(self) -> tuple[Tool, ...]:
        """All tools of the lobby."""
        anyone = Permission.ANYONE
        count = Parameter(name="count", kind=Kind.COUNT, description="How many", most=MAX_COUNT)
        day = Parameter(name="day", kind=Kind.DAY, description="The day; today if left out")
        return (
            Tool(name="balance", description="Balance of the visitor's own accounts", run=self._balance),
            Tool(
                name="spending",
                description="What the visitor spent in a period, altogether or in one category",
                run=self._spending,
                parameters=(_PERIOD, _CATEGORY),
            ),
            Tool(
                name="spending_by_category",
                description="What the visitor spent in a period, by category",
                run=self._by_category,
                parameters=(_PERIOD,),
            ),
            Tool(
                name="transactions",
                description="The visitor's newest transactions",
                run=self._transactions,
                parameters=(count,),
                permission=Permission.CONFIRMED_CUSTOMER,
                confirmation={
                    "zh": "我会念出交易明细，旁边的人可能听见。可以念吗？",
                    "en": "I will read them aloud, and people nearby may hear. Shall I?",
                },
            ),
            Tool(
                name="rates",
                description="Rates of fixed deposits",
                run=self._rates,
                parameters=(Parameter(name="months", kind=Kind.MONTHS, description="Term in months", most=360),),
                permission=anyone,
            ),
            Tool(
                name="branch_hours",
                description="When the branch is open on a day, and whether it is open now",
                run=self._hours,
                parameters=(day,),
                permission=anyone,
            ),
            Tool(
                name="queue_ticket",
                description="Draws a number for the queue",
                run=self._ticket,
                permission=anyone,
                confirmation={"zh": "要我为您取一个号吗？", "en": "Shall I draw a number for you?"},
            ),
            Tool(
                name="loan",
                description="Monthly payment of a loan",
                run=self._loan,
                parameters=(_AMOUNT, _TERM, _RATE),
                permission=anyone,
            ),
            Tool(
                name="deposit",
                description="Interest of a fixed deposit at the house's rate",
                run=self._deposit,
                parameters=(_AMOUNT, _TERM),
                permission=anyone,
            ),
            Tool(
                name="transfer",
                description="What one needs for a transfer and what it costs; moves no money",
                run=self._transfer,
                permission=anyone,
            ),
        )

    def _customer(self, context: Context) -> int:
        """Who has been identified; the transactions reach up to the day before, also after a night of running."""
        if context.customer is None:
            raise PermissionError("nobody has been identified")
        self._database.fill(context.today)
        return context.customer

    def _balance(self, context: Context, arguments: Arguments) -> ToolResult:
        found = self._database.balances(self._customer(context))
        zh = "，".join(f"{_ACCOUNTS[kind][0]}账户余额{money(cents)}元" for kind, cents in found.items())
        en = " and ".join(
            f"{money(cents)} yuan in your {_ACCOUNTS[kind][1]} account" for kind, cents in found.items()
        )
        return ToolResult(sentences={"zh": f"您的{zh}。", "en": f"You have {en}."}, data=found)

    def _spending(self, context: Context, arguments: Arguments) -> ToolResult:
        period, category = cast("Period", arguments["period"]), cast("str | None", arguments.get("category"))
        found = self._database.spending(self._customer(context), period)
        if not found or (category is not None and category not in found):
            return self._nothing(period, context.today, category)
        cents = sum(found.values()) if category is None else found[category]
        zh = "支出" if category is None else f"{CATEGORIES[category][0]}支出"
        en = "" if category is None else f" on {_english(category)}"
        when_zh, when_en = (period.name(language, context.today) for language in ("zh", "en"))
        return ToolResult(
            sentences={
                "zh": f"{when_zh}{zh}{money(cents)}元。",
                "en": f"You spent {money(cents)} yuan{en} {when_en}.",
            },
            data={"period": str(period), "category": category, "cents": cents},
        )

    def _by_category(self, context: Context, arguments: Arguments) -> ToolResult:
        period = cast("Period", arguments["period"])
        found = self._database.spending(self._customer(context), period)
        if not found:
            return self._nothing(period, context.today, None)
        zh = "，".join(f"{CATEGORIES[name][0]}{money(cents)}元" for name, cents in found.items())
        en = ", ".join(f"{_english(name)} {money(cents)} yuan" for name, cents in found.items())
        return ToolResult(
            sentences={
                "zh": f"{period.name('zh', context.today)}的支出：{zh}。",
                "en": f"Your spending {period.name('en', context.today)}: {en}.",
            },
            data={"period": str(period), "cents": found},
        )

    def _nothing(self, period: Period, today: datetime.date, category: str | None) -> ToolResult:
        zh = "" if category is None else CATEGORIES[category][0]
        en = "" if category is None else f"{_english(category)} "
        return ToolResult(
            sentences={
                "zh": f"{period.name('zh', today)}没有{zh}支出记录。",
                "en": f"There is no {en}spending {period.name('en', today)}.",
            },
            data={"period": str(period), "category": category},
            problem="nothing-found",
        )

    def _transactions(self, context: Context, arguments: Arguments) -> ToolResult:
        found = self._database.latest(self._customer(context), cast("int", arguments.get("count", DEFAULT_COUNT)))
        rows = [(day, cents, clean(payee)) for day, cents, payee in found]
        if not rows:
            return ToolResult(
                sentences={"zh": "没有交易记录。", "en": "There are no transactions."}, problem="nothing-found"
            )
        names = {
            language: [Period(day, day).name(language, context.today) for day, _, _ in rows]
            for language in ("zh", "en")
        }
        zh = "；".join(
            f"{when}，{payee}，{'支出' if cents < 0 else '收入'}{money(abs(cents))}元"
            for when, (_, cents, payee) in zip(names["zh"], rows, strict=True)
        )
        en = "; ".join(
            f"{when}, {money(abs(cents))} yuan {'to' if cents < 0 else 'from'} {payee}"
            for when, (_, cents, payee) in zip(names["en"], rows, strict=True)
        )
        return ToolResult(
            sentences={"zh": f"最近{len(rows)}笔交易：{zh}。", "en": f"Your last {len(rows)} transactions: {en}."},
            data={"transactions": [{"day": str(d), "cents": c, "payee": p} for d, c, p in rows]},
        )

    def _rates(self, context: Context, arguments: Arguments) -> ToolResult:
        months = cast("int | None", arguments.get("months"))
        rates = self._house.rates
        if not rates:
            return _unknown("no-rates")
        if months is not None and months not in rates:
            return self._no_such_term(months)
        chosen = rates if months is None else {months: rates[months]}
        zh = "，".join(f"{_term(m, 'zh')}定期存款利率是{rate}%" for m, rate in chosen.items())
        en = ", ".join(f"{_term(m, 'en')}: {rate}%" for m, rate in chosen.items())
        return ToolResult(
            sentences={"zh": f"{zh}。", "en": f"Our yearly deposit rates are, for {en}."},
            data={str(m): str(rate) for m, rate in chosen.items()},
        )

    def _no_such_term(self, months: int) -> ToolResult:
        zh = "和".join(f"{_term(m, 'zh')}（{rate}%）" for m, rate in self._house.rates.items())
        en = " and ".join(f"{_term(m, 'en')} ({rate}%)" for m, rate in self._house.rates.items())
        return ToolResult(
            sentences={
                "zh": f"我这里没有{_term(months, 'zh')}定期的利率，只有{zh}。",
                "en": f"I have no deposit rate for {_term(months, 'en')}, only for {en}.",
            },
            problem="no-such-term",
        )

    def _hours(self, context: Context, arguments: Arguments) -> ToolResult:
        if not self._house.hours:
            return _unknown("no-hours")
        period = cast("Period | None", arguments.get("day"))
        day = context.today if period is None else period.start
        zh, en = f"周{_WEEKDAYS[day.weekday()]}", f"{day:%A}"
        times = self._house.hours.get(day.weekday())
        if times is None:
            return ToolResult(
                sentences={"zh": f"{zh}我们不开门。", "en": f"On {en} we are closed."}, data={"day": str(day)}
            )
        now_zh = now_en = ""
        if day == context.today:
            is_open = times[0] <= context.now.time() < times[1]
            now_zh, now_en = (
                ("现在开着。", "We are open now. ") if is_open else ("现在不营业。", "We are closed now. ")
            )
        return ToolResult(
            sentences={
                "zh": f"{now_zh}{zh}的营业时间是{times[0]:%H:%M}到{times[1]:%H:%M}，法定节假日除外。",
                "en": f"{now_en}On {en} we are open from {times[0]:%H:%M} to {times[1]:%H:%M}, "
                "except on public holidays.",
            },
            data={"day": str(day), "opens": f"{times[0]:%H:%M}", "closes": f"{times[1]:%H:%M}"},
        )

    def _ticket(self, context: Context, arguments: Arguments) -> ToolResult:
        number = self._database.draw_ticket(context.today)
        return ToolResult(
            sentences={
                "zh": f"您的排队号是{number}号，请稍候叫号。",
                "en": f"Your number is {number}. Please wait until it is called.",
            },
            data={"number": number},
        )

    def _loan(self, context: Context, arguments: Arguments) -> ToolResult:
        amount, months = cast("Decimal", arguments["amount"]), cast("int", arguments["months"])
        rate = cast("Decimal", arguments["rate"])
        loan = annuity(amount, months, rate)
        return ToolResult(
            sentences={
                "zh": f"贷款{amount:,}元，{_term(months, 'zh')}，年利率{rate}%，等额本息每月还{loan.payment:,}元，"
                f"利息共{loan.interest:,}元。仅供参考。",
                "en": f"For a loan of {amount:,} yuan over {_term(months, 'en')} at {rate}%, you pay "
                f"{loan.payment:,} yuan a month, {loan.interest:,} yuan of interest in all. This is an estimate.",
            },
            data={"payment": str(loan.payment), "interest": str(loan.interest)},
        )

    def _deposit(self, context: Context, arguments: Arguments) -> ToolResult:
        amount, months = cast("Decimal", arguments["amount"]), cast("int", arguments["months"])
        rate = self._house.rates.get(months)
        if rate is None:
            return self._no_such_term(months) if self._house.rates else _unknown("no-rates")
        interest = simple_interest(amount, months, rate)
        return ToolResult(
            sentences={
                "zh": f"{amount:,}元存{_term(months, 'zh')}定期，年利率{rate}%，到期利息{interest:,}元。",
                "en": f"{amount:,} yuan for {_term(months, 'en')} at {rate}% earns {interest:,} yuan of interest.",
            },
            data={"interest": str(interest), "rate": str(rate)},
        )

    def _transfer(self, context: Context, arguments: Arguments) -> ToolResult:
        fact = self._house.transfer
        return ToolResult(
            sentences={
                "zh": f"我不能替您转账，请用手机银行或到柜台办理，要有收款人的姓名和账号。{fact.get('zh', '')}",
                "en": "I cannot move money; please use the mobile app or a counter, with the payee's name and "
                f"account number. {fact.get('en', '')}",
            },
        )


def _english(category: str) -> str:
    return next(name for name in CATEGORIES[category] if name.isascii())


def _term(months: int, language: Language) -> str:
    years, rest = divmod(months, 12)
    if rest:
        return f"{months}个月" if language == "zh" else f"{months} month" + "s" * (months > 1)
    return f"{years}年" if language == "zh" else f"{years} year" + "s" * (years > 1)


def _unknown(problem: str) -> ToolResult:
    return ToolResult(
        sentences={"zh": "这个我查不到，请问大堂经理。", "en": "I cannot look that up; please ask a colleague."},
        problem=problem,
    )
