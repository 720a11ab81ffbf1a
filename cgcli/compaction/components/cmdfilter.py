"""`cmdfilter`: the output of a known command without what says nothing, by declarative filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.compaction.component import Loss, MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.marks import ALREADY_MARKED, HINT, after, left_behind, smaller
from cgcli.compaction.components.parameters import check_flag, check_marker_mode, check_whole
from cgcli.compaction.filters.filter import FilterLoss
from cgcli.compaction.filters.library import AGENT_SETS, Applied, applied, library
from cgcli.errors import UsageError, did_you_mean
from cgcli.markers import EXPAND_TOOL, has_placeholder
from cgcli.model import value
from cgcli.wire.strings import utf8

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.compaction.filters.select import FilterSet

_DOCS = "see docs/reference/filters.md"


@value
class Cmdfilter:
    """Filters an output that begins as a tool's output does, or that a known command printed."""

    name: ClassVar[str] = "cmdfilter"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = False

    filters: Sequence[str] = ()
    """Files with filters, or YAML documents; asked before the built-in ones."""
    disable_builtins: bool = False
    agent_filters: str = "off"
    """`safe` and `lossy` bring more built-in filters."""
    min_size: int = 400
    """In bytes of UTF-8."""
    marker_mode: MarkerMode = MarkerMode.FULL

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing, and filters that are wrong."""
        _check_filters(self.name, self.filters)
        check_flag(self.name, "disable_builtins", self.disable_builtins)
        _check_agent_filters(self.name, self.agent_filters)
        check_whole(self.name, "min_size", self.min_size)
        check_marker_mode(self.name, self.marker_mode)
        if self.filters:
            self.library()

    def library(self) -> FilterSet:
        """The filters that it asks; read once a process."""
        return library(tuple(self.filters), disable_builtins=self.disable_builtins, agent_filters=self.agent_filters)

    def propose(self, slot: Slot) -> Reduction | Skip:
        """What the filters leave, and the marker."""
        if has_placeholder(slot.text):
            return ALREADY_MARKED
        # A character is a byte or more: long texts need no encoding.
        if len(slot.text) < self.min_size and len(utf8(slot.text)) < self.min_size:
            return Skip(reason="below_min_size")
        done = applied(self.library(), slot.text, _command(slot))
        reason = _nothing_to_do(done)
        if reason is not None:
            return Skip(reason=reason)
        if has_placeholder(done.text):  # an escape stood inside: taking it out would forge a marker
            return ALREADY_MARKED
        left = left_behind(slot, self.marker_mode, hint=_hint(done))
        return smaller(slot, after(done.text.rstrip("\n"), "\n", left))


def _nothing_to_do(done: Applied) -> str | None:
    """Why the text stays as it is; None where it is shorter now."""
    if not done.asked:
        return "no_filter"
    if not done.fired:
        return "nothing_filtered"
    return None if done.text.strip() else "nothing_would_remain"


def _hint(done: Applied) -> str:
    """What is said behind the marker: where the rest is, if anything was lost."""
    if done.loss is FilterLoss.NONE:
        return ""
    if done.loss is FilterLoss.TAIL:
        return f" [truncated after line {done.fired[0].stages.head_lines}; rest via {EXPAND_TOOL}]"
    return HINT


def _check_filters(component: str, given: object) -> None:
    is_list = isinstance(given, list | tuple) and all(isinstance(one, str) and one.strip() for one in given)
    if not is_list:
        raise UsageError(f"{component}: filters is {given!r}, but must be a list of files or YAML texts", hint=_DOCS)


def _check_agent_filters(component: str, given: object) -> None:
    if not (isinstance(given, str) and given in AGENT_SETS):
        raise UsageError(
            f"{component}: agent_filters is {given!r}, but must be one of {', '.join(AGENT_SETS)}",
            hint=did_you_mean(str(given), AGENT_SETS),
        )


def _command(slot: Slot) -> str | None:
    """The command line whose output the slot is; None where it is not known."""
    output = slot.output
    return output.call.command if output is not None and output.call is not None else None
