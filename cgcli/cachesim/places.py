"""The places of a request that an entry can stand at: the end of each block; keys are made when they are asked for."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from cgcli.cachesim.tape import marks_of
from cgcli.model import Digest, Kind, Section, value
from cgcli.prefix.params import seeds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.cachesim.tape import Spot, Tape
    from cgcli.model import Item, Mark, Param, Request
    from cgcli.tokens.meter import Meter

_ORDER = {section: i for i, section in enumerate(Section)}


@value
class Place:
    """The end of one block."""

    section: Section
    i_item: int
    i_block: int
    """Among the blocks of its item's content."""
    key: Digest
    """Over model, all blocks so far and the parameters that its section depends on."""
    run: Kind | None = None
    """Of the blocks that are one position with their neighbours."""

    @property
    def order(self) -> tuple[int, int, int]:
        """Sorts in cache order."""
        return _ORDER[self.section], self.i_item, self.i_block


class Places:
    """One request, as places."""

    def __init__(self, request: Request, tape: Tape, *, switches: tuple[Param, ...] = (), n_stripped: int = 0) -> None:
        """Look at *request*; nothing is hashed yet but its parameters.

        *switches* are parameters that follow from its content; of the first *n_stripped* messages the provider takes
        the thinking out.
        """
        self.request = request
        self.head = tape.head(request)
        self.params = (*request.params, *switches)
        self._tape = tape
        self._seeds = seeds(self.params)
        self._n_stripped = n_stripped
        self._static: tuple[Place, ...] | None = None
        self._of_message: dict[int, tuple[Place, ...]] = {}
        self._upto: dict[int, int] = {}
        self._tokens: dict[Digest, int] = {}

    def of_head(self) -> tuple[Place, ...]:
        """Those of tools and system prompt."""
        if self._static is None:
            self._static = tuple(
                Place(
                    section=spot.section,
                    i_item=spot.i_item,
                    i_block=spot.i_block,
                    key=Digest(sha256(self._seeds[spot.section] + spot.running).digest()),
                )
                for spot in self.head.spots
            )
        return self._static

    def of_message(self, i: int) -> tuple[Place, ...]:
        """Those of message *i*; none of them depends on how the message goes on."""
        known = self._of_message.get(i)
        if known is None:
            known = self._of_message[i] = tuple(self._message(i))
        return known

    def end(self, i: int) -> Place:
        """The end of message *i*."""
        return self.of_message(i)[-1]

    def same_as(self, place: Place) -> Place | None:
        """Where *place*, of another request, stands in this one; None where nothing stands there."""
        if place.section is not Section.MESSAGES:
            return next((own for own in self.of_head() if own.order == place.order), None)
        if place.i_item >= len(self.request.messages):
            return None
        own = self.of_message(place.i_item)
        return own[place.i_block] if place.i_block < len(own) else None

    def backwards(self, start: Place) -> Iterator[Place]:
        """*start* and every place before it."""
        if start.section is Section.MESSAGES:
            yield from reversed(self.of_message(start.i_item)[: start.i_block + 1])
            for i in range(start.i_item - 1, -1, -1):
                yield from reversed(self.of_message(i))
            yield from reversed(self.of_head())
        else:
            yield from (place for place in reversed(self.of_head()) if place.order <= start.order)

    @property
    def server_result(self) -> Place | None:
        """The last result of a server tool."""
        found = self._tape.seen(self.request).server_result
        return self.of_message(found[0])[found[1]] if found is not None else None

    @property
    def has_cache_point(self) -> bool:
        """True where a mark stands in it in the shape of Bedrock's Converse."""
        head = any(self._tape.layout(item).has_cache_point for item in self.request.system or ())
        return head or self._tape.seen(self.request).has_cache_point

    def is_markable(self, place: Place) -> bool:
        """False for thinking and empty texts."""
        if place.section is Section.MESSAGES:
            return self._tape.layout(self.request.messages[place.i_item]).markable[place.i_block]
        return self._spot(place).is_markable

    def marks(self, key: bytes) -> Iterator[tuple[Place, Mark]]:
        """The marks that the request sets under *key*, as one provider calls it, on whatever block, in cache order."""
        for place, spot in zip(self.of_head(), self.head.spots, strict=True) if self._has_marked_head() else ():
            if spot.mark is not None and self._head_item(place).has(key):
                yield place, spot.mark
        messages = self.request.messages
        for i in self._tape.marked.of(messages):
            if messages[i].has(key):
                yield from self._marks_in(i, messages[i])

    def counted(self, place: Place) -> int:
        """Tokens up to and with *place*, without the ruler's factor."""
        if place.section is not Section.MESSAGES:
            return self._spot(place).counted
        i = place.i_item
        stop = self._tape.layout(self.request.messages[i]).stop(place.i_block)
        if stop is None:
            return self.upto(i + 1)
        within = self._tape.within(self.request, i, stop)
        if i < self._n_stripped:
            within -= self._tape.thinking_in(self.request, i, place.i_block + 1)
        return self.upto(i) + within

    def tokens(self, place: Place) -> int:
        """The same, for the model."""
        known = self._tokens.get(place.key)
        if known is None:
            known = self._tokens[place.key] = self._tape.tokens(self.counted(place))
        return known

    def upto(self, n_messages: int) -> int:
        """Tokens up to and with the first *n_messages* messages, without the ruler's factor."""
        known = self._upto.get(n_messages)
        if known is None:
            stripped = self._tape.thinking(self.request, min(n_messages, self._n_stripped))
            known = self.head.counted + self._tape.messages(self.request, n_messages) - stripped
            self._upto[n_messages] = known
        return known

    @property
    def meter(self) -> Meter:
        """What counts, without the ruler's factor."""
        return self._tape.ruler.meter

    def for_model(self, counted: int) -> int:
        """What *counted* tokens are for the model."""
        return self._tape.tokens(counted)

    @property
    def last(self) -> Place | None:
        """The end of the request; None where it has nothing in it."""
        n = len(self.request.messages)
        head = self.of_head()
        return self.end(n - 1) if n else head[-1] if head else None

    @property
    def total_tokens(self) -> int:
        """All of the request, for the model."""
        return self.for_model(self.upto(len(self.request.messages)))

    def _head_item(self, place: Place) -> Item:
        items = self.request.tools if place.section is Section.TOOLS else self.request.system
        return (items or ())[place.i_item]

    def _has_marked_head(self) -> bool:
        return any(spot.mark is not None for spot in self.head.spots)

    def _marks_in(self, i: int, item: Item) -> Iterator[tuple[Place, Mark]]:
        found = marks_of(item, self._tape.layout(item))
        yield from ((self.of_message(i)[i_block], mark) for i_block, mark in sorted(found.items()))

    def _spot(self, place: Place) -> Spot:
        return next(
            spot
            for spot in self.head.spots
            if (spot.section, spot.i_item, spot.i_block) == (place.section, place.i_item, place.i_block)
        )

    def _message(self, i: int) -> Iterator[Place]:
        request = self.request
        found = self._tape.layout(request.messages[i])
        before = self._tape.before(request, i, self._n_stripped)
        read = self._tape.bare(request.messages[i]) if i < self._n_stripped else found
        running = sha256(b"messages" + self._seeds[Section.MESSAGES] + self.head.running + before + read.own)
        for i_block, digest in enumerate(read.digests):
            running.update(digest)
            yield Place(
                section=Section.MESSAGES,
                i_item=i,
                i_block=i_block,
                key=Digest(running.digest()),
                run=found.runs[i_block],
            )
