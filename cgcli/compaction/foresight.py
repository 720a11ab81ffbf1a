"""What the tool outputs of one request could lose if all components might act on them now."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from cgcli.compaction.deciding import saved_tokens
from cgcli.compaction.paying import Candidate
from cgcli.model import unique

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cgcli.compaction.component import Component
    from cgcli.compaction.pipeline import Evaluation
    from cgcli.compaction.turn import Turn


@unique
class _Foreseen:
    """A slot, evaluated as if all components might act."""

    evaluation: Evaluation
    is_gated: bool
    """What may not enter a held prefix would act."""


class Foresight:
    """Looks at the slots of a turn before anything is decided about them; nothing changes.

    It is a part of the turn, which it is told each time: two that knew each other would keep the request in memory
    until somebody looks for such pairs.
    """

    def __init__(self, could_save: Mapping[int, int]) -> None:
        """*could_save*: what earlier turns found out about open slots, for good."""
        self._could_save = dict(could_save)
        self._foreseen: dict[int, _Foreseen] = {}

    @property
    def could_save(self) -> Mapping[int, int]:
        """The tokens that open slots could lose, of those of which no later turn can change that."""
        return self._could_save

    def forget(self, i_slot: int) -> None:
        """Slot *i_slot* reads otherwise now."""
        self._could_save.pop(i_slot, None)

    def evaluation(self, i_slot: int, *, may_be_gated: bool) -> Evaluation | None:
        """What was foreseen of slot *i_slot* on this turn; None where nothing was, or it may not be gated and is."""
        found = self._foreseen.get(i_slot)
        return found.evaluation if found is not None and (may_be_gated or not found.is_gated) else None

    def candidates(self, turn: Turn, may_enter: Callable[[int], bool]) -> list[tuple[int, Candidate]]:
        """What could be decided about open slots in messages that *may_enter*: the input's message, and what goes."""
        found = []
        for i_slot in turn.open_slots:
            i_message = turn.slots[i_slot].i_message
            if not may_enter(i_message) or turn.summaries.covers(i_message):
                continue
            saved = self._could_save.get(i_slot)
            if saved is None or turn.wakes(i_slot):
                saved = self._foresee(turn, i_slot)
            if saved > 0:
                at = turn.summaries.sent_index(i_message)
                found.append((i_message, Candidate(i_message=at, saved_tokens=saved)))
        return found

    def together_tokens(self, turn: Turn) -> int:
        """The counted tokens that could leave the request now: of the open slots that may change, and of the new ones.

        What a model would have to be asked for does not count.
        """
        open_tokens = sum(one.saved_tokens for _, one in self.candidates(turn, turn.entering.could_enter))
        fresh_tokens = 0
        for i, (i_message, i_part, part) in enumerate(turn.fresh, start=len(turn.slots)):
            denied = partial(turn.entering.denied, i_message=i_message, old=None)
            found = turn.evaluate(i, i_message, i_part, part, denied, may_ask=False)
            turn.note_stages(i, found.slot)
            fresh_tokens += saved_tokens(found.slot.decision)
        turn.forget_stages()
        return open_tokens + fresh_tokens

    def _foresee(self, turn: Turn, i_slot: int) -> int:
        """The tokens that open slot *i_slot* would lose if all components that wait for nothing might act on it now.

        Remembered for the turns to come where they cannot change that.
        """
        old = turn.slots[i_slot]
        waits = turn.entering.waits
        asked: list[Component] = []

        def denied(component: Component) -> str | None:
            asked.append(component)
            return waits.of(component.name)

        part = turn.request.messages[old.i_message].parts[old.i_part]
        found = turn.evaluate(i_slot, old.i_message, old.i_part, part, denied, may_ask=False)
        is_gated = any(turn.entering.is_gated(one, old) for one in asked)
        self._foreseen[i_slot] = _Foreseen(evaluation=found, is_gated=is_gated)
        saved = saved_tokens(found.slot.decision) - saved_tokens(old.decision)
        is_waiting = any(waits.of(one.name) is not None for one in asked)
        if turn.pipeline.settles and not is_waiting and not turn.passes_unasked(found.slot):
            self._could_save[i_slot] = saved
        return saved
