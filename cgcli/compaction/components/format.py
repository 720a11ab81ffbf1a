"""`format`: JSON in a tool output without its white space; lossless."""

from __future__ import annotations

from typing import ClassVar

from cgcli.compaction.component import Loss, Reduction, Skip, Slot
from cgcli.compaction.components.json_text import WHITE_SPACE, NotCompactable, compact, compact_envelope
from cgcli.compaction.components.marks import ALREADY_MARKED, BELOW_MIN_TOKENS, smaller
from cgcli.compaction.components.parameters import check_whole
from cgcli.markers import has_placeholder
from cgcli.model import value


@value
class Format:
    """Re-encodes an output that is one JSON document, and the documents in its strings one level down."""

    name: ClassVar[str] = "format"
    loss: ClassVar[Loss] = Loss.NONE
    gated: ClassVar[bool] = False

    min_tokens: int = 50

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_whole(self.name, "min_tokens", self.min_tokens)

    def propose(self, slot: Slot) -> Reduction | Skip:
        """The same document in its shortest spelling."""
        if not slot.text.lstrip(WHITE_SPACE).startswith(("{", "[")):
            return Skip(reason="not_json_shaped")
        if has_placeholder(slot.text):
            return ALREADY_MARKED
        if slot.tokens < self.min_tokens:
            return BELOW_MIN_TOKENS
        try:
            text = compact_envelope(compact(slot.text))
        except NotCompactable as refused:
            return Skip(reason=refused.reason)
        if has_placeholder(text):  # an escape stood inside: spelling it out would forge a marker
            return ALREADY_MARKED
        return smaller(slot, text)
