"""What a break re-bills, in tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.checks.base import Cost
from cgcli.model import Section
from cgcli.providers.models import lookup
from cgcli.tokens import counter

if TYPE_CHECKING:
    from cgcli.checks.turn import Turn
    from cgcli.model import Digest, Item
    from cgcli.prefix.divergence import Divergence, Side


class Rebilling:
    """Counts what stands behind a break and was sent before; loads a vocabulary only when first asked."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._known: dict[tuple[str, Digest], int] = {}

    def __call__(self, turn: Turn) -> Cost | None:
        """The tokens behind *turn*'s break that the provider could have read, had it not broken.

        Those are the items from the break up to the last one that the request before had too: what is new on this turn
        would have been written in any case.
        """
        found = turn.breaks
        return self.between(turn.before, turn.request, found) if found is not None and turn.before is not None else None

    def between(self, before: Side, after: Side, found: Divergence) -> Cost:
        """The same for any two requests, where *after* breaks with *before* at *found*."""
        facts = lookup(after.model)
        tokens = sum(self._tokens(facts.encoding, item) for item in _behind(before, after, found))
        times = "" if facts.factor == 1 else f" x {float(facts.factor):.2f}"
        return Cost(tokens=round(tokens * float(facts.factor)), basis=f"{facts.basis}: {facts.encoding}{times}")

    def _tokens(self, encoding: str, item: Item) -> int:
        key = encoding, item.rendered
        if key not in self._known:
            self._known[key] = counter(encoding).count(item.wire.decode("utf-8", "replace"))
        return self._known[key]


def _behind(before: Side, request: Side, found: Divergence) -> list[Item]:
    items: list[Item] = []
    for section, now in ((Section.TOOLS, request.tools or ()), (Section.SYSTEM, request.system or ())):
        if _reaches(found.section, section):
            items += now[found.i_item if found.section is section else 0 :]
    sent = {item.rendered for item in before.messages}
    first = found.i_item if found.section is Section.MESSAGES else 0
    last = max((i for i, item in enumerate(request.messages) if item.rendered in sent), default=first - 1)
    if found.section is Section.MESSAGES:
        last = max(last, min(first, len(request.messages) - 1))
    return [*items, *request.messages[first : last + 1]]


def _reaches(broken: Section, section: Section) -> bool:
    order = list(Section)
    return order.index(section) >= order.index(broken)
