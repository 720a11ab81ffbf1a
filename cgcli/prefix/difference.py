"""The first difference between two JSON values, by path and byte."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

from cgcli.dialects.base import MARK_KEYS
from cgcli.dialects.canonical import free_json
from cgcli.model import value
from cgcli.wire.spans import Document, Malformed, Node

if TYPE_CHECKING:
    from collections.abc import Mapping

Sliced = TypeVar("Sliced", str, bytes, memoryview)

_BEFORE_CHARS = 24
_BEHIND_CHARS = 56


class Change(StrEnum):
    """What happened at a place."""

    EDITED = "edited"
    INSERTED = "inserted"
    REMOVED = "removed"
    REORDERED = "reordered"
    TRUNCATED = "truncated"
    KEY_ORDER = "key_order"


@value
class Difference:
    """The first place at which two values differ."""

    change: Change
    path: tuple[str, ...]
    byte: int | None
    """In the second value, counted from its first byte; None where the place is not in it."""
    was: str
    """What stood around it, in the first value; hostile text."""
    now: str
    at: int = 0
    """Where in `was` and `now` the difference begins, in characters."""


def first_difference(was: bytes, now: bytes) -> Difference | None:
    """Where the JSON value *now* first reads otherwise than *was*.

    White space, escapes and cache marks do not count; a string counts as a list of one text block. None where nothing
    that counts differs (the order of an object's members counts).
    """
    try:
        return _walk(Document(was).root(), Document(now).root(), ())
    except Malformed:
        at = agreeing(was, now)
        return Difference(
            change=Change.EDITED,
            path=(),
            byte=at,
            was=_bytes(was, at),
            now=_bytes(now, at),
            at=min(at, _BEFORE_CHARS),
        )


def _walk(a: Node, b: Node, path: tuple[str, ...]) -> Difference | None:
    if a.kind == b.kind == "object":
        return _objects(a, b, path)
    if a.kind == b.kind == "array":
        return _arrays(a, b, path)
    if a.kind == b.kind == "string":
        return _strings(a, b, path)
    for one, other, swapped in ((a, b, False), (b, a, True)):
        if one.kind == "string" and (text := _only_text(other)) is not None:
            where = path if swapped else (*path, "0", "text")
            return _strings(text, one, where) if swapped else _strings(one, text, where)
    if free_json(a) == free_json(b):
        return None
    return Difference(change=Change.EDITED, path=path, byte=b.start, was=_bytes(a.bytes(), 0), now=_bytes(b.bytes(), 0))


def _objects(a: Node, b: Node, path: tuple[str, ...]) -> Difference | None:
    mine, theirs = _unmarked(a.members()), _unmarked(b.members())
    for key, node in theirs.items():
        if key in mine:
            found = _walk(mine[key], node, (*path, key))
            if found is not None:
                return found
        else:
            return Difference(
                change=Change.INSERTED, path=(*path, key), byte=node.start, was="", now=_bytes(node.bytes(), 0)
            )
    for key, node in mine.items():
        if key not in theirs:
            return Difference(
                change=Change.REMOVED, path=(*path, key), byte=b.start, was=_bytes(node.bytes(), 0), now=""
            )
    if list(mine) != list(theirs):
        moved = next(key for key, other in zip(theirs, mine, strict=True) if key != other)
        return Difference(
            change=Change.KEY_ORDER,
            path=(*path, moved),
            byte=theirs[moved].start,
            was=", ".join(mine),
            now=", ".join(theirs),
        )
    return None


def _arrays(a: Node, b: Node, path: tuple[str, ...]) -> Difference | None:
    mine, theirs = a.elements(), b.elements()
    for i, (one, other) in enumerate(zip(mine, theirs, strict=False)):
        found = _walk(one, other, (*path, str(i)))
        if found is not None:
            return found
    i = min(len(mine), len(theirs))
    if len(theirs) > i:
        node = theirs[i]
        return Difference(
            change=Change.INSERTED, path=(*path, str(i)), byte=node.start, was="", now=_bytes(node.bytes(), 0)
        )
    if len(mine) > i:
        return Difference(
            change=Change.REMOVED, path=(*path, str(i)), byte=b.stop - 1, was=_bytes(mine[i].bytes(), 0), now=""
        )
    return None


def _strings(a: Node, b: Node, path: tuple[str, ...]) -> Difference | None:
    was, now = a.text(), b.text()
    if was == now:
        return None
    literal = b.bytes()
    at = agreeing(was, now)
    return Difference(
        change=Change.TRUNCATED if was.startswith(now) and now else Change.EDITED,
        path=path,
        byte=b.start + _byte_of(literal, now, at),
        was=was[max(0, at - _BEFORE_CHARS) : at + _BEHIND_CHARS],
        now=now[max(0, at - _BEFORE_CHARS) : at + _BEHIND_CHARS],
        at=min(at, _BEFORE_CHARS),
    )


def _byte_of(literal: bytes, text: str, at: int) -> int:
    """Where in *literal* its character number *at* begins."""
    from cgcli.wire.quoted import Quoted  # noqa: PLC0415 - only where a difference is found

    return Quoted(literal).outer(len(text[:at].encode("utf-8", "surrogatepass")))


def agreeing(a: Sliced, b: Sliced) -> int:
    """How many leading characters (or bytes) *a* and *b* share; by bisection, for values of megabytes."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _only_text(node: Node) -> Node | None:
    """The text of a list that is one text block, or None."""
    if node.kind != "array":
        return None
    elements = node.elements()
    if len(elements) != 1 or elements[0].kind != "object":
        return None
    members = _unmarked(elements[0].members())
    text = members.get("text")
    return text if text is not None and text.kind == "string" and len(members) <= 2 else None  # noqa: PLR2004 - type, text


def _unmarked(members: Mapping[str, Node]) -> dict[str, Node]:
    return {key: node for key, node in members.items() if key not in MARK_KEYS}


def _bytes(data: bytes, at: int) -> str:
    return data[max(0, at - _BEFORE_CHARS) : at + _BEHIND_CHARS].decode("utf-8", "replace")
