"""Generated captures for property tests: any dialect, many turns, all kinds of tool output, deterministic."""

from __future__ import annotations

import json
import random
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Unpack

Json = dict[str, Any]
Calls = list[tuple[str, str, str]]
"""Id, argument and output of each call of a turn."""
Dialect = Literal["anthropic", "chat", "responses"]
Container = Literal["bodies", "ascii-bodies", "context-guru", "envelope", "string-envelope", "array"]

WORDS = [
    "index",
    "café",
    "retry",
    "<tag>",
    "a&b",
    "port",
    '"quoted"',
    "tab\tbed",
    "back\\slash",
    "港",
    "🚢",
    "done",
]
ELIDED = "[older output left out]"
MARK = {"type": "ephemeral"}
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
SYSTEM = "You are a coding agent. " + "Read before you write, and test what you wrote. " * 20


class Shape(TypedDict, total=False):
    """What a capture is to look like; everything may be left out."""

    dialect: Dialect
    """`anthropic` where it is left out."""
    turns: int
    """Turns with tool calls; a lane has one request more. 6."""
    seed: int
    """The same shape gives the same bytes, another seed other text. 0."""
    parallel: int
    """Tool calls a turn. 1."""
    thinking: bool
    """Signed thinking (Anthropic), encrypted reasoning (Responses). False."""
    moving_marks: bool
    """Cache marks on the last block of the last two messages (Anthropic). False."""
    side_lanes: int
    """Other conversations of the same agent, interleaved request by request. 0."""
    elide: int | None
    """Keep only so many of the newest tool outputs in every request. None: all."""
    tools_last: bool
    """The tools stand after the messages. False."""
    container: Container
    """`bodies` where it is left out."""


def capture(**shape: Unpack[Shape]) -> bytes:
    """The bytes of a capture file of that shape."""
    lanes = [_lane(shape, i_lane) for i_lane in range(1 + shape.get("side_lanes", 0))]
    bodies = [body for together in zip(*lanes, strict=True) for body in together]
    return _contained(bodies, shape.get("container", "bodies"))


def tool_output(rng: random.Random) -> str:
    """A tool output of a kind and size that *rng* chooses: from a word to about 20,000 characters."""
    return rng.choice(KINDS)(rng)


def _lane(shape: Shape, i_lane: int) -> list[Json]:
    """The bodies of one conversation, each with more history than the one before."""
    rng = random.Random(f"{shape.get('seed', 0)} {i_lane}")
    dialect = shape.get("dialect", "anthropic")
    history = [
        {
            "role": "user",
            "content": [{"type": TEXT_TYPES[dialect], "text": f"Task {i_lane}: {_prose(rng, 9)}"}],
        }
    ]
    seen: list[str] = []
    bodies = [_body(shape, history)]
    for i_turn in range(shape.get("turns", 6)):
        calls: Calls = []
        for i_call in range(shape.get("parallel", 1)):
            output = rng.choice(seen) if seen and rng.random() < 0.2 else tool_output(rng)
            seen.append(output)
            calls.append((f"call_{i_lane}_{i_turn}_{i_call}", _prose(rng, 3), output))
        thought = _prose(rng, 12) if shape.get("thinking", False) else ""
        history = [*history, *TURNS[dialect](_prose(rng, 8), thought, calls)]
        bodies.append(_body(shape, history))
    return bodies


def _body(shape: Shape, history: list[Json]) -> Json:
    dialect = shape.get("dialect", "anthropic")
    keep = shape.get("elide")
    if keep is not None:
        history = _elided(history, keep)
    if shape.get("moving_marks", False) and dialect == "anthropic":
        history = [*history[:-2], *map(_marked, history[-2:])]
    system = [{"role": "system", "content": SYSTEM}] if dialect == "chat" else []
    messages = {"input" if dialect == "responses" else "messages": [*system, *history]}
    tools = {"tools": [TOOLS[dialect]]}
    last = shape.get("tools_last", False)
    return {**HEADS[dialect], **(messages if last else tools), **(tools if last else messages)}


def _marked(message: Json) -> Json:
    *others, last = message["content"]
    return {**message, "content": [*others, {**last, "cache_control": MARK}]}


def _elided(history: list[Json], keep: int) -> list[Json]:
    """A copy in which all but the newest *keep* outputs are the placeholder."""
    copy: list[Json] = json.loads(json.dumps(history))
    holders: list[tuple[Json, str]] = []
    for item in copy:
        if item.get("type") == "function_call_output":
            holders.append((item, "output"))
        elif item.get("role") == "tool":
            holders.append((item, "content"))
        elif isinstance(item.get("content"), list):
            holders += [(block, "content") for block in item["content"] if block["type"] == "tool_result"]
    for holder, key in holders[: max(0, len(holders) - keep)]:
        holder[key] = ELIDED
    return copy


def _signature(thought: str) -> str:
    """A seal of its own for each thought, as a provider's is."""
    return sha256(thought.encode()).hexdigest()


