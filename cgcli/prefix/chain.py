"""Digests of blocks and items, and the running chain."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Protocol

from cgcli.model import Block, Digest, Item, Section
from cgcli.wire.spans import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cgcli.dialects.base import Dialect, Parsed
    from cgcli.dialects.canonical import Content

CHAIN = "cg-chain/1"
_START = Digest(sha256(CHAIN.encode()).digest())


def item(section: Section, parsed: Parsed) -> Item:
    """The item that *parsed* becomes, its blocks hashed."""
    blocks = tuple(Block(i_part=piece.i_part, rendered=_digest(piece.canonical)) for piece in parsed.pieces)
    return Item(
        section=section,
        role=parsed.role,
        within=parsed.within,
        at=parsed.at,
        size_bytes=parsed.stop - parsed.start,
        parts=parsed.parts,
        blocks=blocks,
        rendered=Digest(sha256(b"".join(block.rendered for block in blocks)).digest()),
    )


def message(written: bytes, dialect: Dialect) -> Item:
    """The item that a message of *dialect* is, as it is *written*.

    Raises:
        Malformed: no JSON, a key twice, no UTF-8, nested too deeply, or not the dialect's shape.
    """
    return item(Section.MESSAGES, dialect.message(Document(written).root()))


def _digest(content: Content) -> Digest:
    if isinstance(content, bytes):
        return Digest(sha256(content).digest())
    running = sha256()
    for piece in content:
        running.update(piece)
    return Digest(running.digest())


class Rendered(Protocol):
    """An item, or what is read in its place."""

    @property
    def rendered(self) -> Digest:
        """Over the digests of its blocks."""


def extend(states: Sequence[Digest], items: Iterable[Rendered]) -> tuple[Digest, ...]:
    """*states* followed by one state for each of *items*."""
    out = list(states)
    last = out[-1] if out else _START
    for one in items:
        last = Digest(sha256(last + one.rendered).digest())
        out.append(last)
    return tuple(out)


def static(model: str | None, tools: Sequence[Item] | None, system: Sequence[Item] | None) -> Digest:
    """What a request has in common with its lane before the first message; not recorded is not empty."""
    running = sha256(repr(model).encode("utf-8", "surrogatepass"))
    for items in (tools, system):
        running.update(b"none" if items is None else b"%d:" % len(items))
        for one in items or ():
            running.update(one.rendered)
    return Digest(running.digest())


def common_messages(a: Sequence[Digest], b: Sequence[Digest]) -> int:
    """How many leading messages two requests share, given their states; found by bisection.

    Equal states at i mean equal states before i, so the comparison needs log2(n) steps.
    """
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[middle - 1] == b[middle - 1]:
            low = middle
        else:
            high = middle - 1
    return low
