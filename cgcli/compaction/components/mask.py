"""`mask`: old tool outputs become one line that says how they began."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.compaction.component import Loss, MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.marks import (
    ALREADY_MARKED,
    BELOW_MIN_TOKENS,
    after,
    left_behind,
    smaller,
)
from cgcli.compaction.components.parameters import check_flag, check_marker_mode, check_whole
from cgcli.compaction.components.terminal import without_ansi
from cgcli.markers import defused, has_placeholder
from cgcli.model import value

if TYPE_CHECKING:
    from cgcli.compaction.view import View

NOTE = "[older tool output masked"

_WINDOW = 8
"""How many characters are looked at for one of the peek: escapes and white space take room."""


@value
class Mask:
    """Keeps the newest `keep_recent` tool outputs of a request and masks the ones before."""

    name: ClassVar[str] = "mask"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = True
    settles: ClassVar[bool] = True
    passing: ClassVar[frozenset[str]] = frozenset({"recent"})

    keep_recent: int = 3
    min_tokens: int = 100
    keep_head_chars: int = 96
    """The length of the peek; 0 for none."""
    marker_mode: MarkerMode = MarkerMode.FULL
    cold_cache: bool = True
    """On a turn whose cache has lapsed it may act inside the prefix; the step reads this."""

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_whole(self.name, "keep_recent", self.keep_recent)
        check_whole(self.name, "min_tokens", self.min_tokens)
        check_whole(self.name, "keep_head_chars", self.keep_head_chars)
        check_marker_mode(self.name, self.marker_mode)
        check_flag(self.name, "cold_cache", self.cold_cache)

    def wakes(self, i_output: int, view: View) -> bool:
        """True once the output is older than the newest `keep_recent`."""
        return i_output < self.wakes_below(view)

    def wakes_below(self, view: View) -> int:
        """The oldest of the newest `keep_recent`."""
        return max(0, len(view.outputs) - self.keep_recent)

    def propose(self, slot: Slot) -> Reduction | Skip:
        """One line for an output that is older than the newest `keep_recent`."""
        if slot.i_output >= slot.n_outputs - self.keep_recent:
            return Skip(reason="recent")
        # Without a marker only the note itself tells that this was masked before.
        if has_placeholder(slot.text) or slot.text.startswith(NOTE):
            return ALREADY_MARKED
        if slot.tokens < self.min_tokens:
            return BELOW_MIN_TOKENS
        starts = peek(slot.text, self.keep_head_chars)
        note = f"{NOTE}; starts: {starts}]" if starts else f"{NOTE}]"
        return smaller(slot, after(note, " ", left_behind(slot, self.marker_mode)))


def peek(text: str, n_chars: int) -> str:
    """The first *n_chars* printable characters of *text*, on one line, with `…` where more follows.

    What does not print (control and bidirectional characters, lone surrogates) becomes a space, and nothing
    in it reads as a marker.
    """
    if n_chars == 0:
        return ""
    start = without_ansi(text.lstrip()[: n_chars * _WINDOW])
    joined = " ".join(start.split())
    if not joined.isprintable():  # blanks were all that did not print, nearly always
        joined = " ".join("".join(char if char.isprintable() else " " for char in joined).split())
    line = defused(joined)
    return line if len(line) <= n_chars else line[:n_chars] + "…"
