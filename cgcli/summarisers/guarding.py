"""Text that stands inside a summary's message: nothing in it may read as a marker, the sentinel or our heading."""

from __future__ import annotations

import re

from cgcli.markers import defused

_HEADING = re.compile(r"==(?==[^\S\n]*+History[^\S\n]++Summary\b)", re.IGNORECASE)
"""`=== History Summary ===`, under which every summary of ours stands, however it is spaced."""


def contained(text: str) -> str:
    """*text* with nothing in it that reads as a marker, in either spelling, as the sentinel or as the heading."""
    return _HEADING.sub("== ", defused(text))


def forges(text: str) -> bool:
    """True where something in *text* reads as one of them."""
    return contained(text) != text
