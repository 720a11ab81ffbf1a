"""Generations: which turn a lane is on, so that what was found out on an earlier one never lands on a later one."""

from __future__ import annotations

from dataclasses import dataclass

from cgcli.model import value

DEFAULT_MAX_LANES = 1000


@value
class Generation:
    """One turn of a lane."""

    lane: int
    number: int
    is_first: bool
    """The lane was not followed before; nothing of it can be pending."""
    is_recreated: bool
    """It had been followed, and was given up to make room: what the provider holds of it is not known."""


@dataclass(slots=True)
class _Lane:
    generation: int
    committed: int = -1
    n_barren: int = 0
    has_landed: bool = False


class Tracker:
    """The generations of at most `max_lanes` lanes; the one that was least recently used makes room."""

    def __init__(self, max_lanes: int = DEFAULT_MAX_LANES) -> None:
        """Follow nothing yet."""
        self.n_evicted = 0
        self._max_lanes = max_lanes
        self._lanes: dict[int, _Lane] = {}
        """The least recently used first."""
        self._given_up: set[int] = set()
        self._issued = 0
        """The highest generation of all lanes: one that is followed anew starts above it."""

    def turn(self, lane: int) -> Generation:
        """The next turn of *lane*: a turn happens whether or not anything is cached, or compacted."""
        known = self._lanes.pop(lane, None)
        is_first, is_recreated = known is None, known is None and lane in self._given_up
        if known is None:
            known = _Lane(generation=self._issued)
            self._given_up.discard(lane)
        known.generation += 1
        self._issued = max(self._issued, known.generation)
        self._lanes[lane] = known
        while len(self._lanes) > self._max_lanes:
            oldest = next(iter(self._lanes))
            del self._lanes[oldest]
            self._given_up.add(oldest)
            self.n_evicted += 1
        return Generation(lane=lane, number=known.generation, is_first=is_first, is_recreated=is_recreated)

    def commit(self, generation: Generation) -> bool:
        """True where the lane is still on that turn and nothing was committed on it: then this is."""
        known = self._lanes.get(generation.lane)
        if known is None or known.generation != generation.number or known.committed == generation.number:
            return False
        known.committed = generation.number
        known.has_landed = True
        known.n_barren = 0
        return True

    def is_current(self, generation: Generation) -> bool:
        """True where the lane is still on that turn."""
        known = self._lanes.get(generation.lane)
        return known is not None and known.generation == generation.number

    def barren(self, generation: Generation) -> None:
        """A job of the lane found nothing."""
        known = self._lanes.get(generation.lane)
        if known is not None:
            known.n_barren += 1

    def n_barren(self, lane: int) -> int:
        """How many of its jobs in a row found nothing."""
        known = self._lanes.get(lane)
        return known.n_barren if known is not None else 0
