"""Which messages of a request have marks; what it has in common with one of the last ones is not looked at again."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cgcli.model import Item

_MOST_REMEMBERED = 16
"""Several policies send their own requests in turn, and a file has several lanes."""

_NEARLY_WHOLE = 20
"""What differs from a request in so many of its last messages comes from the same policy and lane, and replaces it."""


class MarkedItems:
    """Remembers the messages of the last few requests, and which of them are marked."""

    def __init__(self) -> None:
        """Nothing was asked yet."""
        self._last: list[tuple[tuple[Item, ...], tuple[int, ...]]] = []
        """What was asked last comes first."""

    def of(self, messages: tuple[Item, ...]) -> tuple[int, ...]:
        """The numbers of those of *messages* that have a mark somewhere, ascending."""
        n_best, place = 0, None
        found: tuple[int, ...] = ()
        for i, (before, marked) in enumerate(self._last):
            n = _n_common(before, messages)
            if n > n_best:
                n_best, found, place = n, marked, i
                if n == len(before):
                    break
        new = [n_best + i for i, item in enumerate(messages[n_best:]) for part in item.parts if part.mark is not None]
        told = (*(i for i in found if i < n_best), *dict.fromkeys(new))
        if place is not None and len(self._last[place][0]) - n_best <= _NEARLY_WHOLE:
            del self._last[place]
        self._last.insert(0, (messages, told))
        del self._last[_MOST_REMEMBERED:]
        return told


def _n_common(a: tuple[Item, ...], b: tuple[Item, ...]) -> int:
    """How many leading items are the same objects."""
    n = min(len(a), len(b))
    if not n or a[0] is not b[0]:
        return 0
    if a[:n] == b[:n]:  # items are equal only to themselves
        return n
    return list(map(is_, a, b)).index(False)
