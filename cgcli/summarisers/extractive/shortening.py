"""One output, as much of it as a number of tokens allows: the lines that say most, in their order."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from cgcli.summarisers.extractive.complaints import complaints, ending, kind_of
from cgcli.summarisers.extractive.lines import clean, lines, quoted
from cgcli.summarisers.guarding import contained

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

GAP = "..."
"""Stands where lines were left out."""
_GAP_TOKENS = 2
"""What a gap beside a line costs, its line break included."""
_LINE_CHARS = 400
"""As much of a line as is shown, where there are many; of few lines more, where there is room."""
_LEAST_LINE_CHARS = 250
_CHARS_PER_TOKEN = 3
_MOST_LINES = 20_000
"""Of a longer output its two ends are looked at."""
_MOST_MISSES = 20
"""After so many lines that do not fit nothing more is tried."""
_MOST_REMEMBERED = 64
_REMEMBERED_CHARS = 200_000

# Each begins with something rare or is bounded; lines are cut before they are looked at.
_TELLING = re.compile(
    r"error|fail|exception|panic|fatal|traceback|warn|abort|denied|killed"
    r"|\bexit(?:ed|s)?[ _-](?:with )?(?:code|status)|<returncode>"
    r"|\.[a-z]\w{0,9}[\"']?(?::|\(|, line )\d|\bline \d|://"
    r"|\b\d{1,9} (?:tests?|passed|passing|skipped|xfailed|errors?|warnings?|files? changed)\b",
    re.IGNORECASE,
)


def must_stay(output: str) -> list[str]:
    """The lines of *output* without which nobody would know how it ended, quoted: what failed, and the result."""
    make = _remembered_to_stay if len(output) <= _REMEMBERED_CHARS else _to_stay
    return [*make(output)]


def _to_stay(output: str) -> tuple[str, ...]:
    plain = clean(output)
    told = complaints(plain)
    last = ending(plain)
    if last is not None and _TELLING.search(last) and last not in told:
        told.append(last)
    return tuple(told)


_remembered_to_stay = lru_cache(maxsize=_MOST_REMEMBERED)(_to_stay)


def shortened(output: str, *, most_tokens: int, count: Callable[[str], int]) -> str:
    """*output* in at most *most_tokens*, counted with *count*; empty where it is blank.

    First what must stay, whatever it takes; then lines with errors, places, exit codes and counts, one of a kind
    before its repeats; then its two ends. Lines left out are a gap, blank ones are not told of, long ones are cut.
    Nothing in the result reads as a marker. The last few are remembered: a turn asks about an output more than once.
    """
    make = _remembered if len(output) <= _REMEMBERED_CHARS else _shortened
    return make(output, most_tokens, count)


def _shortened(output: str, most_tokens: int, count: Callable[[str], int]) -> str:
    rows = _rows(clean(output), most_tokens * _CHARS_PER_TOKEN)
    required = _required(rows, must_stay(output))
    taken = set(required)
    spent = sum(_cost(rows[i], count) for i in required)
    misses = 0
    order: list[int] = []
    for i in _by_rank(rows):
        if i in taken:
            continue
        cost = _cost(rows[i], count)
        if spent + cost > most_tokens:
            misses += 1
            if misses == _MOST_MISSES:
                break
            continue
        spent += cost
        taken.add(i)
        order.append(i)
    if not taken:
        return _beginning(rows, most_tokens, count)
    text = _joined(rows, taken)
    while order and count(text) > most_tokens:
        taken.discard(order.pop())
        text = _joined(rows, taken)
    return text


_remembered = lru_cache(maxsize=_MOST_REMEMBERED)(_shortened)


def _beginning(rows: Sequence[str], most_tokens: int, count: Callable[[str], int]) -> str:
    """As much of the first row as fits, where no whole one does."""
    n_chars = len(rows[0]) if rows else 0
    while n_chars:
        text = f"{rows[0][:n_chars]} …"
        if count(text) <= most_tokens:
            return text
        n_chars //= 2
    return ""


def _rows(plain: str, most_chars: int) -> list[str]:
    """The lines of *plain* that are not blank, as they may be shown where there is room for so many characters."""
    found = list(lines(plain))
    of_line = max(_LINE_CHARS, most_chars // max(1, len(found)))
    longest = max(_LEAST_LINE_CHARS, min(of_line, most_chars))
    if len(found) > _MOST_LINES:
        found = [*found[: _MOST_LINES // 2], *found[-_MOST_LINES // 2 :]]
    return [contained(_cut(line.rstrip(), longest)) for line in found]


def _cut(line: str, most_chars: int) -> str:
    return line if len(line) <= most_chars else f"{line[:most_chars]} …"


def _cost(row: str, count: Callable[[str], int]) -> int:
    return count(f"{row}\n") + _GAP_TOKENS


def _required(rows: Sequence[str], told: Sequence[str]) -> list[int]:
    """The rows that show the lines *told*: of equal ones the last."""
    places = {quoted(row): i for i, row in enumerate(rows)}
    found = []
    for line in told:
        begins = contained(line.removesuffix(" …"))
        i = places.get(contained(line))
        if i is None:
            i = next((k for k in range(len(rows) - 1, -1, -1) if _begins(rows[k], begins)), None)
        if i is not None:
            found.append(i)
    return found


def _begins(row: str, line: str) -> bool:
    return line in quoted(row[: 2 * _LINE_CHARS], _LINE_CHARS)


def _by_rank(rows: Sequence[str]) -> Iterator[int]:
    """The rows, those first that are kept longest."""
    kinds: set[str] = set()
    repeats: list[int] = []
    for i, row in enumerate(rows):
        if not _TELLING.search(row):
            continue
        kind = kind_of(row)
        if kind in kinds:
            repeats.append(i)
            continue
        kinds.add(kind)
        yield i
    yield from repeats
    yield from _from_both_ends(len(rows))


def _from_both_ends(n: int) -> Iterator[int]:
    """0 to *n*, two of the beginning for one of the end."""
    start, stop = 0, n
    while start < stop:
        yield start
        start += 1
        if start < stop and start % 2 == 0:
            stop -= 1
            yield stop


def _joined(rows: Sequence[str], taken: set[int]) -> str:
    """The rows that were *taken*, with gaps where others stood."""
    if not taken:
        return ""
    out: list[str] = []
    before = -1
    for i in sorted(taken):
        if i != before + 1:
            out.append(GAP)
        out.append(rows[i])
        before = i
    if before != len(rows) - 1:
        out.append(GAP)
    return "\n".join(out)
