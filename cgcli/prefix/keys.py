"""Keys: what a provider can find a prefix under; the public form of `cg-chain/1`.

`keys[i]` is the sha256 over the seed of block i's section and the running digest up to block i. The seed stands for the
parameters that the section's cache depends on, the running digest for the model and all blocks so far, as the provider
reads them. Equal keys: the same prefix under the same parameters.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Protocol

from cgcli.model import Digest, Section
from cgcli.prefix.chain import CHAIN
from cgcli.prefix.divergence import Side
from cgcli.prefix.params import seeds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.model import Item


class Keyed(Side, Protocol):
    """A request, or what is kept of one, with the digest of what stands before its messages."""

    @property
    def static(self) -> Digest:
        """Over model, tools and system."""


def full_key(side: Keyed) -> Digest:
    """The key of the whole request: every parameter, model, tools, system and all messages.

    Costs the same however long the history is. Not one of `keys`: it is taken over items, they over blocks.
    """
    return key_at(side, len(side.messages))


def key_at(side: Keyed, n_messages: int) -> Digest:
    """The key of the request cut after *n_messages* messages; comparable with any request's `full_key`.

    Raises:
        IndexError: it has fewer messages.
    """
    if not 0 <= n_messages <= len(side.messages):
        raise IndexError(f"{n_messages} messages of {len(side.messages)}")
    last = side.states[n_messages - 1] if n_messages else b""
    return Digest(sha256(CHAIN.encode() + _all_seeds(side) + side.static + last).digest())


def keys(side: Keyed) -> tuple[Digest, ...]:
    """One key a block, in cache order: tools, then system, then messages.

    Costs as much as there are blocks. A section that is not recorded has none, and the keys behind it are others than
    those behind an empty one.
    """
    seed = seeds(side.params)
    running = sha256(CHAIN.encode() + repr(side.model).encode("utf-8", "surrogatepass")).digest()
    found = []
    for section, items in _sections(side):
        running = sha256(running + section.value.encode() + (b"?" if items is None else b"")).digest()
        for block in (block for item in items or () for block in item.blocks):
            running = sha256(running + block.rendered).digest()
            found.append(Digest(sha256(seed[section] + running).digest()))
    return tuple(found)


def _sections(side: Side) -> Iterator[tuple[Section, tuple[Item, ...] | None]]:
    yield Section.TOOLS, side.tools
    yield Section.SYSTEM, side.system
    yield Section.MESSAGES, side.messages


def _all_seeds(side: Side) -> bytes:
    found = seeds(side.params)
    return b"".join(found[section] for section in Section)
