"""The lanes of a file, their turns, and what was recorded as billed: a first pass, before anything is simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.lanes import Threads, group
from cgcli.lanes.meeting import meet
from cgcli.model import unique
from cgcli.tokens.ruler import Ruler

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.lanes import Lane, Thread, Turn
    from cgcli.readers import Capture


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
    return tuple(sorted(turn.i_exchange for epoch in lane.epochs for turn in turns_in(epoch.thread)))


def turns_in(thread: Thread) -> list[Turn]:
    """The requests of *thread* but for calls for a summary."""
    return [turn for turn in thread.turns if not turn.is_summary_call]
