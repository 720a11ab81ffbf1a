"""`tool_result_budget`: every tool output has a budget of tokens, its own by tool or one for all."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from cgcli.compaction.component import Loss, MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.cuts import cut_before, cut_behind
from cgcli.compaction.components.marks import ALREADY_MARKED, after, left_behind, smaller
from cgcli.compaction.components.names import is_of
from cgcli.compaction.components.parameters import (
    check_budgets,
    check_marker_mode,
    check_names,
    check_positive,
    check_word,
)
from cgcli.compaction.components.placeholders import NO_VIEW
from cgcli.markers import has_placeholder
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SHAPES = ("head", "head_tail")
_CHARS_PER_TOKEN = 4
_FEWEST_CHARS = 64
"""What is kept even where the budget is smaller than the note about what is omitted."""
_FEWEST_OMITTED_CHARS = 64
"""More than that note takes, so that a text is never cut a second time."""
_PASSES = 3
_NONE: Mapping[str, int] = MappingProxyType({})


@value
class ToolResultBudget:
    """Keeps the head of an output, or half of the budget each for head and tail.

    It looks at the output and the name of its tool only, so a request's prefix gets the same answer on every turn.
    """

    name: ClassVar[str] = "tool_result_budget"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = False

    budget_tokens: int | None = None
    """For the tools that `by_tool` does not name; None for no limit."""
    shape: str = "head"
    by_tool: Mapping[str, int] = _NONE
    exempt_tools: Sequence[str] = ()
    marker_mode: MarkerMode = MarkerMode.FULL

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        if self.budget_tokens is not None:
            check_positive(self.name, "budget_tokens", self.budget_tokens)
        check_word(self.name, "shape", self.shape, SHAPES)
        check_budgets(self.name, "by_tool", self.by_tool)
        check_names(self.name, "exempt_tools", self.exempt_tools)
        check_marker_mode(self.name, self.marker_mode)

    def propose(self, slot: Slot) -> Reduction | Skip:
        """As much of the output as its budget allows."""
        if has_placeholder(slot.text):
            return ALREADY_MARKED
        budget_tokens = self._budget_tokens(slot)
        if isinstance(budget_tokens, Skip):
            return budget_tokens
        if slot.tokens <= budget_tokens:
            return Skip(reason="below_budget")
        most_chars = len(slot.text) - _FEWEST_OMITTED_CHARS
        if most_chars < _FEWEST_CHARS:
            return Skip(reason="too_few_chars")
        return smaller(slot, self._cut(slot, budget_tokens, most_chars))

    def _budget_tokens(self, slot: Slot) -> int | Skip:
        """What holds for the slot's tool: its own budget before the one for all, and none where it is exempt."""
        if not self.by_tool and not self.exempt_tools:
            return self.budget_tokens if self.budget_tokens is not None else Skip(reason="no_budget")
        output = slot.output
        if output is None:
            return NO_VIEW
        if is_of(output, self.exempt_tools):
            return Skip(reason="exempt_tool")
        name = output.call.name if output.call is not None else ""
        budget_tokens = self.by_tool.get(name, self.budget_tokens)
        return budget_tokens if budget_tokens is not None else Skip(reason="no_budget")

    def _cut(self, slot: Slot, budget_tokens: int, most_chars: int) -> str:
        left = left_behind(slot, self.marker_mode)
        n_chars = max(_FEWEST_CHARS, min(budget_tokens * _CHARS_PER_TOKEN, most_chars))
        text = self._window(slot.text, n_chars, left)
        for _ in range(_PASSES):
            n_tokens = slot.count(text)
            if n_tokens <= budget_tokens or n_chars == _FEWEST_CHARS:
                return text
            # Less than in proportion: text is not equally dense everywhere, and the note takes its part.
            n_chars = max(_FEWEST_CHARS, n_chars * budget_tokens * 9 // (n_tokens * 10))
            text = self._window(slot.text, n_chars, left)
        return text if slot.count(text) <= budget_tokens else self._window(slot.text, _FEWEST_CHARS, left)

    def _window(self, text: str, n_chars: int, left: str) -> str:
        n_tail = n_chars // 2 if self.shape == "head_tail" else 0
        stop = cut_before(text, n_chars - n_tail)
        start = cut_behind(text, len(text) - n_tail)
        note = after(f"... ({start - stop} characters omitted)", " ", left)
        return f"{text[:stop]}\n{note}\n{text[start:]}" if n_tail else f"{text[:stop]}\n{note}"
