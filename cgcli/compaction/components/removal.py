"""Members taken out of a JSON object, elements out of an array: what stays is valid, and keeps its bytes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from cgcli.wire.spans import Node

_GAP = re.compile(rb"[ \t\n\r]*")


def members_spans(node: Node) -> dict[str, tuple[int, int]]:
    """Where each member of an object stands, from the quote of its key to the end of its value, by its name.

    Raises:
        Malformed: not an object, not JSON, a key twice, or nested too deeply.
    """
    raw = node.doc.raw
    found: dict[str, tuple[int, int]] = {}
    at = after_gap(raw, node.start + 1)
    for name, member in node.members().items():
        found[name] = (at, member.stop)
        at = after_gap(raw, after_gap(raw, member.stop) + 1)
    return found


def after_gap(raw: bytes, at: int) -> int:
    """Where the white space that may stand at byte *at* ends."""
    match = _GAP.match(raw, at)
    return match.end() if match is not None else at


def removed(spans: Sequence[tuple[int, int]], gone: Collection[int]) -> list[tuple[int, int]]:
    """The byte ranges to delete so that those of *spans* whose number is in *gone* go, each run with its commas.

    >>> raw = '["a", "b", "c"]'
    >>> [raw[: a] + raw[b :] for a, b in removed([(1, 4), (6, 9), (11, 14)], {1, 2})]
    ['["a"]']
    """
    found: list[tuple[int, int]] = []
    i = 0
    while i < len(spans):
        if i not in gone:
            i += 1
            continue
        first = i
        while i < len(spans) and i in gone:
            i += 1
        if i < len(spans):
            found.append((spans[first][0], spans[i][0]))
        else:
            found.append((spans[first - 1][1] if first else spans[0][0], spans[-1][1]))
    return found
