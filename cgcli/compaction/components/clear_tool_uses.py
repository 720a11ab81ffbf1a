"""`clear-tool-uses`: what Anthropic's `clear_tool_uses_20250919` does on the server, done by the client."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, ClassVar

from cgcli.compaction.component import Loss, MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.marks import ALREADY_MARKED
from cgcli.compaction.components.names import is_of
from cgcli.compaction.components.parameters import check_flag, check_marker_mode, check_names, check_whole, check_word
from cgcli.compaction.components.placeholders import NO_VIEW, is_placeholder, placeholder
from cgcli.errors import UsageError
from cgcli.model import changed, unique, value

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from cgcli.compaction.view import View

NOTE = "tool result cleared"
TRIGGERS = ("input_tokens", "tool_uses")


@unique
class _Result:
    """A tool result that may be cleared."""

    i_result: int
    i_message: int
    tokens: int


@unique
class _Walk:
    """How the results of a request are cleared, up to one of its messages."""

    pending: tuple[_Result, ...] = ()
    """Those that may be cleared and are not, in order."""
    below: int = 0
    """Results with a lower number are cleared, but for those of excluded tools."""
    cleared_tokens: int = 0
    i_said: int = -1
    """The assistant's last message."""
    n_kept: int = 0
    """How many of the newest were kept on the last turn."""
    is_due: bool = False
    """The trigger was reached on the last turn."""


@value
class ClearToolUses:
    """Clears the oldest results, but for the newest `keep`, each time the request grew over `trigger` again."""

    name: ClassVar[str] = "clear-tool-uses"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = True
    settles: ClassVar[bool] = True
    passing: ClassVar[frozenset[str]] = frozenset({"kept", "below_trigger", "below_clear_at_least"})

    trigger: int = 100_000
    trigger_on: str = "input_tokens"
    """What `trigger` counts: tokens of the request, or results in it; those already cleared do not count."""
    keep: int = 3
    clear_at_least: int = 0
    """The tokens that one clearing must remove, else it waits."""
    exclude_tools: Sequence[str] = ()
    clear_tool_inputs: bool = False
    marker_mode: MarkerMode = MarkerMode.FULL
    cold_cache: bool = True
    """On a turn whose cache has lapsed it may act inside the prefix; the step reads this."""

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        for parameter in ("trigger", "keep", "clear_at_least"):
            check_whole(self.name, parameter, getattr(self, parameter))
        check_word(self.name, "trigger_on", self.trigger_on, TRIGGERS)
        check_names(self.name, "exclude_tools", self.exclude_tools)
        check_flag(self.name, "clear_tool_inputs", self.clear_tool_inputs)
        check_flag(self.name, "cold_cache", self.cold_cache)
        check_marker_mode(self.name, self.marker_mode)
        if self.clear_tool_inputs:
            raise UsageError(
                f"{self.name}: clear_tool_inputs is true, but only results can be cleared here",
                hint="leave it out: the inputs of calls stay as they are",
            )

    def propose(self, slot: Slot) -> Reduction | Skip:
        """One line for a result that is old enough."""
        if is_placeholder(slot.text, NOTE):
            return ALREADY_MARKED
        if slot.view is None:
            return NO_VIEW
        output = slot.view.outputs[slot.i_output]
        if is_of(output, self.exclude_tools):
            return Skip(reason="excluded_tool")
        walk = self._walk(slot.view)
        if output.i_result < walk.below:
            return placeholder(slot, NOTE, self.marker_mode)
        return Skip(reason=self._why_not(walk, output.i_result))

    def wakes(self, i_output: int, view: View) -> bool:
        """True where the result is cleared now."""
        output = view.outputs[i_output]
        return output.i_result < self._walk(view).below and not is_of(output, self.exclude_tools)

    def wakes_below(self, view: View) -> int:
        """The first output of a result that is not cleared, whatever its tool is."""
        below = self._walk(view).below
        return bisect_left(view.outputs, below, key=lambda output: output.i_result) if below else 0

    def _why_not(self, walk: _Walk, i_result: int) -> str:
        kept = walk.pending[len(walk.pending) - walk.n_kept :]
        if kept and i_result >= kept[0].i_result:
            return "kept"
        return "below_clear_at_least" if walk.is_due else "below_trigger"

    def _walk(self, view: View) -> _Walk:
        asked = (self.name, self.trigger_on, self.trigger, self.keep, self.clear_at_least, *self.exclude_tools)
        return view.once(asked, lambda: self._walked(view, asked))

    def _walked(self, view: View, asked: Hashable) -> _Walk:
        """Live through the request turn by turn: what is cleared on one turn is so on all that follow.

        The size of earlier turns is that of this one without the messages that came later, so the same request always
        gets the same answer, and a longer one never clears less.
        """
        if self.trigger_on == "input_tokens" and view.request_tokens <= self.trigger:
            return _Walk()
        last = view.n_messages - 1
        static_tokens = view.request_tokens - view.tokens_through(last)

        def step(walk: _Walk, i: int) -> _Walk:
            if view.role(i) != "assistant":
                return changed(walk, pending=(*walk.pending, *self._results(view, i)))
            # An assistant's message answers a request that ended on the one before.
            if i > 0 and view.role(i - 1) != "assistant":
                walk = self._sent(view, walk, i - 1, static_tokens)
            return changed(walk, i_said=i)

        return self._sent(view, view.walked((asked, static_tokens), _Walk(), step), last, static_tokens)

    def _sent(self, view: View, walk: _Walk, i_message: int, static_tokens: int) -> _Walk:
        """*walk* after the request that ended on message *i_message*."""
        pending = walk.pending
        n_kept = min(self.keep, len(pending))
        while n_kept < len(pending) and pending[-1 - n_kept].i_message > walk.i_said:
            n_kept += 1  # the model has not answered it yet
        size_tokens = static_tokens + view.tokens_through(i_message) - walk.cleared_tokens
        is_due = (size_tokens if self.trigger_on == "input_tokens" else len(pending)) > self.trigger
        walk = changed(walk, n_kept=n_kept, is_due=is_due)
        candidates = pending[: len(pending) - n_kept] if is_due else ()
        saved_tokens = sum(result.tokens for result in candidates)
        if not candidates or saved_tokens < self.clear_at_least:
            return walk
        return changed(
            walk,
            pending=pending[len(candidates) :],
            below=candidates[-1].i_result + 1,
            cleared_tokens=walk.cleared_tokens + saved_tokens,
        )

    def _results(self, view: View, i_message: int) -> list[_Result]:
        """The results in a message that may be cleared, in order, the texts of one together."""
        tokens: dict[int, int] = {}
        for output in view.outputs_in(i_message):
            if not is_of(output, self.exclude_tools):
                tokens[output.i_result] = tokens.get(output.i_result, 0) + view.tokens(output.i_output)
        return [_Result(i_result=i, i_message=i_message, tokens=n_tokens) for i, n_tokens in tokens.items()]
