"""One line in the place of a whole tool output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.compaction.component import Skip
from cgcli.compaction.components.marks import after, left_behind, smaller
from cgcli.compaction.components.mask import peek
from cgcli.markers import has_placeholder

if TYPE_CHECKING:
    from cgcli.compaction.component import MarkerMode, Reduction, Slot

NO_VIEW = Skip(reason="no_view")
"""The request around the output is not at hand."""
_ERROR_CHARS = 200


def placeholder(slot: Slot, note: str, mode: MarkerMode) -> Reduction | Skip:
    """*note* and a marker in the place of the output; one that says it is an error also keeps how it began."""
    output = slot.output
    begins = peek(slot.text, _ERROR_CHARS) if output is not None and output.is_error else ""
    said = f"[{note}; it was an error: {begins}]" if begins else f"[{note}]"
    return smaller(slot, after(said, " ", left_behind(slot, mode)))


def is_placeholder(text: str, note: str) -> bool:
    """True where *text* stands for content that left, by a marker or (without one) by *note*."""
    return has_placeholder(text) or text.startswith(f"[{note}")
