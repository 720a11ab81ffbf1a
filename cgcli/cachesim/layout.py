"""What the cache sees of one item: the blocks of its content, and what they are for look-back and marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.dialects.content import content_blocks, decoded, has_kind
from cgcli.model import Digest, Kind, Section, value
from cgcli.prefix.marked import runs

if TYPE_CHECKING:
    from cgcli.model import Block, Item, Part

_TEXTS = frozenset({Kind.USER_TEXT, Kind.ASSISTANT_TEXT, Kind.SYSTEM})
_CACHE_POINT = b'"cachePoint"'
_CITATIONS = b'"citations"'
_EMPTY_BYTES = 2
"""The two quotes."""


@value
class Layout:
    """The blocks of an item's content, in order. The same for all items that read the same."""

    own: bytes
    """The digests of the item's own fields (a tool's name, the id that it answers): rendered before its content."""
    digests: tuple[Digest, ...]
    starts: tuple[int, ...]
    """The first part of each block."""
    runs: tuple[Kind | None, ...]
    """`TOOL_CALL` or `TOOL_RESULT` where the block is of such a run, which is one position together."""
    markable: tuple[bool, ...]
    """False for thinking and empty texts."""
    thinking: tuple[bool, ...]
    asks: bool
    """A user's message that does not only answer calls."""
    i_server_result: int | None
    """The last block that is a server tool's result."""
    has_image: bool
    cites: bool
    """A document in it asks for citations."""
    has_cache_point: bool
    """One of its blocks is a mark in the shape of Bedrock's Converse."""

    @property
    def is_special(self) -> bool:
        """True where a cache may treat a request otherwise because of it."""
        return self.i_server_result is not None or self.has_image or self.cites or self.has_cache_point

    def block_of(self, i_part: int) -> int:
        """The block that part *i_part* is of."""
        return sum(start <= i_part for start in self.starts) - 1

    def stop(self, i_block: int) -> int | None:
        """The part behind block *i_block*; None where it is the last."""
        return self.starts[i_block + 1] if i_block + 1 < len(self.starts) else None


def layout(item: Item) -> Layout:
    """The layout of *item*."""
    own, content = own_and_content(item)
    starts = tuple(block.i_part for block in content)
    found = tuple(run for run, _ in runs(item))
    first = [item.parts[start] for start in starts]
    servers = [i for i, part in enumerate(first) if part.kind is Kind.TOOL_RESULT and found[i] is None]
    return Layout(
        own=b"".join(block.rendered for block in own),
        digests=tuple(block.rendered for block in content),
        starts=starts,
        runs=found,
        markable=tuple(_is_markable(part) for part in first),
        thinking=tuple(part.kind is Kind.THINKING for part in first),
        asks=item.role == "user" and any(run is not Kind.TOOL_RESULT for run in found),
        i_server_result=servers[-1] if servers else None,
        has_image=has_kind(item, Kind.IMAGE),
        cites=item.has(_CITATIONS) and any(_cites(block) for block in content_blocks(item)),
        has_cache_point=item.has(_CACHE_POINT) and _is_cache_point(item),
    )


def own_and_content(item: Item) -> tuple[list[Block], list[Block]]:
    """The item's own fields (a tool's name, the id that it answers), and the blocks of its content, in order."""
    own: list[Block] = []
    content: list[Block] = []
    last = -1
    for block in item.blocks:
        if block.i_part > last:
            last = block.i_part
            content.append(block)
        else:
            own.append(block)
    return own, content


def _is_cache_point(item: Item) -> bool:
    """True where *item*, or one of its blocks, is such a mark."""
    whole = decoded(item)
    blocks = content_blocks(item) if item.section is Section.MESSAGES else [whole if isinstance(whole, dict) else {}]
    return any("cachePoint" in block for block in blocks)


def _cites(block: dict[str, Any]) -> bool:
    """True for a document, or one inside a result, that asks for citations."""
    asked, inner = block.get("citations"), block.get("content")
    if isinstance(asked, dict) and asked.get("enabled") is True:
        return True
    return isinstance(inner, list) and any(_cites(one) for one in inner if isinstance(one, dict))


def _is_markable(part: Part) -> bool:
    if part.kind in _TEXTS and part.slot is not None:
        return part.slot.stop - part.slot.start > _EMPTY_BYTES
    return part.kind is not Kind.THINKING
