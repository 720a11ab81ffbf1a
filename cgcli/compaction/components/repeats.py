"""Lines and blocks that stand several times in a row: one copy, and how often."""

from __future__ import annotations

import re
from itertools import accumulate, chain

LONGEST_BLOCK = 12
"""In units: a line, or a block that was folded before."""

Unit = tuple[str, ...]
"""Lines that belong together: one, or a folded block with its note."""

_COUNT_CHARS = len("  (x99999)")
_NOTE_CHARS = len("... (99999 repeats of the last 99 lines omitted)\n")
_NOTE = re.compile(r"\.\.\. \(\d{1,9} repeats of the last (\d{1,9}) lines omitted\)\r?")


def single_blanks(lines: list[str]) -> list[str]:
    """*lines* with one blank line (white space only) for each run of them, the run's first."""
    return [line for line, before in zip(lines, ["x", *lines], strict=False) if line.strip() or before.strip()]


def folded(lines: list[str]) -> list[str]:
    """*lines* with one copy of each adjacent repeated block of up to 12 lines.

    A line gets `  (xN)`; a longer block is followed by a note. Where the note may be longer than what it
    stands for (`}` twice), the repeats stay. A block that has its note is one piece from then on, so that
    the note's number of lines stays true.
    """
    if len(set(lines)) == len(lines):
        return lines
    return list(chain.from_iterable(_folded(_units(lines))))


def _units(lines: list[str]) -> list[Unit]:
    """*lines*, those that a note speaks of joined with it."""
    units: list[Unit] = []
    for line in lines:
        units.append((line,))
        note = _NOTE.fullmatch(line)
        if note is None:
            continue
        n_lines, n_units = 0, 1
        while n_lines < int(note[1]) and n_units < min(len(units), LONGEST_BLOCK + 1):
            n_units += 1
            n_lines += len(units[-n_units])
        if n_lines == int(note[1]):
            units[-n_units:] = [tuple(chain.from_iterable(units[-n_units:]))]
    return units


def _folded(units: list[Unit]) -> list[Unit]:
    numbers: dict[Unit, int] = {}
    ids = [numbers.setdefault(unit, len(numbers)) for unit in units]
    nearest = _nearest(ids)
    chars = list(accumulate((sum(map(len, unit)) + len(unit) for unit in units), initial=0))
    out: list[Unit] = []
    i = 0
    while i < len(units):
        n_units, n_copies = 1, 1
        if nearest[i] <= LONGEST_BLOCK and units[i][0].strip():
            n_units, n_copies = _best_block(ids, chars, i, nearest[i])
        block = units[i : i + n_units]
        out.append(_fold(block, n_copies) if n_copies > 1 else units[i])
        i += n_units * n_copies
    return out


def _nearest(ids: list[int]) -> list[int]:
    """For each unit, how far behind it stands the next like it: what lets most lines pass at a glance."""
    far = len(ids) + LONGEST_BLOCK
    following: dict[int, int] = {}
    distances = [far] * len(ids)
    for i in reversed(range(len(ids))):
        distances[i] = following.get(ids[i], i + far) - i
        following[ids[i]] = i
    return distances


def _best_block(ids: list[int], chars: list[int], start: int, shortest: int) -> tuple[int, int]:
    """The length and the number of copies of the block at *start* whose fold saves most, the shorter first.

    *chars* says how many characters stand before each unit. One copy where no fold is shorter.
    """
    best, most_saved = (1, 1), 0
    for n_units in range(shortest, LONGEST_BLOCK + 1):
        n_copies = _copies(ids, start, n_units)
        if n_copies > 1:
            removed = chars[start + n_units * n_copies] - chars[start + n_units]
            saved = removed - (_COUNT_CHARS if n_units == 1 else _NOTE_CHARS)
            if saved > most_saved:
                best, most_saved = (n_units, n_copies), saved
    return best


def _copies(ids: list[int], start: int, n_units: int) -> int:
    """How often the block of *n_units* at *start* stands there in a row."""
    block = ids[start : start + n_units]
    n_copies = 1
    while ids[start + n_copies * n_units : start + (n_copies + 1) * n_units] == block:
        n_copies += 1
    return n_copies


def _fold(block: list[Unit], n_copies: int) -> Unit:
    lines = tuple(chain.from_iterable(_folded(block) if len(block) > 1 else block))
    last = lines[-1]
    ending = "\r" if last.endswith("\r") else ""
    if len(lines) == 1:
        return (f"{last.removesuffix(ending)}  (x{n_copies}){ending}",)
    return (*lines, f"... ({n_copies - 1} repeats of the last {len(lines)} lines omitted){ending}")
