"""`opencode-prune`: old tool outputs go, but for the newest 40,000 tokens of them, when that is worth it."""

from __future__ import annotations

from sys import maxsize
from typing import TYPE_CHECKING, ClassVar

from cgcli.compaction.component import Loss, MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.marks import ALREADY_MARKED
from cgcli.compaction.components.names import is_of
from cgcli.compaction.components.parameters import check_flag, check_marker_mode, check_names, check_whole
from cgcli.compaction.components.placeholders import NO_VIEW, is_placeholder, placeholder
from cgcli.model import changed, unique, value
from cgcli.select.summaries import is_summary
from cgcli.select.texts import BY_USER, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.compaction.view import View

NOTE = "old tool output pruned"
_NONE = maxsize
_ASKED = "What did we do so far?"
"""What stands as a user's before opencode's summary, in requests after a compaction."""


@unique
class _Output:
    """An output that may be pruned."""

    i_output: int
    i_message: int
    tokens: int


@unique
class _Walk:
    """What became of a request's tool outputs, up to one of its messages."""

    pending: tuple[_Output, ...] = ()
    """Those that may be pruned and are not, in order."""
    pruned: tuple[tuple[int, int], ...] = ()
    """Ranges of outputs, half-open."""
    turns: tuple[int, ...] = ()
    """The newest messages with which a user's turn begins."""
    summaries: tuple[int, ...] = ()
    """The messages that stand for earlier ones."""
    recent_from: int = 0
    """The first output of the turns that were left alone the last time."""
    protected_from: int = 0
    """The first output within the newest tokens, the last time."""

    def why_not(self, i_output: int) -> str:
        """Why an output that could be pruned is not."""
        if i_output >= self.recent_from:
            return "recent_turn"
        return "protected_tokens" if i_output >= self.protected_from else "below_minimum"


@value
class OpencodePrune:
    """Lives through the request turn by turn, and prunes at the end of each as opencode does."""

    name: ClassVar[str] = "opencode-prune"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = True
    settles: ClassVar[bool] = True
    passing: ClassVar[frozenset[str]] = frozenset({"recent_turn", "protected_tokens", "below_minimum"})

    protect_tokens: int = 40_000
    """The newest outputs, up to so many tokens together, stay."""
    min_prunable_tokens: int = 20_000
    """Nothing is pruned unless more than so many tokens are."""
    keep_turns: int = 2
    """The user's newest turns, in which nothing is pruned nor counted."""
    protected_tools: Sequence[str] = ("skill",)
    marker_mode: MarkerMode = MarkerMode.FULL
    cold_cache: bool = True
    """On a turn whose cache has lapsed it may act inside the prefix; the step reads this."""

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        for parameter in ("protect_tokens", "min_prunable_tokens", "keep_turns"):
            check_whole(self.name, parameter, getattr(self, parameter))
        check_names(self.name, "protected_tools", self.protected_tools)
        check_marker_mode(self.name, self.marker_mode)
        check_flag(self.name, "cold_cache", self.cold_cache)

    def propose(self, slot: Slot) -> Reduction | Skip:
        """One line for an output that was pruned."""
        if is_placeholder(slot.text, NOTE):
            return ALREADY_MARKED
        if slot.view is None:
            return NO_VIEW
        output = slot.view.outputs[slot.i_output]
        if output.is_error:
            return Skip(reason="error_output")
        if is_of(output, self.protected_tools):
            return Skip(reason="protected_tool")
        if self.wakes(slot.i_output, slot.view):
            return placeholder(slot, NOTE, self.marker_mode)
        return Skip(reason=self._walk(slot.view).why_not(slot.i_output))

    def wakes(self, i_output: int, view: View) -> bool:
        """True where the output is pruned now."""
        return any(start <= i_output < stop for start, stop in self._walk(view).pruned)

    def wakes_below(self, view: View) -> int:
        """Behind the newest output that is pruned."""
        return max((stop for _, stop in self._walk(view).pruned), default=0)

    def _walk(self, view: View) -> _Walk:
        asked = (self.name, self.protect_tokens, self.min_prunable_tokens, self.keep_turns, *self.protected_tools)
        return view.once(asked, lambda: view.walked(asked, _Walk(), lambda walk, i: self._step(view, walk, i)))

    def _step(self, view: View, walk: _Walk, i_message: int) -> _Walk:
        """Take *walk* past a message; where a user's turn begins, opencode has pruned at the end of the one before."""
        found = view.outputs_in(i_message)
        if found:
            able = [output for output in found if not output.is_error and not is_of(output, self.protected_tools)]
            new = [
                _Output(i_output=output.i_output, i_message=i_message, tokens=view.tokens(output.i_output))
                for output in able
            ]
            return changed(walk, pending=(*walk.pending, *new))
        if _is_summary(view, i_message):
            walk = changed(walk, summaries=(*walk.summaries, i_message))
        # Words beside a tool's result are a reminder or an interruption, and begin no turn.
        if not view.speaks(i_message):
            return walk
        turns = (*walk.turns, i_message)[-1 - self.keep_turns :]
        walk = changed(walk, turns=turns)
        return self._pruned(walk, turns[0]) if len(turns) > self.keep_turns else walk

    def _pruned(self, walk: _Walk, oldest: int) -> _Walk:
        """Go back from message *oldest* to what was pruned last, or to a summary; what that passes over stays."""
        behind = max((i for i in walk.summaries if i < oldest), default=0)
        pending = tuple(output for output in walk.pending if output.i_message >= behind)
        n_old = sum(output.i_message < oldest for output in pending)
        n_beyond, newer_tokens = n_old, 0
        while n_beyond and newer_tokens + pending[n_beyond - 1].tokens <= self.protect_tokens:
            n_beyond -= 1
            newer_tokens += pending[n_beyond].tokens
        walk = changed(
            walk,
            pending=pending,
            recent_from=_first(pending, n_old),
            protected_from=_first(pending, n_beyond),
        )
        beyond = pending[:n_beyond]
        if sum(output.tokens for output in beyond) <= self.min_prunable_tokens:
            return walk
        pruned = (beyond[0].i_output, beyond[-1].i_output + 1)
        return changed(walk, pending=pending[n_beyond:], pruned=(*walk.pruned, pruned))


def _first(pending: tuple[_Output, ...], n: int) -> int:
    """The output at *n*; behind the last one a number that no output reaches."""
    return pending[n].i_output if n < len(pending) else _NONE


def _is_summary(view: View, i_message: int) -> bool:
    item = view.message(i_message)
    if is_summary(item):
        return True
    if item.role != "assistant" or i_message == 0:
        return False
    before = view.message(i_message - 1)
    return before.role == "user" and [*texts(before, BY_USER)] == [_ASKED]
