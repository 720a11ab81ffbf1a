"""One conversation in each dialect, and the tasks that summarisers get."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cgcli.calls.call import Call, CallMode
from cgcli.model import Source
from cgcli.readers.single import parse_body
from cgcli.select.selection import Selection
from cgcli.summarisers.protocol import Task
from cgcli.tokens.counter import counter
from cgcli.tokens.meter import Meter

if TYPE_CHECKING:
    from cgcli.model import Request

Json = dict[str, Any]
Turn = tuple[str, str] | tuple[str, str, Json, str, bool]
"""(`user` or `assistant`, text), or (`tool`, name, arguments, output, it failed)."""
DIALECTS = ("anthropic", "openai-chat", "openai-responses")


def request(dialect: str, turns: list[Turn]) -> Request:
    """The request of *dialect* whose history is *turns*."""
    return parse_body(json.dumps(body(dialect, turns)).encode())


def body(dialect: str, turns: list[Turn]) -> Json:
    """Its body."""
    if dialect == "anthropic":
        return {"model": "claude-sonnet-4-5", "max_tokens": 100, "system": "s", "messages": _anthropic(turns)}
    if dialect == "openai-chat":
        return {"model": "gpt-4.1", "messages": [{"role": "system", "content": "s"}, *_chat(turns)]}
    return {"model": "gpt-5", "instructions": "s", "input": _responses(turns)}


def _anthropic(turns: list[Turn]) -> list[Json]:
    messages: list[Json] = []
    for i, turn in enumerate(turns):
        if len(turn) == 2:
            messages.append({"role": turn[0], "content": [{"type": "text", "text": turn[1]}]})
            continue
        _, name, given, output, failed = turn
        call = {"type": "tool_use", "id": f"t{i}", "name": name, "input": given}
        messages.append({"role": "assistant", "content": [call]})
        result = {"type": "tool_result", "tool_use_id": f"t{i}", "content": output, "is_error": failed}
        messages.append({"role": "user", "content": [result]})
    return messages


def _chat(turns: list[Turn]) -> list[Json]:
    messages: list[Json] = []
    for i, turn in enumerate(turns):
        if len(turn) == 2:
            messages.append({"role": turn[0], "content": turn[1]})
            continue
        _, name, given, output, _failed = turn
        function = {"name": name, "arguments": json.dumps(given)}
        call = {"id": f"t{i}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"t{i}", "content": output})
    return messages


def _responses(turns: list[Turn]) -> list[Json]:
    items: list[Json] = []
    for i, turn in enumerate(turns):
        if len(turn) == 2:
            kind = "output_text" if turn[0] == "assistant" else "input_text"
            items.append({"type": "message", "role": turn[0], "content": [{"type": kind, "text": turn[1]}]})
            continue
        _, name, given, output, _failed = turn
        items.append({"type": "function_call", "call_id": f"t{i}", "name": name, "arguments": json.dumps(given)})
        items.append({"type": "function_call_output", "call_id": f"t{i}", "output": output})
    return items


def measured(request: Request) -> int:
    """The counted tokens of all its messages."""
    meter = Meter(counter().count)
    return sum(map(meter.item, request.messages))


def task(request: Request, *, tokens: int | None = None, mode: CallMode = CallMode.STANDALONE) -> Task:
    """A task whose span is all of *request*'s messages; it has so many *tokens*, or those that are counted."""
    selection = Selection(
        start=0,
        stop=len(request.messages),
        tokens=measured(request) if tokens is None else tokens,
        n_pinned=0,
    )
    call = Call(
        mode=mode,
        body=b'{"model":"m","messages":[]}',
        path="/v1/messages",
        parent=Source(file="f", line=1, wrap="object"),
        scope=(0, len(request.messages)),
        scoped_by="construction",
        is_reversible=True,
        n_prefix_messages=0,
    )
    return Task(request=request, selection=selection, call=call)
