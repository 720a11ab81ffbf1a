"""A tree over all that was sent to one model: where two requests part, inside a text too.

The tree only says what reads alike; what of it is held, and by whom, stands elsewhere, so all branches of a simulator
share one.
"""

from __future__ import annotations

from bisect import bisect_left, insort_left
from operator import attrgetter
from typing import TYPE_CHECKING

from cgcli.cachesim.chars import whole_words
from cgcli.cachesim.wording import BETWEEN, wordings
from cgcli.model import Digest, unique
from cgcli.prefix.difference import agreeing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.cachesim.wording import Wording
    from cgcli.model import Item, Request
    from cgcli.tokens.meter import Meter

_string = attrgetter("string")
_HEAD = Digest(b"")
"""Stands for the end of tools and system prompt."""


class Stretch:
    """A run of text behind another one; more of a block's, where requests part inside it."""

    __slots__ = (
        "above",
        "below",
        "i_message",
        "lead",
        "n_frame",
        "n_text",
        "next",
        "start",
        "stop",
        "string",
    )

    def __init__(self, above: Stretch | None, string: str, start: int, stop: int) -> None:
        """Behind *above*, from *start* to *stop*: counted tokens from the first of the request."""
        self.above = above
        self.string = string
        self.start = start
        self.stop = stop
        self.lead = 0
        self.n_frame = 0
        self.n_text = len(string)
        self.i_message: int | None = None
        """The message that ends with it."""
        self.below: Stretch | None = None
        """What it was one with before a request parted from it here."""
        self.next: list[Stretch] = []
        """What follows, sorted by its string."""

    def up(self) -> Iterator[Stretch]:
        """This one and all before it, but not the root, the last one first."""
        found: Stretch | None = self
        while found is not None and found.above is not None:
            yield found
            found = found.above

    def add(self, made: Stretch) -> None:
        """*made* follows."""
        insort_left(self.next, made, key=_string)


@unique
class Walked:
    """How far a request is known."""

    at: Stretch
    """The last stretch that it has all of."""
    inside: Stretch | None
    """A stretch behind it whose beginning it shares."""
    n_chars: int
    """How much of that."""
    counted: int
    """Tokens in common with anything, without a factor."""
    i_item: int
    """The first item, of tools, system and messages together, that is not known whole."""
    i_block: int
    offset: int
    """Characters of that block's string before `inside`."""


class Stretches:
    """What was sent to one model."""

    def __init__(self, meter: Meter) -> None:
        """Nothing yet; *meter* counts."""
        self._meter = meter
        self._roots: dict[bytes, Stretch] = {}
        self._ends: dict[tuple[bytes, Digest, Digest], Stretch] = {}
        """Where a message ends, or the head: by prompt settings, head and state."""

    def end(self, request: Request, seed: bytes, n_messages: int) -> Stretch | None:
        """Where the first *n_messages* of *request* end; None where they are not known."""
        if not n_messages and not (request.tools or request.system):
            return self._root(seed)
        return self._ends.get((seed, request.static, request.states[n_messages - 1] if n_messages else _HEAD))

    def walk(self, request: Request, seed: bytes) -> Walked:
        """How far *request* is known under *seed*, which stands for all that changes its prompt beside its items."""
        low, high = -1, len(request.messages)
        while low < high:
            middle = (low + high + 1) // 2
            if self.end(request, seed, middle) is not None:
                low = middle
            else:
                high = middle - 1
        known = self.end(request, seed, low) if low >= 0 else None
        n_head = len(request.tools or ()) + len(request.system or ())
        if known is None:
            return self._on(request, seed, self._root(seed), 0)
        return self._on(request, seed, known, n_head + low)

    def insert(self, request: Request, seed: bytes, walked: Walked) -> Stretch:
        """Where *request* ends, all of it known from now on; *walked* is what `walk` just said of it."""
        at, offset = walked.at, walked.offset
        if walked.inside is not None:
            at = _part(walked.inside, walked.n_chars, walked.counted)
            offset += walked.n_chars
        for i_item in range(walked.i_item, _n_items(request)):
            i_first = walked.i_block if i_item == walked.i_item else 0
            for i_block, wording in enumerate(self._wordings(request, i_item)):
                if i_block >= i_first:
                    at = _behind(at, wording, offset)
                    offset = 0
            self._ends_item(request, seed, i_item, at)
        return at

    def _root(self, seed: bytes) -> Stretch:
        found = self._roots.get(seed)
        if found is None:
            found = self._roots[seed] = Stretch(None, "", 0, 0)
        return found

    def _on(self, request: Request, seed: bytes, at: Stretch, i_item: int) -> Walked:
        """The walk from the end *at* of the items before *i_item* on, text by text."""
        for i in range(i_item, _n_items(request)):
            for i_block, wording in enumerate(self._wordings(request, i)):
                reached, inside, offset, n_chars = _descend(at, wording)
                if offset < len(wording.string):
                    counted = reached.stop if inside is None else self._counted(inside, n_chars)
                    return Walked(
                        at=reached,
                        inside=inside,
                        n_chars=n_chars,
                        counted=counted,
                        i_item=i,
                        i_block=i_block,
                        offset=offset,
                    )
                at = reached
            self._ends_item(request, seed, i, at)
        return Walked(at=at, inside=None, n_chars=0, counted=at.stop, i_item=_n_items(request), i_block=0, offset=0)

    def _counted(self, inside: Stretch, n_chars: int) -> int:
        """Tokens up to character *n_chars* of *inside*."""
        words = inside.string[inside.n_frame : n_chars]
        told = sum(self._meter.count(words_of_part) for words_of_part in words.split(BETWEEN))
        return min(inside.start + inside.lead + told, inside.stop)

    def _wordings(self, request: Request, i_item: int) -> Iterator[Wording]:
        item, start = _placed(request, i_item)
        return wordings(item, request.raw, start, self._meter)

    def _ends_item(self, request: Request, seed: bytes, i_item: int, at: Stretch) -> None:
        n_head = _n_items(request) - len(request.messages)
        if i_item >= n_head:
            i = i_item - n_head
            at.i_message = i
            self._ends[seed, request.static, request.states[i]] = at
        elif i_item == n_head - 1:
            self._ends[seed, request.static, _HEAD] = at


