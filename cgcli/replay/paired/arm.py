"""One policy at work beside the others: what it sends instead of each request, and what that costs."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, ClassVar

from cgcli.cachesim.bill import billed
from cgcli.compaction.component import Loss
from cgcli.model import Basis, changed, unique, value
from cgcli.readers.single import BodyParser
from cgcli.replay.paired.as_sent import AsSent
from cgcli.replay.paired.expand_tool import injection
from cgcli.replay.paired.regret import Regrets
from cgcli.replay.paired.removed import Removed
from cgcli.replay.paired.turns import MOST_KEPT_BYTES, ArmTurn, NewEdit, OwnCall

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cgcli.calls.edits import Edit
    from cgcli.compaction.policy import Policy
    from cgcli.compaction.splicing import Placed
    from cgcli.compaction.state import Decision
    from cgcli.compaction.step import Outcome
    from cgcli.compaction.summaries.state import Job
    from cgcli.lanes.meeting import Met
    from cgcli.model import Item, Request
    from cgcli.replay.paired.expand_tool import Inject
    from cgcli.replay.paired.shared import Shared
    from cgcli.replay.run import Run


@value
class Moment:
    """When a request was sent and answered, in seconds by the clock of the replay; None: not known."""

    sent_s: float | None
    answered_s: float | None

    @property
    def asked_s(self) -> float | None:
        """When what its policy asks afterwards is sent."""
        return self.answered_s if self.answered_s is not None else self.sent_s


@unique
class Taken:
    """What a turn came to, before it is sent."""

    outcome: Outcome
    placed: tuple[Placed, ...]
    """Those of its edits that are sent."""
    more: tuple[Edit, ...] = ()
    """Edits that no decision stands for."""
    asked_before: tuple[Job, ...] = ()
    """The policy's own calls that are answered before it is sent."""
    asked_after: tuple[Job, ...] = ()
    fired: Mapping[str, int]
    is_reset: bool
    """It changes what the provider held."""


