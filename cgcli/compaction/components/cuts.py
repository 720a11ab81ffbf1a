"""Where a text may be cut: not inside a surrogate pair, and not inside what reads as a marker."""

from __future__ import annotations

import re

from cgcli.markers import find

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")

_REACH_CHARS = 320
"""How far around a cut a marker can begin or end; another tool's is the longest."""


def cut_before(text: str, index: int) -> int:
    """The last place at or before *index*, in characters, where *text* may be cut."""
    start, _ = _unit(text, index)
    return start


def cut_behind(text: str, index: int) -> int:
    """The first place at or after *index*, in characters, where *text* may be cut."""
    _, stop = _unit(text, index)
    return stop


def _unit(text: str, index: int) -> tuple[int, int]:
    """What stands across *index* and is one piece: its start and stop; twice *index* where nothing does."""
    offset = max(0, index - _REACH_CHARS)
    for found in find(text[offset : index + _REACH_CHARS]):
        if found.start + offset < index < found.stop + offset:
            return found.start + offset, found.stop + offset
    split = _PAIR.fullmatch(text, max(0, index - 1), index + 1)
    return split.span() if split else (index, index)
