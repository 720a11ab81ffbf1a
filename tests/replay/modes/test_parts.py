"""The parts of the simulation by themselves: the queue, the generations, the times of calls, the record."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import NormalDist, fmean, median
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.errors import CgError, UsageError
from cgcli.model import Digest
from cgcli.replay.modes.counters import Counters, Queue
from cgcli.replay.modes.latency import Latency, latency
from cgcli.replay.modes.options import ModeOptions
from cgcli.replay.modes.pool import Job, Offered, Pool, Work
from cgcli.replay.modes.tail import Protect
from cgcli.replay.modes.tracker import Tracker

if TYPE_CHECKING:
    from collections.abc import Callable


def _taking(duration_s: float, begun: list[float] | None = None) -> Callable[[float], Work[str]]:
    """A job that takes so long, and notes when it was begun."""

    def start(at_s: float) -> Work[str]:
        if begun is not None:
            begun.append(at_s)
        return Work(result="done", duration_s=duration_s)

    return start


def test_jobs_begin_as_workers_become_free() -> None:
    """One worker, jobs of 10 s, offered at 0, 1 and 2: they begin at 0, 10 and 20."""
    pool: Pool[str] = Pool()
    begun: list[float] = []
    for i in range(3):
        assert pool.offer(Job(key=i, start=_taking(10, begun))) is Offered.QUEUED
        pool.begin(i)
    assert [done.ended_s for done in pool.until(25)] == [10, 20]
    assert begun == [0, 10, 20]
    assert len(pool) == 1
    assert [done.ended_s for done in pool.until(30)] == [30]


def test_a_full_queue_drops_and_does_not_wait() -> None:
    """Two workers and room for one more: the fourth job is dropped, and its key is free for a later one."""
    pool: Pool[str] = Pool(max_queue=1, workers=2)
    offered = []
    for i in range(4):
        offered.append(pool.offer(Job(key=i, start=_taking(10))))
        pool.begin(0)
    assert offered == [Offered.QUEUED] * 3 + [Offered.DROPPED]
    assert not pool.is_claimed(3)
    assert len([*pool.until(10)]) == 2
    assert pool.offer(Job(key=3, start=_taking(10))) is Offered.QUEUED


def test_a_key_is_claimed_until_its_job_has_ended() -> None:
    """Waiting or at work, a second job of the same key is refused; afterwards it is not."""
    pool: Pool[str] = Pool()
    assert pool.offer(Job(key="a", start=_taking(5))) is Offered.QUEUED
    assert [pool.offer(Job(key="a", start=_taking(5))) for _ in range(32)] == [Offered.DEDUPLICATED] * 32
    pool.begin(0)
    assert pool.offer(Job(key="a", start=_taking(5))) is Offered.DEDUPLICATED
    assert [done.job.key for done in pool.until(5)] == ["a"]
    assert not pool.is_claimed("a")
    assert pool.offer(Job(key="a", start=_taking(5))) is Offered.QUEUED


def test_what_ends_first_comes_first() -> None:
    """With two workers a short job overtakes a long one."""
    pool: Pool[str] = Pool(workers=2)
    pool.offer(Job(key="long", start=_taking(9)))
    pool.offer(Job(key="short", start=_taking(3)))
    pool.begin(0)
    assert [done.job.key for done in pool.until(9)] == ["short", "long"]


def test_a_job_with_a_fault_fails_open() -> None:
    """It ends at once with nothing, and its worker goes on; what the user is to be told is not hidden."""

    def fault(at_s: float) -> Work[str]:
        raise ZeroDivisionError(at_s)

    def wrong(at_s: float) -> Work[str]:
        raise CgError(f"at {at_s}")

    pool: Pool[str] = Pool()
    pool.offer(Job(key="fault", start=fault))
    pool.offer(Job(key="next", start=_taking(2)))
    pool.begin(1)
    assert [(done.job.key, done.result, done.ended_s) for done in pool.until(9)] == [
        ("fault", None, 1),
        ("next", "done", 3),
    ]
    pool.offer(Job(key="wrong", start=wrong))
    with pytest.raises(CgError):
        pool.begin(9)


def test_what_is_given_up_does_not_come_back() -> None:
    """Three jobs, one of which is at work: three are given up, and the pool is as new."""
    pool: Pool[str] = Pool()
    for i in range(3):
        pool.offer(Job(key=i, start=_taking(10)))
    pool.begin(0)
    assert pool.abandon() == 3
    assert (len(pool), [*pool.until(math.inf)], pool.is_claimed(0)) == (0, [], False)


@given(
    jobs=st.lists(st.tuples(st.floats(0, 30), st.floats(0, 50)), max_size=25),
    workers=st.integers(1, 3),
    max_queue=st.integers(0, 5),
)
def test_a_pool_never_has_more_than_it_may(jobs: list[tuple[float, float]], workers: int, max_queue: int) -> None:
    """Whatever comes: no more at once than workers and room, ends in order, each job once or dropped."""
    pool: Pool[str] = Pool(max_queue=max_queue, workers=workers)
    now_s, ends, offered = 0.0, [], []
    for i, (gap_s, duration_s) in enumerate(jobs):
        now_s += gap_s
        ends += [done.ended_s for done in pool.until(now_s)]
        offered.append(pool.offer(Job(key=i, start=_taking(duration_s))))
        pool.begin(now_s)
        assert len(pool) <= workers + max_queue
    ends += [done.ended_s for done in pool.until(math.inf)]
    assert all(one <= other for one, other in pairwise(ends))
    assert len(ends) == offered.count(Offered.QUEUED)
    assert offered.count(Offered.QUEUED) + offered.count(Offered.DROPPED) == len(jobs)


def test_a_lane_begins_above_all_that_was_issued() -> None:
    """Two lanes with three turns each, another that takes their place: no generation is issued twice."""
    tracker = Tracker(2)
    first = [tracker.turn(lane).number for _ in range(3) for lane in (0, 1)]
    assert first == [1, 2, 2, 3, 3, 4]
    new = tracker.turn(2)
    assert (new.number, new.is_first, new.is_recreated) == (5, True, False)
    again = tracker.turn(0)
    assert (again.number, again.is_first, again.is_recreated) == (6, True, True)
    assert tracker.n_evicted == 2
    assert not tracker.turn(0).is_recreated


@pytest.mark.parametrize(
    ("told", "median_s", "sigma"),
    [("constant:12s", 12, 0), ("constant:0.5", 0.5, 0), ("lognormal:12s,0.5", 12, 0.5), ("lognormal:8, 1", 8, 1)],
)
def test_latency_is_told_in_a_word(told: str, median_s: float, sigma: float) -> None:
    """A constant, or a distribution by its median and spread; as it is written it is read again."""
    found = latency(told, seed=7)
    assert found == Latency(median_s=median_s, sigma=sigma, seed=7)
    assert latency(str(found), seed=7) == found


@pytest.mark.parametrize("told", ["", "12s", "constant:", "constant:-1", "constant:inf", "lognormal:12", "normal:1,2"])
def test_what_is_no_latency_is_refused(told: str) -> None:
    """Anything else is refused with the two forms that there are."""
    with pytest.raises(UsageError) as caught:
        latency(told)
    assert "constant:12s" in str(caught.value.hint)


def test_drawn_times_have_the_distribution_and_depend_on_the_call_alone() -> None:
    """Of two thousand calls half take less than the median, and their logarithms spread by sigma."""
    drawn = Latency(median_s=12.0, sigma=0.5, seed=1)
    calls = [Digest(i.to_bytes(32, "big")) for i in range(2000)]
    times = [drawn.of(call) for call in calls]
    assert times == [drawn.of(call) for call in calls]
    assert median(times) == pytest.approx(12, rel=0.05)
    logs = [math.log(one / 12) for one in times]
    assert NormalDist.from_samples(logs).stdev == pytest.approx(0.5, rel=0.05)
    assert fmean(logs) == pytest.approx(0, abs=0.05)
    assert [Latency(median_s=12.0, sigma=0.5, seed=2).of(call) for call in calls[:5]] != times[:5]
    assert drawn.times(2).of(calls[0]) == pytest.approx(2 * times[0])
    assert {Latency(median_s=3.0).of(call) for call in calls} == {3.0}


def test_the_defaults_are_those_of_the_sources() -> None:
    """A queue of 256, one worker, three barren jobs, a thousand lanes, two seconds to stop, nothing stripped."""
    told = ModeOptions()
    assert (told.max_queue, told.workers, told.barren, told.max_lanes, told.stop_s) == (256, 1, 3, 1000, 2.0)
    assert (told.strip_caller_breakpoints, told.cache_uncompacted_tail, told.is_cache_aware) == (False, False, True)
    assert told.protect is Protect.PENDING


QUEUE_KEYS = {
    *("offered", "queued", "dropped", "deduplicated", "suppressed_barren", "processed", "committed", "barren"),
    *("measured", "stale_discarded", "errors", "abandoned", "pending"),
}
KEYS = {
    *("mode", "requests", "tokens_before", "tokens_after", "saved_tokens", "savings_pct", "sync_enforced"),
    *("async_enforced", "added_ms_total", "added_ms_avg", "llm_calls", "llm_input_tokens", "llm_output_tokens"),
    *("async_queue", "async_deferred_runs", "async_deferred_ms_total", "async_realized_saved_tokens"),
    *("async_tail_protected_turns", "async_tail_protected_committed_turns", "async_tail_unprotected_turns"),
    *("async_tail_rewritten_turns", "async_lanes_evicted", "frozen_replayed_turns", "frozen_replayed_tokens"),
    *("frozen_lost_turns", "breakpoints", "breakpoints_per_request", "observe_hypothetical_requests"),
    *("observe_queue", "observe_notice", "observe_llm_notice", "actual_baseline_tokens"),
    *("projected_optimized_tokens", "potential_saved_tokens", "potential_savings_pct", "potential_components"),
    *("potential_overhead_ms_total", "potential_overhead_ms_avg"),
}


def test_the_record_has_these_keys() -> None:
    """Readers of the record find each of these names, and no other: names may be added, and none goes."""
    document = Counters(mode="async").document()
    assert set(document) == KEYS
    assert set(document["async_queue"]) == set(document["observe_queue"]) == QUEUE_KEYS


def test_averages_and_shares() -> None:
    """By requests that were sent, or that a copy was made of, and zero where there is none."""
    sent = Counters(mode="sync", requests=4, added_ms_total=100.0, breakpoints=6, tokens_before=200, saved_tokens=50)
    told = sent.document()
    assert (told["added_ms_avg"], told["breakpoints_per_request"], told["savings_pct"]) == (25.0, 1.5, 25.0)
    observed = Counters(
        mode="observe",
        observe_hypothetical_requests=2,
        observe_queue=Queue(offered=4, queued=2, dropped=2, processed=2, measured=2),
        breakpoints=4,
        actual_baseline_tokens=100,
        potential_saved_tokens=10,
        potential_overhead_ms_total=30.0,
    )
    told = observed.document()
    assert (told["potential_savings_pct"], told["potential_overhead_ms_avg"]) == (10.0, 15.0)
    assert (told["breakpoints_per_request"], told["savings_pct"], told["added_ms_avg"]) == (1.0, 0.0, 0.0)
    empty = Counters(mode="async").document()
    assert (empty["added_ms_avg"], empty["savings_pct"], empty["breakpoints_per_request"]) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("queue", "n_broken"),
    [
        (Queue(), 0),
        (Queue(offered=5, queued=3, dropped=1, suppressed_barren=1, processed=2, committed=2, abandoned=1), 0),
        (Queue(offered=1), 1),
        (Queue(offered=1, queued=1), 1),
        (Queue(offered=1, queued=1, processed=1), 1),
        (Queue(offered=1, queued=1, processed=1, measured=1), 0),
        (Queue(committed=1, stale_discarded=1, dropped=1), 3),
    ],
)
def test_broken_laws_are_named(queue: Queue, n_broken: int) -> None:
    """Each law that does not hold is told, and where all hold none is."""
    assert len(queue.broken_laws()) == n_broken
