"""Sessions of a coding agent in the making, in which every component finds something to do; deterministic."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from tests.compaction.promises import written

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]
Turn = tuple[str, Json, str]
"""Tool, arguments, output."""
DIALECTS = ("anthropic", "chat", "responses")

SYSTEM = (
    "You are a coding agent. " + "Read before you write, and test what you wrote. " * 30 + "\n\n"
    "gitStatus: On branch main, two files changed since the last commit.\nsrc/app0.py\nsrc/app1.py\n"
)
_NOTE = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Arguments of the tool",
    "type": "object",
    "additionalProperties": False,
    "properties": {"path": {"type": "string", "title": "Path", "examples": ["src/app.py"], "default": "."}},
    "required": ["path"],
}
TOOLS = {
    "Bash": "Runs a command.",
    "Read": "Reads a file.",
    "Edit": "Changes a file.",
    "mcp__tracker__list": "Lists tickets, " + "with everything that is known of them. " * 6,
    "mcp__tracker__close": "Closes a ticket, " + "and tells those who watch it. " * 6,
}


def _code(rng: random.Random, n_lines: int = 60) -> str:
    names = ["load", "parse", "check", "write", "retry"]
    return "\n".join(
        f"{i:6d}\tdef {rng.choice(names)}_{i}(value: int) -> int:  # raises ValueError on {i}" for i in range(n_lines)
    )


def _tests(rng: random.Random) -> str:
    lines = [f"tests/test_part{i}.py::test_{i} PASSED [{i}%]" for i in range(40)]
    lines += [
        "=================================== FAILURES ===================================",
        f"tests/test_part7.py:{rng.randint(3, 90)}: AssertionError: assert 3 == 4",
        "=========================== short test summary info ============================",
        "FAILED tests/test_part7.py::test_7 - AssertionError: assert 3 == 4",
        "========================= 1 failed, 40 passed in 0.31s =========================",
    ]
    return "\n".join(["============================= test session starts ==============================", *lines])


def _grep(rng: random.Random) -> str:
    path = f"src/{rng.choice(['app', 'core', 'wire'])}/module_with_a_long_name.py"
    return "\n".join(f"{path}:{i * 3}:    return parse_{i}(value)" for i in range(1, 40))


def _rows(rng: random.Random) -> str:
    rows = [{"id": i, "state": rng.choice(["open", "closed"]), "owner": "ann", "size": i * 7} for i in range(60)]
    return json.dumps({"tickets": rows}, indent=2)


def _build(rng: random.Random) -> str:
    bars = "\r".join(f"\x1b[32m{n:3d}%\x1b[0m fetching" for n in range(0, 101, 4))
    noise = "\n".join(rng.choice(["warning: unused value", f"compiling part {i}", ""]) for i in range(80))
    return f"{bars}\n{noise}\nerror: src/app.rs:17: expected `;`\nmake: *** [all] Error 2\n"


def _wide(rng: random.Random) -> str:
    return "\n".join([*(f"GET /a/{i} 200 {rng.randint(1, 9)}ms" for i in range(30)), "x" * 900, "same line"] * 2)


def _npm(rng: random.Random) -> str:
    noise = [f"npm warn deprecated part{i}@1.{rng.randint(0, 9)}.0: no longer kept" for i in range(30)]
    return "\n".join([*noise, "", "added 312 packages, and audited 313 packages in 4s", "found 0 vulnerabilities"])


def _session(rng: random.Random, n_turns: int) -> list[Turn]:
    path = f"src/app{rng.randint(0, 3)}.py"
    code = _code(rng)
    made: list[Callable[[], Turn]] = [
        lambda: ("Read", {"file_path": path}, code),
        lambda: ("Bash", {"command": "pytest -q"}, _tests(rng)),
        lambda: ("Edit", {"file_path": path, "old_string": "a", "new_string": "b"}, "The file was updated."),
        lambda: ("Bash", {"command": "pytest -q"}, "============ 41 passed in 0.29s ============"),
        lambda: ("Bash", {"command": "grep -rn parse_ src"}, _grep(rng)),
        lambda: ("mcp__tracker__list", {"path": "."}, _rows(rng)),
        lambda: ("Bash", {"command": "make"}, _build(rng)),
        lambda: ("Bash", {"command": "cat access.log"}, _wide(rng)),
        lambda: ("Bash", {"command": "npm install"}, _npm(rng)),
        lambda: ("Read", {"file_path": path}, code),
    ]
    start = rng.randrange(len(made))
    return [made[(start + i) % len(made)]() for i in range(n_turns)]


def traffic(
    dialect: str = "anthropic",
    *,
    seed: int = 0,
    n_turns: int = 10,
    n_lanes: int = 1,
    thinking: bool = False,
    bound: bool = False,
    jump: int = 1,
) -> bytes:
    """A capture; *jump*: so many turns more in each request than in the one before.

    *thinking* stands in every answer of the assistant's; *bound*: for a model that binds it to what stands before.
    """
    lanes = [_lane(dialect, f"{seed} {i}", n_turns, jump, thinking=thinking) for i in range(n_lanes)]
    if bound:
        lanes = [[{**body, "model": "claude-sonnet-5-5"} for body in lane] for lane in lanes]
    return written([body for together in zip(*lanes, strict=True) for body in together])


def _lane(dialect: str, seed: str, n_turns: int, jump: int, *, thinking: bool) -> list[Json]:
    rng = random.Random(seed)
    history: list[Json] = [{"role": "user", "content": f"Task {seed}: make the tests pass. " + "It matters. " * 9}]
    bodies = [_body(dialect, history)]
    for i, (tool, arguments, output) in enumerate(_session(rng, n_turns)):
        thought = f"I think about step {i}. " * 12 if thinking else ""
        history = [*history, *_TURNS[dialect](f"call_{i}", tool, arguments, output, thought)]
        if i % 4 == 3:
            history = [*history, {"role": "assistant", "content": "Done."}, {"role": "user", "content": f"Go on, {i}."}]
        if (i + 1) % jump == 0:
            bodies.append(_body(dialect, history))
    return bodies


def _body(dialect: str, history: list[Json]) -> Json:
    if dialect == "anthropic":
        tools = [{"name": name, "description": text, "input_schema": _NOTE} for name, text in TOOLS.items()]
        system = [{"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}]
        return {"model": "claude-sonnet-4-5", "max_tokens": 64, "system": system, "tools": tools, "messages": history}
    functions = [{"name": name, "description": text, "parameters": _NOTE} for name, text in TOOLS.items()]
    if dialect == "responses":
        tools = [{"type": "function", **one} for one in functions]
        return {"model": "gpt-5", "instructions": SYSTEM, "tools": tools, "input": history}
    told = [{"role": "system", "content": SYSTEM}, *history]
    return {"model": "gpt-4.1", "tools": [{"type": "function", "function": one} for one in functions], "messages": told}


def _anthropic(name: str, tool: str, arguments: Json, output: str, thought: str) -> list[Json]:
    said: list[Json] = [{"type": "thinking", "thinking": thought, "signature": "c2lnbmVk"}] if thought else []
    said.append({"type": "tool_use", "id": name, "name": tool, "input": arguments})
    result = {"type": "tool_result", "tool_use_id": name, "content": output}
    return [{"role": "assistant", "content": said}, {"role": "user", "content": [result]}]


def _chat(name: str, tool: str, arguments: Json, output: str, _thought: str) -> list[Json]:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    call = {"id": name, "type": "function", "function": function}
    asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    return [asked, {"role": "tool", "tool_call_id": name, "content": output}]


def _responses(name: str, tool: str, arguments: Json, output: str, thought: str) -> list[Json]:
    reasoning = {"type": "reasoning", "id": f"rs_{name}", "summary": [], "encrypted_content": thought.encode().hex()}
    call = {"type": "function_call", "call_id": name, "name": tool, "arguments": json.dumps(arguments)}
    result = {"type": "function_call_output", "call_id": name, "output": output}
    return [*([reasoning] if thought else []), call, result]


_TURNS: dict[str, Callable[..., list[Json]]] = {"anthropic": _anthropic, "chat": _chat, "responses": _responses}
