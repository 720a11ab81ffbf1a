"""Do messages of a request say what an earlier request was answered, followed by the results of its tool calls?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cgcli.dialects.base import MARK_KEYS
from cgcli.model import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cgcli.model import Item

_NO_CONTENT = frozenset({"type", "role", "content", "id", "status", *MARK_KEYS})
"""Members of a Responses item that the client may leave out or add when it sends the item back."""


def is_result(item: Item) -> bool:
    """True where the message is nothing but results of tool calls."""
    return item.role != "assistant" and all(part.pair_id is not None for part in item.parts)


def is_turn(items: Sequence[Item]) -> bool:
    """True where *items* have the shape of one answer and the results of its calls: no other message among them."""
    answer, results = _split(items)
    calls = {part.pair_id for item in answer for part in item.parts if part.kind is Kind.TOOL_CALL}
    return (
        bool(answer)
        and all(item.role == "assistant" for item in answer)
        and all(part.pair_id in calls for item in results for part in item.parts)
    )


def echoes(answer: bytes, items: Sequence[Item]) -> bool:
    """True where the assistant's part of *items*, which `is_turn`, says what *answer* says.

    Texts without the white space around them, thinking with its signature, calls with their arguments as JSON values:
    what a client may spell otherwise does not count.
    """
    said = [piece for item in _split(items)[0] for piece in _said(json.loads(item.wire))]
    return said == list(_answered(json.loads(answer)))


def _split(items: Sequence[Item]) -> tuple[Sequence[Item], Sequence[Item]]:
    n = next((i for i, item in enumerate(items) if is_result(item)), len(items))
    return items[:n], items[n:]


def _answered(answer: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """What the provider's *answer* says, whichever provider's it is."""
    if "choices" in answer:
        yield from _said(answer["choices"][0].get("message") or {})
    elif "output" in answer:
        for item in answer["output"]:
            yield from _said(item)
    else:
        yield from _said(answer)


def _said(message: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """What one message or item says, piece by piece."""
    kind = message.get("type", "message")
    if kind != "message":  # an item of a Responses history
        if kind == "function_call":
            call = (message.get("call_id"), message.get("name"), _value(message.get("arguments")))
            yield "call", call
        else:
            yield kind, {key: item for key, item in message.items() if key not in _NO_CONTENT and item is not None}
        return
    content = message.get("content")
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content or ():
        yield from _block(block)
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        yield "call", (call.get("id"), function.get("name"), _value(function.get("arguments")))


def _block(block: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    kind = block.get("type")
    if kind in ("text", "output_text"):
        if text := (block.get("text") or "").strip():
            yield "text", text
    elif kind == "tool_use":
        yield "call", (block.get("id"), block.get("name"), block.get("input"))
    else:
        yield str(kind), {key: item for key, item in block.items() if key not in MARK_KEYS and item is not None}


def _value(arguments: Any) -> Any:
    """The JSON value that a string of *arguments* spells; the string itself where it spells none."""
    try:
        return json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        return arguments
