"""Async: requests go out with what earlier turns decided; what needs a model runs beside, and lands or is stale."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.compaction.state import Held, HeldKind
from cgcli.compaction.summaries.state import What
from cgcli.model import changed, unique
from cgcli.replay.ledger import Told
from cgcli.replay.modes.asking import Answers, Verdicts
from cgcli.replay.modes.base import ModeArm, ModeTurn
from cgcli.replay.modes.deferring import Inline, deferred
from cgcli.replay.modes.options import Mode
from cgcli.replay.modes.pool import Job, Offered, Pool, Work
from cgcli.replay.modes.tail import Protect, last_marked, tail
from cgcli.replay.modes.tracker import Tracker
from cgcli.replay.paired.arm import Taken
from cgcli.replay.paired.expand_tool import injection

if TYPE_CHECKING:
    from cgcli.compaction.splicing import Placed
    from cgcli.compaction.state import Decision
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
        self._ready_s: dict[Digest, float] = {}
        """When each call is answered that a job has made."""
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
        """Per lane: the last message with a breakpoint in its last request; -1 for none."""
        self._made: list[OwnCall] = []
        self._fired = dict(run.ledger.distinct.fired)

    def turn(self, met: Met, moment: Moment, output_tokens: int | None) -> ArmTurn:
        """What becomes of the request that was *met*."""
        now_s = self.now(moment)
        self._land(now_s)
        inline = self._inline(met)
        protection, job = self._deferred(inline)
        taken = self._taken(met, inline.outcome, protection)
        self.book(met, moment, taken, output_tokens)
        self._pool.begin(now_s)  # what it asks meets a cache that the request was sent to
        self.counters.async_queue.pending = len(self._pool)
        turn = self._with_calls()
        told = ModeTurn(
            number=met.number,
            at_s=now_s,
            added_s=self.options.step_s,
            n_breakpoints=self.n_marks(self.sent),
            job=job,
            is_protected=protection is not None,
            realized_tokens=self._realized_tokens(met, taken),
        )
        self._count(met, turn, taken.placed, told)
        return turn

    def _inline(self, met: Met) -> Inline:
        """The turn with what earlier turns decided, and with what needs no model."""
        generation = self._tracker.turn(met.placement.thread.identity)
        self.counters.async_lanes_evicted = self._tracker.n_evicted
        stage = self._stage(met, generation)
        seam = changed(stage.seam, can_answer=False, is_deferring=True, answers=self._landed)
        state, stepped = stage.step(seam)
        outcome = self.run.settle(stage, state, stepped)
        i_row = len(self.run.ledger.rows) - 1
        return Inline(stage=stage, generation=generation, state=state, outcome=outcome, i_row=i_row)

    def _taken(self, met: Met, outcome: Outcome, protection: Tail | None) -> Taken:
        """What is sent of *outcome*, its tail protected."""
        placed = protection.placed if protection is not None else outcome.edits
        more = (*protection.strips, *protection.anchor) if protection is not None else ()
        tool = injection(met.exchange.request, (one.literal for _, _, one in placed), self._inject)
        distinct, before = self.run.ledger.distinct, self._fired
        self._fired = dict(distinct.fired)
        is_other = self._is_reset(met, has_tool=tool is not None)
        return Taken(
            outcome=outcome,
            placed=placed,
            more=(*more, tool) if tool is not None else more,
            fired=distinct.fired_since(before),
            is_reset=self._is_rewritten(met, outcome) or is_other,
        )

    def finish(self) -> None:
        """The file is over: jobs get a little time, and then are given up."""
        self._land(self._now_s + self.options.stop_s)
        queue = self.counters.async_queue
        queue.abandoned += self._pool.abandon()
        queue.pending = 0
        if self.turns and self._made:
            self._with_calls()

    def _stage(self, met: Met, generation: Generation) -> Stage:
        stage = self.run.stage(met.exchange, met.placement)
        if stage.seam.judge is not None:
            stage = changed(stage, seam=changed(stage.seam, judge=Verdicts(stage.seam.judge)))
        if not generation.is_recreated:
            return stage
        messages = met.exchange.request.messages
        answered = max((i for i, one in enumerate(messages) if one.role == "assistant"), default=-1)
        return changed(stage, held=Held(kind=HeldKind.UNKNOWN, n_messages=answered + 1))

    def _deferred(self, inline: Inline) -> tuple[Tail | None, str]:
        """Offer the rest of the turn to the queue; how its tail is protected, and what became of the job."""
        stage, generation = inline.stage, inline.generation
        queue, counters, lane = self.counters.async_queue, self.counters, generation.lane
        is_barren = self._tracker.n_barren(lane) >= self.options.barren
        span = self._span(stage, generation, is_offering=not is_barren)
        found = (
            tail(stage.exchange.request, span, inline.outcome.edits, assumed=self._is_assumed)
            if span is not None
            else None
        )
        if found is not None and not self._may_protect(stage.exchange.request, found):
            counters.async_tail_unprotected_turns += 1
            return None, DECLINED
        queue.offered += 1
        if is_barren:
            queue.suppressed_barren += 1
            return self._protecting(found, lane) if self.options.protect is Protect.PENDING else None, SUPPRESSED
        key = (lane, generation.number)
        offered = self._pool.offer(Job(key=key, start=lambda at_s: self._work(inline, at_s)))
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
        if request.dialect != _ANTHROPIC or not found.is_clean:
            return False
        return not found.n_callers or self.options.strip_caller_breakpoints

    def _protecting(self, found: Tail | None, lane: int) -> Tail | None:
        if found is not None:
            self.counters.async_tail_protected_turns += 1
            pending = self._pending.get(lane)
            if pending is not None:
                self._protected[pending.key] = self._protected.get(pending.key, 0) + 1
        return found

    def _work(self, inline: Inline, at_s: float) -> Work[Found]:
        answers = Answers(self.run.answering, self.options.latency, self._ready_s, at_s + self.options.step_s)
        found = deferred(inline, answers)
        line = inline.stage.exchange.source.line
        self._made += [self.own(job, at_s, line) for job in answers.made]
        return Work(result=found, duration_s=answers.now_s - at_s)

    def _land(self, now_s: float) -> None:
        """Whatever ends up to *now_s*: committed where its lane is still on its turn, else thrown away."""
        queue = self.counters.async_queue
        for done in self._pool.until(now_s):
            self.counters.async_deferred_runs += 1
            self.counters.async_deferred_ms_total += 1000 * done.duration_s
            if done.result is None:
                queue.errors += 1
            elif not self._tracker.is_current(done.result.inline.generation):
                queue.stale_discarded += 1
            else:
                queue.processed += 1
                self._finished(done.result)
        queue.pending = len(self._pool)

    def _finished(self, found: Found) -> None:
        queue, stage, generation = self.counters.async_queue, found.inline.stage, found.inline.generation
        if found.is_barren or not self._tracker.commit(generation):
            queue.barren += 1
            self._tracker.barren(generation)
            return
        queue.committed += 1
        answers, ledger = self.run.answering.answers, self.run.ledger
        self.run.keep(stage, found.state)
        self._landed |= {key: answers[key] for key in found.known if key in answers}
        self._written |= {id(one): one for one in found.decisions}
        for evaluation in found.outcome.considered:
            ledger.distinct.book(stage.placement.thread, stage.exchange.request, evaluation)
        line = stage.exchange.source.line
        ledger.summaries += [Told(line=line, i_exchange=found.inline.i_row, event=event) for event in found.said]
        self.counters.async_tail_protected_committed_turns += self._protected.pop(
            (generation.lane, generation.number), 0
        )
        if found.from_message is not None:
            self._rewrites[generation.lane] = found.from_message

    def _is_rewritten(self, met: Met, outcome: Outcome) -> bool:
        """True where a commit replaces what the last request of the lane had a breakpoint at or behind."""
        lane = met.placement.thread.identity
        since, marked = self._rewrites.pop(lane, None), self._marked.get(lane)
        starts = [event.start for event in outcome.summaries if event.what is What.APPLIED and event.start is not None]
        since = min((one for one in (since, *starts) if one is not None), default=None)
        is_rewritten = since is not None and marked is not None and since <= marked
        self.counters.async_tail_rewritten_turns += is_rewritten
        return is_rewritten

    def _realized_tokens(self, met: Met, taken: Taken) -> int:
        """What the request would have more without what committed jobs decided: never more than it saves."""
        counted = sum(one.saved_tokens for _, _, one in taken.placed if self._is_realized(one))
        ruler, after = self._shared.ruler(met.exchange.request.model), taken.outcome.after_tokens
        return ruler.tokens(after + counted) - ruler.tokens(after)

    def _is_realized(self, decision: Decision) -> bool:
        """True for what a committed job wrote; the path of a request asks for no summary, so each one is a job's."""
        if id(decision) in self._written:
            return True
        step = self.run.policy.span_step
        return step is not None and any(fired.component == step.name for fired in decision.fired)

    def _with_calls(self) -> ArmTurn:
        """The last turn, with the calls that were made since the one before."""
        self.count_calls(self._made)
        turn = self.turns[-1]
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
        last = last_marked(self.sent, assumed=self._is_assumed)
        # As the input numbers it: summaries stand for several messages, and before the last mark.
        n_less = len(met.exchange.request.messages) - len(self.sent.messages)
        self._marked[met.placement.thread.identity] = last + n_less if last >= 0 else -1
        self.mode_turns.append(told)
