"""`claude-microcompact`: the results of the tools that can be run again go, but for the newest ones."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, ClassVar

from cgcli.compaction.component import Loss, MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.marks import ALREADY_MARKED
from cgcli.compaction.components.names import is_of
from cgcli.compaction.components.parameters import check_flag, check_marker_mode, check_names, check_whole
from cgcli.compaction.components.placeholders import NO_VIEW, is_placeholder, placeholder
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.compaction.view import View

NOTE = "earlier tool result removed"
TOOLS = ("Read", "Bash", "Grep", "Glob", "WebFetch", "WebSearch", "Edit", "Write")


@value
class ClaudeMicrocompact:
    """Keeps the newest `keep_recent` results of `tools`, and all results of other tools."""

    name: ClassVar[str] = "claude-microcompact"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = True
    settles: ClassVar[bool] = True
    passing: ClassVar[frozenset[str]] = frozenset({"recent_result"})

    keep_recent: int = 5
    tools: Sequence[str] = TOOLS
    marker_mode: MarkerMode = MarkerMode.FULL
    cold_cache: bool = True
    """On a turn whose cache has lapsed it may act inside the prefix; the step reads this."""

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_whole(self.name, "keep_recent", self.keep_recent)
        check_names(self.name, "tools", self.tools)
        check_marker_mode(self.name, self.marker_mode)
        check_flag(self.name, "cold_cache", self.cold_cache)

    def propose(self, slot: Slot) -> Reduction | Skip:
        """One line for a result that is older than the newest `keep_recent`."""
        if is_placeholder(slot.text, NOTE):
            return ALREADY_MARKED
        if slot.view is None:
            return NO_VIEW
        if not is_of(slot.view.outputs[slot.i_output], self.tools):
            return Skip(reason="other_tool")
        if not self.wakes(slot.i_output, slot.view):
            return Skip(reason="recent_result")
        return placeholder(slot, NOTE, self.marker_mode)

    def wakes(self, i_output: int, view: View) -> bool:
        """True where the result is old enough now."""
        output = view.outputs[i_output]
        return is_of(output, self.tools) and output.i_result < self._kept_from(view) and not view.is_unseen(i_output)

    def wakes_below(self, view: View) -> int:
        """The oldest output that is kept, whatever its tool is."""
        return bisect_left(view.outputs, self._kept_from(view), key=lambda output: output.i_result)

    def _kept_from(self, view: View) -> int:
        """The oldest result of the newest `keep_recent`, by its number."""
        return view.once((self.name, self.keep_recent, *self.tools), lambda: self._found(view))

    def _found(self, view: View) -> int:
        newest: list[int] = []
        for output in reversed(view.outputs):
            if len(newest) == self.keep_recent:
                break
            if is_of(output, self.tools) and output.i_result not in newest[-1:]:
                newest.append(output.i_result)
        if len(newest) < self.keep_recent:
            return 0
        return newest[-1] if newest else len(view.outputs)
