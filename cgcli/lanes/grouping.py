"""Lanes: at the end of the file, threads of one conversation come together. No decision may read what is told here."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cgcli.lanes.threads import Thread
    from cgcli.model import Digest


class Label(StrEnum):
    """What a lane, or an epoch of one, is."""

    MAIN = "main"
    SIDE = "side"
    COMPACTION = "compaction"
    RESTART = "restart"


@value
class Epoch:
    """One thread of a lane."""

    thread: Thread
    label: Label


@value
class Lane:
    """The requests of one conversation, or the side calls of one head."""

    name: str
    label: Label
    epochs: tuple[Epoch, ...]

    @property
    def n_requests(self) -> int:
        """How many requests it has."""
        return sum(len(epoch.thread.turns) for epoch in self.epochs)

    @property
    def model(self) -> str | None:
        """The model of its first request."""
        return self.epochs[0].thread.turns[0].model


def group(threads: Iterable[Thread], *, independent: bool) -> tuple[Lane, ...]:
    """The lanes of a file in the order of their first requests, named L1, L2 and so on.

    Threads of one session, or else of one model, tools and system, that do not overlap are epochs of one lane (not
    where tools and system are both empty). Threads that never grow are pooled by model, tools and system as side
    calls; a summariser call is a lane of its own. *independent* requests (a batch) are a lane each.
    """
    ordered = sorted((thread for thread in threads if thread.turns), key=lambda thread: thread.turns[0].i_exchange)
    if independent:
        pools = [[thread] for thread in ordered]
        labels = [Label.MAIN] * len(pools)
    else:
        pools, labels = _pools(ordered)
    numbered = sorted(zip(pools, labels, strict=True), key=lambda pair: pair[0][0].turns[0].i_exchange)
    return tuple(
        Lane(name=f"L{i + 1}", label=label, epochs=_epochs(pool, label)) for i, (pool, label) in enumerate(numbered)
    )


def _pools(ordered: Sequence[Thread]) -> tuple[list[list[Thread]], list[Label]]:
    lines: list[list[Thread]] = []
    sides: dict[tuple[str | None, Digest], list[Thread]] = {}
    calls: list[list[Thread]] = []
    for thread in ordered:
        first = thread.turns[0]
        if thread.grows:
            home = next((line for line in reversed(lines) if _follows(line[-1], thread)), None)
            if home is None:
                lines.append([thread])
            else:
                home.append(thread)
        elif first.is_summary_call:
            calls.append([thread])
        else:
            sides.setdefault((first.session_id, first.static), []).append(thread)
    pools = [*lines, *calls, *sides.values()]
    labels = [Label.MAIN] * len(lines) + [Label.COMPACTION] * len(calls) + [Label.SIDE] * len(sides)
    if not lines:
        labels = [Label.MAIN if label is Label.SIDE else label for label in labels]
    return pools, labels


def _follows(before: Thread, after: Thread) -> bool:
    """True where *after* can be the next epoch of the lane that *before* ended."""
    last, first = before.turns[-1], after.turns[0]
    if last.i_exchange > first.i_exchange:
        return False
    if last.session_id is not None or first.session_id is not None:
        return last.session_id == first.session_id
    return last.static == first.static and first.has_head


def _epochs(pool: Sequence[Thread], label: Label) -> tuple[Epoch, ...]:
    later = Label.RESTART if label is Label.MAIN and pool[0].grows else label
    return tuple(Epoch(thread=thread, label=label if i == 0 else later) for i, thread in enumerate(pool))
