"""Comparisons of call modes to draw from, each of another kind."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tests.calls.asking import call, claude, compact, result, text, user
from tests.running import FIXTURES
from tests.shapes.comparing import document, generated

if TYPE_CHECKING:
    from collections.abc import Mapping
HOSTILE = "a\x1b[31m\x9b\u202e]]><script>\r\n[/foo] --- +++ @@ "
LONG: Mapping[str, Any] = {"turns": 16, "parallel": 2, "moving_marks": True, "seed": 2}
_OF: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "fork-pays": ("context-guru/agent.jsonl", {}),
    "every": ("claude-trace/cold.jsonl", {"every": True}),
    "cheap-summariser": ("context-guru/agent.jsonl", {"model": "claude-haiku-4-5-20251001"}),
    "not-simulated": ("bodies/responses.jsonl", {}),
    "no-span": ("anthropic-batch/input.jsonl", {}),
    "no-span-in-any-turn": ("lanes/retries.jsonl", {"every": True, "lane": "L1", "keep_last": 99}),
}
"""By name, a fixture and options."""
_MADE: Mapping[str, tuple[str, Mapping[str, Any], Mapping[str, Any]]] = {
    "pause": ("claude-opus-5-5", LONG, {"budget_tokens": 60_000, "pause": True}),
    "native-every": ("claude-opus-5-5", LONG, {"budget_tokens": 60_000, "every": True, "calls": ("native,fork",)}),
    "automatic": ("claude-opus-5-5", {**LONG, "moving_marks": False}, {"budget_tokens": 60_000, "pause": True}),
    "openai-cheap": ("gpt-5.6-sol", {"dialect": "responses", "turns": 14, "seed": 3}, {"model": "gpt-5.6-luna"}),
    "openai": ("gpt-5.6-sol", {"dialect": "responses", "turns": 14, "seed": 3}, {}),
}
"""By name, the model and shape of a generated capture, and options."""
_HEAD = b'"max_tokens":4096,'
_AUTOMATIC = b'"cache_control":{"type":"ephemeral"},'
"""The provider marks the last block by itself."""
_NOT_SIMULATED = b'"grok-4.7"'
"""A model with a price, whose cache is not known."""
CASES = sorted((*_OF, *_MADE))


def shaped(name: str) -> dict[str, Any]:
    """The document of a case, for the caller to change. Its file is named without a folder."""
    told: dict[str, Any] = json.loads(_document(name))
    return told


@cache
def _document(name: str) -> str:
    with TemporaryDirectory() as folder:
        if name in _OF:
            fixture, options = _OF[name]
            path = FIXTURES / fixture
            if name == "not-simulated":
                content = path.read_bytes().replace(b'"gpt-5"', _NOT_SIMULATED)
                path = Path(folder) / path.name
                path.write_bytes(content)
        else:
            model, shape, options = _MADE[name]
            path = Path(folder) / "capture.jsonl"
            content = generated(model, **shape)
            path.write_bytes(content.replace(_HEAD, _HEAD + _AUTOMATIC) if name == "automatic" else content)
        return json.dumps(document(path, **options) | {"file": path.name})


def hostile(folder: Path) -> dict[str, Any]:
    """A comparison of which every name and text wants to be something else."""
    path = folder / "capture.jsonl"
    messages = (
        user(text(HOSTILE)),
        {"role": "assistant", "content": [text(HOSTILE), {**call("t"), "name": "Bash"}]},
        user(result("t", HOSTILE * 40)),
        {"role": "assistant", "content": HOSTILE},
        user("Go on."),
    )
    path.write_bytes(compact(claude(*messages, model=HOSTILE, system=HOSTILE)))
    return document(path, keep_last=1) | {"file": HOSTILE}
