"""One turn of one lane: a pure function of the policy, the state so far and the request. It never sees a later one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.compaction.component import PASSING_REASONS
from cgcli.compaction.components.marks import EXPAND_TOOL
from cgcli.compaction.meter import slot_literal
from cgcli.compaction.pipeline import Where
from cgcli.compaction.state import HeldKind, HeldRule, LaneState, truncated
from cgcli.model import Kind, changed, value
from cgcli.wire.spans import decode_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.compaction.component import Component
    from cgcli.compaction.meter import Meter
    from cgcli.compaction.pipeline import Evaluation, Pipeline
    from cgcli.compaction.state import Decision, Held, SlotState
    from cgcli.model import Digest, Part, Request

RECOVERED = "recovered"
"""The reason for leaving alone what the agent expanded."""
_MOST_BACK = 64
"""How many messages back a call is looked for: parallel calls and their outputs may be a message each."""
_EDITABLE_ROLES = frozenset({"user", "tool", "function"})


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


class Stepper:
    """A policy at work: `step` takes a lane one turn further."""

    def __init__(self, pipeline: Pipeline, meter: Meter, *, rule: HeldRule) -> None:
        """Evaluate slots with *pipeline*, count with *meter*, and treat the held prefix by *rule*."""
        self._pipeline = pipeline
        self._meter = meter
        self._rule = rule

    def step(self, state: LaneState, request: Request, shared: int, held: Held) -> tuple[LaneState, Outcome]:
        """The lane after *request*, whose first *shared* messages are the lane's, and what to send instead."""
        kept = truncated(state, shared)
        cumulative = list(kept.cumulative)
        total = cumulative[-1] if cumulative else 0
        for i in range(len(cumulative), len(request.messages)):
            total += self._meter.item(request.messages[i], request.raw, request.starts[i])
            cumulative.append(total)
        turn = _Turn(self._pipeline, self._meter, self._rule, request, held, kept, total + self._static(request))
        turn.run()
        after = LaneState(
            generation=state.generation + 1,
            slots=tuple(turn.slots),
            open_slots=tuple(turn.open_slots),
            cumulative=tuple(cumulative),
            saved=turn.saved,
            n_decisions=kept.n_decisions + turn.n_decisions,
            n_irreversible=kept.n_irreversible + turn.n_irreversible,
        )
        saved = sum(turn.saved.values())
        return after, Outcome(
            edits=_edits(after, request),
            considered=tuple(turn.considered),
            decided=tuple(turn.decided),
            before_tokens=turn.request_tokens,
            after_tokens=turn.request_tokens - saved,
            rewritten_from=turn.rewritten_from,
        )

    def _static(self, request: Request) -> int:
        """Tokens of the tools and the system prompt."""
        return sum(
            self._meter.item(item, request.raw, start)
            for items, starts in (
                (request.tools, request.tools_starts),
                (request.system, request.system_starts),
            )
            for item, start in zip(items or (), starts, strict=True)
        )


