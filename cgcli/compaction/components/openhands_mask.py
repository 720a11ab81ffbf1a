"""`openhands-mask`: observations that fell out of the attention window become a placeholder."""

from __future__ import annotations

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
    n_events = 0
    i_output = len(view.outputs)
    behind: _Told | None = None
    for one in reversed(told):
        n_left = window - n_events - one.n_calls - _is_message(one, behind)
        results = one.n_outputs
        if n_left < len(results):
            # Where a message is cut, the calls and words in it stand behind its results.
            return i_output - sum(results[len(results) - max(n_left, 0) :])
        n_events = window - n_left + len(results)
        i_output -= sum(results)
        behind = one
    return 0


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
