"""One text block as two, whose texts together are its text and whose other members are its members."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from cgcli.compaction.components.mark_places import member
from cgcli.compaction.components.mark_places import system_place as place_of
from cgcli.compaction.components.removal import members_spans, removed
from cgcli.prefix.marked import CLAUDE_KEY
from cgcli.wire.quoted import Quoted
from cgcli.wire.spans import Document, decode_text
from cgcli.wire.splice import splice
from cgcli.wire.strings import utf8

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.model import Item

Edit = tuple[int, int, bytes]


class Marking(StrEnum):
    """Which of the two blocks gets the mark of the one."""

    BOTH = "both"
    STABLE_ONLY = "stable_only"
    AS_IT_IS = "as_it_is"
    """It has none."""


def two_blocks(item: Item, at: int, marking: Marking, written: bytes) -> Sequence[bytes]:
    """The text block *item*, split at character *at*; the first one has the mark *written*, if that is not empty.

    Raises:
        ValueError: it is no text block.
    """
    slot = item.parts[0].slot
    if slot is None:
        raise ValueError("no text block")
    wire = item.wire
    cut = slot.start + _byte(wire[slot.start : slot.stop], at)
    stable = wire[:cut] + b'"' + wire[slot.stop :]
    tail = wire[: slot.start] + b'"' + wire[cut:]
    if marking is Marking.STABLE_ONLY:
        tail = _unmarked(tail)
    place = place_of(item) if written else None
    if place is not None:
        shift = 0 if place.stop <= slot.start else len(stable) - len(wire)
        stable = splice(stable, [(place.start + shift, place.stop + shift, member(place, written))])
    return stable, tail


def two_of_string(literal: bytes, at: int, written: bytes) -> Sequence[Edit]:
    """The edits by which a system prompt that is a string becomes two blocks, the first with the mark *written*.

    The two quotes are replaced, so that the one edit which replaces nothing is the one that may add a mark.
    """
    cut = _byte(literal, at)
    marked = b',"%s":%s' % (CLAUDE_KEY.encode(), written) if written else b""
    opens = b'{"type":"text","text":"'
    return (
        (0, 1, b"[" + opens),
        (cut, cut, b'"' + marked + b"}," + opens),
        (len(literal) - 1, len(literal), b'"}]'),
    )


def joined_edit(wire: bytes, blocks: Sequence[bytes]) -> Edit:
    """The smallest edit by which *wire* becomes *blocks* in a row."""
    new = b",".join(blocks)
    start = _common(wire, new)
    behind = _common(wire[start:][::-1], new[start:][::-1])
    return start, len(wire) - behind, new[start : len(new) - behind]


def _byte(literal: bytes, at: int) -> int:
    """The byte of a string literal at which character *at* of its text begins."""
    return Quoted(literal).outer(len(utf8(decode_text(literal)[:at])))


def _unmarked(block: bytes) -> bytes:
    spans = members_spans(Document(block).root())
    ranges = removed(list(spans.values()), {i for i, name in enumerate(spans) if name == CLAUDE_KEY})
    return splice(block, [(start, stop, b"") for start, stop in ranges])


def _common(a: bytes, b: bytes) -> int:
    """How many leading bytes are the same."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[:middle] == b[:middle] else (low, middle - 1)
    return low
