"""The summariser calls of a file, for the gates that look at them: which they are, and what they belong to.

A call is a request that asks for a summary by its wording, or one that is an earlier request with one user message more
while the lane goes on without it. A request that its lane goes on from, answer and all, is a turn of the conversation
and no call. A call that keeps its lane's messages is *appended*: a fork, good or bad. Any other one is *standalone*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from cgcli.lanes import Label, Relation, Threads, group
from cgcli.lanes.meeting import meet
from cgcli.model import unique, value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from cgcli.checks.turn import Turn
    from cgcli.lanes import Lane, Placement
    from cgcli.lanes.snapshot import Snapshot
    from cgcli.model import Digest, Exchange, Item, Request
    from cgcli.readers import Capture

T = TypeVar("T")

NO_CALLS = "no request asks for a summary, and none was appended to a lane that goes on without it"
ALL_STANDALONE = "every summariser call is standalone: none keeps its lane's messages"
REBUILT = "the requests are rebuilt from a history: that they were sent so is not recorded"
SYSTEM_ROLES = frozenset({"system", "developer"})


@unique
class Call:
    """A summariser call."""

    turn: Turn
    home: Snapshot | None
    """The last request of the lane that it belongs to; None where nothing was sent before."""
    is_appended: bool
    """It keeps at least half of its messages from its lane; else it is standalone."""


@value
class _Waiting(Generic[T]):
    """A call of which it is not yet known whether its lane goes on without it."""

    i_exchange: int
    n_messages: int
    by_wording: bool
    home: Snapshot | None
    facts: T


class Calls(Generic[T]):
    """Finds the summariser calls of a file; what is kept of each one is what *facts* says when it is sent."""

    def __init__(self, facts: Callable[[Call], T]) -> None:
        """Nothing was sent yet."""
        self._facts = facts
        self._waiting: dict[int, list[_Waiting[T]]] = {}
        self._homes: dict[Digest, int] = {}
        self._last: dict[int, Snapshot] = {}
        self._latest: Snapshot | None = None

    def see(self, turn: Turn) -> Iterator[T]:
        """Look at the next request; the facts of earlier calls come as soon as they are known to be calls."""
        yield from self._settled(turn)
        call = self._by_wording(turn) if turn.is_summary_call else self._by_place(turn)
        if call is not None:
            waiting = _Waiting(
                i_exchange=turn.i_exchange,
                n_messages=len(turn.request.messages),
                by_wording=turn.is_summary_call,
                home=call.home,
                facts=self._facts(call),
            )
            self._waiting.setdefault(turn.thread, []).append(waiting)
        if not turn.is_summary_call:
            self._learn(turn)

    def rest(self) -> Iterator[T]:
        """At the end of the file: the facts of the calls that nothing came after, in the order of the file."""
        left = [one for waiting in self._waiting.values() for one in waiting if one.by_wording]
        yield from (one.facts for one in sorted(left, key=lambda one: one.i_exchange))

    def _settled(self, turn: Turn) -> Iterator[T]:
        waiting = self._waiting.get(turn.thread)
        if not waiting:
            return
        placement, messages = turn.placement, turn.request.messages
        if placement.split is not None:
            side = {one.i_exchange for one in placement.split.turns}
            yield from (one.facts for one in waiting if one.i_exchange in side)
            self._waiting[turn.thread] = [one for one in waiting if one.i_exchange not in side]
        elif placement.relation is Relation.EXTENDS:
            # What its lane goes on from is a turn of the conversation: forget it.
            self._waiting[turn.thread] = [one for one in waiting if not _is_answered(messages, one.n_messages)]
        elif placement.relation is Relation.EDITS:
            yield from (one.facts for one in waiting if one.by_wording)
            del self._waiting[turn.thread]

    def _by_wording(self, turn: Turn) -> Call:
        own = [item for item in turn.request.messages[:-1] if item.role not in SYSTEM_ROLES]
        homes = [home for item in own if (home := self._homes.get(item.rendered)) is not None]
        if homes and len(homes) * 2 >= len(own):
            return Call(turn=turn, home=self._last[homes[-1]], is_appended=True)
        return Call(turn=turn, home=self._latest, is_appended=False)

    def _by_place(self, turn: Turn) -> Call | None:
        """*turn* as a call, where it is the request before it and one user message, or such a call sent again."""
        before, messages = turn.before, turn.request.messages
        if before is None or turn.placement.relation is not Relation.EXTENDS:
            return None
        if turn.placement.shared == len(before.messages) == len(messages) - 1 and messages[-1].role == "user":
            return Call(turn=turn, home=before, is_appended=True)
        if len(before.messages) == len(messages):
            waiting = self._waiting.get(turn.thread, ())
            same = next((one for one in waiting if one.i_exchange == before.i_exchange), None)
            return Call(turn=turn, home=same.home, is_appended=True) if same is not None else None
        return None

    def _learn(self, turn: Turn) -> None:
        for i in turn.fresh:
            self._homes[turn.request.messages[i].rendered] = turn.thread
        self._latest = turn.placement.thread.last
        if self._latest is not None:
            self._last[turn.thread] = self._latest


def _is_answered(messages: Sequence[Item], n: int) -> bool:
    return len(messages) > n and messages[n].role == "assistant"


class WithoutCalls:
    """What each thread sent last, its summariser calls left out: a call is no edit of its lane, nor is the way back."""

    def __init__(self) -> None:
        """Nothing was sent yet."""
        self._ends: dict[int, tuple[int, Digest]] = {}

    def keeps(self, request: Request, placement: Placement) -> bool:
        """True where *request*, which is no call, has all that its thread (or the one it branches from) sent last."""
        thread = placement.thread
        end = self._ends.get(thread.identity)
        if end is None and thread.branch is not None:
            end = self._ends.get(thread.branch[0].identity)
        states = request.states
        if states:
            self._ends[thread.identity] = len(states), states[-1]
        return end is not None and end[0] <= len(states) and states[end[0] - 1] == end[1]


@value
class Place:
    """A request of the file."""

    i_exchange: int
    line: int


class Epochs:
    """Counts where a lane begins anew: its restarts, and the edits of what it sent before."""

    def __init__(self) -> None:
        """None yet."""
        self._lanes = WithoutCalls()
        self._edits: list[Place] = []
        self._going_on: set[int] = set()

    def see(self, exchange: Exchange, placement: Placement, i_exchange: int, *, is_call: bool) -> None:
        """Look at the next request."""
        if is_call:
            return
        if self._lanes.keeps(exchange.request, placement):
            self._going_on.add(i_exchange)
        elif placement.relation is Relation.EDITS:
            self._edits.append(Place(i_exchange=i_exchange, line=exchange.source.line))

    def places(self, lanes: Iterable[Lane]) -> list[Place]:
        """The first request of every epoch but the first of each lane, in the order of the file."""
        firsts = [epoch.thread.turns[0] for lane in lanes if lane.label is Label.MAIN for epoch in lane.epochs[1:]]
        restarts = [
            Place(i_exchange=one.i_exchange, line=one.line) for one in firsts if one.i_exchange not in self._going_on
        ]
        return sorted([*self._edits, *restarts], key=lambda place: place.i_exchange)


def count_epochs(capture: Capture) -> int:
    """How many epochs of *capture* began after the first of their lane: its compaction points.

    What `--against FILE` compares with, counted as `G-FORK-NOBOUNDARY` counts them in the file that it checks.
    """
    threads, epochs = Threads(), Epochs()
    for met in meet(capture, threads):
        epochs.see(met.exchange, met.placement, met.number, is_call=met.is_summary_call)
    return len(epochs.places(group(threads.threads, independent=capture.is_independent)))
