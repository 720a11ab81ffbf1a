"""What a lane said of outputs behind the place where it was cut.

A client may drop thinking from the start of a conversation: what stands behind that is sent again, and so must read as
it was sent, where later thinking is bound to it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cgcli.compaction.state import LaneState, SlotState


class Former:
    """The slots that a lane had behind a cut."""

    def __init__(self, state: LaneState, n_messages: int) -> None:
        """Those of *state* from message *n_messages* on; what a summary stood for was not sent."""
        self._by_key: dict[str, deque[SlotState]] = {}
        for slot in state.slots:
            if slot.i_message >= n_messages and not state.summaries.covers(slot.i_message):
                self._by_key.setdefault(slot.key, deque()).append(slot)

    def __bool__(self) -> bool:
        """True where there are any."""
        return bool(self._by_key)

    def take(self, key: str) -> SlotState | None:
        """The first slot whose text had *key* that was not taken yet."""
        found = self._by_key.get(key)
        return found.popleft() if found else None
