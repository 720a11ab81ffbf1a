"""One turn of one lane: a pure function of the policy, the state so far and the request. It never sees a later one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.compaction.bodies import Edited, run
from cgcli.compaction.body import Body
from cgcli.compaction.desk import Desk
from cgcli.compaction.entering import Entering
from cgcli.compaction.former import Former, cut_off
from cgcli.compaction.market import Market
from cgcli.compaction.splicing import edits
from cgcli.compaction.state import HeldRule, LaneState, truncated
from cgcli.compaction.summaries.lane import Lane, Summing
from cgcli.compaction.triggers import NO_CONDITIONS, NO_WAITS, Moment, Waiting
from cgcli.compaction.turn import Turn
from cgcli.model import changed, value
from cgcli.providers.models import lookup
from cgcli.providers.thinking import binds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.compaction.bodies import BodyTold
    from cgcli.compaction.body import BodyComponent
    from cgcli.compaction.pipeline import Evaluation, Pipeline
    from cgcli.compaction.state import Decision, Held
    from cgcli.compaction.summaries.span_step import SpanStep
    from cgcli.compaction.summaries.state import Event, Job, Seam
    from cgcli.compaction.triggers import Conditions, Waits
    from cgcli.model import Request
    from cgcli.tokens.meter import Meter


@value
class Outcome:
    """What one turn came to."""

    edits: tuple[tuple[int, int, Decision], ...]
    """(start, stop, decision) in bytes of the body, in order."""
    considered: tuple[Evaluation, ...]
    """The slots that were evaluated on this turn: new ones, and open ones that were evaluated anew."""
    decided: tuple[Evaluation, ...]
    """Those of them whose decision is new."""
    before_tokens: int
    after_tokens: int
    rewritten_from: int | None
    """The first message that the lane sent before and that now reads differently; None where there is none."""
    thread: int = 0
    """The number of the thread whose state this is."""
    summaries: tuple[Event, ...] = ()
    """What became of the lane's summaries."""
    jobs: tuple[Job, ...] = ()
    """Calls that are to be answered before the lane's next turn."""
    bodies: tuple[BodyTold, ...] = ()
    """What each component of bodies did."""
    asks: tuple[Job, ...] = ()
    """Calls that are to be answered before this turn is sent: it is taken again, from the same state, with the answers
    to them. Sent without, the outputs that they are about stay as they are."""


