"""Bytes in pieces that many texts have in common: put together only where somebody asks for a stretch of them."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Rope:
    """Bytes `start:stop` of a first piece and the *rest*, which the text before mostly had, too.

    Can be cut, and turned to bytes, as a view can. A history is sent again and again: written out each time, it would
    be copied as often as it is sent.
    """

    __slots__ = ("_whole", "ends", "first", "rest", "start", "stop")

    def __init__(
        self, first: bytes, rest: tuple[bytes, ...], ends: array[int], *, start: int = 0, stop: int | None = None
    ) -> None:
        """*ends* say where each piece of the *rest* ends, counted from the end of the first piece."""
        self.first = first
        self.rest = rest
        self.ends = ends
        self.start = start
        self.stop = stop if stop is not None else len(first) + (ends[-1] if ends else 0)
        self._whole: bytes | None = None

    def __len__(self) -> int:
        """How many bytes."""
        return self.stop - self.start

    def __bytes__(self) -> bytes:
        """All of them, put together once."""
        if self._whole is None:
            self._whole = b"".join(self._cut(self.start, self.stop))
        return self._whole

    def __getitem__(self, cut: slice) -> bytes:
        """A stretch of them, put together."""
        if self._whole is not None:
            return self._whole[cut]
        start, stop, step = cut.indices(len(self))
        if step != 1:
            raise ValueError(f"a rope is cut in steps of 1, not {step}")
        return b"".join(self._cut(self.start + start, self.start + stop))

    def within(self, start: int, stop: int) -> Rope:
        """The rope of bytes `start:stop`; nothing is copied."""
        return Rope(self.first, self.rest, self.ends, start=self.start + start, stop=self.start + stop)

    def _cut(self, start: int, stop: int) -> Iterator[bytes]:
        """Bytes `start:stop`, counted from the beginning of the first piece."""
        if start >= stop:
            return
        n_first = len(self.first)
        if start < n_first:
            yield self.first[start:stop]
        i = bisect_right(self.ends, start - n_first) if start > n_first else 0
        at = n_first + (self.ends[i - 1] if i else 0)
        while at < stop and i < len(self.rest):
            piece = self.rest[i]
            is_whole = start <= at and at + len(piece) <= stop
            yield piece if is_whole else piece[max(0, start - at) : stop - at]
            at += len(piece)
            i += 1


Raw: TypeAlias = memoryview | Rope
"""The bytes of a body: a view of the record that it stands in, or a rope."""


def ends_of(pieces: Sequence[bytes], before: array[int] | None = None) -> array[int]:
    """Where each piece ends, behind those that end *before*."""
    found = before if before is not None else array("q")
    return found + array("q", [*accumulate(map(len, pieces), initial=found[-1] if found else 0)][1:])


def plain(raw: Raw) -> bytes | memoryview:
    """*raw* as what can be written: a view as it is, a rope put together."""
    return bytes(raw) if isinstance(raw, Rope) else raw
