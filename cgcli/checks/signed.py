"""Signed thinking in messages, and where two histories differ apart from it."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from cgcli.dialects.base import MARK_KEYS
from cgcli.dialects.content import decoded, has_kind
from cgcli.model import Kind, value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cgcli.model import Item

_TYPES = frozenset({"thinking", "redacted_thinking"})
_DEFERRED = b'"defer_loading"'


@value
class Signed:
    """A thinking block (Anthropic) or a reasoning item (Responses) that the provider sealed."""

    seal: str
    """What it is known by: the signature, the sealed data, or the item's id."""
    digest: bytes
    """Over what must not change."""
    inner: str


def signed_in(item: Item) -> list[Signed]:
    """The signed thinking of a message, in order."""
    if not has_kind(item, Kind.THINKING):
        return []
    tree = decoded(item)
    if not isinstance(tree, dict):
        return []
    if tree.get("type") == "reasoning":
        seal = tree.get("id")
        sealed = tree.get("encrypted_content")
        return [_signed(seal, sealed, "")] if isinstance(seal, str) and isinstance(sealed, str) else []
    return [
        _signed(seal, block.get("thinking"), f"content.{i}")
        for i, block in enumerate(_content(tree))
        if (seal := _seal(block)) is not None
    ]


def unsigned_in(item: Item) -> list[str]:
    """Where thinking stands without a signature."""
    tree = decoded(item) if has_kind(item, Kind.THINKING) else None
    blocks = _content(tree) if isinstance(tree, dict) else []
    return [
        f"content.{i}"
        for i, block in enumerate(blocks)
        if isinstance(block, dict) and block.get("type") == "thinking" and not block.get("signature")
    ]


def _content(tree: dict[str, Any]) -> list[Any]:
    content = tree.get("content")
    return content if isinstance(content, list) else []


def _seal(block: Any) -> str | None:
    if not isinstance(block, dict) or block.get("type") not in _TYPES:
        return None
    seal = block.get("signature") or block.get("data")
    return seal if isinstance(seal, str) else None


def _signed(seal: str, content: Any, inner: str) -> Signed:
    return Signed(seal=seal, digest=sha256(json.dumps(content).encode()).digest(), inner=inner)


def first_other(before: Sequence[Item], now: Sequence[Item], start: int) -> int | None:
    """The first message of *now* that says something else than *before* does, thinking and cache marks apart.

    Both agree up to *start*. None where one is a beginning of the other.
    """
    mine = _spoken(before, start)
    theirs = _spoken(now, start)
    for _, was in mine:
        i, is_there = next(theirs, (None, None))
        if i is None or is_there is None:
            return None
        if was.rendered != is_there.rendered and _plain(was) != _plain(is_there):
            return i
    return None


def same_words(a: Item, b: Item) -> bool:
    """True where two messages differ in thinking and cache marks only."""
    return bool(_plain(a) == _plain(b))


def _spoken(messages: Sequence[Item], start: int) -> Iterator[tuple[int, Item]]:
    """The messages from *start* on that are not thinking alone."""
    for i in range(start, len(messages)):
        if any(part.kind is not Kind.THINKING for part in messages[i].parts):
            yield i, messages[i]


def _plain(item: Item) -> Any:
    """The message without thinking and marks; a string is a list of one text."""
    tree = decoded(item)
    if not isinstance(tree, dict):
        return item.wire
    content = tree.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    blocks = [
        {key: member for key, member in block.items() if key not in MARK_KEYS} if isinstance(block, dict) else block
        for block in content or []
        if not (isinstance(block, dict) and block.get("type") in _TYPES)
    ]
    return {**tree, "content": blocks}


def fixed_head(items: Sequence[Item] | None) -> list[bytes] | None:
    """The tools or system blocks that thinking is bound to; tools that are loaded later are not among them."""
    return None if items is None else [item.rendered for item in items if not _is_deferred(item)]


def _is_deferred(item: Item) -> bool:
    tree = decoded(item) if item.has(_DEFERRED) else None
    return isinstance(tree, dict) and tree.get("defer_loading") is True
