"""Carry a state along a thread's messages where their spelling counts too: a moved cache mark is a change here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cgcli.checks.turn import Turn
    from cgcli.model import Item

S = TypeVar("S")


class WireFolding(Generic[S]):
    """The state behind each message of each thread; goes on from the last message that is the very same bytes."""

    def __init__(self, start: S, step: Callable[[S, Item, int], S]) -> None:
        """Begin every thread with *start*; *step* takes a state, a message and its number to the next state.

        States must not be changed in place: a branch shares them.
        """
        self._start = start
        self._step = step
        self._kept: dict[int, tuple[tuple[Item, ...], list[S]]] = {}

    def advance(self, turn: Turn) -> S:
        """The state at the end of *turn*'s messages."""
        branch = turn.placement.thread.branch
        kept = self._kept.get(turn.thread)
        if kept is None and branch is not None:
            kept = self._kept.get(branch[0].identity)
        messages = turn.request.messages
        states = kept[1][: same_objects(kept[0], messages)] if kept is not None else []
        for i in range(len(states), len(messages)):
            states.append(self._step(states[-1] if states else self._start, messages[i], i))
        self._kept[turn.thread] = messages, states
        return states[-1] if states else self._start


def same_objects(a: Sequence[Item], b: Sequence[Item]) -> int:
    """How many leading messages of two requests are the same objects; by bisection.

    A reader shares items only as whole beginnings, so one that is shared means that all before it are.
    """
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[middle - 1] is b[middle - 1]:
            low = middle
        else:
            high = middle - 1
    return low
