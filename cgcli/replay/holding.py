"""What the provider holds of a request's prefix, as far as the requests before it tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.compaction.state import Held, HeldKind
from cgcli.lanes import Relation
from cgcli.providers.cache_life import MARGIN_S, life_s

if TYPE_CHECKING:
    from cgcli.lanes import Placement
    from cgcli.model import Exchange, Item

_ONE_HOUR = "1h"


class Holding:
    """Follows the threads of a file through time."""

    def __init__(self) -> None:
        """Begin with nothing sent."""
        self._sent_s: dict[int, float] = {}
        self._asks_1h: set[int] = set()
        self._last: tuple[Exchange, Held] | None = None

    def of(self, placement: Placement, exchange: Exchange) -> Held:
        """What is held of *exchange*, and remember that it was sent; all runs over one file may ask the same one."""
        if self._last is None or self._last[0] is not exchange:
            self._last = exchange, self._next(placement, exchange)
        return self._last[1]

    def _next(self, placement: Placement, exchange: Exchange) -> Held:
        identity = placement.thread.identity
        before = placement.thread.branch[0].identity if _is_first(placement) and placement.thread.branch else identity
        since = self._sent_s.get(before)
        if placement.split is not None:
            self._split(identity, placement.split.identity)
        held = self._held(placement, exchange, since, asks_1h=before in self._asks_1h)
        if exchange.sent_s is not None:
            self._sent_s[identity] = exchange.sent_s
        else:  # it refreshed the cache nobody knows when: a later pause is not to be counted from before it
            self._sent_s.pop(identity, None)
        if before in self._asks_1h or self._marks_1h(placement, exchange):
            self._asks_1h.add(identity)
        return held

    def _split(self, identity: int, side: int) -> None:
        """The side call was the last that the thread sent: what is known of the one is true of the other."""
        if identity in self._sent_s:
            self._sent_s[side] = self._sent_s[identity]
        if identity in self._asks_1h:
            self._asks_1h.add(side)

    def _held(self, placement: Placement, exchange: Exchange, since: float | None, *, asks_1h: bool) -> Held:
        request = exchange.request
        if placement.relation is Relation.NEW:
            last_answer = max((i for i, m in enumerate(request.messages) if m.role == "assistant"), default=-1)
            if last_answer < 0:
                return Held(kind=HeldKind.NOTHING, n_messages=0)
            return Held(kind=HeldKind.UNKNOWN, n_messages=last_answer + 1)
        if not placement.same_static:
            return Held(kind=HeldKind.NOTHING, n_messages=0)
        left_s = None
        if since is not None and exchange.sent_s is not None:
            left_s = life_s(request.dialect, asks_1h=asks_1h) - (exchange.sent_s - since)
        is_cold = left_s is not None and left_s < -MARGIN_S
        return Held(kind=HeldKind.KNOWN, n_messages=placement.sent, is_cold=is_cold, left_s=left_s)

    def _marks_1h(self, placement: Placement, exchange: Exchange) -> bool:
        request = exchange.request
        return any(
            _asks_1h(item)
            for item in (
                *(request.tools or ()),
                *(request.system or ()),
                *request.messages[placement.shared :],
            )
        )


def _is_first(placement: Placement) -> bool:
    return placement.relation is Relation.BRANCHES


def _asks_1h(item: Item) -> bool:
    return any(part.mark is not None and part.mark.ttl == _ONE_HOUR for part in item.parts)
