"""The answer that a log records, whole: as its body says it, or put together from an event stream."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cgcli.wire import sse
from cgcli.wire.spans import Document, Malformed

if TYPE_CHECKING:
    from collections.abc import Iterator

_CONTENT = ("content", "choices", "output")
"""The key that an answer's content stands under: Anthropic's, Chat Completions', Responses'."""


class _Unreadable(ValueError):
    """An event of a kind that cannot be put together with the others."""


def of_body(body: bytes) -> bytes | None:
    """The JSON object *body*, as it is; None for what is no answer, such as an error."""
    try:
        members = Document(body).root().members()
    except Malformed:
        return None
    return body if any(key in members for key in _CONTENT) else None


def of_stream(stream: str) -> bytes | None:
    """The answer that an event *stream* spells out, as one JSON object; None where it ends early or cannot be read."""
    try:
        answer = _joined(_events(stream))
        return json.dumps(answer, separators=(",", ":"), allow_nan=False).encode() if answer is not None else None
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return None


def _events(stream: str) -> Iterator[dict[str, Any]]:
    for data in sse.data(stream):
        if data == "[DONE]":
            continue
        try:
            event = json.loads(data)
        except ValueError as error:
            raise _Unreadable from error
        if isinstance(event, dict):
            yield event


def _joined(events: Iterator[dict[str, Any]]) -> dict[str, Any] | None:
    """The answer that *events* make, whichever provider's they are."""
    first = next(events, None)
    if first is None:
        return None
    if "choices" in first:
        return _chat(first, events)
    if str(first.get("type", "")).startswith("response."):
        return _responses(events)
    return _anthropic(first, events)


def _responses(events: Iterator[dict[str, Any]]) -> dict[str, Any] | None:
    """The last event of a Responses stream has the whole answer."""
    done = next((event for event in events if event.get("type") == "response.completed"), None)
    answer = done["response"] if done is not None else None
    return answer if isinstance(answer, dict) else None


def _anthropic(first: dict[str, Any], events: Iterator[dict[str, Any]]) -> dict[str, Any] | None:
    """Blocks grow by deltas; `message_stop` says that the answer is whole."""
    answer: dict[str, Any] | None = None
    inputs: dict[int, str] = {}
    for event in (first, *events):
        kind = event.get("type")
        if kind == "message_start":
            answer = {**event["message"], "content": []}
        elif answer is None or kind in ("ping", "content_block_stop"):
            continue
        elif kind == "content_block_start":
            answer["content"].append(dict(event["content_block"]))
        elif kind == "content_block_delta":
            _grow(answer["content"][event["index"]], event["delta"], inputs, event["index"])
        elif kind == "message_delta":
            answer |= event.get("delta") or {}
            _bill(answer, event)
        elif kind == "message_stop":
            for i, written in inputs.items():
                answer["content"][i]["input"] = _parsed(written)
            return answer
    return None


def _bill(answer: dict[str, Any], event: dict[str, Any]) -> None:
    """Take over the usage that an event has; later counts stand for earlier ones, null for none."""
    usage = event.get("usage")
    if isinstance(usage, dict):
        answer["usage"] = (answer.get("usage") or {}) | {key: n for key, n in usage.items() if n is not None}


def _grow(block: dict[str, Any], delta: dict[str, Any], inputs: dict[int, str], index: int) -> None:
    """Add *delta* to *block*: a string to the string of the same name, JSON of a call's input to *inputs*."""
    for key, more in delta.items():
        if key == "type" or more is None:
            continue
        if key == "partial_json":
            inputs[index] = inputs.get(index, "") + more
        elif isinstance(more, str):
            block[key] = (block.get(key) or "") + more
        elif key == "citation":
            block["citations"] = [*(block.get("citations") or ()), more]
        else:
            raise _Unreadable(f"a delta of {key}")


def _parsed(written: str) -> Any:
    try:
        return json.loads(written) if written else {}
    except ValueError as error:
        raise _Unreadable("a call's input is no JSON") from error


def _chat(first: dict[str, Any], events: Iterator[dict[str, Any]]) -> dict[str, Any] | None:
    """One choice grows by deltas; its `finish_reason` says that it is whole."""
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: dict[int, dict[str, Any]] = {}
    finished = None
    billed: dict[str, Any] = {}
    for event in (first, *events):
        _bill(billed, event)
        for choice in event.get("choices") or ():
            if choice.get("index", 0) != 0:
                raise _Unreadable("more than one choice")
            _grow_chat(message, calls, choice.get("delta") or {})
            finished = choice.get("finish_reason") or finished
    if finished is None:
        return None
    if calls:
        message["tool_calls"] = [calls[i] for i in sorted(calls)]
    return {"choices": [{"index": 0, "message": message, "finish_reason": finished}], **billed}


def _grow_chat(message: dict[str, Any], calls: dict[int, dict[str, Any]], delta: dict[str, Any]) -> None:
    for key, more in delta.items():
        if key == "tool_calls":
            for call in more or ():
                _grow_call(calls.setdefault(call["index"], {"type": "function", "function": {}}), call)
        elif key != "role" and isinstance(more, str):
            message[key] = (message.get(key) or "") + more


def _grow_call(call: dict[str, Any], delta: dict[str, Any]) -> None:
    if delta.get("id"):
        call["id"] = delta["id"]
    for key, more in (delta.get("function") or {}).items():
        if isinstance(more, str):
            call["function"][key] = call["function"].get(key, "") + more
