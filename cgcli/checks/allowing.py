"""Breaks that were declared: at a turn that was named, or after a compaction call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.lanes import Relation
from cgcli.model import value

if TYPE_CHECKING:
    from cgcli.checks.base import Context
    from cgcli.checks.turn import Turn


@value
class _Call:
    """A compaction call that was seen."""

    i_exchange: int
    session_id: str | None
    thread: int | None
    """The thread whose messages it carries; None where it shares none, so that it can be any thread's."""


class Allowing:
    """Knows where a lane may begin anew; every turn must be shown to it, in order."""

    def __init__(self, context: Context) -> None:
        """Allow what *context* does."""
        self._context = context
        self._calls: list[_Call] = []

    def see(self, turn: Turn) -> None:
        """Remember *turn* where it is a compaction call."""
        if not turn.is_summary_call:
            return
        placement = turn.placement
        thread: int | None = placement.thread.identity
        if placement.relation is Relation.NEW:
            thread = None
        elif placement.relation is Relation.BRANCHES and placement.thread.branch is not None:
            thread = placement.thread.branch[0].identity
        self._calls.append(
            _Call(i_exchange=turn.i_exchange, session_id=turn.exchange.session_id, thread=thread),
        )

    def allows(self, turn: Turn) -> bool:
        """True where a break at *turn*, with the request before it in its thread, was declared."""
        since = turn.before.i_exchange if turn.before is not None else turn.i_exchange
        return self.allows_between(
            number=turn.number,
            since=since,
            until=turn.i_exchange,
            thread=turn.thread,
            session_id=turn.exchange.session_id,
        )

    def allows_between(self, *, number: int, since: int, until: int, thread: int, session_id: str | None) -> bool:
        """True where the break was declared: turn *number* was named, or a compaction call was sent before it.

        Args:
            number: The turn that breaks, from 1 within its lane.
            since: The exchange that it breaks with; it may be the call itself.
            until: The exchange that breaks.
            thread: The thread of *since*.
            session_id: That of *until*, where it is recorded.
        """
        if number in self._context.allowed_epochs:
            return True
        return self._context.allow_after_compaction and self.has_call_between(
            since=since, until=until, thread=thread, session_id=session_id
        )

    def has_call_between(self, *, since: int, until: int, thread: int, session_id: str | None) -> bool:
        """True where a compaction call of *thread*, or one that can be any thread's, was sent in between."""
        for call in reversed(self._calls):
            if call.i_exchange < since:
                return False
            if call.i_exchange < until and _can_be_of(call, thread, session_id):
                return True
        return False


def _can_be_of(call: _Call, thread: int, session_id: str | None) -> bool:
    if call.thread is not None:
        return call.thread == thread
    return None in (call.session_id, session_id) or call.session_id == session_id
