"""Findings S6 to S11 of the sources' review, on what lands and what is counted: each against the faulty rule."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from cgcli.model import changed
from cgcli.replay.modes.async_arm import AsyncArm
from cgcli.replay.modes.latency import Latency
from cgcli.replay.modes.observe_arm import ObserveArm
from cgcli.replay.modes.options import Mode
from cgcli.replay.modes.tracker import Generation, Tracker
from tests.replay.modes.driving import ARMS, FAST, SLOW, Saying, asking, drive, extracting, options, sync, timed
from tests.replay.paired.lanes import conversation, growing, lines, output, planned

if TYPE_CHECKING:
    from cgcli.compaction.state import Decision
    from cgcli.compaction.step import Outcome
    from cgcli.lanes.meeting import Met
    from cgcli.replay.modes.options import ModeOptions
    from cgcli.replay.paired.expand_tool import Inject
    from cgcli.replay.paired.shared import Shared
    from cgcli.replay.run import Run, Stage

LANE = lines(growing(conversation(8)))
LONG = Latency(median_s=75.0)
"""Nearly four turns of 20 s."""
UNCACHED = options(LONG, cache_uncompacted_tail=True)
"""Nothing is protected, and no turn is declined."""


class ByCommits(Tracker):
    """S6: the generation advances when something is committed, and on no turn."""

    def turn(self, lane: int) -> Generation:
        """The generation as the last commit left it."""
        known = self._lanes.get(lane)
        number = known.generation if known is not None else None
        found = super().turn(lane)
        if number is not None:
            self._lanes[lane].generation = number
        return found if number is None else changed(found, number=number)

    def commit(self, generation: Generation) -> bool:
        """Taken in, and the next generation begins."""
        known = self._lanes.get(generation.lane)
        if known is None or known.generation != generation.number:
            return False
        known.generation += 1
        return True


class CommittingStale(AsyncArm):
    """S6, in an arm."""

    def __init__(self, run: Run, shared: Shared, *, inject: Inject, options: ModeOptions) -> None:
        """Its tracker is the faulty one."""
        super().__init__(run, shared, inject=inject, options=options)
        self._tracker = ByCommits(options.max_lanes)


class CreditingAll(AsyncArm):
    """S7: whatever is saved in async counts as realised."""

    def _is_realized(self, decision: Decision) -> bool:
        del decision
        return True


class Enforcing(ObserveArm):
    """S8: what was done to a copy is counted with what is done to requests."""

    def _count(self, met: Met, outcome: Outcome) -> None:
        super()._count(met, outcome)
        self.count_sent(self.turns[-1])


class FromNothing(Tracker):
    """S10: a lane that was given up begins at the generation of a new one."""

    def turn(self, lane: int) -> Generation:
        """As if no generation had ever been issued."""
        self._issued = 0
        return super().turn(lane)


class AnyLane(Tracker):
    """S10: some lane makes room, such as the one that was used last."""

    def turn(self, lane: int) -> Generation:
        """Room is made before the lane is taken in."""
        if lane not in self._lanes and len(self._lanes) >= self._max_lanes:
            del self._lanes[next(reversed(self._lanes))]
        return super().turn(lane)


class HeldAsBefore(AsyncArm):
    """S10: what the provider holds of a lane that was given up counts as known."""

    def _stage(self, met: Met, generation: Generation) -> Stage:
        return super()._stage(met, changed(generation, is_recreated=False))


def test_s6_a_job_of_an_earlier_turn_never_lands() -> None:
    """Jobs of nearly four turns: by commits they land on histories that went on, by turns every one is stale."""
    ours, faulty = drive(LANE, extracting(), AsyncArm, UNCACHED), drive(LANE, extracting(), CommittingStale, UNCACHED)
    assert faulty.queue.committed > 0
    assert faulty.queue.deduplicated > 0  # its second job of a generation that several turns have
    assert (ours.queue.committed, ours.queue.deduplicated) == (0, 0)
    assert ours.queue.stale_discarded > 0
    assert ours.counters.saved_tokens == 0 < faulty.counters.saved_tokens


def test_s6_every_turn_is_a_generation() -> None:
    """The turns of a lane are numbered one by one, and what was found on an earlier one is not taken."""
    tracker = Tracker()
    first, second = tracker.turn(7), tracker.turn(7)
    assert [tracker.is_current(one) for one in (first, second)] == [False, True]
    assert [tracker.commit(one) for one in (first, second)] == [False, True]
    faulty = ByCommits()
    assert [faulty.commit(one) for one in (faulty.turn(7), faulty.turn(7))] == [True, False]


def test_s6_one_commit_a_generation() -> None:
    """Of sixteen jobs of one turn the first that ends is committed, and no other."""
    tracker = Tracker()
    turn = tracker.turn(0)
    assert [tracker.commit(turn) for _ in range(16)] == [True] + [False] * 15
    assert tracker.commit(tracker.turn(0))


@pytest.mark.parametrize("is_cache_aware", [True, False])
def test_s6_a_turn_counts_whether_or_not_anything_is_cached(*, is_cache_aware: bool) -> None:
    """With the cache off too, generations advance by turns: nothing of 75 s lands."""
    told = changed(UNCACHED, is_cache_aware=is_cache_aware)
    queue = drive(LANE, extracting(), AsyncArm, told).queue
    assert queue.committed == 0
    assert queue.stale_discarded > 0


def test_s7_a_policy_without_a_model_realises_nothing() -> None:
    """It saves from the first turn on, on the path: credited to deferral, all of it would be."""
    plan = planned("collapse", collapse={"max_tokens": 300})
    ours, faulty = drive(LANE, plan, AsyncArm), drive(LANE, plan, CreditingAll)
    assert ours.counters.saved_tokens == faulty.counters.saved_tokens > 20_000
    assert ours.counters.async_realized_saved_tokens == 0
    assert faulty.counters.async_realized_saved_tokens == faulty.counters.saved_tokens
    assert ours.queue.committed == faulty.queue.committed == 0


def test_s7_one_landed_job_realises_what_it_wrote() -> None:
    """One pause is long enough for one job: later turns realise its one decision, and not what `dedup` saves inline."""
    outputs = [output(0), *(output(1 + i % 2) for i in range(5))]
    content = timed(growing(conversation(6, outputs)), [0, 20, 140, 160, 180, 200, 220])
    told = options(SLOW, cache_uncompacted_tail=True)
    done, inline = drive(content, extracting("dedup"), AsyncArm, told), drive(content, planned("dedup"), sync)
    assert done.queue.committed == 1
    realized, saved = done.counters.async_realized_saved_tokens, done.counters.saved_tokens
    assert 0 < realized < saved
    assert saved == pytest.approx(realized + inline.counters.saved_tokens, abs=7)  # each request is rounded
    each = [turn.realized_tokens for turn in done.arm.mode_turns]
    assert each[:2] == [0, 0]  # the job of the second request landed before the third
    assert min(each[2:]) == max(each[2:]) > 0
    assert realized == sum(each)


def test_s8_observe_has_no_enforced_figure() -> None:
    """Counted with requests, copies would make observe say that it enforced nine; its time on their path is 0."""
    ours, faulty = drive(LANE, extracting(), ObserveArm), drive(LANE, extracting(), Enforcing)
    assert (ours.counters.requests, faulty.counters.requests) == (0, 9)
    assert (ours.counters.tokens_before, ours.counters.saved_tokens) == (0, 0)
    assert ours.counters.document()["added_ms_avg"] == 0
    assert ours.counters.document()["savings_pct"] == 0


def test_s8_spend_of_measuring_is_real_and_labelled() -> None:
    """Observe makes the calls that sync makes, counts them under their real names, and says what they are."""
    by_mode = {mode: drive(LANE, extracting(), make).counters for mode, make in ARMS.items()}
    assert {told.llm_calls for told in by_mode.values()} == {8}
    assert by_mode[Mode.OBSERVE].llm_input_tokens == by_mode[Mode.SYNC].llm_input_tokens > 0
    labelled = [mode for mode, told in by_mode.items() if told.observe_llm_notice is not None]
    assert labelled == [Mode.OBSERVE]


def test_s9_a_lane_that_finds_nothing_stops_asking() -> None:
    """Answers that save nothing: three are paid for and no more. Without the limit each of the eight turns pays."""
    useless, endless = (
        Saying("\n".join(f"pier {i} of basin {i}" for i in range(900))),
        Saying("\n".join(f"pier {i} of basin {i}" for i in range(900))),
    )
    ours = drive(LANE, asking(extracting(), useless), AsyncArm)
    faulty = drive(LANE, asking(extracting(), endless), AsyncArm, options(barren=10**6))
    assert ours.queue.committed == faulty.queue.committed == 0
    assert (ours.queue.barren, ours.queue.suppressed_barren) == (3, 6)
    assert (faulty.queue.barren, faulty.queue.suppressed_barren) == (9, 0)
    assert (useless.n_asked, endless.n_asked) == (2, 8)  # the first job had no output to ask about


def test_s9_a_job_that_finds_something_begins_the_count_anew() -> None:
    """Two barren jobs, one that is committed, two barren ones: never three in a row, and the lane goes on."""
    tracker = Tracker()
    for is_barren in (True, True, False, True, True):
        turn = tracker.turn(0)
        if is_barren:
            tracker.barren(turn)
        else:
            assert tracker.commit(turn)
    assert tracker.n_barren(0) == 2


def test_s10_a_lane_that_was_given_up_starts_above_all_that_is_in_flight() -> None:
    """Its old job is of generation 1, as the lane would be again: begun anew from nothing, the job would land."""
    for tracker, lands in ((Tracker(1), False), (FromNothing(1), True)):
        in_flight = tracker.turn(0)
        tracker.turn(1)  # takes the only place
        again = tracker.turn(0)
        assert again.is_recreated
        assert tracker.commit(in_flight) is lands


def test_s10_the_least_recently_used_lane_makes_room() -> None:
    """Lane 0 was just used and lane 1 was not: lane 1 goes. By an arbitrary choice lane 0 goes, job and all."""
    for tracker, survives in ((Tracker(2), True), (AnyLane(2), False)):
        tracker.turn(0)
        tracker.turn(1)
        turn = tracker.turn(0)
        tracker.turn(2)
        assert tracker.is_current(turn) is survives


def test_s10_of_a_lane_that_was_given_up_nothing_is_known_to_have_lapsed() -> None:
    """After a pause `mask` enters the old prefix as cold; of a lane that was forgotten meanwhile it leaves it alone."""
    one, other = growing(conversation(8)), growing(conversation(3, first="sound the horn"))
    bodies = [*one[:-1], *other, one[-1]]
    content = timed(bodies, [*(20.0 * i for i in range(12)), 4000.0])
    plan = planned("mask", mask={"keep_recent": 2})
    forgetting = options(FAST, max_lanes=1)
    ours, faulty = drive(content, plan, AsyncArm, forgetting), drive(content, plan, HeldAsBefore, forgetting)
    assert ours.counters.async_lanes_evicted == faulty.counters.async_lanes_evicted == 2
    assert ours.arm.turns[-1].removed_tokens == ours.arm.turns[7].removed_tokens
    assert faulty.arm.turns[-1].removed_tokens > faulty.arm.turns[7].removed_tokens
    assert faulty.arm.turns[-1].is_reset
    assert not ours.arm.turns[-1].is_reset


def test_s11_the_end_does_not_wait_for_a_job() -> None:
    """Jobs of ten minutes: two seconds after the last request they are given up. Waited for, the last would land."""
    hanging = Latency(median_s=600.0)
    ours = drive(LANE, extracting(), AsyncArm, options(hanging, cache_uncompacted_tail=True))
    waiting = drive(LANE, extracting(), AsyncArm, options(hanging, cache_uncompacted_tail=True, stop_s=math.inf))
    assert ours.queue.abandoned == 8
    assert waiting.queue.abandoned == 0
    assert waiting.queue.committed == 1
    assert waiting.counters.async_deferred_ms_total > 1000 * 600 * 7
    assert ours.counters.async_deferred_ms_total == pytest.approx(25)  # of the first, which had nothing to ask


@pytest.mark.parametrize(("stop_s", "abandoned", "committed"), [(2.0, 1, 0), (31.0, 0, 1)])
def test_s11_jobs_have_as_long_as_they_are_given(stop_s: float, abandoned: int, committed: int) -> None:
    """The last job takes 30 s: given 2 it is given up, given 31 it ends on its lane's last turn."""
    content = lines(growing(conversation(1)))
    queue = drive(content, extracting(), AsyncArm, options(SLOW, stop_s=stop_s)).queue
    assert (queue.abandoned, queue.committed, queue.pending) == (abandoned, committed, 0)


def test_sync_waits_for_every_call() -> None:
    """The bound is of what runs beside: in sync a request waits ten minutes for each of its calls."""
    told = drive(LANE, extracting(), sync, options(Latency(median_s=600.0))).counters
    assert told.added_ms_total == pytest.approx(8 * 600_000 + 9 * 25)
