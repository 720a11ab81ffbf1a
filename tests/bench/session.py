"""Write one long agent session as growing request captures: the history again in every line."""

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
SYSTEM = "You are a careful coding agent. "


def write(path: Path, *, turns: int, moving_marks: bool = False, small: bool = False, seed: int = 11) -> None:
    """Write a capture of *turns* tool calls to *path*: Anthropic bodies, one a line.

    Cache marks may move to the last two messages; tool outputs may be *small*, one line each.
    """
    rng = random.Random(seed)
    head: dict[str, Any] = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 4096,
        "system": [{"type": "text", "text": SYSTEM + _prose(rng, 700), "cache_control": {"type": "ephemeral"}}],
        "tools": [_tool(rng, name) for name in ("Read", "Bash", "Grep", "Edit", "Write")],
    }
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Fix the failing test. " + _prose(rng, 50)}]
    with path.open("w", encoding="utf-8") as file:
        for turn in range(turns):
            file.write(json.dumps({**head, "messages": _marked(messages) if moving_marks else messages}) + "\n")
            call = {
                "type": "tool_use",
                "id": f"call_{turn:05d}",
                "name": "Bash",
                "input": {"command": _prose(rng, 4)},
            }
            messages.append({"role": "assistant", "content": [{"type": "text", "text": _prose(rng, 25)}, call]})
            result = {
                "type": "tool_result",
                "tool_use_id": call["id"],
                "content": _prose(rng, 9) if small else rng.choice(_OUTPUTS)(rng),
            }
            messages.append({"role": "user", "content": [result]})


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
