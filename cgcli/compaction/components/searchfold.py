"""`searchfold`: search output with each path written once; lossless."""

from __future__ import annotations

from typing import ClassVar

from cgcli.compaction.component import Loss, Reduction, Skip, Slot
from cgcli.compaction.components.marks import ALREADY_MARKED, BELOW_MIN_TOKENS, smaller
from cgcli.compaction.components.parameters import check_whole
from cgcli.compaction.components.path_folds import fold, unfold
from cgcli.markers import has_placeholder
from cgcli.model import value


@value
class Searchfold:
    """Writes a path, or a folder, that stands in front of several lines in a row once, above them."""

    name: ClassVar[str] = "searchfold"
    loss: ClassVar[Loss] = Loss.NONE
    gated: ClassVar[bool] = False

    min_tokens: int = 50

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_whole(self.name, "min_tokens", self.min_tokens)

    def propose(self, slot: Slot) -> Reduction | Skip:
        """The output with its paths folded, where unfolding gives it back byte for byte."""
        if has_placeholder(slot.text):
            return ALREADY_MARKED
        if slot.tokens < self.min_tokens:
            return BELOW_MIN_TOKENS
        text = fold(slot.text)
        if text == slot.text:
            return Skip(reason="no_repeated_path")
        if unfold(text) != slot.text:
            return Skip(reason="not_invertible")
        return smaller(slot, text)
