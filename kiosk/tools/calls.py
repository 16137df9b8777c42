"""Tool calls in a chat model's text: several native formats and a plain one. What is odd is refused, never guessed.

Nothing here runs anything: a call is read and checked against the tool's parameters, and the desk decides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from kiosk.tools.base import Tool, Value, clean

MAX_CHARACTERS = 4000
"""Of a model's text; a longer one is no call."""
MAX_CALLS = 4
"""In one text."""
_HERMES = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_HERMES_LEFT = re.compile(r"</?tool_call>")
_MISTRAL = "[TOOL_CALLS]"
_LLAMA = "<|python_tag|>"
_PLAIN = re.compile(r"TOOL (?P<name>[a-z_]{1,40})(?P<arguments>(?: [a-z_]{1,40}=[^\s=]{1,60})*)", re.ASCII)
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,6})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that has been checked: the tool is known and every argument has been read."""

    tool: Tool
    """Which."""
    arguments: Mapping[str, Value]
    """Some that are required may be missing: the visitor is asked."""


class CallError(ValueError):
    """The text is meant as a call, but is none. The message says why, in one line fit for a model to read."""


def schema_for(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """The tools as a chat template's `tools` argument takes them."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": {
                    "type": "object",
                    "properties": {parameter.name: parameter.schema() for parameter in tool.parameters},
                    "required": [parameter.name for parameter in tool.parameters if parameter.is_required],
                    "additionalProperties": False,
                },
            },
        }
        for tool in tools
    ]


def read_calls(text: str, tools: Sequence[Tool]) -> tuple[ToolCall, ...]:
    """Read the calls of a model's text; none for a text that is plain talk.

    Known formats: `<tool_call>{"name": …, "arguments": {…}}</tool_call>` (Qwen, Hermes), `{"name": …, "parameters":
    {…}}` alone or after `<|python_tag|>` (Llama 3), `[TOOL_CALLS] [{…}]` (Mistral), and the plain
    `TOOL name key=value key=value`, alone in the text.

    Args:
        text: What the model wrote.
        tools: Those that it may call.

    Raises:
        CallError: It looks like a call, but is incomplete, unknown or has a wrong argument.
    """
    stripped = text.strip()
    objects = _objects(stripped)
    if not objects:
        return ()
    if len(stripped) > MAX_CHARACTERS:
        raise CallError(f"the call is longer than {MAX_CHARACTERS} characters")
    if len(objects) > MAX_CALLS:
        raise CallError(f"more than {MAX_CALLS} calls at once")
    by_name = {tool.name: tool for tool in tools}
    return tuple(_call(each, by_name) for each in objects)


def _objects(text: str) -> list[object]:
    if _HERMES_LEFT.search(text):
        bodies = _HERMES.findall(text)
        if not bodies or _HERMES_LEFT.search(_HERMES.sub("", text)):
            raise CallError("a <tool_call> is not closed or not opened")
        return [_json(body) for body in bodies]
    if _MISTRAL in text:
        head, _, body = text.partition(_MISTRAL)
        found = _json(body)
        if head.strip() or not isinstance(found, list) or not found:
            raise CallError("[TOOL_CALLS] must be followed by a list of calls and nothing else")
        return found
    if text.startswith(_LLAMA):
        return [_json(text.removeprefix(_LLAMA))]
    if text.startswith("{"):
        return [_json(text)]
    if text.startswith("TOOL "):
        return [_plain(text)]
    return []


def _json(text: str) -> object:
    if len(text) > MAX_CHARACTERS:
        raise CallError(f"the call is longer than {MAX_CHARACTERS} characters")
    try:
        return json.loads(text, object_pairs_hook=_without_doubles, parse_constant=_no_constant)
    except RecursionError as error:
        raise CallError("the call is nested too deeply") from error
    except CallError:
        raise
    except ValueError as error:
        raise CallError("the call is no valid JSON") from error


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise CallError("a key is there twice")
    return found


def _no_constant(name: str) -> object:
    raise CallError(f"{name} is no number")


def _plain(text: str) -> object:
    match = _PLAIN.fullmatch(text)
    if match is None:
        raise CallError("a plain call is written like: TOOL name key=value key=value")
    pairs = [tuple(pair.split("=", 1)) for pair in match["arguments"].split()]
    arguments = _without_doubles([(key, _plain_value(value)) for key, value in pairs])
    return {"name": match["name"], "arguments": arguments}


def _plain_value(text: str) -> object:
    """A number where it is one; a period such as 2026 is a text, which only `_call` can tell."""
    return _PlainText(text) if _NUMBER.fullmatch(text) else text


class _PlainText(str):
    """A text of the plain format that may be meant as a number."""

    __slots__ = ()


def _call(found: object, tools: Mapping[str, Tool]) -> ToolCall:
    if not isinstance(found, dict):
        raise CallError("a call must be an object with name and arguments")
    extra = set(found) - {"name", "arguments", "parameters", "id", "type"}
    if extra or ("arguments" in found and "parameters" in found):
        raise CallError("a call has name and arguments and nothing else")
    name, arguments = found.get("name"), found.get("arguments", found.get("parameters", {}))
    if not isinstance(name, str) or name not in tools:
        raise CallError(f"there is no tool {clean(str(name))!r}; known: {', '.join(tools)}")
    if not isinstance(arguments, dict):
        raise CallError(f"the arguments of {name} must be an object")
    tool = tools[name]
    try:
        return ToolCall(tool, tool.read(_typed(tool, arguments)))
    except ValueError as error:
        raise CallError(str(error)) from error


def _typed(tool: Tool, arguments: dict[str, object]) -> dict[str, object]:
    numeric = {parameter.name for parameter in tool.parameters if parameter.schema()["type"] != "string"}
    return {
        name: Decimal(value) if isinstance(value, _PlainText) and name in numeric else value
        for name, value in arguments.items()
    }
