"""`collapse`: an oversized tool output keeps its head and its tail."""

from __future__ import annotations

from math import ceil
from typing import ClassVar

from cgcli.compaction.component import Loss, MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.cuts import cut_before, cut_behind
from cgcli.compaction.components.marks import ALREADY_MARKED, after, left_behind, smaller
from cgcli.compaction.components.parameters import check_flag, check_fraction, check_marker_mode, check_whole
from cgcli.markers import has_placeholder
from cgcli.model import value

_CHARS_PER_TOKEN = 4
_FEWEST_CHARS = 200
"""The smallest character window: less tells the model nothing about what it could expand."""
_FEWEST_OMITTED_CHARS = 64
"""More than the note about it takes, so that a window is never cut a second time."""
_PASSES = 3


@value
class Collapse:
    """Keeps `head_lines` and `tail_lines`; where those are over the budget, a window of characters.

    The character window has the same proportion of head to tail. It is what holds an output of one line, or
    of a few huge ones.
    """

    name: ClassVar[str] = "collapse"
    loss: ClassVar[Loss] = Loss.STASHED

    max_tokens: int = 2000
    max_frac: float = 0
    """The budget as a fraction of the request's tokens; 0 for `max_tokens`, which also holds where the
    request's size is not known."""
    head_lines: int = 20
    tail_lines: int = 20
    marker_mode: MarkerMode = MarkerMode.FULL
    cold_cache: bool = True
    """On a turn whose cache has lapsed it may act inside the prefix; the step reads this."""

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_whole(self.name, "max_tokens", self.max_tokens)
        check_fraction(self.name, "max_frac", self.max_frac)
        check_whole(self.name, "head_lines", self.head_lines)
        check_whole(self.name, "tail_lines", self.tail_lines)
        check_marker_mode(self.name, self.marker_mode)
        check_flag(self.name, "cold_cache", self.cold_cache)

    @property
    def gated(self) -> bool:
        """True where the budget follows the request's size, which changes from turn to turn."""
        return self.max_frac > 0

    def propose(self, slot: Slot) -> Reduction | Skip:
        """Head, a note about what is omitted, and tail."""
        if has_placeholder(slot.text):
            return ALREADY_MARKED
        budget_tokens = self._budget_tokens(slot)
        if slot.tokens <= budget_tokens:
            return Skip(reason="below_max_tokens")
        left = left_behind(slot, self.marker_mode)
        text = self._by_lines(slot.text, left)
        if text is None or slot.count(text) > budget_tokens:
            text = self._by_chars(slot, budget_tokens, left)
        return Skip(reason="too_few_lines_and_chars") if text is None else smaller(slot, text)

    def _budget_tokens(self, slot: Slot) -> int:
        if self.max_frac > 0 and slot.request_tokens is not None:
            return ceil(self.max_frac * slot.request_tokens)
        return self.max_tokens

    def _by_lines(self, text: str, left: str) -> str | None:
        lines = text.split("\n")
        n_omitted = len(lines) - self.head_lines - self.tail_lines
        if n_omitted <= 0 or self.head_lines + self.tail_lines == 0:
            return None
        head = "\n".join(lines[: self.head_lines])
        tail = "\n".join(lines[len(lines) - self.tail_lines :])
        return f"{head}\n{after(f'... ({n_omitted} lines omitted)', ' ', left)}\n{tail}"

    def _by_chars(self, slot: Slot, budget_tokens: int, left: str) -> str | None:
        most_chars = len(slot.text) - _FEWEST_OMITTED_CHARS
        if most_chars < _FEWEST_CHARS:
            return None
        n_chars = max(_FEWEST_CHARS, min(budget_tokens * _CHARS_PER_TOKEN, most_chars))
        for _ in range(_PASSES):
            text = self._window(slot.text, n_chars, left)
            n_tokens = slot.count(text)
            if n_tokens <= budget_tokens or n_chars == _FEWEST_CHARS:
                return text
            # A tenth less than in proportion: text is not equally dense everywhere.
            n_chars = max(_FEWEST_CHARS, n_chars * budget_tokens * 9 // (n_tokens * 10))
        text = self._window(slot.text, n_chars, left)
        fits = slot.count(text) <= budget_tokens
        return text if fits else self._window(slot.text, _FEWEST_CHARS, left)

    def _window(self, text: str, n_chars: int, left: str) -> str:
        head, tail = self.head_lines, self.tail_lines
        if head + tail == 0:
            head, tail = 1, 1
        n_head = n_chars * head // (head + tail)
        stop = cut_before(text, n_head)
        start = cut_behind(text, len(text) - (n_chars - n_head))
        note = after(f"... ({start - stop} characters omitted)", " ", left)
        return f"{text[:stop]}\n{note}\n{text[start:]}"
