"""Observe: requests go out untouched, and a copy of each is compacted beside, with a state of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.cachesim.bill import billed
from cgcli.model import changed
from cgcli.replay.modes.base import ModeArm, ModeTurn
from cgcli.replay.modes.counters import OBSERVE_LLM_NOTICE, OBSERVE_NOTICE
from cgcli.replay.modes.options import Mode
from cgcli.replay.modes.pool import Job, Offered, Pool, Work, started
from cgcli.replay.paired.turns import ArmTurn

if TYPE_CHECKING:
    from cgcli.compaction.step import Outcome
    from cgcli.lanes.meeting import Met
    from cgcli.replay.modes.options import ModeOptions
    from cgcli.replay.paired.arm import Moment
    from cgcli.replay.paired.expand_tool import Inject
    from cgcli.replay.paired.shared import Shared
    from cgcli.replay.paired.turns import OwnCall
    from cgcli.replay.run import Run


class ObserveArm(ModeArm):
    """The path of a request never meets the policy, nor the tool that expands markers: it is sent first."""

    is_enforced: ClassVar[bool] = False

    def __init__(self, run: Run, shared: Shared, *, inject: Inject, options: ModeOptions) -> None:
        """*run* is what copies go through; its state is that of copies alone, and persists."""
        super().__init__(run, shared, inject=inject, mode=Mode.OBSERVE, options=options)
        self.counters.observe_notice, self.counters.observe_llm_notice = OBSERVE_NOTICE, OBSERVE_LLM_NOTICE
        self._pool: Pool[float] = Pool(max_queue=options.max_queue, workers=options.workers)

    def turn(self, met: Met, moment: Moment, output_tokens: int | None) -> ArmTurn:
        """The request that was *met* is sent; then a copy of it is looked at."""
        now_s = self.now(moment)
        turn = self._sent(met, moment, output_tokens)
        self._settle(now_s)
        calls = self._copied(met, now_s)
        turn = self.turns[-1] = changed(turn, own_calls=tuple(calls))
        self.count_calls(calls)
        n_marks = self.n_marks(self.sent)
        self.counters.breakpoints += n_marks
        self.mode_turns.append(ModeTurn(number=met.number, at_s=now_s, added_s=0.0, n_breakpoints=n_marks))
        return turn

    def finish(self) -> None:
        """The file is over: what is still measured gets a little time."""
        self._settle(self._now_s + self.options.stop_s)
        queue = self.counters.observe_queue
        queue.pending = 0
        queue.abandoned += self._pool.abandon()

    def _sent(self, met: Met, moment: Moment, output_tokens: int | None) -> ArmTurn:
        exchange, request = met.exchange, met.exchange.request
        self.sent = request
        simulated = self._simulator.send(request, number=met.number, sent_s=moment.sent_s, readable_s=moment.answered_s)
        ruler = self._shared.ruler(request.model)
        bill = billed(simulated, self._shared.prices.of(request.model), output_tokens=output_tokens or 0)
        turn = ArmTurn(
            number=met.number,
            line=exchange.source.line,
            thread=met.placement.thread.identity,
            model=request.model,
            sent_s=moment.sent_s,
            before_tokens=ruler.tokens(ruler.measure(request).total),
            simulated=simulated,
            output_tokens=output_tokens,
            usd=bill.usd,
            own_calls=(),
            fired={},
            removed_tokens=0,
            is_changed=False,
            is_reset=False,
            edits=(),
            regrets=(),
        )
        self.turns.append(turn)
        return turn

    def _copied(self, met: Met, now_s: float) -> list[OwnCall]:
        """Compact a copy, where there is room for one more; the policy's own calls of it."""
        queue = self.counters.observe_queue
        work: list[Work[float]] = []
        calls: list[OwnCall] = []
        queue.offered += 1
        lane = met.placement.thread.identity
        offered = self._pool.offer(Job(key=(lane, met.number), start=lambda _: work[0]))
        if offered is Offered.DROPPED:
            queue.dropped += 1
            self.run.stage(met.exchange, met.placement)  # it was sent all the same
            return calls
        queue.queued += 1
        # What is found does not depend on when a worker comes to it.
        work.append(started(Job(key=met.number, start=lambda _: self._compacted(met, now_s, calls)), now_s))
        self._pool.begin(now_s)
        queue.pending = len(self._pool)
        return calls

    def _compacted(self, met: Met, now_s: float, calls: list[OwnCall]) -> Work[float]:
        run, counters = self.run, self.counters
        n_jobs, fired = len(run.answering.jobs), dict(run.ledger.distinct.fired)
        outcome = run.turn(met.exchange, met.placement)
        jobs = run.answering.jobs[n_jobs:]
        calls += [self.own(job, now_s, met.exchange.source.line) for job in jobs]
        self._count(met, outcome)
        for name, n in run.ledger.distinct.fired_since(fired).items():
            counters.potential_components[name] = counters.potential_components.get(name, 0) + n
        took_s = self.took_s(jobs)
        counters.potential_overhead_ms_total += 1000 * took_s
        return Work(result=took_s, duration_s=took_s)

    def _count(self, met: Met, outcome: Outcome) -> None:
        ruler, counters = self._shared.ruler(met.exchange.request.model), self.counters
        before, after = ruler.tokens(outcome.before_tokens), ruler.tokens(outcome.after_tokens)
        counters.observe_hypothetical_requests += 1
        counters.actual_baseline_tokens += before
        counters.projected_optimized_tokens += after
        counters.potential_saved_tokens += before - after

    def _settle(self, now_s: float) -> None:
        queue = self.counters.observe_queue
        for done in self._pool.until(now_s):
            if done.result is None:
                queue.errors += 1
            else:
                queue.processed += 1
                queue.measured += 1
        queue.pending = len(self._pool)
