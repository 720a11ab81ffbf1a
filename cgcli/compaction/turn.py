"""The tool outputs of one request: new ones are decided about, open ones again where they may be."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from cgcli.compaction.deciding import differs, skips_beside
from cgcli.compaction.foresight import Foresight
from cgcli.compaction.former import Former
from cgcli.compaction.paying import Unpaid, Verdict
from cgcli.compaction.pipeline import Evaluation, Where, evaluated
from cgcli.compaction.recovered import RECOVERED, is_recovered
from cgcli.compaction.reopening import Reopening, Staying
from cgcli.compaction.splicing import edits
from cgcli.compaction.view import View, is_editable
from cgcli.compaction.written import written
from cgcli.model import changed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from cgcli.compaction.component import Component
    from cgcli.compaction.desk import Desk
    from cgcli.compaction.entering import Entering
    from cgcli.compaction.paying import Judge
    from cgcli.compaction.pipeline import Pipeline
    from cgcli.compaction.reopening import Skips
    from cgcli.compaction.state import Decision, LaneState, SlotState
    from cgcli.compaction.summaries.lane import Summing
    from cgcli.model import Digest, Part, Request
    from cgcli.tokens.meter import Meter


class Turn:
    """The slots of one request: new ones are decided, open ones again where they may be."""

    def __init__(
        self,
        pipeline: Pipeline,
        meter: Meter,
        entering: Entering,
        request: Request,
        state: LaneState,
        request_tokens: int,
        *,
        is_cold: bool,
    ) -> None:
        self.pipeline = pipeline
        self.meter = meter
        self.request = request
        self.entering = entering
        self.request_tokens = request_tokens
        self.n_before = len(state.cumulative)
        self.summaries = state.summaries
        self.slots = list(state.slots)
        self.open_slots = list(state.open_slots)
        self.fresh = tuple(_fresh(request, self.n_before))
        self.n_outputs = len(self.slots) + len(self.fresh)
        self.saved = dict(state.saved)
        self.considered: list[Evaluation] = []
        self.decided: list[Evaluation] = []
        self.n_decisions = 0
        self.n_irreversible = 0
        self.rewritten_from: int | None = None
        self.reopening = Reopening(pipeline.waking, entering)
        self._seen: dict[tuple[int, Digest], int] | None = None
        self.foresight = Foresight(state.could_save)
        tokens_of = partial(_part_tokens, meter, request)
        self.view = View(request, tokens_of, request_tokens=request_tokens, is_cold=is_cold, before=state.view)
        self.desk: Desk | None = None
        self.former = Former(())
        """What the lane said of outputs that it has no more."""
        self._is_restaged = False
        """An earlier output comes to some step with another text than on the turn before."""

    @property
    def view_tokens(self) -> int:
        """Of the request as the lane has it so far, counted."""
        return self.request_tokens - sum(self.saved.values())

    def enter_where_it_pays(self, judge: Judge) -> None:
        """Find out from which message on the decisions that could be made in the held prefix would pay."""
        if not self.entering.is_judged:
            return
        candidates = self.foresight.candidates(self, self.entering.may_be_judged)
        if not candidates:
            self.entering.take(Verdict(from_message=None, why_not=Unpaid.DOES_NOT_PAY), from_message=None)
            return
        placed = edits(self.request, self.slots, self.summaries.applied)
        verdict = judge.judge(self.request, placed, [one for _, one in candidates])
        at = verdict.from_message
        entering = [i for i, one in candidates if at is not None and one.i_message >= at]
        self.entering.take(verdict, from_message=min(entering, default=None))

    def run(self) -> None:
        """Find the new slots, then evaluate what is open and what is new."""
        again, self.open_slots = self.open_slots, []
        staying = None if self.summaries.applied else Staying(from_output=0, below_message=0)
        skips: Skips = ()
        if staying is not None and self._stay(again):
            self.open_slots, again = again, []
        for i_slot in again:
            slot = self.slots[i_slot]
            if staying is not None and (slot.skips is not skips or slot.i_message >= staying.below_message):
                skips = slot.skips
                staying = self.reopening.staying(skips, slot.i_message, self.view)
            if staying is None or i_slot < staying.from_output:
                self._reconsider(i_slot)
            else:
                self.open_slots.append(i_slot)
        for i_message, i_part, part in self.fresh:
            self._consider(None, len(self.slots), i_message, i_part, part)

    def _stay(self, open_slots: Sequence[int]) -> bool:
        """True where *open_slots* all stay as they are for the same reasons: mostly they do, and they are many."""
        if not open_slots:
            return False
        first, last = self.slots[open_slots[0]], self.slots[open_slots[-1]]
        staying = self.reopening.staying(first.skips, first.i_message, self.view)
        if open_slots[0] < staying.from_output or last.i_message >= staying.below_message:
            return False
        return [self.slots[i].skips for i in open_slots].count(first.skips) == len(open_slots)

    def take(self, summing: Summing, placed: Evaluation) -> None:
        """Take the summary that was put in its place on this turn into the account."""
        self.considered.append(placed)
        self.decided.append(placed)
        self._count(None, placed.slot)
        self.n_decisions -= 1  # counted with the slots, which it is not one of
        for one in summing.replaced:
            for fired in one.decision.fired:
                self.saved[fired.component] -= fired.saved_tokens
        self._rewrites(placed.slot.i_message)
        self.summaries = summing.state
        self._seen = None
        self._is_restaged = True
        self._lift_pointers()

    def _rewrites(self, i_message: int) -> None:
        if self.rewritten_from is None or i_message < self.rewritten_from:
            self.rewritten_from = i_message

    def _lift_pointers(self) -> None:
        """Decide anew about outputs that point at one which a summary stands for now: nobody could read it there.

        What comes after the summary is sent anew on this turn whatever is decided.
        """
        for i_slot, old in enumerate(self.slots):
            if not _points(old) or self.summaries.covers(old.i_message):
                continue
            part = self.request.messages[old.i_message].parts[old.i_part]
            denied = partial(self.entering.denied, i_message=old.i_message, old=old)
            found = self.evaluate(i_slot, old.i_message, old.i_part, part, denied)
            if differs(old.decision, found.slot.decision):
                self._put(i_slot, old, found)

    def _put(self, i_slot: int, old: SlotState, found: Evaluation) -> None:
        """Let slot *i_slot* be what was *found*; what was decided about it on this very turn was never sent."""
        place = (old.i_message, old.i_part)
        self.considered = [one for one in self.considered if (one.slot.i_message, one.slot.i_part) != place]
        self.decided = [one for one in self.decided if (one.slot.i_message, one.slot.i_part) != place]
        self.considered.append(found)
        if found.slot.decision is not None:
            self.decided.append(found)
        self._count(old, found.slot)
        self.slots[i_slot] = found.slot
        self.open_slots = sorted({*self.open_slots, i_slot} if found.slot.is_open else {*self.open_slots} - {i_slot})
        self._seen = None

    def _reconsider(self, i_slot: int) -> None:
        old = self.slots[i_slot]
        if self.summaries.covers(old.i_message):
            return
        if not self._may_change(i_slot):
            self.open_slots.append(i_slot)
            self._say_why(i_slot)
            return
        part = self.request.messages[old.i_message].parts[old.i_part]
        self._consider(old, i_slot, old.i_message, old.i_part, part)

    def _may_change(self, i_slot: int) -> bool:
        """True where open slot *i_slot* is worth asking about again."""
        old = self.slots[i_slot]
        if self.passes_unasked(old) or self.wakes(i_slot):
            return True
        return self.reopening.of(old.skips).is_denied and self.entering.is_free(old.i_message)

    def passes_unasked(self, slot: SlotState) -> bool:
        """True where a reason may pass whose component does not say when."""
        return self.reopening.of(slot.skips).passes_unasked

    def wakes(self, i_slot: int) -> bool:
        """True where a component that left the slot alone for a while would act now."""
        asked = self.reopening.of(self.slots[i_slot].skips).asked
        return any(component.wakes(i_slot, self.view) for component in asked)

    def _say_why(self, i_slot: int) -> None:
        """Let a slot that stays as it is have the reason of this turn's verdict, where there is one."""
        old = self.slots[i_slot]
        skips = self.reopening.newer(old.skips, old.i_message)
        if skips == old.skips:
            return
        self.slots[i_slot] = changed(old, skips=skips)
        self.considered.append(evaluated(written(self.request.messages[old.i_message], old.i_part), self.slots[i_slot]))

    def _consider(self, old: SlotState | None, i_slot: int, i_message: int, i_part: int, part: Part) -> None:
        found = self._foreseen_here(i_slot, i_message)
        if old is None and found is None:
            found = self._said_again(i_slot, i_message, i_part)
        if found is None:
            denied = partial(self.entering.denied, i_message=i_message, old=old)
            found = self.evaluate(i_slot, i_message, i_part, part, denied)
        slot = found.slot
        if old is not None and old.decision is not None and not self._may_replace(old.decision, slot):
            slot = changed(slot, decision=old.decision, skips=skips_beside(old.decision, slot))
        self.considered.append(found if slot is found.slot else changed(found, slot=slot))
        self._count(old, slot)
        if old is None:
            self.slots.append(slot)
        else:
            self.slots[i_slot] = slot
            self._is_restaged |= set(slot.seen) != set(old.seen)
            if differs(old.decision, slot.decision):
                self.foresight.forget(i_slot)
        if slot.is_open:
            self.open_slots.append(i_slot)
        self.note_stages(i_slot, slot)
        if differs(old.decision if old else None, slot.decision):
            if slot.decision is not None:
                self.decided.append(found)
            if old is not None and self.rewritten_from is None:
                self.rewritten_from = i_message

    def _foreseen_here(self, i_slot: int, i_message: int) -> Evaluation | None:
        """The evaluation of this turn that nothing forbade, where nothing is forbidden."""
        if self._is_restaged or self.entering.is_waiting:
            return None
        return self.foresight.evaluation(i_slot, may_be_gated=self.entering.pays(i_message))

    def _said_again(self, i_slot: int, i_message: int, i_part: int) -> Evaluation | None:
        """What the lane said, before it was cut, of an output that thinking is bound to; None where that cannot stand.

        A pointer cannot whose output is no longer before it.
        """
        if not self.former or not self.entering.is_bound(i_message):
            return None
        here = written(self.request.messages[i_message], i_part)
        slot, was_seen = self.former.take(here.key), self._was_seen(i_slot)
        if slot is None or (_points(slot) and not any(was_seen(*stage) for stage in slot.seen)):
            return None
        return self.pipeline.again(here, changed(slot, i_message=i_message, i_part=i_part))

    @property
    def could_save(self) -> dict[int, int]:
        """What is to be remembered of the open slots: the tokens that each could lose."""
        if self._is_restaged:
            return {}
        known = self.foresight.could_save
        return {i: known[i] for i in self.open_slots if i in known}

    def evaluate(
        self,
        i_slot: int,
        i_message: int,
        i_part: int,
        part: Part,
        denied: Callable[[Component], str | None],
        *,
        may_ask: bool = True,
    ) -> Evaluation:
        """What the components make of one output, which is or will be slot *i_slot*, where they are not *denied* it."""
        request = self.request
        item = request.messages[i_message]
        where = Where(
            i_message=i_message,
            i_part=i_part,
            i_output=i_slot,
            n_outputs=self.n_outputs,
            request_tokens=self.request_tokens,
            denied=denied,
            view=self.view,
            desk=self.desk if may_ask else None,
        )
        tokens = self.meter.parts(item)[i_part]
        here = written(item, i_part)
        if is_recovered(request, i_message, part):
            return self.pipeline.left_alone(here, tokens, where, RECOVERED)
        return self.pipeline.evaluate(here, tokens, where, self._was_seen(i_slot))

    def _may_replace(self, old: Decision, new: SlotState) -> bool:
        """True where a decision may give way: what was sent is only ever sent shorter, and only where it may change."""
        if new.decision is None or not self.entering.is_free(new.i_message):
            return False
        return new.decision.saved_tokens > old.saved_tokens

    def _count(self, old: SlotState | None, new: SlotState) -> None:
        """Keep the sums in step with the slot that changes."""
        for slot, sign in ((old, -1), (new, 1)):
            if slot is None:
                continue
            if slot.decision is not None:
                self.n_decisions += sign
                self.n_irreversible += sign * (not slot.decision.is_reversible)
                for fired in slot.decision.fired:
                    self.saved[fired.component] = self.saved.get(fired.component, 0) + sign * fired.saved_tokens

    def _was_seen(self, i_slot: int) -> Callable[[int, Digest], bool]:
        return lambda step, digest: self._stages().get((step, digest), i_slot) < i_slot

    def note_stages(self, i_slot: int, slot: SlotState) -> None:
        """Let later slots find the texts that *slot* had."""
        for stage in slot.seen:
            self._stages().setdefault(stage, i_slot)

    def forget_stages(self) -> None:
        """Look anew at what the slots say."""
        self._seen = None

    def _stages(self) -> dict[tuple[int, Digest], int]:
        """The first slot that had a text of that digest at that step."""
        if self._seen is None:
            self._seen = {}
            for i, slot in enumerate(self.slots):
                if self.summaries.covers(slot.i_message):
                    continue
                for stage in slot.seen:
                    self._seen.setdefault(stage, i)
        return self._seen


def _points(slot: SlotState) -> bool:
    """True where a pointer to an earlier output stands in *slot*."""
    return slot.decision is not None and any(fired.component == "dedup" for fired in slot.decision.fired)


def _fresh(request: Request, n_before: int) -> Iterator[tuple[int, int, Part]]:
    """The editable parts of the messages behind the first *n_before*, with the numbers of message and part."""
    for i in range(n_before, len(request.messages)):
        for k, part in enumerate(request.messages[i].parts):
            if is_editable(part):
                yield i, k, part


def _part_tokens(meter: Meter, request: Request, i_message: int, i_part: int) -> int:
    return meter.parts(request.messages[i_message])[i_part]
