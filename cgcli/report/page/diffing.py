"""What changed between two texts, line by line."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_LINES = 400
"""Between the equal ends, on either side: a longer middle is taken as replaced whole, since comparing is quadratic."""


def runs(before: str, after: str) -> list[int]:
    r"""How many lines are equal, removed and added, over and over: three numbers for each place that differs.

    Lines end at `\n` alone. The sums are the numbers of lines of *before* (equal and removed) and *after* (equal and
    added). Where both texts are one line that differs, that is `[0, 1, 1]`.

    >>> runs("a\nb\nc", "a\nx\ny\nc")
    [1, 1, 2, 1, 0, 0]
    """
    old, new = before.split("\n"), after.split("\n")
    head = _equal(old, new)
    tail = _equal(old[head:][::-1], new[head:][::-1])
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    found: list[int] = []
    equal = head
    for tag, i, i_stop, j, j_stop in _opcodes(old, new):
        if tag == "equal":
            equal += i_stop - i
        else:
            found += [equal, i_stop - i, j_stop - j]
            equal = 0
    equal += tail
    return [*found, equal, 0, 0] if equal else found


def _equal(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines both begin with."""
    most = min(len(old), len(new))
    return next((i for i in range(most) if old[i] != new[i]), most)


def _opcodes(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    if not old and not new:
        return []
    if max(len(old), len(new)) > _MOST_LINES:
        return [("replace", 0, len(old), 0, len(new))]
    return [(tag, i, i_stop, j, j_stop) for tag, i, i_stop, j, j_stop in SequenceMatcher(a=old, b=new).get_opcodes()]
