"""Histories for span selection, and what must hold of a span, worked out from the JSON alone."""

from __future__ import annotations

import json
from math import ceil
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from cgcli.readers.single import parse_body

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.model import Request

Json = dict[str, Any]
DIALECTS = ("anthropic", "chat", "responses")
SUMMARY = "=== History Summary ===\nIt went well.\n<<cg:0123456789abcdef>> [full earlier trajectory: call …]"


def body(dialect: str, messages: list[Json]) -> Json:
    """A body with these messages."""
    heads: dict[str, Json] = {
        "anthropic": {"model": "claude-sonnet-4-5", "max_tokens": 9, "system": "An agent."},
        "chat": {"model": "gpt-4.1", "tools": [{"type": "function", "function": {"name": "Bash"}}]},
        "responses": {"model": "gpt-5", "instructions": "An agent."},
    }
    return {**heads[dialect], "input" if dialect == "responses" else "messages": messages}


def request(dialect: str, messages: list[Json]) -> Request:
    """The same, parsed."""
    return parse_body(json.dumps(body(dialect, messages)).encode())


def user(dialect: str, text: str) -> Json:
    """A user's message."""
    if dialect == "chat":
        return {"role": "user", "content": text}
    kind = "text" if dialect == "anthropic" else "input_text"
    return {"role": "user", "content": [{"type": kind, "text": text}]}


def said(dialect: str, text: str) -> Json:
    """An assistant's message without calls."""
    kind = "text" if dialect == "anthropic" else "output_text"
    return {"role": "assistant", "content": text if dialect == "chat" else [{"type": kind, "text": text}]}


def calls(dialect: str, *ids: str, text: str = "") -> list[Json]:
    """A turn of the assistant with calls, and without a text where that is empty."""
    if dialect == "anthropic":
        told = [{"type": "text", "text": text}] if text else []
        made = [{"type": "tool_use", "id": i, "name": "Bash", "input": {"command": i}} for i in ids]
        return [{"role": "assistant", "content": [*told, *made]}]
    if dialect == "chat":
        functions = [
            {"id": i, "type": "function", "function": {"name": "Bash", "arguments": json.dumps({"command": i})}}
            for i in ids
        ]
        return [{"role": "assistant", "content": text or None, "tool_calls": functions}]
    items = [{"type": "function_call", "call_id": i, "name": "Bash", "arguments": "{}"} for i in ids]
    return [*([said(dialect, text)] if text else []), *items]


def results(dialect: str, *ids: str, text: str | None = None) -> list[Json]:
    """Their results; with a *text* of the user beside them where the dialect can have both in one message."""
    if dialect == "anthropic":
        blocks = [{"type": "tool_result", "tool_use_id": i, "content": f"output of {i}"} for i in ids]
        more = [{"type": "text", "text": text}] if text is not None else []
        return [{"role": "user", "content": [*blocks, *more]}] if blocks or more else []
    if dialect == "chat":
        found = [{"role": "tool", "tool_call_id": i, "content": f"output of {i}"} for i in ids]
    else:
        found = [{"type": "function_call_output", "call_id": i, "output": f"output of {i}"} for i in ids]
    return [*found, *([user(dialect, text)] if text is not None else [])]


@st.composite
def histories(draw: st.DrawFn, *, valid: bool) -> tuple[str, list[Json]]:
    """A dialect, and messages in it; where they need not be *valid*, calls may lack results and results may be late."""
    dialect = draw(st.sampled_from(DIALECTS))
    kinds = ["user", "said", "calls", "mixed", "summary", *(["reasoning"] if dialect == "responses" else [])]
    if dialect != "anthropic":
        kinds.append("system")
    if not valid:
        kinds += ["partly", "late", "lone"]
    messages: list[Json] = [user(dialect, "Build every part.")]
    late: list[str] = []
    for i, kind in enumerate(draw(st.lists(st.sampled_from(kinds), max_size=14))):
        ids = [f"c{i}_{k}" for k in range(draw(st.integers(1, 3)))]
        text = draw(st.sampled_from(["", "I go on."]))
        messages += _turn(dialect, kind, ids, text, draw)
        if kind == "late":
            late.append(ids[0])
    return dialect, messages + [message for i in late for message in results(dialect, i)]


