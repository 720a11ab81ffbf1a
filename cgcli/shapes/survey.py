"""The lanes of a file, their turns, and what was recorded as billed: a first pass, before anything is compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.errors import UsageError, did_you_mean
from cgcli.lanes import Label, Threads, group
from cgcli.lanes.meeting import meet
from cgcli.model import unique, value
from cgcli.tokens.ruler import Ruler

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.lanes import Lane, Thread, Turn
    from cgcli.readers import Capture


@value
class Target:
    """A turn that is to be compared."""

    lane: str
    turn: int
    """From 1, within the lane."""
    i_exchange: int


@unique
class Survey:
    """What a file has."""

    lanes: tuple[Lane, ...]
    is_independent: bool
    rulers: Mapping[str | None, Ruler]
    """By model, fitted to recorded usage where the model's tokens are an estimate."""
    n_requests: int


def survey(capture: Capture) -> Survey:
    """Read all of *capture*; tokens are counted only where there is usage to fit to."""
    threads = Threads()
    rulers: dict[str | None, Ruler] = {}
    pairs: dict[str | None, list[tuple[int, int]]] = {}
    n_requests = 0
    for met in meet(capture, threads):
        request, usage = met.exchange.request, met.exchange.usage
        n_requests += 1
        ruler = rulers.setdefault(request.model, Ruler(request.model))
        if usage is not None and usage.input and request.is_whole:
            pairs.setdefault(request.model, []).append((ruler.measure(request).total, usage.input))
    for model, found in pairs.items():
        rulers[model] = Ruler(model, pairs=found)
    return Survey(
        lanes=group(threads.threads, independent=capture.is_independent),
        is_independent=capture.is_independent,
        rulers=rulers,
        n_requests=n_requests,
    )


def turns_of(lane: Lane) -> tuple[int, ...]:
    """The numbers of a lane's requests in the file, in order; calls for a summary are no turns."""
    return tuple(sorted(turn.i_exchange for epoch in lane.epochs for turn in _turns(epoch.thread)))


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


def _turns(thread: Thread) -> list[Turn]:
    return [turn for turn in thread.turns if not turn.is_summary_call]


def _telling(lane: Lane) -> int:
    """The last turn that another one goes on from, in the thread with the longest history."""
    longest = max((_turns(epoch.thread) for epoch in lane.epochs), key=_most_messages)
    return longest[max(0, len(longest) - 2)].i_exchange


def _most_messages(turns: Sequence[Turn]) -> int:
    return max((turn.n_messages for turn in turns), default=0)


def _lane(lanes: Sequence[Lane], name: str | None) -> Lane:
    if name is None:
        having = [lane for lane in lanes if turns_of(lane)] or list(lanes)
        mains = [lane for lane in having if lane.label is Label.MAIN] or having
        return max(mains, key=lambda lane: max(_most_messages(_turns(epoch.thread)) for epoch in lane.epochs))
    found = next((lane for lane in lanes if lane.name.lower() == name.lower()), None)
    if found is None:
        raise UsageError(f"there is no lane {name!r}", hint=did_you_mean(name, [lane.name for lane in lanes]))
    return found
