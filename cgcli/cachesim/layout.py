"""What the cache sees of one item: the blocks of its content, and what they are for look-back and marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import Digest, Kind, value
from cgcli.prefix.marked import runs

if TYPE_CHECKING:
    from cgcli.model import Item, Part

_TEXTS = frozenset({Kind.USER_TEXT, Kind.ASSISTANT_TEXT, Kind.SYSTEM})
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

    def block_of(self, i_part: int) -> int:
        """The block that part *i_part* is of."""
        return sum(start <= i_part for start in self.starts) - 1

    def stop(self, i_block: int) -> int | None:
        """The part behind block *i_block*; None where it is the last."""
        return self.starts[i_block + 1] if i_block + 1 < len(self.starts) else None


def layout(item: Item) -> Layout:
    """The layout of *item*."""
    own, content, last = [], [], -1
    for block in item.blocks:
        if block.i_part > last:
            last = block.i_part
            content.append(block)
        else:
            own.append(block)
    starts = tuple(block.i_part for block in content)
    return Layout(
        own=b"".join(block.rendered for block in own),
        digests=tuple(block.rendered for block in content),
        starts=starts,
        runs=tuple(run for run, _ in runs(item)),
        markable=tuple(_is_markable(item.parts[start]) for start in starts),
    )


def _is_markable(part: Part) -> bool:
    if part.kind in _TEXTS and part.slot is not None:
        return part.slot.stop - part.slot.start > _EMPTY_BYTES
    return part.kind is not Kind.THINKING
