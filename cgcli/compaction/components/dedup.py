"""`dedup`: a tool output that repeats an earlier one becomes a pointer."""

from __future__ import annotations

from typing import ClassVar

from cgcli.compaction.component import Loss, MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.marks import ALREADY_MARKED, BELOW_MIN_TOKENS, after, left_behind, smaller
from cgcli.compaction.components.parameters import check_marker_mode, check_whole
from cgcli.markers import has_placeholder
from cgcli.model import value

NOTE = "[identical to an earlier tool output]"


@value
class Dedup:
    """Replaces the later of two equal tool outputs; the first stays where it is.

    It looks at earlier outputs only, so a request's prefix gets the same answer on every turn.
    """

    name: ClassVar[str] = "dedup"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = False

    min_tokens: int = 100
    marker_mode: MarkerMode = MarkerMode.FULL

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_whole(self.name, "min_tokens", self.min_tokens)
        check_marker_mode(self.name, self.marker_mode)

    def propose(self, slot: Slot) -> Reduction | Skip:
        """A pointer for an output that was seen before."""
        if has_placeholder(slot.text):
            return ALREADY_MARKED
        if slot.tokens < self.min_tokens:
            return BELOW_MIN_TOKENS
        if not slot.seen_before:
            return Skip(reason="no_earlier_identical_output")
        return smaller(slot, after(NOTE, " ", left_behind(slot, self.marker_mode, hint="")))
