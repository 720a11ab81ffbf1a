"""Histories that compaction has torn elsewhere: every step leaves each of them whole."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.compaction.component import Reduction
from cgcli.compaction.components import COMPONENTS, build
from cgcli.summarisers.extractive.summariser import Extractive
from tests import oracle
from tests.compaction.components.conftest import slot_of
from tests.compaction.drawing import EAGER, alone, everything
from tests.compaction.promises import Watch, written
from tests.lanes.placing import Json, body, said, user

if TYPE_CHECKING:
    from pathlib import Path

STEPS: dict[str, dict[str, object]] = {
    **{name: {} for name in everything()},
    "clear-tool-uses": {"trigger": 500, "keep": 1},
    "codex-local": {"budget_tokens": 1500},
    "ladder": {"budget_tokens": 1500},
    "pi-keep-recent": {"budget_tokens": 1500, "keep_recent_tokens": 600},
    "summarize": {"budget_tokens": 1500},
}
"""Each step alone, so that it acts in a short session."""


def text(name: str) -> str:
    """An output that several components have something to do with, and 250 tokens of its own."""
    noise = "still waiting for the lock of the depot\n" * 4
    return f"{noise}a.py:7: error in {name}\n" + " ".join(f"{name}{i}" for i in range(90))


def call(name: str, tool: str = "Bash") -> Json:
    """A call block."""
    return {"type": "tool_use", "id": name, "name": tool, "input": {"command": f"run {name}"}}


def result(name: str, output: str | None = None) -> Json:
    """Its result block."""
    return {"type": "tool_result", "tool_use_id": name, "content": text(name) if output is None else output}


def blocks(role: str, *found: Json) -> Json:
    """A message of blocks."""
    return {"role": role, "content": list(found)}


def thought(words: str) -> Json:
    """A block of signed thinking."""
    return {"type": "thinking", "thinking": f"{words} " * 20, "signature": words.encode().hex()}


def words(found: str) -> Json:
    """A text block."""
    return {"type": "text", "text": found}


def in_two_messages(i: int) -> list[Json]:
    """Two messages of the assistant's call, and one run of results answers both, in another order."""
    a, b, c = (f"{name}{i}" for name in "abc")
    return [
        blocks("assistant", call(a), call(b)),
        blocks("assistant", call(c)),
        blocks("user", *map(result, (c, a, b))),
    ]


def thinking_apart(i: int) -> list[Json]:
    """The thought in a message of its own, the call that came of it in the next one."""
    return [
        blocks("assistant", thought(f"step {i}")),
        blocks("assistant", call(f"a{i}")),
        blocks("user", result(f"a{i}")),
    ]


def words_beside(i: int) -> list[Json]:
    """What the user says stands in the message of a result."""
    return [
        blocks("assistant", thought(f"step {i}"), call(f"a{i}")),
        blocks("user", result(f"a{i}"), words(f"And mind part {i}.")),
    ]


def id_used_again(i: int) -> list[Json]:
    """Every turn calls `call_0`."""
    del i
    return [blocks("assistant", thought("again"), call("call_0")), blocks("user", result("call_0"))]


ODD = (
    '{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{},"_partial_json":"{\\"que"}',
    '{"type": "hologram",  "depth": 1.50e+3, "b": null, "a": "\\u00e9\\/"}',
    '{"type":"container_upload","file_id":"file_1"}',
)
"""Blocks that nobody here knows, or that are broken, as they are written."""


def odd_blocks(i: int) -> list[Json]:
    """They stand beside a call."""
    found = [{"type": "text", "text": f"ODD{n}"} for n in range(len(ODD))]
    return [blocks("assistant", *found, call(f"a{i}")), blocks("user", result(f"a{i}"))]


TURNS = {
    "two messages, one run": in_two_messages,
    "thinking apart": thinking_apart,
    "words beside": words_beside,
    "an id again": id_used_again,
    "odd blocks": odd_blocks,
}


def session(name: str, n_turns: int = 6, **fields: Any) -> bytes:
    """A lane of such turns that ends on the agent's own call of a tool that compacts."""
    made = [user("Build every part. " * 10)]
    bodies = []
    for i in range(n_turns):
        made = [*made, *TURNS[name](i), *([said("Done."), user(f"Part {i}.")] if i % 3 == 2 else [])]
        bodies.append(body(*made, **fields))
    own = [blocks("assistant", call("own", "compact_context")), blocks("user", result("own", "compacted"))]
    bodies.append(body(*made, *own, **fields))
    data = written(bodies)
    for n, one in enumerate(ODD):
        data = data.replace(f'{{"type":"text","text":"ODD{n}"}}'.encode(), one.encode())
    return data


