"""Async under pressure: more jobs than workers and room, lanes that are given up, and nothing that is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.model import Refusal
from cgcli.replay.modes.async_arm import AsyncArm
from cgcli.replay.modes.latency import Latency
from cgcli.replay.modes.observe_arm import ObserveArm
from cgcli.replay.modes.options import ModeOptions
from cgcli.replay.modes.tail import Protect
from tests import oracle
from tests.replay.modes.driving import Failing, asking, drive, extracting, options, sync
from tests.replay.modes.schedules import Watched, bodies, broken, interleaved, lost, originals
from tests.replay.paired.lanes import body, conversation, growing, lines, planned

if TYPE_CHECKING:
    from tests.replay.modes.driving import Driven

PLAN = extracting("dedup")
CROWD = interleaved(100, 4, [0.6, 0.6, 0.6, 3.0])
"""A hundred conversations with five requests each, about one a second."""
PRESSED = ModeOptions(
    latency=Latency(median_s=40.0, sigma=1.6),
    max_queue=4,
    workers=2,
    max_lanes=20,
    stop_s=2.0,
    strip_caller_breakpoints=True,
)


@pytest.fixture(scope="module")
def crowd() -> Driven[Watched]:
    """The crowd, pressed."""
    return drive(CROWD, PLAN, Watched, PRESSED)


def test_every_counter_of_pressure_is_reached(crowd: Driven[Watched]) -> None:
    """A hundred lanes and a queue of four: jobs are dropped, stale and given up, lanes too, and the laws hold."""
    queue = crowd.queue
    assert min(queue.dropped, queue.stale_discarded, queue.barren, queue.abandoned) > 0
    assert crowd.counters.async_lanes_evicted > 0
    assert broken(crowd.counters, 500) == []


def test_every_request_is_sent_under_pressure(crowd: Driven[Watched]) -> None:
    """All five hundred go out, valid and in their order, and wait for nothing but the steps without a model."""
    assert len(crowd.sent) == len(crowd.arm.turns) == len(crowd.arm.mode_turns) == 500
    assert crowd.counters.added_ms_total == pytest.approx(500 * 25)
    assert [problem for one in crowd.bodies for problem in oracle.check_tool_pairs(one)] == []


def test_no_original_is_lost_under_pressure(crowd: Driven[Watched]) -> None:
    """What stands otherwise in a sent request carries the key of its original, which the file has."""
    assert lost(bodies(CROWD), crowd.bodies) == []
    known = originals(bodies(CROWD))
    assert {one.original.hex() for _, _, one in crowd.arm.placed} <= known
    assert all(one.is_reversible for _, _, one in crowd.arm.placed)


def test_some_jobs_land_in_the_crowd() -> None:
    """With ten times the workers some jobs land and are realised, while others are dropped, stale and given up."""
    told = ModeOptions(latency=Latency(median_s=20.0, sigma=1.6), max_queue=4, workers=20, max_lanes=150)
    done = drive(CROWD, PLAN, Watched, told)
    queue = done.queue
    assert min(queue.committed, queue.dropped, queue.stale_discarded, queue.barren, queue.abandoned) > 0
    assert done.counters.async_realized_saved_tokens > 0
    assert broken(done.counters, 500) == []
    assert lost(bodies(CROWD), done.bodies) == []


def test_observe_drops_what_does_not_fit_and_sends_everything() -> None:
    """A full queue costs measurements and no request: what was not looked at is in neither figure."""
    told = ModeOptions(latency=Latency(median_s=40.0), max_queue=4)
    done = drive(CROWD, PLAN, ObserveArm, told)
    queue = done.counters.observe_queue
    assert done.bodies == bodies(CROWD)
    assert queue.dropped > 0
    assert queue.offered == queue.queued + queue.dropped == 500
    assert queue.queued == queue.processed + queue.abandoned
    assert done.counters.observe_hypothetical_requests == queue.queued
    assert queue.broken_laws() == []
    assert done.counters.potential_saved_tokens < drive(CROWD, PLAN, sync, told).counters.saved_tokens


def test_observe_goes_on_where_the_first_request_of_a_thread_was_dropped() -> None:
    """A side call that was never looked at is split off a thread all the same."""
    busy, trunk = growing(conversation(1))[-1], conversation(3, first="sound the horn")
    requests = [busy]
    for n in (1, 3, 5):
        aside = {"role": "user", "content": [{"type": "text", "text": f"what is {n}?"}]}
        requests += [body(trunk[:n]), body([*trunk[:n], aside])]
    told = ModeOptions(latency=Latency(median_s=60.0), max_queue=0)
    done = drive(lines(requests, gap_s=1), PLAN, ObserveArm, told)
    assert len(done.sent) == 7
    assert (done.counters.observe_queue.queued, done.counters.observe_queue.dropped) == (1, 6)


def test_a_request_whose_copy_was_dropped_was_sent_all_the_same() -> None:
    """Every other copy is dropped; the provider's cache is warm by the requests between, and `mask` enters nothing."""
    content = lines(growing(conversation(6)), gap_s=200)
    plan = planned("mask", mask={"keep_recent": 1})
    told = ModeOptions(step_s=250.0, max_queue=0)
    done = drive(content, plan, ObserveArm, told)
    assert (done.counters.observe_queue.queued, done.counters.observe_queue.dropped) == (4, 3)
    assert done.counters.potential_saved_tokens == 0
    assert drive(lines(growing(conversation(6)), gap_s=400), plan, sync).counters.saved_tokens > 0


