"""What a component is that edits a request elsewhere than in one tool output: tools, system prompt, marks, messages.

It acts after the components of slots, on the request as the lane received it, and is asked on every turn. What it edits
must be the same on every turn for as long as what it depends on is: it remembers of the lane what it needs for that.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from cgcli.compaction.state import HeldRule
from cgcli.model import unique, value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cgcli.compaction.component import Loss, Skip
    from cgcli.compaction.state import Held
    from cgcli.compaction.view import View
    from cgcli.model import Item, Request
    from cgcli.wire.strings import Style


@value
class BodyEdit:
    """Bytes `start:stop` of the body become `new`."""

    start: int
    stop: int
    new: bytes
    saved_tokens: int = 0
    """Counted, of what earlier steps leave there; below 0 where it adds some."""
    i_message: int | None = None
    """The first message that reads otherwise; None where tools or system prompt do, or nothing (a cache mark)."""
    keeps_reading: bool = False
    """The model reads the same as before: a mark that moved, white space."""


@value
class BodyPlan:
    """What a component does to one request."""

    edits: tuple[BodyEdit, ...] = ()
    """Disjoint, in order, none of them over what others replace (`Body.taken`)."""
    memory: Any = None
    """Frozen; comes back as `Body.memory` on the lane's next turn; `Body.n_same` tells what of it is still true."""
    skips: tuple[Skip, ...] = ()
    """Candidates that were left alone, each for its reason."""
    n_fired: int | None = None
    """How many things were changed; None: as many as there are edits."""


@unique
class Body:
    """One request, as a component of bodies sees it."""

    request: Request
    """As it was received; `request.raw` are its bytes."""
    view: View
    held: Held
    rule: HeldRule
    memory: Any
    """What the component remembered of the lane; None at first."""
    n_same: int
    """How many leading messages read as in the lane's last request; cache marks and spelling may differ."""
    rewritten_from: int | None
    """The first of them that earlier decisions of this very turn make read otherwise; None where none does."""
    taken: tuple[tuple[int, int], ...]
    """Byte ranges that earlier decisions replace: in order, disjoint. They may be removed whole, never cut."""
    taken_tokens: tuple[int, ...]
    """What each of them saves, counted."""
    sent_tokens: int
    """Counted, of the whole request with the earlier decisions."""
    item_tokens: Callable[[Item], int]
    """Counted tokens of an item, before compaction."""
    count: Callable[[str], int]
    style: Style
    """How new strings are spelled."""
    waits: str | None = None
    """The trigger for which the component decides nothing new on this turn; what it decided stands."""

    def may_enter(self, i_message: int) -> bool:
        """True where a new decision may change message *i_message*: not held, on a cold turn, or by the rule."""
        return self.waits is None and self.is_free(i_message)

    def is_free(self, i_message: int) -> bool:
        """The same, whatever is waited for."""
        return self.rule is HeldRule.IGNORE or i_message >= self.held.n_messages or self.held.is_cold

    def saved_in(self, start: int, stop: int) -> int:
        """The counted tokens that earlier decisions save in bytes `start:stop`."""
        placed = zip(self.taken, self.taken_tokens, strict=True)
        return sum(tokens for (a, b), tokens in placed if start <= a and b <= stop)


class BodyComponent(Protocol):
    """One step that edits bodies.

    One that acts where a request would not fit otherwise says so by `has_own_threshold`, True; no trigger holds it
    back.
    """

    name: ClassVar[str]
    loss: ClassVar[Loss]

    def plan(self, body: Body) -> BodyPlan | Skip:
        """The edits of one request, or why there are none. Pure."""


def has_own_threshold(component: object) -> bool:
    """True for a component, or its class, that acts where a request would not fit otherwise."""
    return bool(getattr(component, "has_own_threshold", False))


def disjoint(edits: Sequence[BodyEdit]) -> bool:
    """True where *edits* are in order and none overlaps another."""
    return all(a.stop <= b.start and a.start <= b.start for a, b in pairwise(edits))
