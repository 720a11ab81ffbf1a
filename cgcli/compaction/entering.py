"""Where in the held prefix of one request a new decision may be made, and why not elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.calls.cuts import bound_messages
from cgcli.compaction.paying import Unpaid
from cgcli.compaction.state import HeldKind, HeldRule

if TYPE_CHECKING:
    from cgcli.compaction.component import Component
    from cgcli.compaction.paying import Verdict
    from cgcli.compaction.state import Held
    from cgcli.model import Request

PREFIX_HELD = "prefix_held"
PREFIX_UNKNOWN = "prefix_unknown"
THINKING_BOUND = "thinking_bound"
"""Signed thinking behind it is bound to it: the provider would answer with 400."""
HELD_REASONS = frozenset({PREFIX_HELD, PREFIX_UNKNOWN, THINKING_BOUND, *Unpaid})


class Entering:
    """The held prefix of one request, under one rule."""

    def __init__(self, rule: HeldRule, held: Held, request: Request, *, is_cut: bool) -> None:
        """Until a verdict is taken, nothing enters because it pays.

        *is_cut*: the request has not all that the lane had.
        """
        self._rule = rule
        self._held = held
        self._n_bound = bound_messages(request)
        if is_cut or held.kind is HeldKind.NOTHING:
            # What stood behind the cut, or under another head, was sent otherwise: the same decisions are made anew.
            self._n_bound = min(self._n_bound, held.n_messages)
        self._pays_from: int | None = None
        self._why_not: Unpaid | None = None

    @property
    def is_judged(self) -> bool:
        """True where decisions may enter if they pay: what is held is known, and it is warm."""
        return self._rule is HeldRule.PAYS and self._held.kind is HeldKind.KNOWN and not self._held.is_cold

    def may_be_judged(self, i_message: int) -> bool:
        """True for a message in the held prefix that may change at all."""
        return self._n_bound <= i_message < self._held.n_messages

    def take(self, verdict: Verdict, *, from_message: int | None) -> None:
        """Go by *verdict*; *from_message* is a message of the input, as all of them are here."""
        self._pays_from = from_message
        self._why_not = verdict.why_not or Unpaid.DOES_NOT_PAY

    def is_free(self, i_message: int) -> bool:
        """True where any component may decide anew."""
        if i_message < self._n_bound:
            return False
        if self._rule is HeldRule.IGNORE or i_message >= self._held.n_messages or self._held.is_cold:
            return True
        return self.pays(i_message)

    def pays(self, i_message: int) -> bool:
        """True where the verdict lets decisions in."""
        return self._pays_from is not None and i_message >= max(self._pays_from, self._n_bound)

    def denied(self, component: Component, i_message: int, *, is_decided: bool) -> str | None:
        """Why *component* may not decide at *i_message*; None where it may.

        Before bound thinking one that is not gated may say again what it said of a slot that *is_decided*; nothing
        new, since an output that is first seen there was sent as it stands.
        """
        if i_message < self._n_bound and (component.gated or not is_decided):
            return THINKING_BOUND
        if not component.gated:
            return None
        if self._rule is HeldRule.IGNORE or i_message >= self._held.n_messages:
            return None
        if self._held.is_cold and getattr(component, "cold_cache", False):
            return None
        if self._held.kind is HeldKind.UNKNOWN:
            return PREFIX_UNKNOWN
        return None if self.pays(i_message) else self._why_not or PREFIX_HELD

    def newer(self, reason: str, i_message: int) -> str:
        """The reason for which the decision that was denied for *reason* on an earlier turn is denied now."""
        if reason not in HELD_REASONS:
            return reason
        if i_message < self._n_bound:
            return THINKING_BOUND
        return self._why_not or reason
