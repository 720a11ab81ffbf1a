"""Recent records to compare the next one with, and what it has in common with one of them."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from cgcli.model import value
from cgcli.rope import Rope

if TYPE_CHECKING:
    from cgcli.dialects.base import Dialect, Glance
    from cgcli.model import Request

_NEEDLE_BYTES = 12


class Tip:
    """A recent record, to compare the next ones with."""

    __slots__ = ("dialect", "first", "head", "raw", "request", "stops")

    def __init__(
        self,
        raw: bytes | Rope,
        first: int,
        request: Request,
        dialect: Dialect,
        head: tuple[Glance, ...],
        *,
        stops: array[int],
    ) -> None:
        """Keep *raw*, a record in which the first message of *request*, which looks like *head*, stands at *first*.

        *stops* tell where its leading messages end, as far as that is known already.
        """
        self.raw = raw
        self.first = first
        self.request = request
        self.dialect = dialect
        self.head = head
        base = request.starts[0]
        # Where each message ends, counted from the first message's first byte.
        new = range(len(stops), len(request.messages))
        self.stops = stops + array("q", [request.starts[i] - base + request.messages[i].size_bytes for i in new])


@value
class Match:
    """The leading messages of a record that are byte-equal to a tip's."""

    tip: Tip
    at: int
    """Where the first message stands in the record."""
    n: int
    size_bytes: int


def compare(raw: bytes | Rope, tip: Tip) -> Match | None:
    """How many leading messages of *tip* stand byte for byte in *raw*; records of two kinds are not compared."""
    if isinstance(raw, Rope):
        return _pieces_of(raw, tip, tip.raw) if isinstance(tip.raw, Rope) else None
    return _bytes_of(raw, tip, tip.raw) if not isinstance(tip.raw, Rope) else None


def _pieces_of(raw: Rope, tip: Tip, its: Rope) -> Match | None:
    """The same for records in pieces: behind the first one, messages with a comma between two."""
    n = len(tip.stops)
    if raw.rest[: 2 * n - 1] != its.rest[: 2 * n - 1]:
        n_same = next((i for i, (a, b) in enumerate(zip(raw.rest, its.rest, strict=False)) if a != b), 0)
        n = min(n, (n_same + 1) // 2)
    if not n or tip.first != len(its.first) or its.ends[2 * n - 2] != tip.stops[n - 1]:
        return None
    return Match(tip=tip, at=len(raw.first), n=n, size_bytes=tip.stops[n - 1])


def _bytes_of(raw: bytes, tip: Tip, its: bytes) -> Match | None:
    first = tip.first
    needle = its[max(0, first - _NEEDLE_BYTES) : first + 1]
    start = first - len(needle) + 1
    if not raw.startswith(needle, start):
        start = raw.find(needle)
        if start < 0:
            return None
    at = start + len(needle) - 1
    view = memoryview(its)
    stops = tip.stops
    if raw.startswith(view[first : first + stops[-1]], at):
        return Match(tip=tip, at=at, n=len(stops), size_bytes=stops[-1])
    if not raw.startswith(view[first : first + stops[0]], at):
        return None
    low, high = _bounds(raw, at, view[first:], stops)
    while low < high:
        middle = (low + high + 1) // 2
        if raw.startswith(view[first : first + stops[middle - 1]], at):
            low = middle
        else:
            high = middle - 1
    return Match(tip=tip, at=at, n=low, size_bytes=stops[low - 1])


def _bounds(raw: bytes, at: int, messages: memoryview, stops: array[int]) -> tuple[int, int]:
    """Bounds for how many messages are equal, of which the first is and the last is not.

    Looked for from the end, in steps that double: mostly only the last few differ.
    """
    high, step = len(stops) - 1, 1
    while high > 1:
        probe = max(1, high - step + 1)
        if raw.startswith(messages[: stops[probe - 1]], at):
            return probe, high
        high, step = probe - 1, step * 2
    return 1, 1
