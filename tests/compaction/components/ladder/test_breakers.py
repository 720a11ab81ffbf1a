"""`ladder`: what it does where nothing helps; the figures are those of amplifier's incidents, scaled down."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.components.ladder.ladder import Ladder
from tests.compaction.components.bodies import compact
from tests.compaction.components.ladder.lanes import Json, Lane, body, ladder, said, shown, size, turn, user
from tests.compaction.components.ladder.test_sticky import passes

if TYPE_CHECKING:
    from collections.abc import Callable

BUDGET = 13_110
"""131,104 tokens in tens; the threshold is 12,061."""


def pasted(n_chars: int) -> list[Json]:
    """A user's message as a list of blocks."""
    return [{"type": "text", "text": "look:"}, {"type": "text", "text": "p" * n_chars}]


def sole_user(n_turns: int) -> Json:
    """One message of 12,434 tokens, and small turns behind it."""
    turns = (message for i in range(n_turns) for message in turn("anthropic", (f"call_{i}", "r" * 120)))
    return body([user(pasted(12_434)), *turns])


def large_head(n_turns: int) -> Json:
    """A system prompt of 12,100 tokens, and small turns."""
    turns = (message for i in range(n_turns) for message in turn("anthropic", (f"call_{i}", "r" * 120)))
    return body([user("task " * 10), *turns], system="s" * 12_100)


@pytest.mark.parametrize("made", [sole_user, large_head])
def test_storm_is_said_once_and_does_not_rage(made: Callable[[int], Json]) -> None:
    """Fifty requests that are over the threshold whatever is done: passes that make it fit, and leave room to grow."""
    lane = Lane(Ladder(budget_tokens=BUDGET, protected_tool_results=1))
    got, said_storm = [], 0
    for n in range(50):
        got.append(lane.send(made(n)))
        said_storm += lane.reasons.count("storm")
        assert size(got[-1]) <= BUDGET
        if size(made(n)) <= BUDGET:
            assert got[-1] == compact(made(n))
    assert said_storm == 1
    assert "runaway" not in lane.reasons
    assert 1 <= len(passes(got)) < 25
    assert json.loads(got[-1])["messages"][0] == made(0)["messages"][0]


def test_storm_that_cannot_fit_changes_nothing() -> None:
    """What can never be removed is over the budget alone: leaving out the conversation would not help."""
    lane = Lane(Ladder(budget_tokens=BUDGET))
    reasons: list[str] = []
    for n in range(30):
        turns = (message for i in range(n) for message in turn("anthropic", (f"call_{i}", "r" * 500)))
        made = body([user(pasted(13_200)), *turns])
        assert lane.send(made) == compact(made)
        reasons += lane.reasons
    assert reasons == ["storm"]


def test_storm_ends_where_the_message_can_be_stubbed() -> None:
    """Once a person says something else, what was pasted is no longer the last word; another storm is said again."""
    lane = Lane(Ladder(budget_tokens=BUDGET))
    lane.send(body([user(pasted(12_434))]))
    assert lane.reasons == ["storm"]
    history = [user(pasted(12_434)), said("done"), user("thanks")]
    got = lane.send(body(history))
    assert shown(got) == "S A U"
    assert (lane.level, size(got) < 1000) == (8, True)
    lane.send(body([*history, said("ok"), user(pasted(12_434))]))
    assert lane.reasons == ["storm"]


def test_protected_result_that_is_too_large_is_a_storm_for_a_while() -> None:
    """The newest result is over the budget; when it is not among the protected ones any more, it is truncated."""
    lane = Lane(Ladder(budget_tokens=BUDGET, protected_tool_results=2))
    large = [user("task " * 30), *turn("anthropic", ("a", "r" * 14_000))]
    small = [message for i in range(2) for message in turn("anthropic", (f"call_{i}", "r" * 100))]
    assert lane.send(body(large)) == compact(body(large))
    assert lane.reasons == ["storm"]
    got = lane.send(body([*large, *small]))
    assert shown(got) == "U N2 A R A R" or "T" in shown(got)
    assert size(got) < 6555


def short_users(n_turns: int, *more: Json) -> Json:
    """Words of a user's that are too short to be stubbed: 40 tokens a turn that nothing takes away."""
    history = [message for i in range(n_turns) for message in (user(f"{i:03d} " + "u" * 24), said("ok"))]
    return body([*history, user("go on"), *more])


def test_runaway_freezes_after_some_passes_over_the_budget() -> None:
    """A lane that grows to 1.84 times its budget over 266 turns: six passes that do not help, and one word."""
    lane = Lane(Ladder(budget_tokens=5000, compact_threshold=0.99))
    reasons: list[str] = []
    sizes: list[int] = []
    for n in range(120, 266):
        lane.send(short_users(n))
        reasons += lane.reasons
        if "target_not_reached" in lane.reasons:
            sizes.append(size(short_users(n)))
    assert (size(short_users(120)) < 4950, size(short_users(265)) > 9200) == (True, True)
    assert reasons.count("runaway") == 1
    # The first one is still within the budget. Each frees nothing, so the next one waits for 250 tokens more.
    assert len(sizes) == 7
    assert sizes[0] <= 5000 < sizes[1]
    assert all(250 <= after - before < 300 for before, after in pairwise(sizes))
    assert lane.memory.n_over == 6


def test_frozen_lane_decides_nothing_more() -> None:
    """Not even what would free something; what was decided stays."""
    lane = Lane(ladder(2000, budget=5000, protected_tool_results=0, runaway_after=2))
    early = turn("anthropic", ("early", "e" * 500))
    for n in (150, 151):
        lane.send(body([user("first"), *early, *short_users(n)["messages"]]))
        assert "runaway" not in lane.reasons
    assert lane.n_fired == 2
    late = turn("anthropic", ("late", "l" * 3000))
    for reasons in (["runaway"], []):
        got = lane.send(body([user("first"), *early, *short_users(152)["messages"], *late, user("so")]))
        assert lane.reasons == reasons
        assert shown(got).startswith("U N2 U A U A ")
        assert "l" * 3000 in got.decode()


def test_success_resets_the_breaker() -> None:
    """A pass that ends within the budget, or a request that is within it: the count begins again."""
    lane = Lane(ladder(2000, budget=5000, protected_tool_results=0, runaway_after=2))
    lane.send(short_users(150))
    assert lane.memory.n_over == 1
    lane.send(short_users(10))
    assert lane.memory.n_over == 0
    for n in (150, 160, 170):
        lane.send(short_users(n))
    assert lane.reasons == ["runaway"]
    lane.send(short_users(100))
    assert "runaway" not in lane.reasons
    assert lane.memory.n_over == 0
    lane.send(short_users(150))
    assert "runaway" not in lane.reasons


def test_pass_that_freed_nothing_is_not_made_again_at_once() -> None:
    """Before the request has grown by 5 % of the budget; below the threshold the wait is over."""
    lane = Lane(ladder(4000, budget=8000, protected_tool_results=0))
    lane.send(short_users(110))
    assert lane.reasons[0] == "target_not_reached"
    for n, reasons in ((111, ["resting"]), (119, ["resting"]), (80, ["below_threshold"])):
        assert lane.send(short_users(n)) == compact(short_users(n))
        assert lane.reasons == reasons
    lane.send(short_users(111))
    assert lane.reasons[0] == "target_not_reached"
    late = turn("anthropic", ("late", "l" * 3000))
    assert "l" * 3000 not in lane.send(short_users(111, *late, user("so"))).decode()