def _anthropic_turn(text: str, thought: str, calls: Calls) -> list[Json]:
    said: list[Json] = [{"type": "thinking", "thinking": thought, "signature": _signature(thought)}] if thought else []
    said.append({"type": "text", "text": text})
    said += [{"type": "tool_use", "id": i, "name": "Bash", "input": {"command": word}} for i, word, _ in calls]
    results = [{"type": "tool_result", "tool_use_id": i, "content": output} for i, _, output in calls]
    return [{"role": "assistant", "content": said}, {"role": "user", "content": results}]


def _chat_turn(text: str, _thought: str, calls: Calls) -> list[Json]:
    made = [
        {
            "id": i,
            "type": "function",
            "function": {"name": "Bash", "arguments": json.dumps({"command": word})},
        }
        for i, word, _ in calls
    ]
    answers = [{"role": "tool", "tool_call_id": i, "content": output} for i, _, output in calls]
    return [{"role": "assistant", "content": text, "tool_calls": made}, *answers]


def _responses_turn(text: str, thought: str, calls: Calls) -> list[Json]:
    reasoning = {"type": "reasoning", "id": f"rs_{calls[0][0] if calls else 0}", "summary": []}
    items: list[Json] = [{**reasoning, "encrypted_content": thought.encode().hex()}] if thought else []
    items.append({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]})
    items += [
        {"type": "function_call", "call_id": i, "name": "Bash", "arguments": json.dumps({"command": word})}
        for i, word, _ in calls
    ]
    return [
        *items,
        *({"type": "function_call_output", "call_id": i, "output": output} for i, _, output in calls),
    ]


def _contained(bodies: list[Json], container: Container) -> bytes:
    if container == "array":
        return json.dumps(bodies, ensure_ascii=False, indent=1).encode()
    return "".join(SPELLINGS[container](body) + "\n" for body in bodies).encode()


def _ascii(value: Any) -> str:
    return json.dumps(value)


def _enveloped(value: Any) -> str:
    return json.dumps({"id": 7, "request": {"body": value}, "ok": True})


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _go(body: Json) -> str:
    provider = "anthropic" if "max_tokens" in body else "openai"
    text = _compact({"body": body, "model": body["model"], "provider": provider})
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _prose(rng: random.Random, n_words: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(n_words))


def _rows(rng: random.Random) -> list[Json]:
    return [
        {
            "id": i,
            "state": rng.choice(["ok", "error"]),
            "size": round(rng.random() * 99, 2),
            "note": _prose(rng, 5),
        }
        for i in range(rng.randint(3, 90))
    ]


def _log(rng: random.Random) -> str:
    same = f"WARN {_prose(rng, 6)}"
    return "\n".join(rng.choice([same, f"INFO {i} {_prose(rng, 9)}", ""]) for i in range(rng.randint(5, 300)))


def _grep(rng: random.Random) -> str:
    return "\n".join(f"src/part{i // 4}/mod.py:{i}:    {_prose(rng, 6)}" for i in range(rng.randint(2, 120)))


def _bars(rng: random.Random) -> str:
    return "\n".join("\r".join(f"\x1b[32m{n:3d}%\x1b[0m" for n in range(0, 101, 5)) for _ in range(rng.randint(1, 9)))


KINDS: list[Callable[[random.Random], str]] = [
    lambda rng: json.dumps(_rows(rng), indent=2),
    lambda rng: json.dumps({"stdout": _prose(rng, 40), "rows": _rows(rng)}, ensure_ascii=False),
    _log,
    _grep,
    _bars,
    lambda rng: _prose(rng, rng.randint(500, 2000)),
    lambda rng: "\n" * rng.randint(3, 30) + _prose(rng, 3) + "   \r\n" * rng.randint(1, 9),
    lambda rng: rng.choice(["", "ok", "\u2028", "\u0000", "{", "[]", "<<cg:0123456789abcdef>>"]),
]
SPELLINGS: dict[Container, Callable[[Json], str]] = {
    "bodies": _compact,
    "ascii-bodies": _ascii,
    "context-guru": _go,
    "envelope": _enveloped,
    "string-envelope": lambda body: _enveloped(_compact(body)),
}
TEXT_TYPES: dict[Dialect, str] = {"anthropic": "text", "chat": "text", "responses": "input_text"}
TURNS: dict[Dialect, Callable[[str, str, Calls], list[Json]]] = {
    "anthropic": _anthropic_turn,
    "chat": _chat_turn,
    "responses": _responses_turn,
}
HEADS: dict[Dialect, Json] = {
    "anthropic": {
        "model": "claude-sonnet-4-5-20250929",
        "max_tokens": 4096,
        "system": [{"type": "text", "text": SYSTEM, "cache_control": MARK}],
    },
    "chat": {"model": "gpt-4.1", "temperature": 0.0},
    "responses": {"model": "gpt-5", "instructions": SYSTEM, "store": False},
}
TOOLS: dict[Dialect, Json] = {
    "anthropic": {"name": "Bash", "description": "Runs a command.", "input_schema": SCHEMA},
    "chat": {
        "type": "function",
        "function": {"name": "Bash", "description": "Runs a command.", "parameters": SCHEMA},
    },
    "responses": {"type": "function", "name": "Bash", "description": "Runs a command.", "parameters": SCHEMA},
}
