"""Two items that read the same to the provider and are not the same bytes: in what they differ."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from typing import Any

from cgcli.dialects.base import MARK_KEYS

# Quotes inside strings are escaped, so that this finds members only. It is a short cut for what agents do every turn.
_MARK = re.compile(rb',"(?:' + "|".join(sorted(MARK_KEYS)).encode() + rb')":\{[^{}"\\]*(?:"[^"\\]*"[^{}"\\]*)*\}')


class Spelling(StrEnum):
    """A difference on the wire that costs nothing by itself; a note, no break."""

    MARK_MOVED = "mark_moved"
    """A cache breakpoint came, went or has another time to live."""
    STRING_OR_LIST = "string_or_list"
    """The same text as a string, and as a list of one block."""
    MEMBER_ORDER = "member_order"
    """The envelope's members stand in another order."""
    ESCAPES = "escapes_or_white_space"


def spelling(was: bytes, now: bytes) -> Spelling | None:
    """In what *was* and *now*, equal as rendered, differ; None where they are the same bytes."""
    if was == now:
        return None
    if _MARK.sub(b"", was) == _MARK.sub(b"", now):
        return Spelling.MARK_MOVED
    a, b = json.loads(was, object_pairs_hook=list), json.loads(now, object_pairs_hook=list)
    if a == b:
        return Spelling.ESCAPES
    if _plain(a) == _plain(b):
        return Spelling.MARK_MOVED
    if _sorted(_plain(a)) == _sorted(_plain(b)):
        return Spelling.MEMBER_ORDER
    return Spelling.STRING_OR_LIST


def _plain(tree: Any) -> Any:
    """*tree* without cache marks; objects are lists of pairs here."""
    if isinstance(tree, list):
        return [
            tuple(map(_plain, element)) if isinstance(element, tuple) else _plain(element)
            for element in tree
            if not (isinstance(element, tuple) and element[0] in MARK_KEYS)
        ]
    return tree


def _sorted(tree: Any) -> Any:
    """*tree* with the members of every object in the order of their keys."""
    if isinstance(tree, tuple):
        return tuple(map(_sorted, tree))
    if isinstance(tree, list):
        members = [_sorted(element) for element in tree]
        return sorted(members, key=repr) if members and all(isinstance(m, tuple) for m in members) else members
    return tree