class Stepper:
    """A policy at work: `step` takes a lane one turn further."""

    def __init__(
        self,
        pipeline: Pipeline,
        meter: Meter,
        *,
        rule: HeldRule,
        span_step: SpanStep | None = None,
        bodies: Sequence[BodyComponent] = (),
        triggers: Conditions = NO_CONDITIONS,
    ) -> None:
        """Evaluate slots with *pipeline*, count with *meter*, and treat the held prefix by *rule*.

        Nothing new is decided on a turn that does not meet the *triggers*; summaries have thresholds of their own.
        *bodies* act after the slots, on the whole request. With a *span_step* old messages give way to summaries,
        whatever the rule: where that is due, the alternative is a request that does not fit.
        """
        self._pipeline = pipeline
        self._meter = meter
        self._rule = rule
        self._span_step = span_step
        self._bodies = tuple(bodies)
        self._triggers = triggers
        self._acts = bool(pipeline.components or bodies) or span_step is not None

    def step(
        self, state: LaneState, request: Request, shared: int, held: Held, seam: Seam | None = None
    ) -> tuple[LaneState, Outcome]:
        """The lane after *request*, whose first *shared* messages are the lane's, and what to send instead.

        *seam* are the record's facts and the answers to earlier jobs; without it nothing is summarised. Where a step
        changes what is held by a right of its own, all that stands behind is sent anew in any case: the turn is taken
        again with what is still held. A step that acts at a threshold does not count: with less to send, it might not.
        """
        after, outcome, ends_at = self._step(state, request, shared, held, seam)
        if ends_at is None or ends_at >= held.n_messages or held.is_cold or self._rule is not HeldRule.RESPECT:
            return after, outcome
        again = self._step(state, request, shared, changed(held, n_messages=ends_at), seam)
        # With less in the way of others, the step may find nothing to do: then nothing was free.
        return again[:2] if again[2] is not None and again[2] <= ends_at else (after, outcome)

    def _step(
        self, state: LaneState, request: Request, shared: int, held: Held, seam: Seam | None
    ) -> tuple[LaneState, Outcome, int | None]:
        """The same for what is *held*; and the first message that a step changed by a right of its own."""
        kept = truncated(state, shared)
        cumulative = self._cumulative(kept, request)
        tokens = (cumulative[-1] if cumulative else 0) + self._static(request)
        waits = self._waits(request, kept, tokens, held)
        entering = Entering(self._rule, held, request, waits=waits)
        turn = Turn(self._pipeline, self._meter, entering, request, kept, tokens, is_cold=held.is_cold)
        if binds(request.model):
            turn.former = Former((*cut_off(state, len(kept.cumulative)), *state.former))
        self._let_enter(turn, seam)
        turn.desk = self._desk(turn, kept, held, seam)
        if self._acts:
            turn.run()
        rewritten_from = turn.rewritten_from
        summing = self._placed(turn, state, kept, cumulative, seam) if seam is not None else None
        edited = self._edited(turn, kept, held, shared)
        others = edited.edits
        if summing is not None:
            summing.ask(turn.view_tokens - edited.state.saved_tokens, others)
            others = (*others, *summing.standing)
        after = LaneState(
            generation=state.generation + 1,
            slots=tuple(turn.slots),
            open_slots=tuple(turn.open_slots),
            cumulative=tuple(cumulative),
            saved=turn.saved,
            n_decisions=kept.n_decisions + turn.n_decisions,
            n_irreversible=kept.n_irreversible + turn.n_irreversible,
            summaries=summing.state if summing is not None else kept.summaries,
            could_save=turn.could_save,
            view=turn.view.let_go() if turn.view.is_used else None,
            bodies=edited.state,
            former=turn.former.left(),
            asked=turn.desk.state if turn.desk is not None else kept.asked,
        )
        ends_at = _earlier(rewritten_from, edited.moved_from if state.generation else None)
        outcome = Outcome(
            edits=edits(request, after.slots if after.n_decisions else (), after.summaries.applied, others),
            considered=tuple(turn.considered),
            decided=tuple(turn.decided),
            before_tokens=turn.request_tokens,
            after_tokens=turn.view_tokens - edited.state.saved_tokens,
            rewritten_from=_earlier(turn.rewritten_from, edited.rewritten_from if state.generation else None),
            bodies=edited.told,
            summaries=summing.events if summing is not None else (),
            jobs=summing.jobs if summing is not None else (),
            asks=turn.desk.jobs if turn.desk is not None else (),
        )
        return after, outcome, ends_at

    def _cumulative(self, kept: LaneState, request: Request) -> list[int]:
        """Up to each message of *request*, the tokens of all so far before compaction; what is *kept* is known."""
        found = list(kept.cumulative)
        total = found[-1] if found else 0
        for i in range(len(found), len(request.messages)):
            total += self._meter.item(request.messages[i])
            found.append(total)
        return found

    def _waits(self, request: Request, kept: LaneState, tokens: int, held: Held) -> Waits:
        """What the triggers wait for; *tokens* are those of the request before compaction, counted."""
        if not self._triggers.is_any:
            return NO_WAITS
        sent = tokens - sum(kept.saved.values()) - kept.bodies.saved_tokens
        return self._triggers.at(
            Moment(
                model=request.model,
                tokens=round(sent * lookup(request.model).factor),
                n_messages=len(request.messages),
                n_before=kept.generation,
                held=held,
            )
        )

    def _let_enter(self, turn: Turn, seam: Seam | None) -> None:
        """Let the turn wait where too little could leave the request; else find out what enters because it pays."""
        least = self._triggers.in_batch_tokens(turn.request.model)
        if least is not None and not turn.entering.is_waiting and turn.foresight.together_tokens(turn) < least:
            turn.entering.waits = changed(turn.entering.waits, whole=Waiting.EVERY)
        if self._rule is HeldRule.PAYS and seam is not None and seam.judge is not None:
            turn.enter_where_it_pays(seam.judge)

    def _desk(self, turn: Turn, kept: LaneState, held: Held, seam: Seam | None) -> Desk | None:
        """Where the turn's components ask; None where none of them does, or without prices."""
        if not self._pipeline.asking or seam is None or seam.prices is None:
            return None
        before = kept.cumulative[-1] if kept.cumulative else 0
        return Desk(
            kept.asked,
            turn.request,
            seam,
            Market(turn.request, held, seam.prices),
            tokens=(before, turn.request_tokens - self._static(turn.request)),
            style=self._pipeline.style,
        )

    def _placed(
        self, turn: Turn, before: LaneState, kept: LaneState, cumulative: Sequence[int], seam: Seam
    ) -> Summing | None:
        """The turn's summaries, one put in its place where that is due; None where the policy has none."""
        if self._span_step is None:
            return None
        summing = Summing(
            self._span_step,
            before.summaries,
            kept.summaries,
            Lane(request=turn.request, slots=turn.slots, cumulative=cumulative),
            seam,
            style=self._pipeline.style,
            meter=self._meter,
        )
        placed = summing.place(turn.view_tokens - kept.bodies.saved_tokens)
        if placed is not None:
            turn.take(summing, placed)
        return summing

    def _edited(self, turn: Turn, kept: LaneState, held: Held, shared: int) -> Edited:
        """What the components of bodies do to the request as the slots and summaries leave it."""
        if not self._bodies:
            return Edited(state=kept.bodies)
        request = turn.request
        taken = edits(request, turn.slots, turn.summaries.applied)
        body = Body(
            request=request,
            view=turn.view,
            held=held,
            rule=self._rule,
            memory=None,
            n_same=shared,
            rewritten_from=turn.rewritten_from,
            taken=tuple((start, stop) for start, stop, _ in taken),
            taken_tokens=tuple(decision.saved_tokens for _, _, decision in taken),
            sent_tokens=turn.view_tokens,
            item_tokens=self._meter.item,
            count=self._pipeline.count,
            style=self._pipeline.style,
        )
        return run(self._bodies, body, kept.bodies, turn.entering.waits)

    def _static(self, request: Request) -> int:
        """Tokens of the tools and the system prompt."""
        return sum(self._meter.item(item) for item, _ in request.head())


def _earlier(a: int | None, b: int | None) -> int | None:
    """The smaller one; None where neither is there."""
    return min((one for one in (a, b) if one is not None), default=None)
