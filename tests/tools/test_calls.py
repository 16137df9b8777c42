"""Calls in a model's text: four formats are read; whatever is odd is refused with a clear line."""

from __future__ import annotations

import contextlib
import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiosk.tools.base import Arguments, Context, Kind, Parameter, Permission, Tool, ToolResult, clean, run_tool
from kiosk.tools.calls import CallError, read_calls, schema_for
from kiosk.tools.periods import Period
from tests.tools.conftest import NOW


def echo(context: Context, arguments: Arguments) -> ToolResult:
    return ToolResult(sentences={"zh": "好。", "en": "Yes."}, data={name: str(v) for name, v in arguments.items()})


TOOL = Tool(
    name="spend",
    description="Spending",
    run=echo,
    parameters=(
        Parameter(name="period", kind=Kind.PERIOD, description="When", question={"zh": "几月？", "en": "When?"}),
        Parameter(name="amount", kind=Kind.AMOUNT, description="Yuan", most=1000),
        Parameter(name="kind", kind=Kind.CHOICE, description="What", choices={"food": (), "rent": ()}),
    ),
)
PLAIN = Tool(name="hours", description="Hours", run=echo, permission=Permission.ANYONE)
TOOLS = (TOOL, PLAIN)
ARGUMENTS = {"period": "2026-05", "amount": 12.5}


@pytest.mark.parametrize(
    "text",
    [
        f'Let me see. <tool_call>\n{{"name": "spend", "arguments": {json.dumps(ARGUMENTS)}}}\n</tool_call>',
        json.dumps({"name": "spend", "parameters": ARGUMENTS}),
        "<|python_tag|>" + json.dumps({"type": "function", "name": "spend", "parameters": ARGUMENTS}),
        "[TOOL_CALLS] " + json.dumps([{"name": "spend", "arguments": ARGUMENTS, "id": "abc"}]),
        "TOOL spend period=2026-05 amount=12.5",
    ],
)
def test_each_format(text: str) -> None:
    (call,) = read_calls(text, TOOLS)
    assert call.tool is TOOL
    assert call.arguments == {"period": Period.month(2026, 5), "amount": Decimal("12.5")}


@pytest.mark.parametrize("text", ["", "你好", "The TOOL is here.", "In 2026 {x}"])
def test_plain_talk_is_no_call(text: str) -> None:
    assert read_calls(text, TOOLS) == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('<tool_call>{"name": "spend"}', "not closed"),
        ('{"name": "spent"}', "no tool 'spent'"),
        ('{"name": "spend", "name": "hours"}', "twice"),
        ('{"name": "spend", "arguments": {"amount": NaN}}', "NaN is no number"),
        ('{"name": "spend", "arguments": {"amount": true}}', "amount must be a number"),
        ('{"name": "spend", "arguments": {"amount": "12"}}', "amount must be a number"),
        ('{"name": "spend", "arguments": {"amount": 1001}}', "between 1 and 1000"),
        ('{"name": "spend", "arguments": {"amount": 1.234}}', "two decimals"),
        ('{"name": "spend", "arguments": {"period": "last month"}}', "a period is written like"),
        ('{"name": "spend", "arguments": {"period": "2026-13"}}', "is no period"),
        ('{"name": "spend", "arguments": {"kind": "Food"}}', "one of food, rent"),
        ('{"name": "spend", "arguments": {"who": "Wang"}}', "knows no argument 'who'"),
        ('{"name": "spend", "arguments": [1]}', "must be an object"),
        ("[TOOL_CALLS] {}", "a list of calls"),
        ("TOOL spend period", "is written like"),
        ('{"name": "spend"} and more', "no valid JSON"),
        ("{" + '"a":{' * 3000, "longer than"),
    ],
)
def test_what_is_odd_is_refused(text: str, said: str) -> None:
    with pytest.raises(CallError) as caught:
        read_calls(text, TOOLS)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.sampled_from(["{}", "<tool_call>{}</tool_call>", "[TOOL_CALLS] [{}]", "<|python_tag|>{}", "TOOL {}"]),
    st.fixed_dictionaries(
        {"name": st.sampled_from(["spend", "hours", "x"]) | JSON},
        optional={"arguments": st.dictionaries(st.sampled_from(["period", "amount", "kind", "x"]), JSON) | JSON},
    )
    | JSON,
    st.integers(0, 200),
)
def test_any_call_is_read_whole_or_refused(frame: str, value: object, cut: int) -> None:
    text = frame.replace("{}", json.dumps(value))
    for each in (text, text[:cut], text[cut:]):
        with contextlib.suppress(CallError):
            for call in read_calls(each, TOOLS):
                assert call.tool in TOOLS
                assert set(call.arguments) <= {parameter.name for parameter in call.tool.parameters}


@given(st.text(max_size=100))
def test_any_text_is_read_or_refused(text: str) -> None:
    for each in (text, f"TOOL {text}", f"<tool_call>{text}</tool_call>", f"[TOOL_CALLS]{text}", f"{{{text}"):
        with contextlib.suppress(CallError):
            read_calls(each, TOOLS)


def test_the_schema_tells_all() -> None:
    (first, second) = schema_for(TOOLS)
    properties = first["function"]["parameters"]["properties"]
    assert properties["amount"] == {"type": "number", "description": "Yuan", "minimum": 1, "maximum": 1000}
    assert properties["kind"]["enum"] == ["food", "rent"]
    assert first["function"]["parameters"]["required"] == ["period"]
    assert second["function"]["parameters"]["properties"] == {}
    json.dumps(first)


def test_the_door_keeps_permissions() -> None:
    period: Arguments = {"period": Period.year(2026)}
    with pytest.raises(PermissionError):
        run_tool(TOOL, Context(now=NOW), period, is_confirmed=True)
    with pytest.raises(ValueError, match="needs the argument period"):
        run_tool(TOOL, Context(now=NOW, customer=1), {}, is_confirmed=True)
    assert run_tool(TOOL, Context(now=NOW, customer=1), period, is_confirmed=False).data == {"period": "2026"}
    asking = Tool(
        name="a", description="", run=echo, permission=Permission.ANYONE, confirmation={"zh": "?", "en": "?"}
    )
    with pytest.raises(PermissionError):
        run_tool(asking, Context(now=NOW), {}, is_confirmed=False)


@given(st.text(), st.integers(1, 50))
def test_names_from_rows_are_clean_and_short(text: str, limit: int) -> None:
    name = clean(text, limit)
    assert len(name) <= limit
    assert name.isprintable()
    assert not set(name) & set("<>{}[]`*_#|\\~^")
