"""Where in one request, and whether at all on this turn, a new decision may be made, and why not elsewhere."""

from __future__ import annotations

from sys import maxsize
from typing import TYPE_CHECKING

from cgcli.calls.cuts import bound_messages
from cgcli.compaction.paying import Unpaid
from cgcli.compaction.state import HeldKind, HeldRule
from cgcli.compaction.triggers import NO_WAITS, Waiting

if TYPE_CHECKING:
    from cgcli.compaction.component import Component
    from cgcli.compaction.paying import Verdict
    from cgcli.compaction.state import Held, SlotState
    from cgcli.compaction.triggers import Waits
    from cgcli.model import Request

PREFIX_HELD = "prefix_held"
PREFIX_UNKNOWN = "prefix_unknown"
THINKING_BOUND = "thinking_bound"
"""Signed thinking behind it is bound to it: the provider would answer with 400."""
DENIED_REASONS = frozenset({PREFIX_HELD, PREFIX_UNKNOWN, THINKING_BOUND, *Unpaid, *Waiting})
"""For all of them a slot stays open."""
STRICT_REASONS = frozenset({THINKING_BOUND, *Waiting})
"""A component that may enter a held prefix at its user's expense keeps to these all the same."""
_WAITING: frozenset[str] = frozenset(Waiting)


class Entering:
    """The held prefix of one request, under one rule, on a turn that may have to wait."""

    def __init__(self, rule: HeldRule, held: Held, request: Request, *, waits: Waits = NO_WAITS) -> None:
        """Until a verdict is taken, nothing enters because it pays. *waits*: what its triggers say."""
        self.waits = waits
        self._rule = rule
        self._held = held
        # What stood under another head was sent otherwise.
        self._n_bound = 0 if held.kind is HeldKind.NOTHING else bound_messages(request)
        self._pays_from: int | None = None
        self._why_not: Unpaid | None = None

    @property
    def is_judged(self) -> bool:
        """True where decisions may enter if they pay: what is held is known, and it is warm."""
        if self.is_waiting:
            return False
        return self._rule is HeldRule.PAYS and self._held.kind is HeldKind.KNOWN and not self._held.is_cold

    @property
    def is_waiting(self) -> bool:
        """True where nothing at all may be decided anew on this turn."""
        return self.waits.whole is not None

    @property
    def n_bound(self) -> int:
        """The messages before signed thinking that is bound to all that stands before it."""
        return self._n_bound

    @property
    def free_from(self) -> int:
        """The first message in which any component may decide anew: so it may in all behind it."""
        if self.is_waiting:
            return maxsize
        if self._rule is HeldRule.IGNORE or self._held.is_cold:
            return self._n_bound
        first = self._held.n_messages if self._pays_from is None else min(self._held.n_messages, self._pays_from)
        return max(first, self._n_bound)

    def is_bound(self, i_message: int) -> bool:
        """True before signed thinking that is bound to all that stands before it."""
        return i_message < self._n_bound

    def may_be_judged(self, i_message: int) -> bool:
        """True for a message in the held prefix that may change at all."""
        return self._n_bound <= i_message < self._held.n_messages

    def take(self, verdict: Verdict, *, from_message: int | None) -> None:
        """Go by *verdict*; *from_message* is a message of the input, as all of them are here."""
        self._pays_from = from_message
        self._why_not = verdict.why_not or Unpaid.DOES_NOT_PAY

    def could_enter(self, i_message: int) -> bool:
        """True for a message in which a decision may be made, or may be if it pays."""
        return self.is_free(i_message) or (self.is_judged and self.may_be_judged(i_message))

    def is_free(self, i_message: int) -> bool:
        """True where any component may decide anew."""
        return i_message >= self.free_from

    def pays(self, i_message: int) -> bool:
        """True where the verdict lets decisions in."""
        return self._pays_from is not None and i_message >= max(self._pays_from, self._n_bound)

    def is_gated(self, component: Component, old: SlotState | None) -> bool:
        """True where what *component* decides of a slot may not enter a held prefix.

        *old* is the slot on the turn before. Where a trigger may have held it back, what looks at content alone is late
        too, in a slot that was sent without it.
        """
        return component.gated or (self.waits.has_triggers and old is not None and not _has_part(component, old))

    def denied(self, component: Component, i_message: int, old: SlotState | None) -> str | None:
        """Why *component* may not decide at *i_message*; None where it may. *old*: the slot on the turn before.

        Before bound thinking, and while it waits, one that is not gated may say again what it said of a slot that is
        decided; nothing new, since an output that is first seen before bound thinking was sent as it stands.
        """
        is_gated = self.is_gated(component, old)
        is_new = is_gated or old is None or old.decision is None
        if is_new and i_message < self._n_bound:
            return THINKING_BOUND
        waiting = self.waits.of(component.name)
        if is_new and waiting is not None:
            return waiting
        if not is_gated or self._rule is HeldRule.IGNORE or i_message >= self._held.n_messages:
            return None
        if self._held.is_cold and getattr(component, "cold_cache", not component.gated):
            return None
        if self._held.kind is HeldKind.UNKNOWN:
            return PREFIX_UNKNOWN
        return None if self.pays(i_message) else self._why_not or PREFIX_HELD

    def newer(self, component: str, reason: str, i_message: int) -> str:
        """The reason for which the decision that was denied for *reason* on an earlier turn is denied now."""
        if reason not in DENIED_REASONS:
            return reason
        if i_message < self._n_bound:
            return THINKING_BOUND
        is_waited_for = reason in _WAITING
        waiting = self.waits.of(component)
        if waiting is not None:
            # What a held prefix kept out stays out for that: a trigger that is met would not let it in.
            return waiting if is_waited_for else reason
        return self._why_not or (PREFIX_HELD if is_waited_for else reason)


def _has_part(component: Component, slot: SlotState) -> bool:
    """True where *component* has a part in what was decided about a slot."""
    return slot.decision is not None and any(fired.component == component.name for fired in slot.decision.fired)
