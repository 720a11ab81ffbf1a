"""Where Anthropic's cache mark can be put: at the end of a tool, of a content block, or around a text that is a string.

What is written is a member behind the last one of an object, or in the place of a `null`. A string becomes the list of
one text block that it stands for, which the provider reads alike.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from cgcli.compaction.body import BodyEdit
from cgcli.compaction.components.taken import is_whole, may_append
from cgcli.model import Kind, value
from cgcli.prefix.marked import CLAUDE_KEY, runs
from cgcli.providers.breakpoints import DEFAULT_TTL
from cgcli.wire.spans import Document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.compaction.components.taken import Ranges
    from cgcli.model import Item, Part
    from cgcli.wire.spans import Node

_MARKABLE_TYPES = frozenset({"text", "image", "document", "search_result", "container_upload", "compaction"})
_MARKABLE_ENDINGS = ("tool_use", "tool_result")
"""Anthropic Python SDK 2.14.0: the blocks with `cache_control`. What is not known is not marked."""
_MARKABLE_ROLES = ("user", "assistant")
_MOST_KEPT = 512
_OWN_LEVELS = 2
"""`content.0.text` is of a block; `content.0.content.1.text` of a block inside it."""
_BLANK = re.compile(rb'"(?:[ \t\n\r]|\\[ntrf]|\\u00(?:20|0[9aAcCdD]))*+"')
_OPENS = b'[{"type":"text","text":"'
_CLOSES = b"}]"


@value
class Place:
    """Where one mark goes, in bytes of its item."""

    start: int
    stop: int
    """Bytes that become the mark: none, or a `null`."""
    end: int
    """The end of the marked block."""
    opens: int | None = None
    """The quote that a string begins with, where that is marked."""


def mark(ttl: str) -> bytes:
    """The JSON of a mark; the default lifetime is not written."""
    return b'{"type":"ephemeral"}' if ttl == DEFAULT_TTL else b'{"type":"ephemeral","ttl":"%s"}' % ttl.encode()


def member(place: Place, written: bytes) -> bytes:
    """What is put at *place* for the mark *written*."""
    if place.start < place.stop:
        return written
    return b',"%s":%s' % (CLAUDE_KEY.encode(), written) + (b"" if place.opens is None else _CLOSES)


def edits(place: Place, base: int, written: bytes) -> tuple[BodyEdit, ...]:
    """The edits that put the mark *written* at *place* of an item that begins at byte *base* of the body."""
    put = BodyEdit(start=base + place.start, stop=base + place.stop, new=member(place, written), keeps_reading=True)
    if place.opens is None:
        return (put,)
    at = base + place.opens
    return BodyEdit(start=at, stop=at + 1, new=_OPENS, keeps_reading=True), put


def is_free(place: Place, base: int, taken: Ranges) -> bool:
    """True where no earlier step of the turn replaces what stands at *place*, or has put its own mark there."""
    if place.opens is not None:
        return is_whole(taken, base + place.opens, base + place.end)
    return may_append(taken, base + place.start, base + place.end)


@lru_cache(maxsize=_MOST_KEPT)
def content_blocks(message: Item) -> tuple[Part, ...]:
    """The first part of each content block of *message*; none where the message itself cannot have marks."""
    if message.role not in _MARKABLE_ROLES:
        return ()
    return tuple(part for _, part in runs(message) if part.path)


@lru_cache(maxsize=_MOST_KEPT)
def block_place(message: Item, i_block: int) -> Place | None:
    """Where the mark of a content block goes; None where it cannot be marked, or is.

    It is read no further than needed: what stands in a slot may be large.
    """
    part = content_blocks(message)[i_block]
    if part.path.count(".") > _OWN_LEVELS:  # a part of a result, and not the result
        return _block(Document(message.wire).root().members()["content"].elements()[i_block])
    start, stop, slot = part.span.start, part.span.stop, part.slot
    if part.path == "content":
        blank = _BLANK.fullmatch(message.wire, start, stop)
        return None if blank else Place(start=stop, stop=stop, end=stop, opens=start)
    around = message.wire[start : slot.start] + message.wire[slot.stop : stop] if slot is not None else b""
    if slot is None or b"\\" in around or CLAUDE_KEY.encode() in around:
        found = _block(Document(message.wire[start:stop]).root())
        return shifted(found, start) if found is not None else None
    if part.kind is not Kind.TOOL_RESULT and _BLANK.fullmatch(message.wire, slot.start, slot.stop):
        return None
    at = stop - 1
    while message.wire[at - 1] in b" \t\n\r":
        at -= 1
    return Place(start=at, stop=at, end=stop)


def shifted(place: Place, by: int) -> Place:
    """The same place, *by* bytes further on."""
    opens = place.opens + by if place.opens is not None else None
    return Place(start=place.start + by, stop=place.stop + by, end=place.end + by, opens=opens)


@lru_cache(maxsize=_MOST_KEPT)
def system_place(block: Item) -> Place | None:
    """Where the mark of a block of the system prompt goes; None where it cannot be marked, or is."""
    node = Document(block.wire).root()
    return _string(node) if node.kind == "string" else _block(node)


@lru_cache(maxsize=_MOST_KEPT)
def tool_place(tool: Item) -> Place | None:
    """Where a tool's mark goes; None where it has one, or cannot have one: it is loaded later."""
    node = Document(tool.wire).root()
    members = node.members()
    later = members.get("defer_loading")
    return None if later is not None and later.bytes() == b"true" else _end(node, members)


def tool_mark(tool: Item) -> bytes | None:
    """The mark of a tool, as it is written; None where it has none."""
    found = Document(tool.wire).root().members().get(CLAUDE_KEY)
    return found.bytes() if found is not None and found.kind == "object" else None


def _block(node: Node) -> Place | None:
    members = node.members()
    kind = members["type"].string() if "type" in members else None
    if kind is None or not (kind in _MARKABLE_TYPES or kind.endswith(_MARKABLE_ENDINGS)):
        return None
    if kind == "text" and ("text" not in members or _BLANK.fullmatch(members["text"].bytes())):
        return None
    return _end(node, members)


def _end(node: Node, members: Mapping[str, Node]) -> Place | None:
    found = members.get(CLAUDE_KEY)
    if found is not None:
        return Place(start=found.start, stop=found.stop, end=node.stop) if found.kind == "null" else None
    at = max((one.stop for one in members.values()), default=None)
    return Place(start=at, stop=at, end=node.stop) if at is not None else None


def _string(node: Node) -> Place | None:
    if _BLANK.fullmatch(node.bytes()):
        return None
    return Place(start=node.stop, stop=node.stop, end=node.stop, opens=node.start)