class Arm:
    """One policy over one file. It is told each request once, in the order of the file."""

    is_enforced: ClassVar[bool] = True
    """False where requests go out untouched, whatever the policy makes of a copy: nothing of that is a figure of it."""

    def __init__(self, run: Run, shared: Shared, *, inject: Inject) -> None:
        """Send what *run* makes of each request; *shared* is what all policies go by."""
        self.run = run
        self.turns: list[ArmTurn] = []
        self.sent: Request
        """What was sent last."""
        self.placed: tuple[Placed, ...] = ()
        """The edits in it."""
        self.removed = Removed()
        self._shared = shared
        self._inject = inject
        self._simulator = shared.simulator()
        self._as_sent = AsSent()
        self._calls = BodyParser()
        self._regrets = Regrets(shared.fragments, losing=losing(run.policy))
        self._with_tool: dict[int, bool] = {}
        """Per thread: its last request had the tool that expands markers, put in by us."""
        self._seen: set[Decision] = set()

    def turn(self, met: Met, moment: Moment, output_tokens: int | None) -> ArmTurn:
        """What becomes of the request that was *met*."""
        run = self.run
        n_jobs, fired = len(run.answering.jobs), dict(run.ledger.distinct.fired)
        outcome = run.turn(met.exchange, met.placement)
        request = met.exchange.request
        tool = injection(request, (one.literal for _, _, one in outcome.edits), self._inject)
        asked = self._asked(outcome, n_jobs)
        return self.book(
            met,
            moment,
            Taken(
                outcome=outcome,
                placed=outcome.edits,
                more=(tool,) if tool is not None else (),
                asked_before=tuple(asked),
                asked_after=tuple(run.answering.jobs[n_jobs + len(asked) :]),
                fired=run.ledger.distinct.fired_since(fired),
                is_reset=self._is_reset(met, has_tool=tool is not None),
            ),
            output_tokens,
        )

    def book(self, met: Met, moment: Moment, taken: Taken, output_tokens: int | None) -> ArmTurn:
        """Send what a turn came to, bill it, and keep the account."""
        exchange, outcome = met.exchange, taken.outcome
        request, line = exchange.request, exchange.source.line
        thread = met.placement.thread.identity
        sent = self._as_sent.request(request, taken.placed, taken.more, thread=thread)
        before_calls = [self.own(job, moment.sent_s, line) for job in taken.asked_before]
        self.sent, self.placed = sent, taken.placed
        simulated = self._simulator.send(
            sent,
            number=met.number,
            sent_s=moment.sent_s,
            readable_s=moment.answered_s,
        )
        after_calls = [self.own(job, moment.asked_s, line) for job in taken.asked_after]
        ruler, rate = self._shared.ruler(request.model), self._shared.rate(request.model)
        before = ruler.tokens(outcome.before_tokens)
        self.removed.turn(self.run.ledger, ruler.factor)
        bill = billed(simulated, rate, output_tokens=output_tokens or 0)
        turn = ArmTurn(
            number=met.number,
            line=line,
            thread=thread,
            model=request.model,
            sent_s=moment.sent_s,
            before_tokens=before,
            simulated=simulated,
            output_tokens=output_tokens,
            usd=bill.usd,
            own_calls=(*before_calls, *after_calls),
            fired=taken.fired,
            removed_tokens=before - ruler.tokens(outcome.after_tokens),
            is_changed=bool(taken.placed) or bool(taken.more),
            is_reset=taken.is_reset,
            edits=tuple(self._new(request, outcome)),
            regrets=tuple(
                changed(one, tokens=ruler.tokens(one.tokens))
                for one in self._regrets.turn(met.placement, exchange, taken.placed)
            ),
        )
        self.turns.append(turn)
        return turn

    def finish(self) -> None:
        """The file is over."""

    def _asked(self, outcome: Outcome, n_before: int) -> list[Job]:
        """The calls of this turn that had to be answered before it was sent: those that come after it are in `jobs`."""
        later = {job.key for job in outcome.jobs}
        return [job for job in self.run.answering.jobs[n_before:] if job.key not in later]

    def _is_reset(self, met: Met, *, has_tool: bool) -> bool:
        """True where compaction changed what its lane had sent before, or the tool came to it or left it."""
        thread = met.placement.thread.identity
        had_tool = self._with_tool.get(thread)
        self._with_tool[thread] = has_tool
        is_other = had_tool is not None and had_tool is not has_tool
        return is_other or self.run.ledger.rows[-1].output_break is not None

    def own(self, job: Job, sent_s: float | None, line: int) -> OwnCall:
        """The bill of a call of the policy itself; it meets the same cache."""
        call, answer = job.task.call, self.run.answering.answers[job.key]
        request = self._calls.parse(call.body)
        is_summary = job.task.output is None
        told = OwnCall(
            line=line,
            what="summary" if is_summary else "output",
            mode=call.mode.value if is_summary else None,
            model=request.model,
            basis=Basis.SIMULATED,
        )
        return self._shared.billing.of(told, request, answer, self._simulator, sent_s=sent_s)

    def _new(self, request: Request, outcome: Outcome) -> Iterator[NewEdit]:
        new = [edit for edit in outcome.edits if edit[2] not in self._seen]
        counted = {id(one.slot.decision): one.slot.tokens for one in outcome.decided} if new else {}
        ruler = self._shared.ruler(request.model)
        for start, stop, decision in new:
            if decision in self._seen:
                continue
            self._seen.add(decision)
            before = counted.get(id(decision))
            if before is None:
                before = decision.saved_tokens + ruler.count(decision.literal.decode("utf-8", "replace"))
            yield NewEdit(
                path=path_at(request, start),
                components=tuple(one.component for one in decision.fired),
                before_tokens=ruler.tokens(before),
                saved_tokens=ruler.tokens(decision.saved_tokens),
                before=bytes(request.raw[start : min(stop, start + MOST_KEPT_BYTES)]),
                after=decision.literal[:MOST_KEPT_BYTES],
                before_bytes=stop - start,
                after_bytes=len(decision.literal),
            )


def losing(policy: Policy) -> frozenset[str]:
    """The steps of *policy* that take content out."""
    found = {one.name for one in policy.components if one.loss is not Loss.NONE}
    found |= {one.name for one in policy.bodies if one.loss is not Loss.NONE}
    if policy.span_step is not None:
        found.add(policy.span_step.name)
    return frozenset(found)


def path_at(request: Request, at: int) -> str:
    """Where byte *at* of *request*'s body stands, as `messages.3.content.0.content`."""
    i = bisect_right(request.starts, at) - 1
    if i >= 0 and at < request.starts[i] + request.messages[i].size_bytes:
        return _path_in(f"messages.{i}", request.messages[i], at - request.starts[i])
    for path, item, start in request.placed():
        if start <= at < start + item.size_bytes:
            return _path_in(path, item, at - start)
    return ""


def _path_in(path: str, item: Item, at: int) -> str:
    """Where byte *at* of *item*, which stands at *path*, stands."""
    inner = next((part for part in item.parts if part.span.start <= at < part.span.stop), None)
    return f"{path}.{inner.path}" if inner is not None and inner.path and at else path
