"""Write one long agent session: as growing request captures, the history again in every line, or as a history."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

WORDS = (
    "parcel harbour ledger crane berth manifest quay buoy tide anchor cargo hull rudder signal lantern chart compass "
    "index retry cursor schema packet branch render commit widget vector digest parser filter router policy marker"
).split()
MODEL = "claude-sonnet-4-5"
SYSTEM = "You are a careful coding agent. "


def write(path: Path, *, turns: int, moving_marks: bool = False, small: bool = False, seed: int = 11) -> None:
    """Write a capture of *turns* tool calls to *path*: Anthropic bodies, one a line.

    Cache marks may move to the last two messages; tool outputs may be *small*, one line each.
    """
    rng = random.Random(seed)
    head: dict[str, Any] = {
        "model": MODEL,
        "max_tokens": 4096,
        "system": [{"type": "text", "text": SYSTEM + _prose(rng, 700), "cache_control": {"type": "ephemeral"}}],
        "tools": [_tool(rng, name) for name in ("Read", "Bash", "Grep", "Edit", "Write")],
    }
    with path.open("w", encoding="utf-8") as file:
        messages = [_begin(rng)]
        for turn in range(turns):
            file.write(json.dumps({**head, "messages": _marked(messages) if moving_marks else messages}) + "\n")
            messages += _exchanged(rng, turn, small=small)


def write_history(path: Path, *, turns: int, seed: int = 11) -> None:
    """Write such a session as Claude Code saves it to *path*: one row a message, each once.

    *turns* answers call a tool, one more ends it. The usage is made up, as the names of the answers are.
    """
    rng = random.Random(seed)
    messages = [_begin(rng)]
    for turn in range(turns):
        messages += _exchanged(rng, turn)
    messages.append({"role": "assistant", "content": [{"type": "text", "text": "Done. " + _prose(rng, 20)}]})
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(_row(i, message)) + "\n" for i, message in enumerate(messages))


def _begin(rng: random.Random) -> dict[str, Any]:
    return {"role": "user", "content": "Fix the failing test. " + _prose(rng, 50)}


def _exchanged(rng: random.Random, turn: int, *, small: bool = False) -> list[dict[str, Any]]:
    """An answer that calls a tool, and what that gives."""
    call = {"type": "tool_use", "id": f"call_{turn:05d}", "name": "Bash", "input": {"command": _prose(rng, 4)}}
    answer = {"role": "assistant", "content": [{"type": "text", "text": _prose(rng, 25)}, call]}
    output = _prose(rng, 9) if small else rng.choice(_OUTPUTS)(rng)
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": output}
    return [answer, {"role": "user", "content": [result]}]


def _row(i: int, message: dict[str, Any]) -> dict[str, Any]:
    """Message *i* as a row of a Claude Code session; twenty seconds lie between two."""
    row: dict[str, Any] = {
        "type": message["role"],
        "uuid": f"row-{i}",
        "parentUuid": f"row-{i - 1}" if i else None,
        "sessionId": "bench",
        "isSidechain": False,
        "timestamp": f"2026-10-01T{12 + i // 180:02d}:{i // 3 % 60:02d}:{i % 3 * 20:02d}.000Z",
        "message": message,
    }
    if message["role"] == "assistant":
        usage = {"input_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 60}
        told = {"id": f"answer-{i}", "type": "message", "model": MODEL, "stop_reason": "tool_use", "usage": usage}
        row |= {"requestId": f"request-{i}", "message": {**message, **told}}
    return row


def _marked(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with a cache mark on the last block of the last two."""
    out = list(messages)
    for i in range(max(0, len(out) - 2), len(out)):
        content = out[i]["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
        blocks[-1] = {**blocks[-1], "cache_control": {"type": "ephemeral"}}
        out[i] = {**out[i], "content": blocks}
    return out


def _prose(rng: random.Random, n_words: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(n_words))


def _tool(rng: random.Random, name: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"command": {"type": "string", "description": _prose(rng, 12)}}}
    return {"name": name, "description": _prose(rng, 60), "input_schema": schema}


def _rows(rng: random.Random) -> str:
    rows = [
        {"id": i, "path": f"src/mod{i % 17}/f{i}.py", "line": rng.randint(1, 900), "text": _prose(rng, 8)}
        for i in range(rng.randint(30, 120))
    ]
    return json.dumps(rows)


def _log(rng: random.Random) -> str:
    levels = ("INFO", "INFO", "DEBUG", "WARN", "ERROR")
    return "\n".join(
        f"2026-10-{1 + i % 28:02d}T12:{i % 60:02d}:{i * 7 % 60:02d}Z {rng.choice(levels)} svc-{i % 5} "
        f"req={rng.getrandbits(48):012x} {_prose(rng, 9)}"
        for i in range(rng.randint(60, 250))
    )


def _code(rng: random.Random) -> str:
    return "\n".join(
        f"{i + 1}\tdef fn_{i}(a, b={i}):\n\t    # {_prose(rng, 6)}\n\t    return a + b * {rng.randint(1, 99)}"
        for i in range(rng.randint(40, 150))
    )


def _grep(rng: random.Random) -> str:
    return "\n".join(
        f"src/pkg{i % 9}/m{i % 31}.py:{rng.randint(1, 900)}:    {_prose(rng, 7)}" for i in range(rng.randint(40, 160))
    )


_OUTPUTS = (_rows, _log, _code, _grep)
