"""`ladder`: what was decided once stays byte for byte, and is lost exactly where the lane was edited."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.compaction.components.bodies import compact, pretty
from tests.compaction.components.ladder.lanes import DIALECTS, Json, Lane, body, ladder, said, shown, size, turn, user

if TYPE_CHECKING:
    from collections.abc import Sequence

MARK: Json = {"cache_control": {"type": "ephemeral"}}


def growing(dialect: str, n_turns: int, *, n_chars: int = 400) -> list[Json]:
    """The bodies of a lane: a task, a turn more in each, and every fifth time a wish of the user's."""
    history = [user("task " * 30)]
    bodies = [body(history, dialect)]
    for i in range(n_turns):
        history = [*history, *turn(dialect, (f"call_{i}", chr(97 + i % 26) * n_chars))]
        if i % 5 == 4:
            history = [*history, said("done"), user(f"wish {i} " * 20)]
        bodies.append(body(history, dialect))
    return bodies


def history_of(raw: bytes) -> list[Json]:
    """The messages of a body."""
    sent = json.loads(raw)
    found: list[Json] = sent.get("messages", sent.get("input"))
    return found


def passes(got: Sequence[bytes]) -> list[int]:
    """The turns on which something was sent otherwise than before."""
    histories = [history_of(raw) for raw in got]
    return [i for i in range(1, len(got)) if histories[i][: len(histories[i - 1])] != histories[i - 1]]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_requests_between_two_passes_are_appends(dialect: str) -> None:
    """Fifty turns, few passes: at the threshold the size falls to the target, and nothing happens until it is back."""
    lane = Lane(ladder(5000, at=9200, budget=10_000, protected_tool_results=5))
    bodies = growing(dialect, 50)
    got, levels, n_passes = [], [], 0
    for one in bodies:
        got.append(lane.send(one))
        levels.append(lane.level)
        n_passes += any(reason.startswith("level_") for reason in lane.reasons)
        assert size(got[-1]) < 9200
    assert levels == sorted(levels)
    assert n_passes == len(passes(got)) <= 4
    assert max(levels) > 2
    for i in range(1, len(got)):
        if i not in passes(got):
            head = got[i - 1].rstrip(b"]}")
            assert got[i].startswith(head)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_same_request_is_sent_alike(dialect: str) -> None:
    """Again and again, in the same lane."""
    for one in (growing(dialect, n)[-1] for n in (20, 40)):
        lane = Lane(ladder(4000, at=6000, budget=10_000, protected_tool_results=2))
        first = lane.send(one)
        assert first != compact(one)
        assert [lane.send(one) for _ in range(3)] == [first] * 3
        assert lane.reasons == ["below_threshold"]


def test_decisions_outlive_another_spelling() -> None:
    """Marks that move, a string that becomes a list of one text, and white space: the same words are sent."""
    bodies = growing("anthropic", 22)
    lane = Lane(ladder(4000, at=7000, budget=10_000, protected_tool_results=2))
    first = shown(lane.send(bodies[20]))
    notes = [one for one in history_of(lane.send(bodies[20])) if "left out]" in json.dumps(one)]
    moved: Any = json.loads(json.dumps(bodies[21]))
    for message in moved["messages"][:8]:
        if isinstance(message["content"], str):
            message["content"] = [{"type": "text", "text": message["content"]}]
        message["content"][-1].update(MARK)
    got = lane.send(pretty(moved))
    assert shown(got) == f"{first} A R"
    assert [one for one in history_of(got) if "left out]" in json.dumps(one)] == notes
    assert lane.reasons == ["below_threshold"]


def test_edit_loses_what_comes_behind_it() -> None:
    """An output that the agent itself elided: the group that it is of comes back whole, earlier ones stay out."""
    bodies = growing("anthropic", 30)
    lane = Lane(ladder(6000, at=9000, budget=10_000))
    assert shown(lane.send(bodies[20])).startswith("U N11 U N10 A U ")
    edited: Json = json.loads(json.dumps(bodies[6]))
    edited["messages"][6]["content"][0]["content"] = "(elided)"
    assert shown(lane.send(edited)) == "U N4 A R A R A R A U A R"
    assert lane.reasons == ["below_threshold"]
    assert shown(lane.send(bodies[6])) == "U N4 A R A R A R A U A R"


def test_branch_shares_what_stands_before_it() -> None:
    """A lane that goes on from an earlier turn with other words."""
    bodies = growing("anthropic", 30)
    lane = Lane(ladder(6000, at=9000, budget=10_000))
    lane.send(bodies[20])
    branch = body([*bodies[12]["messages"], user("another way")])
    assert shown(lane.send(branch)) == "U N11 U N10 A U A R A R U"


def test_run_that_is_cut_loses_its_note() -> None:
    """A branch from within what was left out has a note of its own, for what is left of the run."""
    bodies = growing("anthropic", 30)
    lane = Lane(ladder(6000, at=9000, budget=10_000))
    lane.send(bodies[20])
    assert shown(lane.send(body([*bodies[3]["messages"], user("another way")]))) == "U N6 U"


def test_lane_that_goes_back_ends_on_what_was_said() -> None:
    """Into what was left out, truncated or stubbed since: its end is as it was, and nothing is answered twice."""
    bodies = growing("anthropic", 30)
    lane = Lane(ladder(6000, at=9000, budget=10_000))
    assert shown(lane.send(bodies[20])).startswith("U N11 U N10 A U ")
    assert shown(lane.send(bodies[3])) == "U N4 A R"
    assert shown(lane.send(bodies[20])).startswith("U N11 U N10 ")
    history = [user("t" * 400), *turn("anthropic", ("a", "r" * 400)), user("w" * 400)]
    low = Lane(ladder(700, at=1000, budget=2000))
    later = [*history, said("ok"), *turn("anthropic", ("b", "ok")), user("go")]
    assert shown(low.send(body(later))) == "S N2 S A A R U"
    assert shown(low.send(body(history))) == "S N2 U"
    protecting = Lane(ladder(5000, at=9000, budget=10_000, protected_tool_results=2))
    assert shown(protecting.send(bodies[21])).startswith("U N11 ")
    assert shown(protecting.send(bodies[4])) == "U N4 A R A R"


def test_level_never_falls() -> None:
    """Also after a pass that needed less, and after an edit."""
    lane = Lane(ladder(700, at=9000, budget=10_000, protected_tool_results=0))
    bodies = growing("anthropic", 60)
    lane.send(bodies[21])
    assert lane.level == 7
    lane.send(bodies[2])
    assert lane.level == 7


@settings(deadline=None, max_examples=30)
@given(
    dialect=st.sampled_from(DIALECTS),
    cuts=st.lists(st.integers(1, 40), min_size=1, max_size=8),
    target=st.integers(1500, 6000),
    protected=st.integers(-1, 6),
)
def test_lane_that_goes_back_and_on_is_sent_alike(dialect: str, cuts: list[int], target: int, protected: int) -> None:
    """Whatever was sent before, a request that comes twice in a row reads the same, and groups are whole."""
    bodies = growing(dialect, 40)
    lane = Lane(ladder(target, at=target + 2000, budget=9000, protected_tool_results=protected))
    for i in cuts:
        lane.send(bodies[i])
        if lane.reasons == ["below_threshold"]:
            again = lane.send(bodies[i])
            assert lane.send(bodies[i]) == again
