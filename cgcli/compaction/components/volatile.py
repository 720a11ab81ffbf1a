"""Where the volatile tail of a system prompt begins: what an agent appends about its environment, anew each session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.wire.spans import decode_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cgcli.model import Item

MARKERS = (
    "\nRecent commits:\n",
    "\nCurrent branch: ",
    "\ngitStatus:",
    "\nHere is a snapshot of the current directory",
)
"""What the tail begins with (context-guru, cachesplit); with the line break, so that prose does not match."""


def tail_start(text: str, markers: Iterable[str] = MARKERS) -> int | None:
    """The character at which the first of *markers* begins in *text*, behind its leading line break; None: nowhere."""
    found = [(at, one) for one in markers if (at := text.find(one)) >= 0]
    if not found:
        return None
    at, one = min(found)
    return at + 1 if one.startswith("\n") else at


def system_text(item: Item) -> str | None:
    """The text of a block of the system prompt; None where it is no text."""
    slot = item.parts[0].slot
    return decode_text(item.view()[slot.start : slot.stop]) if slot is not None else None
