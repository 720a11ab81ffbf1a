"""Figures of a replay that must not contradict each other, and what they rest on."""

from __future__ import annotations

import json

import pytest

from cgcli.replay.ledger import Ledger
from cgcli.replay.paired.clock import Clock
from cgcli.replay.paired.removed import Removed
from cgcli.replay.paired.totals import totals
from tests.replay.paired.lanes import conversation, growing, lines, output, planned, run
from tests.running import FIXTURES

DEMO = FIXTURES / "context-guru" / "agent.jsonl"


def history(n_turns: int) -> bytes:
    """A session as Claude Code keeps it: requests are put together from it, and have no cache marks."""
    out = []
    for i, said in enumerate(conversation(n_turns)):
        message = {**said, "model": "claude-opus-4-8", "id": f"msg_{i}"} if said["role"] == "assistant" else said
        before = f"u{i - 1}" if i else None
        told = {"type": said["role"], "uuid": f"u{i}", "parentUuid": before, "sessionId": "s", "message": message}
        out.append(json.dumps(told).encode() + b"\n")
    return b"".join(out)


@pytest.mark.parametrize("name", ["codesafe", "general", "agent"])
@pytest.mark.parametrize("rule", ["respect", "ignore"])
def test_what_the_steps_took_out_is_what_the_policy_took_out(name: str, rule: str) -> None:
    """In tokens of the model, within the rounding of each request; never more once than in all requests."""
    done = run(DEMO, planned(name, rule))
    arm, sums = done.arms[1], totals(done.arms[1], done.arms[0])
    steps = [one.name for one in arm.run.policy.components]

    assert sum(arm.removed.once(step) for step in steps) == pytest.approx(sums.removed_unique_tokens, abs=len(steps))
    assert sum(arm.removed.gross(step) for step in steps) == pytest.approx(sums.removed_gross_tokens, abs=17)
    assert 0 < sums.removed_unique_tokens < sums.removed_gross_tokens


def test_each_token_counts_as_its_model_has_it() -> None:
    """100 counted tokens for a model of factor 1.6 and 100 for one of factor 1 are 260."""
    ledger, removed = Ledger(), Removed()
    ledger.distinct.saved_tokens["mask"] += 100
    ledger.saved_gross["mask"] += 100
    removed.turn(ledger, 1.6)
    ledger.distinct.saved_tokens["mask"] += 100
    ledger.saved_gross["mask"] += 200
    removed.turn(ledger, 1.0)

    assert (removed.once("mask"), removed.gross("mask"), removed.in_all) == (260, 360, 260)
    assert (removed.once("dedup"), removed.gross("dedup")) == (0, 0)


def test_pays_reckons_with_the_cache_that_is_simulated() -> None:
    """A history has no marks, so each request counts as marked at its end, and a rewrite loses what is held there."""
    pays, ignores = planned("mask", "pays"), planned("mask", "ignore")
    done = run(history(30), pays, ignores)
    paying, ignoring = (totals(arm, done.arms[0]) for arm in done.arms[1:])

    assert paying.usd is not None
    assert ignoring.usd is not None
    assert paying.n_resets < ignoring.n_resets / 2
    assert paying.usd < ignoring.usd


def test_a_policy_goes_by_the_clock_of_its_cache() -> None:
    """At 400 seconds a request every turn is cold, and a new decision breaks nothing; at 20 seconds none is made."""
    content = lines(growing(conversation(8)), gap_s=None)
    for gap_s, is_cold in ((20.0, False), (400.0, True)):
        arm = run(content, planned("mask"), clock=Clock(gap_s=gap_s)).arms[1]
        assert [row.is_cold for row in arm.run.ledger.rows[1:]] == [is_cold] * 8
        assert any(turn.is_changed for turn in arm.turns) is is_cold
        assert [turn.sent_s for turn in arm.turns] == [gap_s * i for i in range(9)]


def test_the_provider_compacts_on_demand_more_than_once() -> None:
    """What stands for its block is told from a block of compaction at a threshold, so the next call is not refused."""
    plan = planned("summarize", summarize={"call": "native", "budget_tokens": 9000})
    arm = run(lines(growing(conversation(14))), plan).arms[1]
    events = [one.event for one in arm.run.ledger.summaries]

    assert [one.reason for one in events if one.what == "refused"] == []
    assert sum(one.what == "applied" for one in events) > 1
    assert totals(arm, arm).n_irreversible == sum(one.what == "applied" for one in events)


def test_a_lane_that_the_provider_compacts_by_itself_cannot_be_given_back() -> None:
    """One lane is set up, and counts as one irreversible thing; what it would drop is in no figure."""
    plan = planned("summarize", summarize={"call": "native-threshold", "budget_tokens": 90_000})
    done = run(lines(growing(conversation(3))), plan)
    sums = totals(done.arms[1], done.arms[0])

    assert sums.n_irreversible == 1
    assert sums.n_own_calls == 0


def test_a_thing_that_stands_in_one_request_is_as_much_once_as_in_all() -> None:
    """Whatever the rounding: five lengths of an output that is masked in the last request alone."""
    for n_lines in range(30, 35):
        outputs = [output(i, n_lines) for i in range(6)]
        done = run(lines(growing(conversation(6, outputs))[-1:]), planned("mask", "ignore"))
        sums = totals(done.arms[1], done.arms[0])
        assert sums.removed_unique_tokens == sums.removed_gross_tokens > 0
