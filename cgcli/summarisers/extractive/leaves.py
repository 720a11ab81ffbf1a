"""The strings, numbers and words of a JSON value, each as it is written, with the key that it stands under."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import value
from cgcli.summarisers.extractive.lines import clean
from cgcli.wire.spans import Document, Malformed
from cgcli.wire.strings import utf8

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.wire.spans import Node

_DEEPEST = 6
_MOST = 400
"""Leaves of one value: a call with more is no call that a summary can tell of."""
_KEYLESS = ""


@value
class Leaf:
    """One string, number, bool or null."""

    key: str
    """The member that it stands under; an element of a list has the list's. Empty at the top."""
    text: str
    """A string decoded and cleaned, anything else as it is written."""
    is_text: bool
    """It is a string."""
    depth: int = 0
    """In how many objects and lists it stands."""


def leaves(node: Node) -> tuple[Leaf, ...]:
    """The leaves of *node* in order, not those deeper than 6 levels; none where it cannot be read."""
    found: list[Leaf] = []
    try:
        for leaf in _walk(node, _KEYLESS, 0):
            found.append(leaf)
            if len(found) == _MOST:
                break
    except Malformed:
        return ()
    return tuple(found)


def leaves_of(text: str) -> tuple[Leaf, ...]:
    """The leaves of the JSON object that *text* is; none where it is no object."""
    if not text.startswith("{"):
        return ()
    try:
        root = Document(utf8(text)).root()
    except Malformed:
        return ()
    return leaves(root)


def _walk(node: Node, key: str, depth: int) -> Iterator[Leaf]:
    kind = node.kind
    if kind in ("object", "array"):
        if depth < _DEEPEST:
            inner = node.members().items() if kind == "object" else ((key, one) for one in node.elements())
            for name, one in inner:
                yield from _walk(one, clean(name), depth + 1)
    elif kind == "string":
        yield Leaf(key=key, text=clean(node.text()), is_text=True, depth=depth)
    else:
        yield Leaf(key=key, text=node.bytes().decode("ascii", "replace"), is_text=False, depth=depth)