def _turn(dialect: str, kind: str, ids: list[str], text: str, draw: st.DrawFn) -> list[Json]:
    if kind in ("calls", "mixed"):
        order = draw(st.permutations(ids))
        beside = "And then?" if kind == "mixed" else None
        return [*calls(dialect, *ids, text=text), *results(dialect, *order, text=beside)]
    if kind == "reasoning":
        return [
            {"type": "reasoning", "id": f"rs_{ids[0]}", "summary": []},
            *calls(dialect, *ids),
            *results(dialect, *ids),
        ]
    if kind in ("partly", "late"):
        return [*calls(dialect, *ids), *results(dialect, *ids[1:])]
    if kind == "lone":
        return results(dialect, *ids)
    told = {"user": user(dialect, "And now?"), "said": said(dialect, "It is done."), "summary": user(dialect, SUMMARY)}
    return [told.get(kind, {"role": "developer" if dialect == "responses" else "system", "content": "Be brief."})]


def messages_of(found: Json) -> list[Json]:
    """The history of a body."""
    history: list[Json] = found["input"] if "input" in found else found["messages"]
    return history


def is_system(message: Json) -> bool:
    """A message of the system or the developer."""
    return message.get("role") in ("system", "developer")


def made(message: Json) -> list[str]:
    """The ids of the calls in a message or item."""
    content = message.get("content")
    found = [block["id"] for block in content if block["type"] == "tool_use"] if isinstance(content, list) else []
    found += [call["id"] for call in message.get("tool_calls") or []]
    return found + ([message["call_id"]] if message.get("type") == "function_call" else [])


def answered(message: Json) -> list[str]:
    """The ids of the results in a message or item."""
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    found = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    found += [message["tool_call_id"]] if message.get("role") == "tool" else []
    return found + ([message["call_id"]] if message.get("type") == "function_call_output" else [])


def speaks(message: Json) -> bool:
    """True where a user says something that is no summary."""
    content = message.get("content")
    texts = [content] if isinstance(content, str) else [block.get("text", "") for block in content or ()]
    return message.get("role") == "user" and any(text and text != SUMMARY for text in texts)


def is_summary(message: Json) -> bool:
    """One of the summaries that `histories` makes."""
    return json.dumps(SUMMARY) in json.dumps(message)


def must_stay(messages: list[Json], *, keep_first: int, n_recent: float) -> set[int]:
    """What stays by itself, groups of calls left aside; `n_recent` is a number of messages (int) or a share (float)."""
    told = [i for i, message in enumerate(messages) if not is_system(message)]
    live = [i for i in told if not is_summary(messages[i])]
    n_tail = n_recent if isinstance(n_recent, int) else ceil(round(n_recent * len(live), 9))
    last_user = [i for i in live if speaks(messages[i])][-1:]
    tail = live[max(0, len(live) - n_tail) :]
    return {*set(range(len(messages))) - set(live), *told[:keep_first], *tail, *last_user}


def wrong(messages: list[Json], start: int, stop: int) -> Iterator[str]:
    """What a span from *start* to *stop* would break."""
    inside = set(range(start, stop))
    for i in inside:
        for call_id in made(messages[i]):
            where = [k for k, message in enumerate(messages) if call_id in answered(message)]
            if not where or not set(where) <= inside:
                yield f"message {i}: the result of {call_id} does not go with it"
        for call_id in answered(messages[i]):
            if not any(call_id in made(messages[k]) for k in inside if k <= i):
                yield f"message {i}: the call of {call_id} does not go with it"
    for at in (start, stop):
        if 0 < at < len(messages) and _is_one_turn(messages[at - 1], messages[at]):
            yield f"messages {at - 1} and {at} are one turn of the assistant"
    if stop < len(messages) and answered(messages[stop]):
        yield f"message {stop} answers, and is the first that is kept"


def _is_one_turn(before: Json, after: Json) -> bool:
    is_theirs = [
        message.get("role", "assistant") == "assistant" and not answered(message) for message in (before, after)
    ]
    return all(is_theirs) or before.get("type") == "reasoning"
