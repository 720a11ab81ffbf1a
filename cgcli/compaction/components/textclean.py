"""`textclean`: an output without its colours and the states that it overwrote itself; lossless."""

from __future__ import annotations

import re
from typing import ClassVar

from cgcli.compaction.component import Loss, Reduction, Skip, Slot
from cgcli.compaction.components.escapes import without_style
from cgcli.compaction.components.marks import ALREADY_MARKED, BELOW_MIN_TOKENS, smaller
from cgcli.compaction.components.output_shapes import is_numbered
from cgcli.compaction.components.parameters import check_whole
from cgcli.compaction.components.redraws import without_redraws
from cgcli.compaction.components.terminal import IMPORTANT, without_ansi
from cgcli.markers import has_placeholder
from cgcli.model import value

_WORDS = re.compile(r"[^\W\d_]{4,}")
"""Words longer than any unit: those of a display stay the same while its figures move."""
_RETURN = re.compile(r"\x1b\[[01]?G")


@value
class Textclean:
    """Takes out escapes that are presentation alone, and all but the last state of a redrawn display."""

    name: ClassVar[str] = "textclean"
    loss: ClassVar[Loss] = Loss.NONE
    gated: ClassVar[bool] = False

    min_tokens: int = 50

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_whole(self.name, "min_tokens", self.min_tokens)

    def propose(self, slot: Slot) -> Reduction | Skip:
        """The output as it would be read on a terminal."""
        if "\x1b" not in slot.text and "\r" not in slot.text:
            return Skip(reason="nothing_to_clean")
        if has_placeholder(slot.text):
            return ALREADY_MARKED
        if slot.tokens < self.min_tokens:
            return BELOW_MIN_TOKENS
        text = cleaned(slot.text)
        if text == slot.text:
            return Skip(reason="nothing_to_clean")
        refusal = _refusal(slot.text, text)
        return Skip(reason=refusal) if refusal else smaller(slot, text)


def cleaned(text: str) -> str:
    """*text* without what is presentation alone; marks, numbered files and nesting are not looked at."""
    return without_redraws(without_style(text))


def _refusal(before: str, text: str) -> str | None:
    """Why *text* may not stand in the place of *before*; None where it may."""
    if not text.strip():
        return "nothing_would_remain"
    if has_placeholder(text):  # an escape stood inside: taking it out would forge a marker
        return ALREADY_MARKED.reason
    if is_numbered(before):  # a file that was read: an edit of it quotes its very bytes
        return "numbered_lines"
    if cleaned(text) != text:
        return "escapes_nest"
    return None if keeps_every_line(before, text) else "line_would_change"


def keeps_every_line(before: str, after: str) -> bool:
    r"""True where each line of *before* is still there: the same text, or one of its states with all its words.

    Made to be independent of what cleans: it looks at words, and at every state with an error word.
    """
    lines = [without_ansi(_RETURN.sub("\r", line)) for line in before.split("\n")]
    left = [without_ansi(line) for line in after.split("\n")]
    return len(lines) == len(left) and all(map(_keeps_line, lines, left))


def _keeps_line(line: str, left: str) -> bool:
    if left.strip("\r") == line.strip("\r"):
        return True
    states = [state for state in line.split("\r") if state.strip()]
    kept = [state for state in left.split("\r") if state.strip()]
    return (
        set(kept) <= set(states)
        and {state for state in states if IMPORTANT.search(state)} <= set(kept)
        and set(_WORDS.findall(line)) <= set(_WORDS.findall(left))
    )
