"""The cache marks and look-back positions along a lane, walked once for each message of it."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING

from cgcli.compaction.components.taken import n_added_marks
from cgcli.dialects.settings import settings
from cgcli.model import Section, value
from cgcli.prefix.marked import CLAUDE_KEY, runs, step
from cgcli.prefix.marked import Walk as Unmarked
from cgcli.providers.breakpoints import ANTHROPIC, DEFAULT_TTL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cgcli.compaction.components.taken import Ranges
    from cgcli.model import Item, Kind, Request

Order = tuple[int, int, int]
"""Sorts marks in cache order: section, item, block."""
_SECTIONS = {section: i for i, section in enumerate(Section)}
_AUTOMATIC: Order = (len(_SECTIONS), 0, 0)
_WHOLE_MESSAGE = 1 << 30
_QUOTED_KEY = b'"%s"' % CLAUDE_KEY.encode()
_MOST_KEPT = 16
"""Marks beyond this many are counted and not kept: far fewer are refused already."""


@value
class Walk:
    """What was met on the way to the end of some item."""

    position: int = 0
    """Of its last block, from 1."""
    run: Kind | None = None
    """`TOOL_CALL` or `TOOL_RESULT` where the last block is of such a run."""
    marks: tuple[tuple[Order, str], ...] = ()
    """The last few, with their lifetimes."""
    n_marks: int = 0
    item: Item | None = None
    """The item; None before the first one."""


Walks = tuple[Walk, ...]
"""`walks[i]`: the state behind message i. Positions are counted from the first message."""
_NOTHING = Walk()


def walked(messages: Sequence[Item], known: Walks) -> Walks:
    """The walks over *messages*; those of *known* are taken over up to the first message that is another one.

    A message that reads the same but has its mark somewhere else is another one.
    """
    pairs = zip(known, messages, strict=False)
    n_same = next((i for i, (walk, item) in enumerate(pairs) if walk.item is not item), len(messages))
    walks = list(known[:n_same])
    walk = walks[-1] if walks else _NOTHING
    for i in range(len(walks), len(messages)):
        walk = _step(walk, messages[i], i)
        walks.append(walk)
    return tuple(walks)


@lru_cache(maxsize=64)
def head_walk(tools: tuple[Item, ...], system: tuple[Item, ...]) -> Walk:
    """The walk over what stands before the messages."""
    walk = _NOTHING
    for items in (tools, system):
        for i, item in enumerate(items):
            walk = _step(walk, item, i)
    return walk


def _step(walk: Walk, item: Item, i_item: int) -> Walk:
    position, run = walk.position, walk.run
    for kind, _ in runs(item):
        position += kind is None or kind is not run
        run = kind
    found = _marks(item, i_item)
    marks = (*walk.marks, *found)[-_MOST_KEPT:] if found else walk.marks
    return Walk(position=position, run=run, marks=marks, n_marks=walk.n_marks + len(found), item=item)


def _marks(item: Item, i_item: int) -> list[tuple[Order, str]]:
    """The marks of *item*, in order; it is decoded only where its parts do not tell them all."""
    if not item.has(CLAUDE_KEY.encode()):
        return []
    n_keys = item.wire.count(_QUOTED_KEY)
    by_parts = [(part.path, part.mark.ttl) for part in item.parts if part.mark is not None]
    if len(by_parts) != n_keys:
        by_parts = [(mark.inner, mark.ttl) for mark in step(Unmarked(), item, i_item).marks if mark.key == CLAUDE_KEY]
    return [(_order(item.section, i_item, path), _ttl(ttl)) for path, ttl in by_parts]


def _order(section: Section, i_item: int, path: str) -> Order:
    """Where the mark at *path* of an item stands; that of a whole message stands behind its blocks."""
    if section is not Section.MESSAGES:
        return _SECTIONS[section], i_item, 0
    steps = path.split(".")
    return _SECTIONS[section], i_item, int(steps[1]) if len(steps) > 1 else _WHOLE_MESSAGE


class Marks:
    """The marks that the caller of a request has set."""

    def __init__(self, request: Request, walks: Walks, taken: Ranges = ()) -> None:
        """Of *request*, with the walks over its messages; *taken* is what earlier steps of the turn replace."""
        head = head_walk(request.tools or (), request.system or ())
        last = walks[-1] if walks else _NOTHING
        asked = settings(request).get(CLAUDE_KEY)
        self.automatic_ttl = _ttl(asked.get("ttl")) if isinstance(asked, dict) else None
        """The lifetime of the mark that the request asks the provider to set; None where it does not."""
        self.n = head.n_marks + last.n_marks + (self.automatic_ttl is not None)
        self.n_free = ANTHROPIC.most - self.n - n_added_marks(taken) + _n_dropped(request, taken)
        """How many more may be set, after what earlier steps did."""
        self.has_head = head.n_marks > 0
        self.ttls: dict[Order, str] = dict((*head.marks, *last.marks))
        """The lifetime of each, in cache order; of very many messages' marks the last few."""
        if self.automatic_ttl is not None:
            self.ttls[_AUTOMATIC] = self.automatic_ttl

    @property
    def are_refused(self) -> bool:
        """True where the provider refuses them: an unknown lifetime, or a longer one behind a shorter."""
        ranks = [ANTHROPIC.ttls.index(ttl) if ttl in ANTHROPIC.ttls else -1 for ttl in self.ttls.values()]
        return -1 in ranks or ranks != sorted(ranks) or self.n > ANTHROPIC.most

    def fitting_ttl(self, at: Order, wanted: str) -> str:
        """The lifetime of a mark at *at*: as *wanted*, unless the order of lifetimes lets it have one only.

        Before a mark of the caller's for an hour all is written for an hour anyway.
        """
        longest, shortest = ANTHROPIC.ttls[0], ANTHROPIC.ttls[-1]
        if any(ttl == longest and place > at for place, ttl in self.ttls.items()):
            return longest
        if any(ttl == shortest and place < at for place, ttl in self.ttls.items()):
            return shortest
        return wanted

    def first_behind(self, at: Order) -> str | None:
        """The lifetime of the first mark behind *at*; None where none is."""
        return next((ttl for place, ttl in self.ttls.items() if place > at), None)


def _n_dropped(request: Request, taken: Ranges) -> int:
    """How many marks went with tools that an earlier step took out."""
    placed = zip(request.tools or (), request.tools_starts, strict=True)
    marked = [(start, start + item.size_bytes) for item, start in placed if item.parts[0].mark is not None]
    return sum(any(a <= start and stop <= b for a, b in taken) for start, stop in marked)


def anchors(messages: Sequence[Item], walks: Walks, every: int) -> Iterator[tuple[int, int]]:
    """Message and block of each position that *every* divides, the last one first: the same ones as the lane grows."""
    last = walks[-1].position if walks else 0
    for position in range(last - last % every, 0, -every):
        i = bisect_left(walks, position, key=lambda walk: walk.position)
        before = walks[i - 1] if i else _NOTHING
        yield i, _block_at(messages[i], before.position, before.run, position)


@lru_cache(maxsize=512)
def _block_at(item: Item, at: int, run: Kind | None, position: int) -> int:
    """The last content block of *item* up to *position*; *at* and *run* are the walk before it."""
    found = 0
    for i_block, (kind, _) in enumerate(runs(item)):
        at += kind is None or kind is not run
        run = kind
        if at <= position:
            found = i_block
    return found


def _ttl(said: object) -> str:
    return said if isinstance(said, str) else DEFAULT_TTL
