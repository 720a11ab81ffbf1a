"""What the model was sent with one request, and what of the original it was not sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import unique
from cgcli.replay.paired.regret_words import MOST_FRAGMENT_CHARS
from cgcli.wire.strings import Style, encode

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from cgcli.compaction.splicing import Placed
    from cgcli.compaction.state import Decision
    from cgcli.model import Digest, Item
    from cgcli.replay.paired.regret_drops import Drop, Dropped, Placing
    from cgcli.replay.paired.regret_fragments import Fragments

_STYLES = (Style.ASCII, Style.UTF8, Style.GO, Style.SLASH)


@unique
class Seen:
    """One request as an arm sent it: no bytes but those of the items, which are shared."""

    i_exchange: int
    before: int | None
    """The request that it goes on from."""
    items: tuple[tuple[Item, int], ...]
    """What stands before the messages, with its first byte."""
    messages: tuple[Item, ...]
    starts: array[int]
    edits: tuple[Placed, ...]
    present: frozenset[Digest]
    """The items that it had before compaction."""
    dropped: Dropped
    by_decision: Mapping[Decision, Placing]

    def pieces(self) -> Iterator[bytes]:
        """The bytes of its items as they were sent, in the order of the body."""
        placed = [*self.items, *zip(self.messages, self.starts, strict=True)]
        edits, i, at = self.edits, 0, 0
        for item, start in sorted(placed, key=lambda one: one[1]):
            stop = start + item.size_bytes
            at = max(at, start)
            while i < len(edits) and edits[i][0] < stop:
                left, right, decision = edits[i]
                yield item.wire[at - start : max(at, left) - start]
                yield decision.literal
                at = max(at, right)
                i += 1
            if at < stop:
                yield item.wire[at - start :]
        yield from (decision.literal for _, _, decision in edits[i:])


class Hidden:
    """Tells what a request did not say that it would have said without the policy."""

    def __init__(self, seen: Seen, fragments: Fragments, kept: AbstractSet[str]) -> None:
        """Of the request *seen*; *kept* are the facts of all that took something's place, and may be more."""
        self.seen = seen
        self._fragments = fragments
        self._kept = kept
        self._drops: dict[str, Drop | None] = {}
        self._pieces: Sequence[bytes] | None = None

    def drop(self, fact: str) -> Drop | None:
        """The newest part that lost the fragment or line *fact*; None where it is still sent, or never was there.

        Told by fragments and lines: one that is only a piece of a longer one is taken as lost. Ask `is_sent` then.
        """
        if fact not in self._drops:
            self._drops[fact] = self._find(fact)
        return self._drops[fact]

    def is_sent(self, text: str) -> bool:
        """True where *text*, of one line, stands anywhere in what was sent."""
        if self._pieces is None:
            self._pieces = [*self.seen.pieces()]
        spelled = {encode(text, style)[1:-1] for style in _STYLES}
        return any(needle in piece for needle in spelled for piece in self._pieces)

    def piece(self, line: str) -> str | None:
        """A piece of *line* of at most 160 characters that was not sent; None where each was."""
        pieces = (line[i : i + MOST_FRAGMENT_CHARS] for i in range(0, len(line), MOST_FRAGMENT_CHARS))
        return next((piece for piece in pieces if piece.strip() and not self.is_sent(piece)), None)

    def _find(self, fact: str) -> Drop | None:
        present, dropped = self.seen.present, self.seen.dropped
        places = self._fragments.holders(fact)
        n = len(places)
        while n and places[n - 1][0] not in present:
            n -= 1  # mostly the answer that is looked at has it, too
        if not n:
            return None
        if fact not in self._kept and dropped.has_lost(fact, places, n):
            return dropped.by_place[places[n - 1]]
        newest = None
        for place in reversed(places[:n]):
            if place[0] not in present:
                continue
            drop = dropped.by_place.get(place)
            if drop is None or fact in drop.kept:
                return None
            newest = newest or drop
        return newest
