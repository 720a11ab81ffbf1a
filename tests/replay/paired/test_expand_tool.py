"""The tool that expands markers: which requests get it, what stands there, what it costs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.model import Refusal
from tests.captures import TOOLS, capture
from tests.replay.paired.lanes import conversation, growing, lines, planned, run
from tests.running import FIXTURES

if TYPE_CHECKING:
    from cgcli.replay.paired.replay import Replayed
    from tests.captures import Dialect

Json = dict[str, Any]
WHAT = "Retrieve the full original content that was compressed and replaced by a <<cg:HASH>> marker."
TAKES = {
    "type": "object",
    "properties": {"id": {"type": "string", "description": "The hash inside the marker."}},
    "required": ["id"],
}
NAME = "context_guru_expand"
SPECS: dict[str, Json] = {
    "anthropic": {"name": NAME, "description": WHAT, "input_schema": TAKES},
    "chat": {"type": "function", "function": {"name": NAME, "description": WHAT, "parameters": TAKES}},
    "responses": {"type": "function", "name": NAME, "description": WHAT, "parameters": TAKES},
}
MASK = ("mask", "ignore")


def sent(bodies: list[Json], inject: str, rule: str = "ignore") -> list[Json]:
    """What `mask` sends instead of each of *bodies*."""
    return [
        json.loads(bytes(run(lines(bodies[: i + 1]), planned("mask", rule), inject=inject).arms[1].sent.raw))
        for i in range(len(bodies))
    ]


def reads(done: Replayed, i: int = 1) -> list[int]:
    """What each request of one policy reads."""
    told = [turn.simulated for turn in done.arms[i].turns]
    return [one.read_tokens for one in told if not isinstance(one, Refusal)]


@pytest.mark.parametrize("dialect", ["anthropic", "chat", "responses"])
@pytest.mark.parametrize("inject", ["auto", "always"])
def test_it_stands_last_among_the_tools(dialect: Dialect, inject: str) -> None:
    """As its dialect spells a tool, behind those that were there; nothing else of the request is touched by it."""
    content = capture(dialect=dialect, turns=9)
    with_tool = json.loads(bytes(run(content, planned(*MASK), inject=inject).arms[1].sent.raw))
    without = json.loads(bytes(run(content, planned(*MASK), inject="never").arms[1].sent.raw))

    assert without["tools"] == [TOOLS[dialect]]
    assert with_tool == {**without, "tools": [TOOLS[dialect], SPECS[dialect]]}


def test_only_requests_with_a_marker_get_it_by_itself() -> None:
    """Four outputs stay whole, so it comes with the fifth; `always` has it from the first on, `never` not at all."""
    bodies = growing(conversation(6))
    has = {
        inject: [NAME in [tool["name"] for tool in body["tools"]] for body in sent(bodies, inject)]
        for inject in ("auto", "always", "never")
    }
    marked = ["<<cg:" in json.dumps(body["messages"]) for body in sent(bodies, "never")]

    assert True in marked[1:]
    assert has == {"auto": marked, "always": [True] * 7, "never": [False] * 7}


def test_it_is_missed_once_by_itself_and_never_where_it_always_stood() -> None:
    """Tools come first in the prefix: on the turn that brings it nothing is read at all."""
    content = lines(growing(conversation(6)))
    auto, always, never = (reads(run(content, planned(*MASK), inject=inject)) for inject in ("auto", "always", "never"))
    zero = [i for i, tokens in enumerate(auto) if not tokens]

    assert zero == [0, 4]
    assert [i for i, tokens in enumerate(always) if not tokens] == [0]
    assert [i for i, tokens in enumerate(never) if not tokens] == [0]
    assert sum(auto) < sum(never)


def test_doing_nothing_gets_it_only_where_it_is_always_put() -> None:
    """`off` has no marker of its own, so by itself it stays what was sent."""
    content = lines(growing(conversation(6)))
    for inject, is_changed in (("auto", False), ("never", False), ("always", True)):
        turns = run(content, planned(*MASK), inject=inject).arms[0].turns
        assert {turn.is_changed for turn in turns} == {is_changed}


@pytest.mark.parametrize("inject", ["auto", "always"])
@pytest.mark.parametrize(
    "more",
    [
        {"tool_choice": {"type": "tool", "name": "Look"}},
        {"tool_choice": {"type": "any"}},
        {"tools": [{"name": "Look", "input_schema": {"type": "object"}}, SPECS["anthropic"]]},
    ],
    ids=["forced", "any", "there"],
)
def test_it_is_not_put_where_it_cannot_help_or_is(inject: str, more: Json) -> None:
    """A request that forces a call could not use it, and one that has it needs no second."""
    bodies = [{**body, **more} for body in growing(conversation(6))]

    last = sent(bodies, inject)[-1]
    assert "<<cg:" in json.dumps(last["messages"])
    assert last["tools"] == bodies[-1]["tools"]


def test_it_is_not_put_among_tools_that_are_not_recorded() -> None:
    """A history does not say which tools there were."""
    history = FIXTURES / "claude-code" / "resumed.jsonl"
    done = run(history, planned("mask", "ignore", mask={"keep_recent": 0, "min_tokens": 0}), inject="always")

    for arm in done.arms:
        assert NAME.encode() not in bytes(arm.sent.raw)
    assert {turn.is_changed for turn in done.arms[0].turns} == {False}