def _descend(at: Stretch, wording: Wording) -> tuple[Stretch, Stretch | None, int, int]:
    """The last stretch of *wording* behind *at* that is there whole, the one it goes on inside of, and how far each."""
    offset = 0
    while offset < len(wording.string):
        rest = wording.string[offset:]
        found, n = _closest(at, rest, max(0, wording.n_frame - offset), wording.n_text - offset)
        if found is None:
            return at, None, offset, 0
        if n < len(found.string):
            return at, found, offset, n
        at, offset = found, offset + n
    return at, None, offset, 0


def _closest(at: Stretch, rest: str, n_frame: int, n_text: int) -> tuple[Stretch | None, int]:
    """Which of what follows *at* shares most with *rest*, and how many characters; None where nothing does."""
    i = bisect_left(at.next, rest, key=_string)
    best, most = None, 0
    for found in at.next[max(0, i - 1) : i + 1]:
        n = _alike(found, rest, n_frame, n_text)
        if n > most:
            best, most = found, n
    return best, most


def _alike(found: Stretch, rest: str, n_frame: int, n_text: int) -> int:
    """How many characters *rest* shares with *found*: all of it, or whole words of the text, or none."""
    n = agreeing(found.string, rest)
    if n == len(found.string) and (found.below is None or n >= n_text or rest[n].isspace()):
        return n
    first = max(n_frame, found.n_frame)
    n = min(n, found.n_text, n_text)
    if n > first:
        n = whole_words(found.string[: found.n_text], rest[:n_text], n, first)
    return n if n > first else 0


def _part(found: Stretch, n_chars: int, counted: int) -> Stretch:
    """Cut *found* behind *n_chars* characters; what is before the cut."""
    above = found.above
    assert above is not None, "a root is not cut"  # noqa: S101 - an impossible state
    upper = Stretch(above, found.string[:n_chars], found.start, counted)
    upper.lead, upper.n_frame, upper.n_text = found.lead, found.n_frame, n_chars
    upper.below = found
    above.next.remove(found)
    above.add(upper)
    found.above, found.string, found.start, found.lead = upper, found.string[n_chars:], counted, 0
    found.n_frame, found.n_text = 0, found.n_text - n_chars
    upper.add(found)
    return upper


def _behind(at: Stretch, wording: Wording, offset: int) -> Stretch:
    """What is left of *wording* behind *offset* characters, as a new stretch behind *at*."""
    block_start = at.stop
    if offset:
        block_start = next(one.start for one in at.up() if one.n_frame)
    made = Stretch(at, wording.string[offset:], at.stop, block_start + wording.tokens)
    made.n_frame = max(0, wording.n_frame - offset)
    made.n_text = wording.n_text - offset
    made.lead = wording.lead_tokens if not offset else 0
    at.add(made)
    return made


def _n_items(request: Request) -> int:
    return len(request.tools or ()) + len(request.system or ()) + len(request.messages)


def _placed(request: Request, i_item: int) -> tuple[Item, int]:
    """An item, and its first byte in the body."""
    n_tools, n_system = len(request.tools or ()), len(request.system or ())
    if i_item < n_tools:
        return (request.tools or ())[i_item], request.tools_starts[i_item]
    if i_item < n_tools + n_system:
        i = i_item - n_tools
        return (request.system or ())[i], request.system_starts[i]
    i = i_item - n_tools - n_system
    return request.messages[i], request.starts[i]
