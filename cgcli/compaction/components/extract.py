"""`extract`: takes out what is noise beyond doubt, and keeps one copy of all that says something."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.compaction.component import Loss, MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.marks import ALREADY_MARKED, BELOW_MIN_TOKENS, after, left_behind, smaller
from cgcli.compaction.components.parameters import check_marker_mode, check_whole
from cgcli.compaction.components.repeats import folded, single_blanks
from cgcli.compaction.components.terminal import has_bar, last_states, settled, without_ansi
from cgcli.markers import has_placeholder
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_PASSES = 50


@value
class Extract:
    """Removes blank runs, escapes, overwritten states, progress bars and adjacent repeats."""

    name: ClassVar[str] = "extract"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = False

    min_tokens: int = 300
    marker_mode: MarkerMode = MarkerMode.FULL

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_whole(self.name, "min_tokens", self.min_tokens)
        check_marker_mode(self.name, self.marker_mode)

    def propose(self, slot: Slot) -> Reduction | Skip:
        """The output without its noise."""
        if has_placeholder(slot.text):
            return ALREADY_MARKED
        if slot.tokens < self.min_tokens:
            return BELOW_MIN_TOKENS
        text = without_noise(slot.text)
        if text == slot.text:
            return Skip(reason="nothing_to_extract")
        if not text.strip():
            return Skip(reason="nothing_would_remain")
        if has_placeholder(text):  # an escape stood inside: taking it out would forge a marker
            return ALREADY_MARKED
        return smaller(slot, after(text, "\n", left_behind(slot, self.marker_mode)))


def without_noise(text: str) -> str:
    """*text* without its noise; what is left has none, so a second time changes nothing.

    Repeats are folded last: a fold's note counts lines, and none of them may go any more.
    """
    return _final(_folded, _final(_settled, text))


def _settled(text: str) -> str:
    plain = settled(without_ansi(text))
    lines = plain.split("\n")
    return "\n".join(single_blanks(last_states(lines) if has_bar(plain) else lines))


def _folded(text: str) -> str:
    return "\n".join(folded(text.split("\n")))


def _final(reduce: Callable[[str], str], text: str) -> str:
    """What *reduce* changes no more; bounded for text that was made to need a pass per byte."""
    for _ in range(_MOST_PASSES):
        before, text = text, reduce(text)
        if text == before:
            break
    return text
