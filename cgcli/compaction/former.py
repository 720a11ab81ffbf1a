"""What a lane said of outputs that its request has no more, and may have again.

A client may drop thinking from the start of a conversation: what stands behind that is sent again, and so must read as
it was sent, where later thinking is bound to it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cgcli.compaction.state import LaneState, SlotState


class Former:
    """Slots that a lane had, by their texts."""

    def __init__(self, slots: Iterable[SlotState]) -> None:
        """*slots*, in the order in which they are said again."""
        self._by_key: dict[str, deque[SlotState]] = {}
        for slot in slots:
            self._by_key.setdefault(slot.key, deque()).append(slot)

    def __bool__(self) -> bool:
        """True where there are any."""
        return bool(self._by_key)

    def take(self, key: str) -> SlotState | None:
        """The first slot whose text had *key* that was not taken yet."""
        found = self._by_key.get(key)
        return found.popleft() if found else None

    def left(self) -> tuple[SlotState, ...]:
        """Those that were not taken."""
        return tuple(slot for slots in self._by_key.values() for slot in slots)


def cut_off(state: LaneState, n_messages: int) -> Iterator[SlotState]:
    """The slots of *state* from message *n_messages* on; what a summary stood for was not sent."""
    for slot in state.slots:
        if slot.i_message >= n_messages and not state.summaries.covers(slot.i_message):
            yield slot