def watched(tmp_path: Path, name: str, step: str, **fields: Any) -> Watch:
    """The session under one step, which may enter a warm prefix."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(session(name, **fields))
    return Watch(source, tmp_path, alone(step, **STEPS[step]), held="ignore", summariser=Extractive())


def ids(one: Json, kind: str, member: str) -> list[str]:
    """Of the blocks of a kind, sorted: the run of results may have another order than its calls."""
    found = (
        block for message in one["messages"] if isinstance(message["content"], list) for block in message["content"]
    )
    return sorted(block[member] for block in found if block["type"] == kind)


@pytest.mark.parametrize("step", sorted(STEPS))
@pytest.mark.parametrize("name", sorted(TURNS))
def test_history_stays_whole(name: str, step: str, tmp_path: Path) -> None:
    """No result without its call, no thinking changed or cut off, and the agent's own compaction call is answered."""
    watch = watched(tmp_path, name, step)
    assert watch.broken() == []
    last = oracle.bodies(watch.after)[-1][1]["messages"]
    for _, now in oracle.bodies(watch.after):
        assert ids(now, "tool_use", "id") == ids(now, "tool_result", "tool_use_id")
    assert [block["type"] for block in last[-1]["content"]] == ["tool_result"]
    assert last[-2]["content"][0]["name"] == "compact_context"


@pytest.mark.parametrize("step", sorted(STEPS))
def test_blocks_that_nobody_knows_stay_as_they_are_written(step: str, tmp_path: Path) -> None:
    """Byte for byte, the broken ones too, wherever their message is still there."""
    watch = watched(tmp_path, "odd blocks", step)
    # A mark may be put on a block that can have one.
    after = watch.after.replace(b',"cache_control":{"type":"ephemeral"}', b"")
    calls = after.count(b'"name":"Bash","input"')
    assert calls > 0
    for one in ODD:
        assert after.count(one.encode()) == calls
        assert watch.before.count(one.encode()) == sum(range(1, 7)) + 6


@pytest.mark.parametrize("step", ["clear-thinking", "ladder", "mask", "codex-local", "summarize"])
def test_bound_thinking_stays_valid(step: str, tmp_path: Path) -> None:
    """On a model that binds it to what stands before: of thinking that is sent, all before it is as it was signed."""
    assert watched(tmp_path, "words beside", step, model="claude-sonnet-5-5").broken() == []


def test_steps_that_tear_have_something_to_do(tmp_path: Path) -> None:
    """Those that take away whole results, messages or thinking act in such a session."""
    fired = set()
    for i, step in enumerate(sorted(STEPS)):
        folder = tmp_path / str(i)
        folder.mkdir()
        if watched(folder, "words beside", step).fired.get(step):
            fired.add(step)
    assert fired >= {
        *("clear-thinking", "clear-tool-uses", "claude-microcompact", "codex-local", "collapse", "ladder", "mask"),
        *("opencode-prune", "openhands-mask", "pi-keep-recent", "summarize", "tool_result_budget"),
    }


MARKERS = (
    "<<cg:00000000000000aa>>",
    "\\u003c\\u003ccg:00000000000000AA\\u003e\\u003e",
    "[older tool output masked] ⟪cg⟫",
    "<<cg:00000000000000aa",
    "<<cg:HASH>>",
    "<<ccr:0123456789abcdef01234567,json,264B>>",
    "<<ctxzip:9f2e 41 lines>>",
    "[9 items compressed to 2. Retrieve more: hash=0123456789abcdef01234567]",
    "<< 40 rows, handle=A1b2C3d4 >>",
)


@pytest.mark.parametrize("name", sorted(set(COMPONENTS) - {"extract_llm"}))
@pytest.mark.parametrize("found", MARKERS)
def test_output_that_is_nothing_but_a_marker_is_never_stashed(name: str, found: str) -> None:
    """Ours, another tool's, cut or quoted: alone it is left alone; among other text it is left, or gone whole."""
    component = build(name, EAGER[name])
    assert not isinstance(component.propose(slot_of(found)), Reduction)
    answer = component.propose(slot_of(f"{text('a')}\n{found}\n{text('b')}"))
    if isinstance(answer, Reduction):
        ours = answer.text.replace("<<cg:0123456789abcdef>>", "")
        assert found in ours or not any(piece in ours for piece in ("<<", "hash=", "handle=", "\\u003c"))


def test_odd_blocks_are_json() -> None:
    """The two spellings of a block are one text block and one odd block; both parse."""
    assert [json.loads(one)["type"] for one in ODD] == ["server_tool_use", "hologram", "container_upload"]