@pytest.mark.parametrize("what", [OSError("no route"), Refusal(reason="refused", detail="not today")])
def test_a_failing_summariser_leaves_requests_as_they_were(what: Exception | Refusal) -> None:
    """It is asked until the lane stops offering; every request goes out as it would without it."""
    content = lines(growing(conversation(8)))
    who = Failing(what)
    done = drive(content, asking(extracting(), who), AsyncArm)
    assert done.bodies == bodies(content)
    assert (done.queue.barren, done.queue.errors, done.queue.suppressed_barren) == (3, 0, 6)
    assert (done.queue.committed, done.counters.llm_calls, who.n_asked) == (0, 0, 2)
    assert done.queue.broken_laws() == []


def test_a_job_with_a_fault_of_our_own_is_an_error() -> None:
    """A job that raises is counted, takes no time, and leaves the requests as they were."""

    class Raising(AsyncArm):
        def _work(self, inline: Any, at_s: float) -> Any:
            raise ZeroDivisionError((inline, at_s))

    content = lines(growing(conversation(8)))
    done = drive(content, extracting(), Raising)
    assert done.bodies == bodies(content)
    assert (done.queue.errors, done.queue.processed, done.queue.queued) == (9, 0, 9)
    assert broken(done.counters, 9) == []


LATENCIES = st.builds(
    Latency,
    median_s=st.sampled_from((0.0, 0.5, 5.0, 19.0, 40.0)),
    sigma=st.sampled_from((0.0, 0.0, 1.5)),
    seed=st.integers(0, 3),
)
OPTIONS = st.builds(
    ModeOptions,
    latency=LATENCIES,
    max_queue=st.integers(0, 4),
    workers=st.integers(1, 3),
    barren=st.integers(1, 3),
    max_lanes=st.integers(1, 4),
    stop_s=st.sampled_from((0.0, 2.0, 50.0)),
    protect=st.sampled_from(Protect),
    strip_caller_breakpoints=st.booleans(),
    cache_uncompacted_tail=st.booleans(),
    is_cache_aware=st.booleans(),
)


@settings(max_examples=15, deadline=None)
@given(
    told=OPTIONS,
    n_lanes=st.integers(1, 4),
    gaps_s=st.lists(st.sampled_from((0.0, 0.3, 4.0, 20.0, 400.0)), min_size=1, max_size=5),
    repeats=st.booleans(),
    marks=st.booleans(),
)
def test_whatever_the_schedule(
    *, told: ModeOptions, n_lanes: int, gaps_s: list[float], repeats: bool, marks: bool
) -> None:
    """The laws hold, each commit is of its lane's current generation and the only one, and the same gives the same."""
    content = interleaved(n_lanes, 4, gaps_s, repeats=repeats)
    plan = extracting("cacheinject") if marks else PLAN
    done = drive(content, plan, Watched, told)
    n = 5 * n_lanes
    assert broken(done.counters, n) == []
    assert lost(bodies(content), done.bodies) == []
    times = [turn.at_s for turn in done.arm.mode_turns]
    assert times == sorted(times)
    assert len(times) == len(done.arm.turns) == n
    assert all(is_current for _, is_current in done.arm.commits)
    assert len({(one.lane, one.number) for one, _ in done.arm.commits}) == len(done.arm.commits) == done.queue.committed
    again = drive(content, plan, Watched, told)
    assert again.sent == done.sent
    assert again.counters == done.counters
    assert not told.cache_uncompacted_tail or not done.counters.async_tail_protected_turns
    if told.protect is Protect.PENDING:
        assert done.counters.async_tail_protected_committed_turns == 0


def test_answers_do_not_go_back_in_time() -> None:
    """Two lanes ask the same at once with two workers: the second waits for the answer of the first, and pays none."""
    content = interleaved(2, 2, [0.0, 100.0], repeats=True)
    told = options(Latency(median_s=30.0), workers=2, stop_s=60.0)
    done = drive(content, extracting(), AsyncArm, told)
    # Of each lane's two outputs one is a word; the other is asked about with the last request, at the same second.
    assert done.counters.llm_calls == 1
    assert (done.queue.committed, done.queue.barren) == (2, 4)
    assert done.counters.async_deferred_ms_total == pytest.approx(4 * 25 + 2 * 30_025)
