"""Positions and marks along a lane, against the walk that the gates use."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.components.walks import Marks, anchors, walked
from cgcli.compaction.policy import pipeline
from cgcli.compaction.state import HeldRule
from cgcli.prefix.marked import Walk, step
from cgcli.readers import read
from cgcli.readers.single import BodyParser, parse_body
from cgcli.replay.run import Run
from cgcli.wire.splice import splice
from tests.compaction.components.bodies import Json, compact

MARK: Json = {"cache_control": {"type": "ephemeral"}}
HOUR: Json = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
TEXT: Json = {"type": "text", "text": "a"}
CALL: Json = {"type": "tool_use", "id": "c", "name": "A", "input": {"cache_control": {"type": "ephemeral"}}}
RESULT: Json = {"type": "tool_result", "tool_use_id": "c"}
BLOCKS = st.sampled_from(
    [
        TEXT,
        {**TEXT, **MARK},
        {**TEXT, **HOUR},
        {**TEXT, "cache_control": None},
        {"type": "text", "text": 'says "cache_control": {}'},
        {"type": "thinking", "thinking": "t", "signature": "s", **MARK},
        CALL,
        {**CALL, **HOUR},
        {**RESULT, "content": "ok", **MARK},
        {**RESULT, "content": [{**TEXT, **MARK}, TEXT]},
        {**RESULT, "content": [TEXT, {**TEXT, **HOUR}], **MARK},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
    ]
)
HISTORIES = st.lists(st.lists(BLOCKS, max_size=4) | st.just("text"), max_size=9)


def body(contents: list[Any], **fields: Any) -> Json:
    """A body of messages with these contents."""
    return {
        "model": "claude-x",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": one} for one in contents],
    } | fields


@settings(deadline=None)
@given(contents=HISTORIES, cut=st.integers(0, 9))
def test_walk_is_the_one_that_the_gates_take(contents: list[Any], cut: int) -> None:
    """The same positions and lifetimes, in one go or in two."""
    request = parse_body(compact(body(contents)))
    walks = walked(request.messages, ())
    assert walked(request.messages, walks[:cut]) == walks
    theirs = Walk()
    for i, item in enumerate(request.messages):
        theirs = step(theirs, item, i)
        assert (walks[i].position, walks[i].run, walks[i].n_marks) == (theirs.position, theirs.run, theirs.n_marks)
        assert [ttl for _, ttl in walks[i].marks] == [mark.ttl or "5m" for mark in theirs.marks]


def test_mark_that_moved_is_where_it_is_now() -> None:
    """The messages read the same: the walk over the earlier ones goes on only up to the first that is written anew."""
    parser = BodyParser()
    marked: Json = {**TEXT, **MARK}
    first = parser.parse(compact(body([[TEXT], [marked], [TEXT], [marked]])))
    second = parser.parse(compact(body([[TEXT], [TEXT], [TEXT], [marked], [HOUR | TEXT]])))
    walks = walked(second.messages, walked(first.messages, ()))
    assert walks == walked(second.messages, ())
    assert Marks(second, walks).ttls == {(2, 3, 0): "5m", (2, 4, 0): "1h"}
    assert [one.item for one in walks] == [*second.messages]


def test_marks_are_told_in_cache_order() -> None:
    """Tools, system prompt, messages, and the automatic one last."""
    request = parse_body(
        compact(
            body(
                [[TEXT, {**TEXT, **MARK}]],
                tools=[{"name": "A", "input_schema": {}, **HOUR}],
                system=[TEXT, {**TEXT, **HOUR}],
                cache_control={"type": "ephemeral"},
            )
        )
    )
    marks = Marks(request, walked(request.messages, ()))
    assert marks.ttls == {(0, 0, 0): "1h", (1, 1, 0): "1h", (2, 0, 1): "5m", (3, 0, 0): "5m"}
    assert (marks.n, marks.n_free, marks.automatic_ttl, marks.are_refused) == (4, 0, "5m", False)
    assert [marks.first_behind(at) for at in ((0, 0, 0), (1, 1, 0), (3, 0, 0))] == ["1h", "5m", None]
    assert [marks.fitting_ttl((1, 0, 0), "5m"), marks.fitting_ttl((2, 0, 2), "1h")] == ["1h", "5m"]


@pytest.mark.parametrize(
    ("blocks", "is_refused"),
    [
        ([HOUR, MARK], False),
        ([MARK, HOUR], True),
        ([{"cache_control": {"type": "ephemeral", "ttl": "2h"}}], True),
        ([MARK] * 4, False),
        ([MARK] * 5, True),
    ],
)
def test_marks_that_the_provider_refuses_are_known(blocks: list[Json], *, is_refused: bool) -> None:
    """Too many, in the wrong order, or with a lifetime that does not exist."""
    request = parse_body(compact(body([[{**TEXT, **more} for more in blocks]])))
    assert Marks(request, walked(request.messages, ())).are_refused is is_refused


def test_marks_of_dropped_tools_leave_their_slots() -> None:
    """A marked tool that an earlier step took out, and the mark that it put in somewhere else."""
    request = parse_body(compact(body(["go"], tools=[{"name": "A"}, {"name": "B", **MARK}])))
    start, stop = request.tools_starts[1], request.tools_starts[1] + len(compact({"name": "B", **MARK}))
    walks = walked(request.messages, ())
    taken = (((), 3), (((start - 1, stop),), 4), (((start - 2, start - 2), (start - 1, stop)), 3))
    assert [Marks(request, walks, ranges).n_free for ranges, _ in taken] == [n for _, n in taken]


def test_anchors_are_the_blocks_at_every_third_position() -> None:
    """The last one first; of a run that is one position, its last block."""
    request = parse_body(compact(body([[TEXT, TEXT], [CALL, CALL], [{**RESULT, "content": "a"}], [TEXT] * 5])))
    found = anchors(request.messages, walked(request.messages, ()), 3)
    assert list(found) == [(3, 4), (3, 1), (1, 1)]


def test_lane_whose_marks_move_never_has_too_many() -> None:
    """Two marks move with each turn, and two are the lane's own: what is sent has four at most, and keeps its order.

    The whole way is taken, where messages are the same if they read the same.
    """
    history: list[Json] = [{"role": "user", "content": [{"type": "text", "text": "task " * 900}]}]
    bodies: list[Json] = []
    for i in range(6):
        moved = [{**one, "content": [*one["content"][:-1], {**one["content"][-1], **MARK}]} for one in history[-2:]]
        bodies.append({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [*history[:-2], *moved]})
        history = [
            *history,
            {"role": "assistant", "content": [TEXT]},
            {"role": "user", "content": [{**TEXT, "text": str(i)}]},
        ]
    data = b"".join(compact(one) + b"\n" for one in bodies)
    run = Run(read(BytesIO(data), file="made.jsonl"), pipeline(["cacheinject"]), rule=HeldRule.RESPECT)
    sent = []
    for one in run:
        assert one.outcome is not None
        sent.append(splice(one.entry.raw, [(start, stop, new.literal) for start, stop, new in one.outcome.edits]))
    assert [line.count(b'"cache_control"') for line in sent] == [1, 3, 3, 3, 3, 3]
    assert {*run.ledger.distinct.skipped} == {("cacheinject", "already_marked")}
