"""Small captures with summariser calls in them, and one gate run over them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cgcli.checks.run import Allowed, check
from cgcli.readers import open_bytes, read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.checks.base import Gate, Result

Json = dict[str, Any]
GATES = Path(__file__).resolve().parent.parent / "fixtures" / "gates"
ASK = "Stop here. Summarise the conversation above for a successor."
TOOLS = [
    {"name": name, "description": f"{name} something.", "input_schema": {"type": "object", "properties": {}}}
    for name in ("Bash", "Read", "Edit")
]
HEAD: Json = {
    "model": "claude-sonnet-4-5-20250929",
    "max_tokens": 4096,
    "system": [{"type": "text", "text": "You are a coding agent."}],
    "tools": TOOLS,
    "thinking": {"type": "enabled", "budget_tokens": 2048},
}


def user(text: str) -> Json:
    """A user's message."""
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def said(i: int) -> Json:
    """The assistant's message of turn *i*: a text and a tool call."""
    call = {"type": "tool_use", "id": f"toolu_{i}", "name": "Bash", "input": {"command": f"make part{i}"}}
    return {"role": "assistant", "content": [{"type": "text", "text": f"I build part {i}."}, call]}


def output(i: int) -> str:
    """The output of turn *i*'s call; 100 characters and more."""
    return f"part {i}: " + f"compiled unit {i} without a warning; " * 4


def answered(i: int) -> Json:
    """The user's message of turn *i*: the call's output."""
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"toolu_{i}", "content": output(i)}]}


def history(n_turns: int) -> list[Json]:
    """The messages after so many turns."""
    return [user("Build every part."), *(message for i in range(n_turns) for message in (said(i), answered(i)))]


def lane(n_requests: int, head: Json = HEAD) -> list[Json]:
    """Requests of one conversation, each one turn longer."""
    return [{**head, "messages": history(n)} for n in range(n_requests)]


def fork(parent: Json, *more: Json, ask: str = ASK, **changed: Any) -> Json:
    """*parent* with *more* messages and the instruction behind them; *changed* replaces members of the body."""
    return {**parent, **changed, "messages": [*parent["messages"], *more, user(ask)]}


def standalone(parent: Json) -> Json:
    """A call of its own: its own system prompt, and the conversation as text in one message."""
    told = "\n\n".join(json.dumps(message) for message in parent["messages"])
    return {"model": parent["model"], "max_tokens": 900, "system": "You summarise a session.", "messages": [user(told)]}


def chat(body: Json) -> Json:
    """The head of *body* and its first system prompt for Chat Completions; its messages must be that already."""
    tools = [{"type": "function", "function": {"name": tool["name"], "parameters": {}}} for tool in TOOLS]
    return {"model": "gpt-4.1", "tools": tools, "messages": body["messages"]}


def bodies(*found: Json) -> bytes:
    """A file of bare bodies."""
    return "".join(json.dumps(body) + "\n" for body in found).encode()


def usage(*, read: int = 0, write: int = 0, fresh: int = 4, out: int = 50) -> Json:
    """Anthropic's usage."""
    return {
        "input_tokens": fresh,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": write,
        "output_tokens": out,
    }


def pair(body: Json, *, at_s: float = 0.0, content: list[Json] | None = None, used: Json | None = None) -> Json:
    """A record of a claude-trace log: *body*, and an answer where *content* or *used* is given."""
    response: Json | None = None
    if content is not None or used is not None:
        answer = {"type": "message", "role": "assistant", "content": content or [{"type": "text", "text": "Done."}]}
        response = {"timestamp": at_s + 2, "status_code": 200, "body": answer | ({"usage": used} if used else {})}
    request = {"timestamp": at_s, "method": "POST", "url": "https://api.anthropic.com/v1/messages", "body": body}
    return {"request": request, "response": response, "logged_at": "2026-01-05T08:00:00.000Z"}


def run(gate: Gate, data: bytes, options: Mapping[str, object] | None = None) -> Result:
    """What *gate* says of a file with the content *data*."""
    return check(read(io.BytesIO(data), file="t.jsonl"), (gate,), Allowed(), options or {}).results[0]


def run_fixture(gate: Gate, name: str, options: Mapping[str, object] | None = None) -> Result:
    """What *gate* says of its fixture *name*."""
    path = str(GATES / gate.rule.gate / f"{name}.jsonl")
    with open_bytes(path) as stream:
        return check(read(stream, file=path), (gate,), Allowed(), options or {}).results[0]
