"""A message as it is where its thinking was taken out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim.layout import own_and_content
from cgcli.dialects.anthropic import Anthropic
from cgcli.dialects.base import string_of
from cgcli.model import Digest, value
from cgcli.prefix import chain
from cgcli.providers.breakpoints import UNMARKABLE_TYPES
from cgcli.wire.spans import Document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.model import Item


@value
class Bare:
    """The digests of one message without thinking; its own where it has none."""

    rendered: Digest
    """Over the message."""
    own: bytes
    """The digests of its own fields."""
    digests: tuple[Digest, ...]
    """One a block of the message as it is; empty for thinking."""


def bare(item: Item, thinking: Sequence[bool]) -> Bare:
    """*item* without its blocks that are *thinking*, by its content in Anthropic's shape: read as if none had been."""
    whole = _without_thinking(item) if any(thinking) else item
    own, content = own_and_content(whole)
    left = (block.rendered for block in content)
    return Bare(
        rendered=whole.rendered,
        own=b"".join(block.rendered for block in own),
        digests=tuple(Digest(b"") if is_thinking else next(left, Digest(b"")) for is_thinking in thinking),
    )


def _without_thinking(item: Item) -> Item:
    content = Document(item.wire).root().members().get("content")
    if content is None or content.kind != "array":
        return item
    kept = [block.bytes() for block in content.elements() if string_of(block.members(), "type") not in UNMARKABLE_TYPES]
    wire = item.wire[: content.start] + b"[" + b",".join(kept) + b"]" + item.wire[content.stop :]
    return chain.message(wire, Anthropic())
