"""What a deferred run knows, what it may commit, and what it costs: as in the turn that it was offered on."""

from __future__ import annotations

from typing import Any

import pytest

from cgcli.model import Refusal, changed
from cgcli.replay.modes.async_arm import AsyncArm
from cgcli.replay.modes.latency import Latency
from cgcli.replay.paired.expand_tool import Inject
from tests.replay.modes.driving import (
    FAST,
    PACED,
    SLOW,
    Around,
    Failing,
    Saying,
    asking,
    drive,
    extracting,
    options,
    sync,
    timed,
)
from tests.replay.paired.lanes import conversation, growing, lines, planned

LANE = lines(growing(conversation(12)))
PERSISTENT = options(FAST, barren=100, cache_uncompacted_tail=True)
"""No lane stops offering, and no turn is declined."""


def _summing(call: str) -> Any:
    return planned(
        "summarize", summarize={"budget_tokens": 60_000 if call == "native-threshold" else 9000, "call": call}
    )


@pytest.mark.parametrize("call", ["standalone", "fork", "native-on-demand"])
def test_a_summary_that_lands_at_once_is_that_of_sync(call: str) -> None:
    """Answered before the next request, each summary stands where sync puts it, and costs what it costs there."""
    inline, beside = (drive(LANE, _summing(call), make, PERSISTENT, PACED) for make in (sync, AsyncArm))
    assert beside.sent == inline.sent
    assert beside.queue.committed == inline.counters.llm_calls > 4
    assert beside.counters.async_realized_saved_tokens == beside.counters.saved_tokens == inline.counters.saved_tokens
    each = [[one for turn in driven.arm.turns for one in turn.own_calls] for driven in (inline, beside)]
    assert each[0] == each[1]
    assert [turn.is_reset for turn in beside.arm.turns] == [turn.is_reset for turn in inline.arm.turns]
    assert beside.counters.async_tail_rewritten_turns == sum(turn.is_reset for turn in beside.arm.turns)


def test_a_fork_reads_the_request_that_it_was_asked_with() -> None:
    """The request is sent before its job begins: the fork reads its prefix from the cache, and pays the rest."""
    done = drive(LANE, _summing("fork"), AsyncArm, PERSISTENT, PACED)
    first = next(one for turn in done.arm.turns for one in turn.own_calls)
    assert first.read_tokens > 6000
    assert first.write_tokens == 0


def test_the_providers_own_threshold_needs_no_job() -> None:
    """It is a setting of the request and no call of ours: in async each request has it, as in sync."""
    inline, beside = (drive(LANE, _summing("native-threshold"), make, PERSISTENT, PACED) for make in (sync, AsyncArm))
    assert all("context_management" in body for body in inline.bodies)
    assert beside.sent == inline.sent
    assert beside.queue.committed == 0


def test_a_summary_is_told_as_asked_once_its_job_has_landed() -> None:
    """The account of summaries has what happened in the order in which it did, as that of sync has."""
    inline, beside = (drive(LANE, _summing("standalone"), make, PERSISTENT, PACED) for make in (sync, AsyncArm))
    told = [[(one.line, one.event.what) for one in driven.arm.run.ledger.summaries] for driven in (inline, beside)]
    assert told[0] == told[1]
    assert len(told[0]) > 10


def test_three_turns_without_a_summary_and_the_lane_stops_offering() -> None:
    """The finding: a summary falls due after many turns, and after three barren jobs it is never asked for."""
    told = options(FAST, cache_uncompacted_tail=True)
    done = drive(LANE, _summing("standalone"), AsyncArm, told, PACED)
    assert (done.queue.barren, done.queue.suppressed_barren, done.queue.committed) == (3, 10, 0)
    assert (done.counters.llm_calls, done.counters.saved_tokens) == (0, 0)


def test_the_held_prefix_is_judged_once_a_turn() -> None:
    """A job that begins late goes by the verdict of its own turn, and leaves those of later turns alone."""
    plan = asking(extracting("mask", rule="pays", mask={"keep_recent": 1}), Saying("x " * 3000))
    late = drive(LANE, plan, AsyncArm, changed(PERSISTENT, latency=Latency(median_s=70.0)))
    never = drive(LANE, plan, AsyncArm, changed(PERSISTENT, barren=0))
    verdicts = [driven.arm.run.paying.verdicts for driven in (late, never) if driven.arm.run.paying is not None]
    assert (late.queue.committed, never.queue.queued) == (0, 0)
    assert late.queue.stale_discarded > 0
    assert len(verdicts) == 2
    assert verdicts[0] == verdicts[1]
    assert len(verdicts[0]) > 5
    assert late.sent == never.sent


def test_marks_are_not_frozen_decisions() -> None:
    """Steps that edit each request anew, as marks move, lose nothing: no turn counts as one that lost a decision."""
    for make in (sync, AsyncArm):
        told = drive(LANE, planned("cacheinject+collapse", collapse={"max_tokens": 300}), make).counters
        assert (told.frozen_lost_turns, told.frozen_replayed_turns) == (0, 11)


def test_a_lost_decision_is_counted() -> None:
    """The history is edited below a decision that had been sent: in the next request it stands no more."""
    bodies = growing(conversation(5))
    edited = growing(conversation(5))[-1]
    edited["messages"][4]["content"][0]["content"] = "never mind"
    content = lines([*bodies, edited])
    told = drive(content, planned("collapse", collapse={"max_tokens": 300}), sync).counters
    assert told.frozen_lost_turns == 1


def test_the_expand_tool_changes_the_head_once() -> None:
    """The first marker of a landed job brings the tool with it: one turn is a reset for both, and none after it."""
    outputs = ["ok", "ok", "\n".join(f"pier {i} of basin {i % 7}" for i in range(200)), "ok", "ok", "ok"]
    content = timed(growing(conversation(6, outputs)), [20.0 * i for i in range(7)])
    done = drive(content, extracting(), AsyncArm, options(FAST, barren=100), Around(inject=Inject.AUTO))
    assert [turn.is_reset for turn in done.arm.turns] == [False, False, False, False, True, False, False]
    assert [len(body["tools"]) for body in done.bodies] == [1, 1, 1, 1, 2, 2, 2]


def test_a_refused_call_takes_no_time() -> None:
    """What nobody answers was not sent: the request of sync waits for the steps without a model alone."""
    refusing = asking(extracting(), Failing(Refusal(reason="no_answer", detail="not recorded")))
    told = drive(LANE, refusing, sync, options(SLOW)).counters
    assert told.added_ms_total == pytest.approx(13 * 25)
    assert told.llm_calls == 0
