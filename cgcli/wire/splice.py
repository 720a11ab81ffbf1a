"""Replace byte ranges; everything outside them is unchanged by construction."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def pieces(
    raw: bytes | memoryview, edits: Iterable[tuple[int, int, bytes]], start: int, stop: int
) -> Iterator[bytes | memoryview]:
    """The slices and replacements that make up `raw[start:stop]` after *edits*.

    *edits* are `(start, stop, new)` in bytes of *raw*, disjoint and in order.

    Raises:
        ValueError: two edits overlap, or one lies outside.
    """
    at = start
    for left, right, new in edits:
        if left < at or right < left:
            raise ValueError(f"edit {left}:{right} overlaps or is out of order after byte {at}")
        if left > at:
            yield raw[at:left]
        yield new
        at = right
    if at > stop:
        raise ValueError(f"edit ends at {at}, beyond byte {stop}")
    if at < stop:
        yield raw[at:stop]


def splice(raw: bytes, edits: Iterable[tuple[int, int, bytes]]) -> bytes:
    """*raw* with each `(start, stop, new)` of *edits* in place.

    >>> splice(b"abcdef", [(1, 2, b"X"), (4, 4, b"+")])
    b'aXcd+ef'
    """
    return b"".join(pieces(raw, edits, 0, len(raw)))
