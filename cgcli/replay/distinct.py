"""What became of each distinct tool output of a file: counted once, however often it is sent or decided about."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cgcli.model import Digest, value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.compaction.bodies import BodyTold
    from cgcli.compaction.pipeline import Evaluation
    from cgcli.compaction.state import Fired
    from cgcli.lanes import Thread
    from cgcli.model import Request


@value
class Place:
    """A tool output: the same content in the same part of the same message, in one family of threads."""

    root: int
    """The thread that all others of the family branch off, directly or not."""
    message: Digest
    """The message as the provider reads it, the ids of its tool calls included."""
    i_part: int


@dataclass(slots=True)
class Distinct:
    """Sums over distinct tool outputs."""

    fired: Counter[str] = field(default_factory=Counter)
    """Per component: outputs that it changed at some time."""
    saved_tokens: Counter[str] = field(default_factory=Counter)
    """Per component: tokens that the newest decisions take out."""
    skipped: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Per component and reason: outputs that it never changed, by the newest answer."""
    reverted: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Per component and reason: outputs where its answer was not taken at some time."""
    revert_details: dict[tuple[str, str], str] = field(default_factory=dict)
    """The detail of the first."""
    n_irreversible: int = 0
    """Outputs whose original was not kept at some time."""
    _roots: dict[int, int] = field(default_factory=dict)
    _skips: dict[Place, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    _decided: dict[Place, tuple[Fired, ...]] = field(default_factory=dict)
    _met: set[tuple[Place, str, str]] = field(default_factory=set)
    _changes: set[tuple[str, Digest]] = field(default_factory=set)
    """What components of bodies changed."""

    def book(self, thread: Thread, request: Request, evaluation: Evaluation) -> None:
        """Take an answer about a tool output of *request*, the last one of *thread*, into account."""
        slot = evaluation.slot
        place = Place(root=self._root(thread), message=request.messages[slot.i_message].rendered, i_part=slot.i_part)
        skips = tuple(skip for skip in slot.skips if (place, skip[0], "") not in self._met)
        for skip in self._skips.get(place, ()):
            self.skipped[skip] -= 1
        for skip in skips:
            self.skipped[skip] += 1
        self._skips[place] = skips
        for reverted in evaluation.reverted:
            if self._is_first(place, reverted.component, reverted.reason):
                self.reverted[reverted.component, reverted.reason] += 1
                self.revert_details.setdefault((reverted.component, reverted.reason), reverted.detail)
        fired = slot.decision.fired if slot.decision is not None else ()
        for one in self._decided.get(place, ()):
            self.saved_tokens[one.component] -= one.saved_tokens
        for one in fired:
            self.saved_tokens[one.component] += one.saved_tokens
            self.fired[one.component] += self._is_first(place, one.component, _change(evaluation))
        self._decided[place] = fired
        if slot.decision is not None and not slot.decision.is_reversible and evaluation.covers == "slot":
            self.n_irreversible += self._is_first(place, "", "")

    def fired_since(self, before: Mapping[str, int]) -> dict[str, int]:
        """What each component changed that it had not when `fired` was as *before*."""
        return {name: n - before.get(name, 0) for name, n in self.fired.items() if n > before.get(name, 0)}

    def book_body(self, told: BodyTold) -> None:
        """Take what a component of bodies did to one request into account: each change once, reasons by request."""
        name = told.component
        new = [change for change in told.fired if (name, change) not in self._changes]
        self._changes.update((name, change) for change in new)
        self.fired[name] += len(new)
        if new and told.fired:
            self.saved_tokens[name] += round(told.saved_tokens * len(new) / len(told.fired))
        self.skipped.update((name, reason) for reason in dict.fromkeys(told.skips))
        if told.reverted is not None:
            self.reverted[name, told.reverted] += 1
            self.revert_details.setdefault((name, told.reverted), told.detail)

    def _is_first(self, place: Place, component: str, reason: str) -> bool:
        key = (place, component, reason)
        if key in self._met:
            return False
        self._met.add(key)
        return True

    def _root(self, thread: Thread) -> int:
        known = self._roots.get(thread.identity)
        if known is None:
            known = self._roots[thread.identity] = self._root(thread.branch[0]) if thread.branch else thread.identity
        return known


def _change(evaluation: Evaluation) -> str:
    """What tells a change from an earlier one in the same place: a new summary may stand for more messages."""
    decision = evaluation.slot.decision
    return decision.original.hex() if decision is not None and evaluation.covers == "messages" else ""
