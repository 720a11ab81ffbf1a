"""What a call has in common with its parent, as the provider reads both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.prefix.difference import agreeing
from cgcli.prefix.divergence import divergence
from cgcli.prefix.keys import full_key, key_at
from cgcli.rope import plain
from cgcli.shapes.comparison import Sharing

if TYPE_CHECKING:
    from cgcli.model import Request
    from cgcli.tokens.ruler import Ruler


def sharing(parent: Request, call: Request, ruler: Ruler, *, n_prefix: int) -> Sharing:
    """How far *call* is *parent*; tokens are those of *parent*, by *ruler*.

    *n_prefix* is how many messages at its head are meant to be the parent's: the hash goes so far.
    """
    found = divergence(parent, call)
    n_blocks = found.n_blocks if found is not None else _common_end(parent, call)
    n_before = len(call.messages) - 1
    is_appended = n_before == len(parent.messages)
    return Sharing(
        blocks=n_blocks,
        tokens=ruler.tokens(_tokens(parent, n_blocks, ruler)),
        wire_bytes=agreeing(memoryview(plain(parent.raw)), memoryview(plain(call.raw))),
        parts_at=found.path if found is not None else _end_path(parent, call),
        kind=found.kind.value if found is not None else None,
        is_exact=is_appended and key_at(call, n_before) == full_key(parent),
        is_same_bytes=is_appended and _same_wire(parent, call),
        prefix_sha256=key_at(call, n_prefix).hex(),
    )


def _common_end(parent: Request, call: Request) -> int:
    """All blocks that both have, where one is a beginning of the other."""
    n_messages = min(len(parent.messages), len(call.messages))
    items = [*(parent.tools or ()), *(parent.system or ()), *parent.messages[:n_messages]]
    return sum(len(item.blocks) for item in items)


def _end_path(parent: Request, call: Request) -> str | None:
    """Where a call that is a beginning of its parent ends; None where it contains the parent whole."""
    n = len(call.messages)
    return f"messages.{n}" if n < len(parent.messages) else None


def _tokens(request: Request, n_blocks: int, ruler: Ruler) -> int:
    """Counted tokens of the first *n_blocks* blocks."""
    total = 0
    for item in (*(item for item, _ in request.head()), *request.messages):
        if not n_blocks:
            break
        if len(item.blocks) <= n_blocks:
            total += ruler.meter.item(item)
            n_blocks -= len(item.blocks)
            continue
        stop = item.blocks[n_blocks].i_part
        total += sum(ruler.meter.parts(item)[:stop])
        break
    return total


def _same_wire(parent: Request, call: Request) -> bool:
    """True where tools, system prompt and all messages but the last are the same bytes."""
    return all(
        len(a) == len(b) and all(mine.wire == theirs.wire for mine, theirs in zip(a, b, strict=True))
        for a, b in (
            (parent.tools or (), call.tools or ()),
            (parent.system or (), call.system or ()),
            (parent.messages, call.messages[:-1]),
        )
    )
