"""What stands inside an item, as Python objects, and at which byte."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cgcli.wire.spans import Document, Malformed, Node

if TYPE_CHECKING:
    from cgcli.model import Item, Kind

Json = dict[str, Any]
_MOST_KEPT = 64
"""How many items are kept decoded: one gate after the other looks at what is new in a turn."""


@lru_cache(maxsize=_MOST_KEPT)
def decoded(item: Item) -> Any:
    """The item as Python objects, not to be changed; None where it is too deep to be read."""
    try:
        return Node(Document(item.within), item.at, item.at + item.size_bytes).value()
    except Malformed:
        return None


def content_blocks(item: Item) -> list[Json]:
    """The content blocks of a message; none where its content is a string, or missing."""
    message = decoded(item)
    content = message.get("content") if isinstance(message, dict) else None
    return [block if isinstance(block, dict) else {} for block in content] if isinstance(content, list) else []


def byte_in(item: Item, inner: str) -> int | None:
    """Where the value at *inner* begins, counted from the item's first byte; None where it is not there."""
    try:
        node: Node | None = Document(item.wire).root()
        for step in inner.split(".") if inner else ():
            node = _child(node, step) if node is not None else None
    except Malformed:
        return None
    return node.start if node is not None else None


def _child(node: Node, step: str) -> Node | None:
    if node.kind == "object":
        return node.members().get(step)
    elements = node.elements() if node.kind == "array" else []
    return elements[int(step)] if step.isdigit() and int(step) < len(elements) else None


def has_kind(item: Item, kind: Kind) -> bool:
    """True where one of the item's parts is of that *kind*."""
    return any(part.kind is kind for part in item.parts)