class _Turn:
    """The slots of one request: new ones are decided, open ones again where they may be."""

    def __init__(
        self,
        pipeline: Pipeline,
        meter: Meter,
        rule: HeldRule,
        request: Request,
        held: Held,
        state: LaneState,
        request_tokens: int,
    ) -> None:
        self.pipeline = pipeline
        self.meter = meter
        self.rule = rule
        self.request = request
        self.held = held
        self.request_tokens = request_tokens
        self.n_before = len(state.cumulative)
        self.slots = list(state.slots)
        self.open_slots = list(state.open_slots)
        self.saved = dict(state.saved)
        self.considered: list[Evaluation] = []
        self.decided: list[Evaluation] = []
        self.n_decisions = 0
        self.n_irreversible = 0
        self.rewritten_from: int | None = None
        self._seen: dict[tuple[int, Digest], int] | None = None

    def run(self) -> None:
        """Find the new slots, then evaluate what is open and what is new."""
        fresh = [
            (i, k, part)
            for i in range(self.n_before, len(self.request.messages))
            for k, part in enumerate(self.request.messages[i].parts)
            if _is_editable(part)
        ]
        n_outputs = len(self.slots) + len(fresh)
        again, self.open_slots = self.open_slots, []
        for i_slot in again:
            self._reconsider(i_slot, n_outputs)
        for i_message, i_part, part in fresh:
            self._consider(None, len(self.slots), n_outputs, i_message, i_part, part)

    def _reconsider(self, i_slot: int, n_outputs: int) -> None:
        old = self.slots[i_slot]
        passing = any(reason in PASSING_REASONS for _, reason in old.skips)
        if not passing and not self._may_enter(old.i_message):
            self.open_slots.append(i_slot)
            return
        part = self.request.messages[old.i_message].parts[old.i_part]
        self._consider(old, i_slot, n_outputs, old.i_message, old.i_part, part)

    def _may_enter(self, i_message: int) -> bool:
        return self.rule is HeldRule.IGNORE or i_message >= self.held.n_messages or self.held.is_cold

    def _consider(
        self, old: SlotState | None, i_slot: int, n_outputs: int, i_message: int, i_part: int, part: Part
    ) -> None:
        request = self.request
        start = request.starts[i_message]
        literal = slot_literal(part, request.raw, start)
        where = Where(
            i_message=i_message,
            i_part=i_part,
            i_output=i_slot,
            n_outputs=n_outputs,
            request_tokens=self.request_tokens,
            denied=lambda component: self._denied(component, i_message),
        )
        tokens = self.meter.parts(request.messages[i_message], request.raw, start)[i_part]
        text = decode_text(literal)
        if self._is_recovered(i_message, part):
            found = self.pipeline.left_alone(literal, text, tokens, where, RECOVERED)
        else:
            found = self.pipeline.evaluate(literal, text, tokens, where, self._was_seen(i_slot))
        slot = found.slot
        if old is not None and old.decision is not None and not self._may_replace(old.decision, slot):
            slot = changed(slot, decision=old.decision, skips=_skips_beside(old.decision, slot))
        self.considered.append(changed(found, slot=slot))
        self._count(old, slot)
        if old is None:
            self.slots.append(slot)
        else:
            self.slots[i_slot] = slot
        if slot.is_open:
            self.open_slots.append(i_slot)
        for stage in slot.seen:
            self._stages().setdefault(stage, i_slot)
        if _differs(old.decision if old else None, slot.decision):
            if slot.decision is not None:
                self.decided.append(found)
            if old is not None and self.rewritten_from is None:
                self.rewritten_from = i_message

    def _may_replace(self, old: Decision, new: SlotState) -> bool:
        """True where a decision may give way: what was sent is only ever sent shorter, and only where it may change."""
        if new.decision is None or not self._may_enter(new.i_message):
            return False
        return new.decision.saved_tokens > old.saved_tokens

    def _is_recovered(self, i_message: int, part: Part) -> bool:
        """True where the agent asked to have the output back: it would only ask again."""
        for message in reversed(self.request.messages[max(0, i_message - _MOST_BACK) : i_message]):
            for call in message.parts:
                if call.kind is Kind.TOOL_CALL and call.pair_id == part.pair_id:
                    return call.name is not None and call.name.endswith(EXPAND_TOOL)
        return False

    def _denied(self, component: Component, i_message: int) -> str | None:
        """Why a gated *component* may not decide at *i_message*; None where it may."""
        if self.rule is HeldRule.IGNORE or i_message >= self.held.n_messages:
            return None
        if self.held.is_cold and getattr(component, "cold_cache", False):
            return None
        return "prefix_unknown" if self.held.kind is HeldKind.UNKNOWN else "prefix_held"

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

    def _stages(self) -> dict[tuple[int, Digest], int]:
        """The first slot that had a text of that digest at that step."""
        if self._seen is None:
            self._seen = {}
            for i, slot in enumerate(self.slots):
                for stage in slot.seen:
                    self._seen.setdefault(stage, i)
        return self._seen


def _is_editable(part: Part) -> bool:
    return part.kind is Kind.TOOL_RESULT and part.slot is not None and part.role in _EDITABLE_ROLES


def _differs(old: Decision | None, new: Decision | None) -> bool:
    return (old.replacement if old else None) != (new.replacement if new else None)


def _skips_beside(kept: Decision, new: SlotState) -> tuple[tuple[str, str], ...]:
    """Why the components that have no part in the decision that is *kept* leave the slot alone."""
    acting = {fired.component for fired in kept.fired}
    beaten = new.decision.fired if new.decision is not None else ()
    return (
        *(skip for skip in new.skips if skip[0] not in acting),
        *((fired.component, "not_smaller") for fired in beaten if fired.component not in acting),
    )


def _edits(state: LaneState, request: Request) -> tuple[tuple[int, int, Decision], ...]:
    """The lane's decisions as byte ranges of this request's body."""
    if not state.n_decisions:
        return ()
    edits = []
    messages, starts = request.messages, request.starts
    for slot in state.slots:
        if slot.decision is not None:
            span = messages[slot.i_message].parts[slot.i_part].slot
            if span is not None:
                base = starts[slot.i_message]
                edits.append((base + span.start, base + span.stop, slot.decision))
    return tuple(edits)
