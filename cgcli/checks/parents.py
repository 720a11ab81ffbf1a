"""Which conversation a compaction call of its own is about: the one whose messages it tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cgcli.checks.turn import Turn
    from cgcli.lanes import Thread
    from cgcli.lanes.snapshot import Snapshot

_LOOKED_AT = 8
"""So many of the conversations that were last spoken in."""


class Parents:
    """The conversations so far; every turn must be shown to it, in order."""

    def __init__(self) -> None:
        """Begin with none."""
        self._threads: dict[int, Thread] = {}

    def see(self, turn: Turn) -> None:
        """Make *turn*'s thread the one that was last spoken in."""
        self._threads.pop(turn.thread, None)
        self._threads[turn.thread] = turn.placement.thread

    def parent_of(self, turn: Turn) -> Snapshot | None:
        """The last request of the conversation that *turn* is about.

        It is the one that has most of its messages, else the last one that grows; None where there is neither.
        """
        told = {item.rendered for item in turn.request.messages}
        best: tuple[int, bool, int] | None = None
        parent: Snapshot | None = None
        others = [thread for thread in self._threads.values() if thread.identity != turn.thread]
        for thread in others[-_LOOKED_AT:]:
            last = thread.last
            if last is None or not _can_be(thread, turn):
                continue
            rank = sum(item.rendered in told for item in last.messages), thread.grows, last.i_exchange
            if rank > (0, False, last.i_exchange) and (best is None or rank > best):
                best, parent = rank, last
        return parent


def _can_be(thread: Thread, turn: Turn) -> bool:
    """True where no recorded session says otherwise."""
    mine, theirs = turn.exchange.session_id, thread.turns[-1].session_id
    return None in (mine, theirs) or mine == theirs
