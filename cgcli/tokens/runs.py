"""Cuts blank runs that are too long for tiktoken.

tiktoken's regex engine keeps one state per blank and has room for a million. A longer run ends in a panic,
which is no `Exception`, after a backtrace on stderr. Only runs of more than `MAX_RUN` blanks are cut, so what
tiktoken can count is counted whole (but for the last thousand blanks before its limit).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_RUN = 999_000
"""Characters of blanks in a row that stay whole; tiktoken 0.14 was measured to count 999,998."""
_CHUNK = 1 << 19
"""A multiple of the longest blank token (128), so that the cut falls where two tokens would meet anyway."""
_BLANKS = re.compile(r"\s*")


def pieces(text: str) -> Iterator[str]:
    """The pieces of *text*, together the whole of it, none with more than `MAX_RUN` blanks in a row."""
    start = 0
    for first, stop in _long_runs(text):
        # The last piece of a run keeps at least one blank: the tokenizer joins it with the word that follows.
        for cut in range(first + _CHUNK, stop, _CHUNK):
            yield text[start:cut]
            start = cut
    yield text[start:]


def _long_runs(text: str) -> Iterator[tuple[int, int]]:
    # A run longer than MAX_RUN holds one of these positions, a normal text costs a look per million of them.
    stop = 0
    for i in range(0, len(text), MAX_RUN):
        if i < stop or not text[i].isspace():
            continue
        before = text[max(i - MAX_RUN, stop) : i]
        first = i - (len(before) - len(before.rstrip()))
        match = _BLANKS.match(text, i)
        stop = match.end() if match else i
        if stop - first > MAX_RUN:
            yield first, stop
