"""A scratch reading of saved histories: what was said, called and returned, sent anew as growing requests.

Histories hold neither tools nor system prompts, and `cg` refuses them as captures. For counting what components make of
their tool outputs this is enough: every turn becomes a request with all that came before it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Block = tuple[str, dict[str, Any]]
"""The role of a message and a content block of it, as Anthropic has them."""

_CALLS = frozenset({"tool_use", "toolCall", "function_call", "function"})
_RESULTS = frozenset({"tool_result", "function_call_output"})
_LISTS = ("messages", "history", "trajectory")


def write(history: Path, capture: Path) -> int:
    """Write the requests of *history* to *capture*, one a line; the number of them, 0 where it has no tool output."""
    messages = _messages(_blocks(history))
    n_requests = 0
    with capture.open("w", encoding="utf-8") as file:
        for i, message in enumerate(messages):
            is_last = i + 1 == len(messages)
            if message["role"] == "user" and not is_last:
                body = {"model": "claude-sonnet-4-5", "max_tokens": 4096, "messages": messages[: i + 1]}
                file.write(json.dumps(body) + "\n")
                n_requests += 1
        if messages and messages[-1]["role"] == "user":
            file.write(json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 4096, "messages": messages}) + "\n")
            n_requests += 1
    has_outputs = any(block["type"] == "tool_result" for message in messages for block in message["content"])
    return n_requests if has_outputs else 0


def _messages(blocks: Iterator[Block]) -> list[dict[str, Any]]:
    """Blocks as messages that take turns; a result whose call is not there, and a call without one, are left out."""
    found = list(blocks)
    called = {block["id"] for _, block in found if block["type"] == "tool_use"}
    answered = {block["tool_use_id"] for _, block in found if block["type"] == "tool_result"}
    messages: list[dict[str, Any]] = []
    met: set[tuple[str, str]] = set()
    for role, block in found:
        name = block.get("id") or block.get("tool_use_id")
        if name is not None:
            if name not in called & answered or (block["type"], name) in met:
                continue
            met.add((block["type"], name))
        if not messages or messages[-1]["role"] != role:
            messages.append({"role": role, "content": []})
        messages[-1]["content"].append(block)
    if messages and messages[0]["role"] != "user":
        messages.insert(0, {"role": "user", "content": [{"type": "text", "text": "Go on."}]})
    return messages


def _blocks(history: Path) -> Iterator[Block]:
    for i, record in enumerate(_records(history)):
        if "role" not in record and ("action" in record or "observation" in record):
            yield from _event(i, record)
            continue
        if "out" in record or "calls" in record:
            yield from _pairs(i, record)
            continue
        for inner in (record.get("payload"), record.get("message"), record):
            if isinstance(inner, dict) and ("role" in inner or inner.get("type") in _CALLS | _RESULTS):
                yield from _said(inner)
                break


def _records(history: Path) -> Iterator[dict[str, Any]]:
    text = history.read_text(encoding="utf-8", errors="replace")
    try:
        documents = [json.loads(text)]
    except ValueError:
        documents = [found for line in text.splitlines() if (found := _parsed(line)) is not None]
    for document in documents:
        listed = document
        if isinstance(document, dict):
            listed = next((document[key] for key in _LISTS if isinstance(document.get(key), list)), [document])
        yield from (record for record in (listed if isinstance(listed, list) else ()) if isinstance(record, dict))


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _said(message: dict[str, Any]) -> Iterator[Block]:
    """The blocks of a message, or of an item of its own."""
    role = message.get("role")
    if role in ("tool", "toolResult"):
        name = message.get("tool_call_id") or message.get("toolCallId") or _first(message.get("tool_call_ids"))
        yield _result(name, message.get("content"), is_error=message.get("isError"))
        return
    if role is None:
        yield from _block("assistant", message)
        return
    if role in ("user", "assistant"):
        content = message.get("content")
        listed = content if isinstance(content, list) else [{"type": "text", "text": content}]
        for block in listed:
            if isinstance(block, dict):
                yield from _block(role, block)
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        yield from _block("assistant", call)


def _block(role: str, block: dict[str, Any]) -> Iterator[Block]:
    kind = block.get("type")
    if kind in _CALLS:
        told = block.get("function", block)
        given = told.get("input", told.get("arguments"))
        given = _parsed(given) if isinstance(given, str) else given
        name = block.get("call_id") or block.get("id")
        made = {"type": "tool_use", "id": str(name), "name": str(told.get("name"))}
        yield "assistant", {**made, "input": given if isinstance(given, dict) else {}}
    elif kind in _RESULTS:
        content = block.get("content", block.get("output"))
        yield _result(block.get("tool_use_id") or block.get("call_id"), content, is_error=block.get("is_error"))
    elif isinstance(block.get("text"), str) and block["text"].strip():
        yield role, {"type": "text", "text": block["text"]}


def _result(name: Any, content: Any, *, is_error: Any) -> Block:
    if isinstance(content, list):
        content = "\n".join(one["text"] for one in content if isinstance(one, dict) and "text" in one)
    block = {"type": "tool_result", "tool_use_id": str(name), "content": content if isinstance(content, str) else ""}
    return "user", {**block, "is_error": True} if is_error else block


def _event(i: int, record: dict[str, Any]) -> Iterator[Block]:
    """An action of OpenHands, or the observation that comes next."""
    given = {key: held for key, held in record.items() if isinstance(held, str) and key not in ("thought", "source")}
    if "observation" in record:
        yield _result(f"event_{i - 1}", record.get("content"), is_error=None)
    elif record["action"] == "message":
        yield "user" if record.get("source") == "user" else "assistant", {"type": "text", "text": record["content"]}
    else:
        yield "assistant", {"type": "tool_use", "id": f"event_{i}", "name": record["action"], "input": given}


def _pairs(i: int, record: dict[str, Any]) -> Iterator[Block]:
    """Commands or calls with their outputs, as the test data of context-guru list them."""
    for k, pair in enumerate(record.get("calls") or [record]):
        name = f"pair_{i}_{k}"
        given = pair.get("args") or {"command": pair.get("cmd")}
        yield "assistant", {"type": "tool_use", "id": name, "name": pair.get("tool", "Bash"), "input": given}
        yield _result(name, pair.get("out"), is_error=None)


def _first(listed: Any) -> Any:
    return listed[0] if isinstance(listed, list) and listed else None
