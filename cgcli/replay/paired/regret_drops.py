"""What the edits of a policy take out of a request: one drop for each part that loses content."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import is_
from typing import TYPE_CHECKING

from cgcli.model import Kind, Section, unique
from cgcli.replay.paired.regret_fragments import answered, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.compaction.splicing import Placed
    from cgcli.compaction.state import Decision
    from cgcli.model import Digest, Item, Part, Request
    from cgcli.replay.paired.regret_fragments import Fragments, Place

_MOST_BACK = 64
"""How many messages back a call is looked for: parallel calls and their outputs may be a message each."""


@unique
class Drop:
    """A part of a request that an edit took content out of."""

    component: str
    """The first one in the edit that loses content."""
    line: int
    """The line of the request in which it was first missing."""
    path: str
    item: Item
    i_part: int
    decision: Decision
    kept: frozenset[str]
    """The fragments and lines of what took its place."""
    asks: str | None
    """The call that it was the output of; None where it was none, or the call is not there."""

    @property
    def text(self) -> str:
        """What stood there before compaction."""
        return text_of(self.item, self.item.parts[self.i_part])


Placing = tuple[tuple["Place", Drop], ...]
"""What one edit drops, in order."""


class Dropped:
    """All that one request lost, in the order of the body."""

    __slots__ = ("by_call", "by_place", "lost", "order", "placings")

    def __init__(self, placings: tuple[Placing, ...], before: Dropped | None = None) -> None:
        """The drops of its edits; *before* are those of an earlier request, which it mostly has and adds to."""
        self.placings = placings
        self.by_place: dict[Place, Drop]
        self.by_call: dict[str, Place]
        """The newest output of each call that was dropped."""
        self.lost: dict[str, int] = {}
        """Of facts that were looked for: in how many of the places that were read first they were all dropped."""
        n = before.n_same(placings) if before is not None else 0
        new = {place: drop for placing in placings[n:] for place, drop in placing}
        if before is None or not n or not before.by_place.keys().isdisjoint(new):
            self.by_place = {place: drop for placing in placings for place, drop in placing}
            self.by_call = _by_call(self.by_place)
        else:
            self.by_place = {**before.by_place, **new}
            self.by_call = {**before.by_call, **_by_call(new)}
            # What was lost is still; another request that goes on from the one before finds it out anew.
            self.lost, before.lost = before.lost, {}
        self.order = dict(zip(self.by_place, range(len(self.by_place)), strict=True))

    def has_lost(self, fact: str, places: Sequence[Place], n: int) -> bool:
        """True where the first *n* of the *places* of *fact* are all dropped; costs what is new to this question."""
        n_known = self.lost.get(fact, 0)
        if n_known < n:
            # What was read last is mostly what is still sent.
            if not all(map(self.by_place.__contains__, reversed(places[n_known:n]))):
                return False
            self.lost[fact] = n
        return True

    def n_same(self, placings: Sequence[Placing]) -> int:
        """How many *placings* begin with all of these, the very ones; 0 where they do not."""
        n = len(self.placings)
        return n if n <= len(placings) and all(map(is_, placings, self.placings)) else 0

    def newest_first(self, places: Iterable[Place]) -> list[tuple[Place, Drop]]:
        """The drops at those of *places* that lost something, the last of the body first."""
        found = [place for place in places if place in self.order]
        return [(place, self.by_place[place]) for place in sorted(found, key=self.order.__getitem__, reverse=True)]

    def is_of(self, placings: Sequence[Placing]) -> bool:
        """True where *placings* are the very ones that it was made of."""
        return len(placings) == len(self.placings) and self.n_same(placings) == len(placings)


def _by_call(drops: Mapping[Place, Drop]) -> dict[str, Place]:
    return {drop.asks: place for place, drop in drops.items() if drop.asks is not None}


@unique
class _Touched:
    """An item of a request that an edit is in."""

    path: str
    i_message: int | None
    """None in tools and system prompt."""
    item: Item
    start: int
    """Its first byte in the body."""

    def part_path(self, part: Part) -> str:
        """Where *part* of the item stands in the body."""
        return f"{self.path}.{part.path}" if part.path else self.path


class Drops:
    """The drops of one arm."""

    def __init__(self, fragments: Fragments, losing: frozenset[str]) -> None:
        """Edits that a component in *losing* fired in are drops."""
        self.kept: set[str] = set()
        """The fragments and lines of all that took the place of something so far."""
        self._fragments = fragments
        self._losing = losing
        self._known: dict[Place, Drop] = {}
        self._placings: dict[tuple[Digest, int, int, bytes], Placing] = {}

    def loser(self, decision: Decision) -> str | None:
        """The component that loses content by *decision*; None where none does."""
        return next((one.component for one in decision.fired if one.component in self._losing), None)

    def of(self, request: Request, line: int, edit: Placed) -> Placing:
        """The drops of one *edit* of *request*, which stands on *line* and was read."""
        start, stop, decision = edit
        if self.loser(decision) is None:
            return ()
        key = _same(request, edit)
        known = self._placings.get(key) if key is not None else None
        if known is None:
            found = []
            for touched in _items_in(request, start, stop):
                for i_part, part in enumerate(touched.item.parts):
                    span = part.slot or part.span
                    if touched.start + span.start < stop and start < touched.start + span.stop:
                        place = (touched.item.rendered, i_part)
                        found.append((place, self._drop(request, line, touched, i_part, edit)))
            known = tuple(found)
            if key is not None:
                self._placings[key] = known
        return known

    def _drop(self, request: Request, line: int, touched: _Touched, i_part: int, edit: Placed) -> Drop:
        decision, item = edit[2], touched.item
        place = (item.rendered, i_part)
        known = self._known.get(place)
        if known is not None and known.decision.literal == decision.literal:
            return known
        part = item.parts[i_part]
        self._known[place] = drop = Drop(
            component=self.loser(decision) or "",
            line=known.line if known is not None else line,
            path=known.path if known is not None else touched.part_path(part),
            item=item,
            i_part=i_part,
            decision=decision,
            kept=self._fragments.literal(decision.literal),
            asks=self._asked(request, touched, part),
        )
        self.kept |= drop.kept
        return drop

    def _asked(self, request: Request, touched: _Touched, part: Part) -> str | None:
        """The call that *part* is the output of."""
        i_message = touched.i_message
        joins = answered(touched.item, part) if part.kind is Kind.TOOL_RESULT else None
        if joins is None or i_message is None:
            return None
        for before in reversed(request.messages[max(0, i_message - _MOST_BACK) : i_message]):
            for call in self._fragments.calls(before).values():
                if call.joins == joins:
                    return call.asks
        return None


def _same(request: Request, edit: Placed) -> tuple[Digest, int, int, bytes] | None:
    """What is the same for the same edit of messages, on whatever turn it is made; None for one elsewhere."""
    start, stop, decision = edit
    starts = request.starts
    if not starts or start < starts[0] or stop > starts[-1] + request.messages[-1].size_bytes:
        return None
    first, last = bisect_right(starts, start) - 1, bisect_left(starts, stop) - 1
    return request.states[max(first, last)], first, start - starts[first], decision.literal


def _items_in(request: Request, start: int, stop: int) -> Iterator[_Touched]:
    """The items that bytes `start:stop` of the body are of; bytes between two items are of none."""
    starts, messages = request.starts, request.messages
    if messages and starts[0] < stop and start < starts[-1] + messages[-1].size_bytes:
        for i in range(max(0, bisect_right(starts, start) - 1), bisect_left(starts, stop)):
            yield _Touched(path=f"messages.{i}", i_message=i, item=messages[i], start=starts[i])
        if starts[0] <= start:
            return
    for path, item, at in request.placed():
        if item.section is not Section.MESSAGES and at < stop and start < at + item.size_bytes:
            yield _Touched(path=path, i_message=None, item=item, start=at)
