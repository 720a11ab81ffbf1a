"""Async: requests go out with what earlier turns decided; what needs a model runs beside, and lands or is stale."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.compaction.state import Held, HeldKind
from cgcli.model import changed, unique
from cgcli.replay.modes.base import ModeArm, ModeTurn
from cgcli.replay.modes.deferring import deferred
from cgcli.replay.modes.options import Mode
from cgcli.replay.modes.pool import Job, Offered, Pool, Work
from cgcli.replay.modes.tail import Protect, tail
from cgcli.replay.modes.tracker import Tracker
from cgcli.replay.paired.arm import Taken
from cgcli.replay.paired.expand_tool import injection

if TYPE_CHECKING:
    from cgcli.compaction.splicing import Placed
    from cgcli.compaction.state import Decision, LaneState
    from cgcli.compaction.step import Outcome
    from cgcli.lanes.meeting import Met
    from cgcli.model import Digest, Refusal, Request
    from cgcli.replay.modes.deferring import Found
    from cgcli.replay.modes.options import ModeOptions
    from cgcli.replay.modes.tail import Tail
    from cgcli.replay.modes.tracker import Generation
    from cgcli.replay.paired.arm import Moment
    from cgcli.replay.paired.expand_tool import Inject
    from cgcli.replay.paired.shared import Shared
    from cgcli.replay.paired.turns import ArmTurn, OwnCall
    from cgcli.replay.run import Run, Stage
    from cgcli.summarisers.protocol import Summary

SUPPRESSED = "suppressed_barren"
DECLINED = "declined"
_ANTHROPIC = "anthropic"
_Key = tuple[int, int]
"""A lane, and a generation of it."""


@unique
class _Pending:
    """A job that may still end."""

    key: _Key
    from_message: int
    """The first message that it may replace."""


class AsyncArm(ModeArm):
    """One policy whose expensive part runs behind a queue."""

    def __init__(self, run: Run, shared: Shared, *, inject: Inject, options: ModeOptions) -> None:
        """Nothing is pending."""
        super().__init__(run, shared, inject=inject, mode=Mode.ASYNC, options=options)
        self._tracker = Tracker(options.max_lanes)
        self._pool: Pool[Found] = Pool(max_queue=options.max_queue, workers=options.workers)
        self._landed: dict[Digest, Summary | Refusal] = {}
        """Answers of jobs that were committed: all that the path of a request may know."""
        self._written: dict[int, object] = {}
        """Decisions that committed jobs wrote, by identity."""
        self._pending: dict[int, _Pending] = {}
        """Per lane, the last job that was taken in."""
        self._protected: dict[_Key, int] = {}
        """Turns that were protected for a job's sake."""
        self._rewrites: dict[int, int] = {}
        """Per lane: from which message on a commit changed what was sent."""
        self._marked: dict[int, int] = {}
        """Per lane: the last message with a breakpoint in its last request."""
        self._made: list[OwnCall] = []
        self._fired = run.ledger.distinct.fired.copy()

    def turn(self, met: Met, moment: Moment, output_tokens: int | None) -> ArmTurn:
        """What becomes of the request that was *met*."""
        now_s, request = self.now(moment), met.exchange.request
        self._land(now_s)
        generation = self._tracker.turn(met.placement.thread.identity)
        self.counters.async_lanes_evicted = self._tracker.n_evicted
        stage = self._stage(met, generation)
        seam = changed(stage.seam, can_answer=False, is_deferring=True, answers=self._landed)
        state, stepped = stage.step(seam)
        outcome = self.run.settle(stage, state, stepped)
        protection, job = self._deferred(stage, generation, state, outcome, now_s)
        placed = protection.placed if protection is not None else outcome.edits
        more = (*protection.strips, *protection.anchor) if protection is not None else ()
        tool = injection(request, (one.literal for _, _, one in placed), self._inject)
        fired = self.run.ledger.distinct.fired
        taken = Taken(
            outcome=outcome,
            placed=placed,
            more=(*more, tool) if tool is not None else more,
            fired=dict(fired - self._fired),
            is_reset=self._is_rewritten(met) or self._is_reset(met, has_tool=tool is not None),
        )
        self._fired = fired.copy()
        turn = self.book(met, moment, taken, output_tokens)
        turn = self._with_calls(turn)
        self._count(
            met,
            turn,
            placed,
            ModeTurn(
                number=met.number,
                at_s=now_s,
                added_s=self.options.step_s,
                n_breakpoints=self.n_marks(self.sent),
                job=job,
                is_protected=protection is not None,
                realized_tokens=self.tokens_of(met, [one for _, _, one in placed if self._is_realized(one)]),
            ),
        )
        return turn

    def finish(self) -> None:
        """The file is over: jobs get a little time, and then are given up."""
        self._land(self._now_s + self.options.stop_s)
        queue = self.counters.async_queue
        queue.abandoned += self._pool.abandon()
        queue.pending = 0
        if self.turns and self._made:
            self._with_calls(self.turns[-1])

    def _stage(self, met: Met, generation: Generation) -> Stage:
        stage = self.run.stage(met.exchange, met.placement)
        if not generation.is_recreated:
            return stage
        messages = met.exchange.request.messages
        answered = max((i for i, one in enumerate(messages) if one.role == "assistant"), default=-1)
        return changed(stage, held=Held(kind=HeldKind.UNKNOWN, n_messages=answered + 1))

    def _deferred(
        self, stage: Stage, generation: Generation, inline: LaneState, outcome: Outcome, now_s: float
    ) -> tuple[Tail | None, str | None]:
        """Offer the rest of the turn to the queue; how its tail is protected, and what became of the job."""
        queue, counters, lane = self.counters.async_queue, self.counters, generation.lane
        is_barren = self._tracker.n_barren(lane) >= self.options.barren
        span = self._span(stage, generation, is_offering=not is_barren)
        found = (
            tail(stage.exchange.request, span, outcome.edits, assumed=self._is_assumed) if span is not None else None
        )
        if found is not None and not self._may_protect(stage.exchange.request, found):
            counters.async_tail_unprotected_turns += 1
            return None, DECLINED
        queue.offered += 1
        if is_barren:
            queue.suppressed_barren += 1
            return self._protecting(found, lane) if self.options.protect is Protect.PENDING else None, SUPPRESSED
        key = (lane, generation.number)
        offered = self._pool.offer(Job(key=key, start=lambda at_s: self._work(stage, generation, inline, at_s)), now_s)
        setattr(queue, offered.value, getattr(queue, offered.value) + 1)
        if self.options.protect is Protect.PENDING:
            found = self._protecting(found, lane)
        if offered is Offered.QUEUED:
            self._pending[lane] = _Pending(key=key, from_message=stage.shared)
            if self.options.protect is Protect.OWN:
                found = self._protecting(found, lane)
        elif self.options.protect is Protect.OWN:
            found = None
        queue.pending = len(self._pool)
        return found, offered.value

    def _span(self, stage: Stage, generation: Generation, *, is_offering: bool) -> int | None:
        """From which message on nothing is to be written; None where nothing is to be protected."""
        options = self.options
        if options.cache_uncompacted_tail or not options.is_cache_aware or generation.is_first:
            return None
        if options.protect is Protect.OWN:
            return stage.shared if is_offering else None
        pending = self._pending.get(generation.lane)
        return pending.from_message if pending is not None and self._pool.is_claimed(pending.key) else None

    def _may_protect(self, request: Request, found: Tail) -> bool:
        """False where a breakpoint stands in the span that may not be taken out, or that nobody can take out."""
        if request.dialect != _ANTHROPIC:
            return False
        return not found.n_callers or self.options.strip_caller_breakpoints

    def _protecting(self, found: Tail | None, lane: int) -> Tail | None:
        if found is not None:
            self.counters.async_tail_protected_turns += 1
            pending = self._pending.get(lane)
            if pending is not None:
                self._protected[pending.key] = self._protected.get(pending.key, 0) + 1
        return found

    def _work(self, stage: Stage, generation: Generation, inline: LaneState, at_s: float) -> Work[Found]:
        found = deferred(self.run, stage, generation, inline)
        line = stage.exchange.source.line
        self._made += [self.own(job, at_s, line) for job in found.jobs]
        return Work(result=found, duration_s=self.took_s(found.jobs))

    def _land(self, now_s: float) -> None:
        """Whatever ends up to *now_s*: committed where its lane is still on its turn, else thrown away."""
        queue = self.counters.async_queue
        for done in self._pool.until(now_s):
            self.counters.async_deferred_runs += 1
            self.counters.async_deferred_ms_total += 1000 * done.duration_s
            if done.result is None:
                queue.errors += 1
            elif not self._tracker.is_current(done.result.generation):
                queue.stale_discarded += 1
            else:
                queue.processed += 1
                self._finished(done.result)
        queue.pending = len(self._pool)

    def _finished(self, found: Found) -> None:
        queue, generation = self.counters.async_queue, found.generation
        if found.is_barren or not self._tracker.commit(generation):
            queue.barren += 1
            self._tracker.barren(generation)
            return
        queue.committed += 1
        stage, answers = found.stage, self.run.answering.answers
        self.run.keep(stage, found.state)
        self._landed |= {key: answers[key] for key in (*found.answered, *(job.key for job in found.jobs))}
        self._written |= {id(one): one for one in found.decisions}
        for evaluation in found.outcome.considered:
            self.run.ledger.distinct.book(stage.placement.thread, stage.exchange.request, evaluation)
        self.counters.async_tail_protected_committed_turns += self._protected.pop(
            (generation.lane, generation.number), 0
        )
        if found.from_message is not None:
            self._rewrites[generation.lane] = found.from_message

    def _is_rewritten(self, met: Met) -> bool:
        """True where a commit replaces what the last request of the lane had a breakpoint at or behind."""
        lane = met.placement.thread.identity
        since, marked = self._rewrites.pop(lane, None), self._marked.get(lane)
        is_rewritten = since is not None and marked is not None and since <= marked
        self.counters.async_tail_rewritten_turns += is_rewritten
        return is_rewritten

    def _is_realized(self, decision: Decision) -> bool:
        """True for what a committed job wrote; the path of a request asks for no summary, so each one is a job's."""
        if id(decision) in self._written:
            return True
        step = self.run.policy.span_step
        return step is not None and any(fired.component == step.name for fired in decision.fired)

    def _with_calls(self, turn: ArmTurn) -> ArmTurn:
        """*turn*, the last one, with the calls that were made since the one before."""
        self.count_calls(self._made)
        self.turns[-1] = changed(turn, own_calls=(*turn.own_calls, *self._made))
        self._made = []
        return self.turns[-1]

    def _count(self, met: Met, turn: ArmTurn, placed: tuple[Placed, ...], told: ModeTurn) -> None:
        counters = self.counters
        self.count_sent(turn)
        self.count_frozen(met, placed)
        counters.async_enforced += 1
        counters.added_ms_total += 1000 * told.added_s
        counters.breakpoints += told.n_breakpoints
        counters.async_realized_saved_tokens += told.realized_tokens
        self._marked[met.placement.thread.identity] = self._last_marked()
        self.mode_turns.append(told)

    def _last_marked(self) -> int:
        """The last message of what was sent that a breakpoint stands in; -1 for none."""
        messages = self.sent.messages
        marked = [i for i, item in enumerate(messages) if any(part.mark is not None for part in item.parts)]
        if marked:
            return marked[-1]
        return len(messages) - 1 if self.n_marks(self.sent) and self._is_assumed else -1
