"""The two digests that explain a difference in the chain: of the exact bytes, and of what they mean.

The chain is over `rendered`, which stands between them: it does not see spelling, but it sees the order of keys in free
JSON, because the provider renders a tool's schema in the order in which it was sent.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from cgcli.dialects.base import MARK_KEYS
from cgcli.model import Digest

if TYPE_CHECKING:
    from cgcli.model import Item

_TEXT_TYPES = frozenset({"text", "input_text", "output_text"})


def wire(item: Item) -> Digest:
    """The digest of *item*'s exact bytes."""
    return Digest(sha256(item.view()).digest())


def semantic(item: Item) -> Digest:
    """The digest of what *item* says: no spelling, no cache mark, a string as one text block, all keys sorted.

    Numbers keep their spelling.

    Raises:
        ValueError: its bytes are no JSON.
    """
    tree = json.loads(
        item.wire.decode("utf-8", "surrogatepass"),
        object_pairs_hook=_sorted,
        parse_int=_Number,
        parse_float=_Number,
        parse_constant=_Number,
    )
    # As `ascii` writes it, every tree has one spelling, and no string reads like a number.
    return Digest(sha256(ascii(_envelope(tree)).encode()).digest())


class _Number(str):
    """A number as it was written."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _sorted(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return dict(sorted(pairs, key=lambda pair: pair[0]))


def _envelope(tree: Any) -> Any:
    """*tree*, an item or a block, without marks and with its content as a list of blocks."""
    if isinstance(tree, str):
        return _text_block(tree)
    if not isinstance(tree, dict):
        return tree
    out = {key: told for key, told in tree.items() if key not in MARK_KEYS}
    content = out.get("content")
    if isinstance(content, str):
        out["content"] = [_text_block(content)]
    elif isinstance(content, list):
        out["content"] = [_envelope(block) for block in content]
    if out.get("type") in _TEXT_TYPES:
        out["type"] = "text"
    return out


def _text_block(text: str) -> dict[str, Any]:
    return {"text": text, "type": "text"}
