"""What earlier steps of the same turn do to the bytes of a request, as far as a step that comes later must know it.

An edit that replaces nothing may add a cache mark, and no other edit does: so that steps can count each other's marks.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    Ranges = Sequence[tuple[int, int]]


def touching(taken: Ranges, start: int, stop: int) -> Ranges:
    """Those of *taken* that have a byte in `start:stop` or stand at one of its ends; *taken* is in order, disjoint."""
    first = bisect_left(taken, (start, start))
    if first and taken[first - 1][1] >= start:
        first -= 1
    last = bisect_left(taken, (stop, stop), lo=first)
    while last < len(taken) and taken[last][0] <= stop:
        last += 1
    return taken[first:last]


def is_whole(taken: Ranges, start: int, stop: int) -> bool:
    """True where nothing is replaced or put into `start:stop`, its two ends included."""
    return not touching(taken, start, stop)


def is_cut(taken: Ranges, start: int, stop: int) -> bool:
    """True where taking out `start:stop` would cut one of *taken*, or take less than all of it."""
    return any(a < stop and start < b and not (start <= a and b <= stop) for a, b in touching(taken, start, stop))


def may_append(taken: Ranges, at: int, stop: int) -> bool:
    """True where a member can be put in at byte *at* of an object that ends at *stop*, white space apart.

    What is replaced right before it does not matter; what was put in there may be the very member.
    """
    return not any((a < stop and at < b) or (a == b and at <= a) for a, b in touching(taken, at, stop))


def n_added_marks(taken: Ranges) -> int:
    """How many cache marks earlier steps may have added."""
    return sum([a == b for a, b in taken])
