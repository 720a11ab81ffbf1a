"""Carry a state along a thread's messages, so that each message is looked at once, not once a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.checks.turn import Turn
    from cgcli.model import Item

S = TypeVar("S")


class Folding(Generic[S]):
    """The state behind each message of each thread; an edit or a branch goes on from where the messages agree."""

    def __init__(self, start: S, step: Callable[[S, Item, int], S]) -> None:
        """Begin every thread with *start*; *step* takes a state, a message and its number to the next state.

        States must not be changed in place: a branch shares them.
        """
        self._start = start
        self._step = step
        self._states: dict[int, list[S]] = {}

    def advance(self, turn: Turn) -> tuple[S, list[tuple[int, S]]]:
        """The state at the end of *turn*'s messages, and (message, state behind it) for those that are new."""
        placement = turn.placement
        branch = placement.thread.branch
        source, shared = turn.thread, placement.shared
        if source not in self._states and branch is not None:
            # Behind the branch, the other thread may have gone on with other messages.
            source, shared = branch[0].identity, min(shared, branch[1])
        states = self._states.get(source, [])[:shared]
        new = []
        messages = turn.request.messages
        for i in range(len(states), len(messages)):
            states.append(self._step(states[-1] if states else self._start, messages[i], i))
            new.append((i, states[-1]))
        self._states[turn.thread] = states
        return (states[-1] if states else self._start), new
