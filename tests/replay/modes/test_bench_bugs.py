"""The four bugs that only the sources' benchmark found: each faulty rule, and which way it bends the figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.compaction.state import Held, HeldKind
from cgcli.model import changed
from cgcli.replay.modes.async_arm import AsyncArm
from cgcli.replay.modes.observe_arm import ObserveArm
from cgcli.replay.run import Run
from tests.replay.modes.driving import Around, drive, extracting, marked, options, sync, tail_marked, timed
from tests.replay.paired.lanes import conversation, growing, lines, planned

if TYPE_CHECKING:
    from cgcli.compaction.state import LaneState
    from cgcli.lanes import Placement
    from cgcli.lanes.meeting import Met
    from cgcli.model import Exchange
    from cgcli.replay.modes.deferring import Found
    from cgcli.replay.modes.options import ModeOptions
    from cgcli.replay.modes.tracker import Generation
    from cgcli.replay.paired.expand_tool import Inject
    from cgcli.replay.paired.shared import Shared
    from cgcli.replay.run import Stage

LANE = lines(growing(conversation(10)))
GATED = planned("mask", mask={"keep_recent": 2})
"""It leaves alone what the provider holds."""
UNPROTECTED = options(cache_uncompacted_tail=True)


class CountingTwice(AsyncArm):
    """A deferred run is booked as if it had been sent; the turns that replay it book it again."""

    def _finished(self, found: Found) -> None:
        super()._finished(found)
        saved = found.outcome.before_tokens - found.outcome.after_tokens
        self.counters.saved_tokens += self._shared.ruler(found.inline.stage.exchange.request.model).tokens(saved)


class CommittingTurnState(AsyncArm):
    """With its decisions a deferred run commits where its own turn diverged from the one before it."""

    def __init__(self, run: Run, shared: Shared, *, inject: Inject, options: ModeOptions) -> None:
        """Nothing was committed yet."""
        super().__init__(run, shared, inject=inject, options=options)
        self._diverged: dict[int, int] = {}

    def _finished(self, found: Found) -> None:
        super()._finished(found)
        self._diverged[found.inline.generation.lane] = found.inline.stage.shared

    def _stage(self, met: Met, generation: Generation) -> Stage:
        stage = super()._stage(met, generation)
        return changed(stage, shared=self._diverged.get(generation.lane, stage.shared))


class BlindRun(Run):
    """A run that does not know what the provider holds."""

    def stage(self, exchange: Exchange, placement: Placement) -> Stage:
        """Nothing is held."""
        return changed(super().stage(exchange, placement), held=Held(kind=HeldKind.NOTHING, n_messages=0))


class ForgetfulRun(Run):
    """A run whose state is thrown away after each turn, what it decided with it."""

    def keep(self, stage: Stage, state: LaneState) -> None:
        """Not at all."""


def test_a_deferred_run_counts_once() -> None:
    """Savings are those of the requests that were sent. Booked with the run itself, the first turn's count twice."""
    ours, faulty = drive(LANE, extracting(), AsyncArm), drive(LANE, extracting(), CountingTwice)
    sent = sum(turn.removed_tokens for turn in ours.arm.turns)
    assert ours.queue.committed == faulty.queue.committed > 0
    assert ours.counters.saved_tokens == ours.counters.tokens_before - ours.counters.tokens_after == sent
    assert faulty.counters.saved_tokens > sent
    assert faulty.counters.saved_tokens != faulty.counters.tokens_before - faulty.counters.tokens_after


def test_what_a_turn_knows_of_itself_is_not_committed() -> None:
    """Marks stand at the end and where the turn before ended; by the state of a job's turn, the latter is not found."""
    messages = conversation(10)
    content = lines([tail_marked(messages[:n]) for n in range(3, 20, 2)])
    plan = extracting("cacheinject")
    inline = drive(content, planned("cacheinject"), sync)
    ours, faulty = drive(content, plan, AsyncArm, UNPROTECTED), drive(content, plan, CommittingTurnState, UNPROTECTED)
    assert ours.queue.committed > 0
    assert [marked(body)[-2:] for body in ours.bodies] == [marked(body)[-2:] for body in inline.bodies]
    assert marked(ours.bodies[3])[-2:] == [6, 8]
    assert 6 not in marked(faulty.bodies[3])
    assert faulty.counters.saved_tokens < ours.counters.saved_tokens


def test_a_projection_without_the_held_prefix_overstates() -> None:
    """A copy that takes nothing for held enters what sync leaves alone, and projects several times what sync saves."""
    times_s = [20.0 * i + (4000 if i > 7 else 0) for i in range(11)]
    content = timed(growing(conversation(10)), times_s)  # after the pause nothing is held, and sync enters
    inline = drive(content, GATED, sync).counters.saved_tokens
    ours = drive(content, GATED, ObserveArm).counters.potential_saved_tokens
    blind = drive(content, GATED, ObserveArm, None, Around(run=BlindRun)).counters.potential_saved_tokens
    assert ours == inline > 0
    assert blind > 1.5 * inline


def test_a_projection_without_a_state_of_its_own_understates() -> None:
    """What earlier turns decided is most of what later ones save: forgotten, a fraction of it is projected."""
    plan = extracting()
    inline = drive(LANE, plan, sync).counters.saved_tokens
    ours = drive(LANE, plan, ObserveArm).counters.potential_saved_tokens
    forgetful = drive(LANE, plan, ObserveArm, None, Around(run=ForgetfulRun)).counters.potential_saved_tokens
    assert ours == inline > 0
    assert 0 < forgetful < inline / 3
