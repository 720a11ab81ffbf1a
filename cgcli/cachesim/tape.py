"""The tokens before any place of a model's requests, and what their items look like; each distinct thing once."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from cgcli.cachesim.layout import layout
from cgcli.model import Digest, Section, unique, value
from cgcli.tokens.meter import MESSAGE_TOKENS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cgcli.cachesim.layout import Layout
    from cgcli.model import Item, Mark, Request
    from cgcli.tokens.ruler import Ruler

_Statics = tuple[tuple["Item", ...] | None, tuple["Item", ...] | None]


@value
class Spot:
    """One block before the messages."""

    section: Section
    i_item: int
    i_block: int
    running: Digest
    """Over model and all blocks up to this one."""
    counted: int
    """Tokens up to and with this one, without the ruler's factor."""
    mark: Mark | None
    is_markable: bool


@unique
class Head:
    """Tools and system prompt."""

    spots: tuple[Spot, ...]
    tools: Digest
    """Over the tools, to tell whether they changed."""
    system: Digest
    counted: int
    """Tokens of all, without the ruler's factor."""


class Tape:
    """Measures the requests of one model; remembers little more than one number a request."""

    def __init__(self, ruler: Ruler) -> None:
        """Measure with *ruler*."""
        self.ruler = ruler
        self._heads: dict[_Statics, Head] = {}
        self._layouts: dict[Digest, Layout] = {}
        self._upto: dict[Digest, int] = {}
        """Tokens of the messages up to a state, where somebody asked."""

    def tokens(self, counted: int) -> int:
        """What *counted* tokens are for the model."""
        return self.ruler.tokens(counted)

    def layout(self, item: Item) -> Layout:
        """The blocks of *item*'s content."""
        known = self._layouts.get(item.rendered)
        if known is None:
            known = self._layouts[item.rendered] = layout(item)
        return known

    def head(self, request: Request) -> Head:
        """What stands before the messages of *request*, its marks too: the same text marked otherwise is another."""
        statics = request.tools, request.system
        known = self._heads.get(statics)
        if known is None:
            known = self._heads[statics] = self._head(request)
        return known

    def messages(self, request: Request, n_messages: int) -> int:
        """The tokens of the first *n_messages* messages; costs what is new behind the places that were asked for."""
        total = 0
        for i in range(n_messages - 1, -1, -1):
            known = self._upto.get(request.states[i])
            if known is not None:
                total += known
                break
            total += self.ruler.meter.item(request.messages[i], request.raw, request.starts[i])
        if n_messages:
            self._upto[request.states[n_messages - 1]] = total
        return total

    def within(self, request: Request, i_message: int, stop: int) -> int:
        """The tokens of message *i_message* up to its part *stop*."""
        parts = self.ruler.meter.parts(request.messages[i_message], request.raw, request.starts[i_message])
        return MESSAGE_TOKENS + sum(parts[:stop])

    def _head(self, request: Request) -> Head:
        running = sha256(repr(request.model).encode("utf-8", "surrogatepass")).digest()
        counted = 0
        spots: list[Spot] = []
        for section, items, starts in (
            (Section.TOOLS, request.tools, request.tools_starts),
            (Section.SYSTEM, request.system, request.system_starts),
        ):
            running = sha256(running + section.value.encode() + (b"?" if items is None else b"")).digest()
            for i_item, item in enumerate(items or ()):
                found = self.layout(item)
                parts = self.ruler.meter.parts(item, request.raw, starts[i_item])
                marks = marks_of(item, found)
                for i_block, digest in enumerate(found.digests):
                    running = sha256(running + digest).digest()
                    spots.append(
                        Spot(
                            section=section,
                            i_item=i_item,
                            i_block=i_block,
                            running=Digest(running),
                            counted=counted + sum(parts[: found.stop(i_block)]),
                            mark=marks.get(i_block),
                            is_markable=found.markable[i_block],
                        )
                    )
                counted += sum(parts)
        return Head(spots=tuple(spots), tools=_digest(request.tools), system=_digest(request.system), counted=counted)


def marks_of(item: Item, found: Layout) -> dict[int, Mark]:
    """The marks of *item* by the block that they stand on; of several inside one block, the last."""
    return {found.block_of(i): part.mark for i, part in enumerate(item.parts) if part.mark is not None}


def _digest(items: Iterable[Item] | None) -> Digest:
    told = b"?" if items is None else b"".join(item.rendered for item in items)
    return Digest(sha256(told).digest())
