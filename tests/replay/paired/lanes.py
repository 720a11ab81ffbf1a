"""Small agent sessions, as files that a replay reads."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

from cgcli.cachesim.options import CacheOptions
from cgcli.compaction import policy as policies
from cgcli.compaction.presets import BUILT_IN
from cgcli.compaction.state import HeldRule
from cgcli.readers import read
from cgcli.replay.paired.clock import Clock
from cgcli.replay.paired.expand_tool import Inject
from cgcli.replay.paired.replay import Planned, Replayed, Wanted, replay
from cgcli.summarisers.registry import named as summariser
from cgcli.summarisers.stand_in import Native

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from cgcli.compaction.policy import Policy

Json = dict[str, Any]
OPUS = "claude-opus-4-8"
"""Priced; caches from 1,024 tokens on; reads at a tenth."""
MARK = {"cache_control": {"type": "ephemeral"}}
SYSTEM = "You are a harbour agent. " + "Count the boats, and write down what you counted. " * 120


def output(i: int, n_lines: int = 60) -> str:
    """What the tool answers on turn *i*: no line of it stands in another output."""
    return "\n".join(f"{i:03d}:{j:03d} the boat lies at pier {(i * 37 + j) % 97} of basin {i}" for j in range(n_lines))


def conversation(n_turns: int, outputs: Sequence[str] | None = None, *, first: str = "count the boats") -> list[Json]:
    """A user's words, then a call and its output for each turn."""
    texts = outputs if outputs is not None else [output(i) for i in range(n_turns)]
    messages: list[Json] = [{"role": "user", "content": [{"type": "text", "text": first}]}]
    for i in range(n_turns):
        call = {"type": "tool_use", "id": f"t{i}", "name": "Look", "input": {"basin": i}}
        result = {"type": "tool_result", "tool_use_id": f"t{i}", "content": texts[i]}
        messages += [
            {"role": "assistant", "content": [{"type": "text", "text": f"Basin {i}."}, call]},
            {"role": "user", "content": [result]},
        ]
    return messages


def body(messages: Sequence[Json], *, model: str = OPUS, system: str = SYSTEM) -> Json:
    """A request: the system prompt and the last block are marked."""
    marked = [*messages[:-1], {**messages[-1], "content": [*messages[-1]["content"]]}]
    marked[-1]["content"][-1] = {**marked[-1]["content"][-1], **MARK}
    return {
        "model": model,
        "max_tokens": 4096,
        "tools": [{"name": "Look", "description": "Look into a basin.", "input_schema": {"type": "object"}}],
        "system": [{"type": "text", "text": system, **MARK}],
        "messages": marked,
    }


def growing(messages: Sequence[Json], **more: Any) -> list[Json]:
    """A request after each of the user's messages."""
    return [body(messages[: i + 1], **more) for i in range(0, len(messages), 2)]


def lines(
    bodies: Sequence[Json],
    *,
    gap_s: float | None = 20,
    usage: Sequence[Json | None] | None = None,
    sessions: Sequence[str] | None = None,
    answer_id: str | None = None,
) -> bytes:
    """The file: one request every *gap_s* seconds; None: no times. *answer_id*: what each answer is called."""
    out = []
    for i, one in enumerate(bodies):
        told: Json = {"cg": "requests/1", "from": "test", "line": i + 1}
        if sessions is not None:
            told["session_id"] = sessions[i]
        if gap_s is not None:
            told |= {"sent_s": 1_000_000 + i * gap_s, "answered_s": 1_000_000 + i * gap_s + 5}
        if answer_id is not None:
            told["answer"] = {"id": answer_id, "content": [{"type": "text", "text": "Done."}]}
        if usage is not None and usage[i] is not None:
            told["usage"] = usage[i]
        out.append(json.dumps({**told, "body": one}).encode() + b"\n")
    return b"".join(out)


def policy(name: str, **params: Json) -> Policy:
    """A policy by name, or components joined by `+`, with *params* by component (`_` for `-`)."""
    told = {key.replace("_", "-") if key.replace("_", "-") in name else key: value for key, value in params.items()}
    if name in BUILT_IN or name.endswith(".toml"):
        return policies.named(name, told)
    return policies.pipeline(tuple(name.split("+")), told)


def planned(name: str | Policy, rule: str = "respect", **params: Json) -> Planned:
    """The same, to be replayed; who answers its calls does it offline."""
    made = policy(name, **params) if isinstance(name, str) else name
    return Planned(policy=made, rule=HeldRule(rule), summariser=Native(summariser("extractive")))


def run(content: bytes | Path, *plans: Planned, inject: str = "never", **more: Any) -> Replayed:
    """Replay the file *content* through *plans*."""
    told = content if isinstance(content, bytes) else content.read_bytes()
    name = "test.jsonl" if isinstance(content, bytes) else str(content)
    wanted = Wanted(
        planned=plans,
        cache=more.pop("cache", CacheOptions()),
        clock=more.pop("clock", Clock()),
        inject=Inject(inject),
        **more,
    )
    return replay(lambda: read(BytesIO(told), file=name), wanted)
