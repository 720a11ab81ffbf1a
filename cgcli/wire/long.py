"""Long bytes and long JSON strings in pieces, so that no second copy of them is ever whole in memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONG_BYTES = 1 << 20
"""From here on a string is taken in pieces: what is shorter costs less than taking it apart."""
PIECE_BYTES = 1 << 18

# Whole escapes and what stands between them. A high surrogate only with a whole escape, or a character, behind it: with
# a low one it is one character, which no cut may part.
_WHOLE = re.compile(
    rb"(?:[^\\]++|\\u(?![dD][89abAB])[0-9a-fA-F]{4}|\\u[0-9a-fA-F]{4}(?=[^\\]|\\[^u]|\\u[0-9a-fA-F]{4})|\\[^u])*+",
    re.DOTALL,
)
_LOOKED_AT_BYTES = 1 << 10
"""So far back from its end a piece is looked at first."""
_PLAIN_BYTES = 9
"""An escape is six bytes at most, a surrogate's half has its other one right behind, a character goes on for three."""
_CONTINUES = range(0x80, 0xC0)
"""Bytes that go on with a character in UTF-8."""


class Long:
    """Bytes that are made anew, piece by piece, each time they are asked for."""

    __slots__ = ("_make", "n_bytes")

    def __init__(self, n_bytes: int, make: Callable[[], Iterator[bytes]]) -> None:
        """*n_bytes* that *make* gives in order."""
        self.n_bytes = n_bytes
        self._make = make

    def __len__(self) -> int:
        """All of them."""
        return self.n_bytes

    def __iter__(self) -> Iterator[bytes]:
        """The pieces, in order."""
        return self._make()


def cut(literal: bytes | memoryview) -> Iterator[tuple[int, bytes]]:
    """A JSON string *literal*, quotes included, as several: each with where it begins, less its quote.

    The texts of the pieces, joined, are the text of the whole.
    """
    start, stop = 1, len(literal) - 1
    while start < stop:
        end = _end(literal, start, stop)
        yield start - 1, b'"%b"' % bytes(literal[start:end])
        start = end


def _end(literal: bytes | memoryview, start: int, stop: int) -> int:
    """Where the piece that begins at *start* may end: behind whole escapes and characters."""
    most = min(start + PIECE_BYTES, stop)
    if most == stop:
        return stop
    looked_at = max(start, most - _LOOKED_AT_BYTES)
    end = looked_at + _plain(bytes(literal[looked_at:most]))
    if end == looked_at:
        match = _WHOLE.match(literal, start, most)
        end = match.end() if match is not None else start
    while end > start and literal[end] in _CONTINUES:
        end -= 1
    return end if end > start else stop


def _plain(tail: bytes) -> int:
    """The last place in *tail* to which no escape reaches, nor the half of one, by what stands before it; 0: none."""
    at = len(tail)
    while at > 0:
        escape = tail.rfind(b"\\", 0, at)
        if at - escape > _PLAIN_BYTES:
            return at
        at = escape
    return 0
