"""Which turns of a file are to be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.errors import UsageError, did_you_mean
from cgcli.lanes import Label
from cgcli.model import value
from cgcli.replay.survey import turns_in, turns_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.lanes import Lane, Turn
    from cgcli.replay.survey import Survey


@value
class Target:
    """A turn that is to be compared."""

    lane: str
    turn: int
    """From 1, within the lane."""
    i_exchange: int


def targets(found: Survey, *, lane: str | None, at: int | None, every: bool) -> tuple[Target, ...]:
    """The turns to compare: one, or with *every* all of the lane.

    Without *lane* it is the main lane with the longest history; without *at*, in the lane's longest thread, the last
    turn that another one goes on from.

    Raises:
        UsageError: there is no such lane or turn.
    """
    chosen = _lane(found.lanes, lane)
    turns = turns_of(chosen)
    if not turns:
        raise UsageError(f"lane {chosen.name} has no turn", hint="cg inspect FILE lists the lanes")
    if every:
        return tuple(Target(lane=chosen.name, turn=i + 1, i_exchange=turn) for i, turn in enumerate(turns))
    if at is not None and not 1 <= at <= len(turns):
        raise UsageError(f"lane {chosen.name} has turns 1 to {len(turns)}, not {at}", hint=f"--at {len(turns)}")
    number = at if at is not None else turns.index(_telling(chosen)) + 1
    return (Target(lane=chosen.name, turn=number, i_exchange=turns[number - 1]),)


def _telling(lane: Lane) -> int:
    """The last turn that another one goes on from, in the thread with the longest history."""
    longest = max((turns_in(epoch.thread) for epoch in lane.epochs), key=_most_messages)
    return longest[max(0, len(longest) - 2)].i_exchange


def _most_messages(turns: Sequence[Turn]) -> int:
    return max((turn.n_messages for turn in turns), default=0)


def _lane(lanes: Sequence[Lane], name: str | None) -> Lane:
    if name is None:
        having = [lane for lane in lanes if turns_of(lane)] or list(lanes)
        mains = [lane for lane in having if lane.label is Label.MAIN] or having
        return max(mains, key=lambda lane: max(_most_messages(turns_in(epoch.thread)) for epoch in lane.epochs))
    found = next((lane for lane in lanes if lane.name.lower() == name.lower()), None)
    if found is None:
        raise UsageError(f"there is no lane {name!r}", hint=did_you_mean(name, [lane.name for lane in lanes]))
    return found
