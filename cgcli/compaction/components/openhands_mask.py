"""`openhands-mask`: observations that fell out of the attention window become a placeholder."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar

from cgcli.compaction.component import Loss, MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.marks import ALREADY_MARKED
from cgcli.compaction.components.parameters import check_flag, check_marker_mode, check_positive
from cgcli.compaction.components.placeholders import NO_VIEW, is_placeholder, placeholder
from cgcli.compaction.view import is_editable
from cgcli.model import Kind, unique, value

if TYPE_CHECKING:
    from cgcli.compaction.view import View
    from cgcli.model import Item

NOTE = "observation masked"
_EVENTS = "events, openhands-mask"
_SAYING = frozenset({Kind.USER_TEXT, Kind.ASSISTANT_TEXT, Kind.SYSTEM})


@value
class OpenhandsMask:
    """Masks every observation that is older than the newest `attention_window` events.

    An event is a call, a result, or a message without calls.
    """

    name: ClassVar[str] = "openhands-mask"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = True
    settles: ClassVar[bool] = True
    passing: ClassVar[frozenset[str]] = frozenset({"in_attention_window"})

    attention_window: int = 100
    marker_mode: MarkerMode = MarkerMode.FULL
    cold_cache: bool = True
    """On a turn whose cache has lapsed it may act inside the prefix; the step reads this."""

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_positive(self.name, "attention_window", self.attention_window)
        check_marker_mode(self.name, self.marker_mode)
        check_flag(self.name, "cold_cache", self.cold_cache)

    def propose(self, slot: Slot) -> Reduction | Skip:
        """One line for an observation out of the window."""
        if is_placeholder(slot.text, NOTE):
            return ALREADY_MARKED
        if slot.view is None:
            return NO_VIEW
        if not self.wakes(slot.i_output, slot.view):
            return Skip(reason="in_attention_window")
        return placeholder(slot, NOTE, self.marker_mode)

    def wakes(self, i_output: int, view: View) -> bool:
        """True where the observation is out of the window now, and the model has seen it."""
        return i_output < self.wakes_below(view) and not view.is_unseen(i_output)

    def wakes_below(self, view: View) -> int:
        """The oldest observation in the window."""
        window = self.attention_window
        return view.once((self.name, window), lambda: _kept_from(view, window))


@unique
class _Told:
    """What one message holds."""

    n_outputs: tuple[int, ...]
    """Of each result in it."""
    n_calls: int
    says: bool
    is_assistant: bool


def _kept_from(view: View, window: int) -> int:
    """The first output in the newest *window* events."""
    told = view.per_message(NOTE, lambda i: _told(view.message(i)))
    # Whether a message is an event is known once the next one is there.
    each = view.per_message(_EVENTS, lambda i: _n_events(told[i - 1], told[i]) if i else 0)
    before = [*accumulate(each)]
    n_out = before[-1] + _n_events(told[-1], None) - window if told else 0
    if n_out <= 0:
        return 0
    i_cut = bisect_left(before, n_out) - 1
    # Where a message is cut, the calls and words in it stand behind its results.
    results = told[i_cut].n_outputs
    n_kept = before[i_cut] + len(results) - n_out
    i_next = bisect_right(view.outputs, i_cut, key=attrgetter("i_message"))
    return i_next - sum(results[len(results) - max(n_kept, 0) :])


def _n_events(one: _Told, behind: _Told | None) -> int:
    return one.n_calls + len(one.n_outputs) + _is_message(one, behind)


def _is_message(one: _Told, behind: _Told | None) -> bool:
    """True where a message without calls is an event; *behind* is the message after it."""
    # What is said before a call is its thought, which one dialect sends as a message of its own.
    calls_next = behind is not None and behind.is_assistant and behind.n_calls > 0
    return one.says and not one.n_calls and not (one.is_assistant and calls_next)


def _told(item: Item) -> _Told:
    n_outputs: dict[tuple[str | None, str], int] = {}
    n_calls, says = 0, False
    for part in item.parts:
        if part.kind is Kind.TOOL_CALL:
            n_calls += 1
        elif part.kind in _SAYING:
            says = True
        elif part.kind is Kind.TOOL_RESULT or part.pair_id is not None:
            result = (part.pair_id, ".".join(part.path.split(".")[:2]) if item.role == "user" else "")
            n_outputs[result] = n_outputs.get(result, 0) + is_editable(part)
    return _Told(n_outputs=tuple(n_outputs.values()), n_calls=n_calls, says=says, is_assistant=item.role == "assistant")
