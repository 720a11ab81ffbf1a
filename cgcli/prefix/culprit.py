"""What probably changes at a place where a prefix broke; a guess, said as one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.prefix.difference import Change

if TYPE_CHECKING:
    from cgcli.prefix.difference import Difference

# In the order in which they are asked: the more particular first.
_SHAPES = (
    ("a uuid", re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")),
    ("a date", re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}/\d{1,2}/\d{2,4}")),
    ("a time", re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")),
    (
        "a hash or an id",
        re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b|\b[a-z]{2,12}_[0-9A-Za-z]{10,}\b"),
    ),
    ("a path", re.compile(r"(?:[A-Za-z]:)?(?:[/\\][\w.@-]+){2,}")),
    ("a counter", re.compile(r"\d+")),
)
_PLACEHOLDER = re.compile(
    r"omitted|elided|cleared|removed|truncated|masked|pruned|left out|compacted|<<cg:", re.IGNORECASE
)


def culprit(found: Difference) -> str | None:
    """What *found* looks like: the same kind of thing on both sides, with another value."""
    if found.change is Change.KEY_ORDER:
        return "a reordered map"
    if found.change is Change.REORDERED:
        return "a reordered list"
    if _PLACEHOLDER.search(found.now) and not _PLACEHOLDER.search(found.was):
        return "an output that was elided"
    for name, shape in _SHAPES:
        was, now = _around(shape, found.was, found.at), _around(shape, found.now, found.at)
        if was is not None and now is not None and was != now:
            return name
    return None


def _around(shape: re.Pattern[str], text: str, at: int) -> str | None:
    """What *shape* matches in *text* where the difference is: around character *at*, or right before it."""
    return next((match[0] for match in shape.finditer(text) if match.start() <= at <= match.end()), None)
