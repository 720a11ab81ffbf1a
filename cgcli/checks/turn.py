"""One request as the gates see it, with the request that it is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import Section
from cgcli.prefix.divergence import divergence
from cgcli.prefix.spelling import spelling

if TYPE_CHECKING:
    from cgcli.lanes import Placement
    from cgcli.lanes.snapshot import Snapshot
    from cgcli.model import Exchange, Item, Request
    from cgcli.prefix.divergence import Divergence, Side
    from cgcli.prefix.spelling import Spelling

_UNASKED = object()


class Turn:
    """A request, its place in a thread, and lazily where it breaks with the one before."""

    __slots__ = ("_break", "exchange", "i_exchange", "is_summary_call", "number", "placement")

    def __init__(
        self, exchange: Exchange, placement: Placement, *, i_exchange: int, number: int, is_summary_call: bool
    ) -> None:
        """The *i_exchange*-th request of the file, the *number*-th (from 1) of its thread."""
        self.exchange = exchange
        self.placement = placement
        self.i_exchange = i_exchange
        self.number = number
        self.is_summary_call = is_summary_call
        self._break: object = _UNASKED

    @property
    def request(self) -> Request:
        """The request."""
        return self.exchange.request

    @property
    def before(self) -> Snapshot | None:
        """The request that it is compared with; None for the first of a conversation."""
        return self.placement.before

    @property
    def thread(self) -> int:
        """The number of its thread."""
        return self.placement.thread.identity

    @property
    def line(self) -> int:
        """Its line in the file."""
        return self.exchange.source.line

    @property
    def breaks(self) -> Divergence | None:
        """Where it breaks with the request before it; None where it only adds to it, or where there is none."""
        if self._break is _UNASKED:
            self._break = divergence(self.before, self.request) if self.before is not None else None
        return self._break  # type: ignore[return-value]

    def byte_of(self, section: Section, i_item: int, byte: int | None) -> int | None:
        """Where in the body a byte of an item stands."""
        request = self.request
        starts = {
            Section.TOOLS: request.tools_starts,
            Section.SYSTEM: request.system_starts,
            Section.MESSAGES: request.starts,
        }[section]
        return starts[i_item] + byte if byte is not None and i_item < len(starts) else None

    @property
    def break_byte(self) -> int | None:
        """Where in the body its break stands."""
        found = self.breaks
        return self.byte_of(found.section, found.i_item, found.byte) if found is not None else None

    @property
    def fresh(self) -> range:
        """The messages that its thread did not have before."""
        return range(self.placement.shared, len(self.request.messages))

    def respelled(self) -> list[tuple[int, Spelling]]:
        """(message, in what) of messages that read as before and are other bytes now.

        Messages that are the same bytes are the same objects, and come first: only what stands behind them is compared.
        """
        before = self.before
        if before is None:
            return []
        found = []
        for i in reversed(range(min(self.placement.shared, len(before.messages)))):
            was, now = before.messages[i], self.request.messages[i]
            if was is now:
                break
            how = spelling(was.wire, now.wire) if was.rendered == now.rendered else None
            if how is not None:
                found.append((i, how))
        return found[::-1]


def static_items(request: Side) -> tuple[Item, ...]:
    """Tools and system prompt in cache order; what is not recorded is not among them."""
    return (*(request.tools or ()), *(request.system or ()))
