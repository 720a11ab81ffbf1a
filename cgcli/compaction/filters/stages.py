"""The eight stages of a filter, each from lines to lines; none takes a line away that the guard protects."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from cgcli.compaction.components.repeats import single_blanks
from cgcli.compaction.components.terminal import has_bar, last_states, settled, without_ansi
from cgcli.compaction.filters.expressions import LONGEST_CHARS, compiled
from cgcli.compaction.filters.guard import note

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from cgcli.compaction.filters.filter import Patterns
    from cgcli.compaction.filters.guard import Guard

_FEWEST_FOLDED = 4
"""Of a shorter run no more than one line could go."""
_FEWEST_REPEATED_CHARS = 8
"""A shorter line (`}`) says something by its place."""


def stripped(lines: list[str]) -> list[str]:
    """1, `strip_ansi`: without escape sequences."""
    return [without_ansi(line) if "\x1b" in line else line for line in lines]


def settled_lines(lines: list[str], guard: Guard) -> list[str]:
    r"""2, `redraws`: of a line that was drawn over (`\r`) what it came to; of a progress bar the last state."""
    text = "\n".join(lines)
    is_redrawn = "\r" in text and any("\r" in line.rstrip("\r") for line in lines)  # else they only end in one
    if not is_redrawn and not has_bar(text):
        return lines
    kept: list[str] = []
    for stays, run in groupby(lines, guard.protects):
        if stays:
            kept += (state for line in run for state in _states(line, guard))
        else:
            kept += last_states([state for line in run for state in settled(line).split("\n")])
    return kept


def _states(line: str, guard: Guard) -> list[str]:
    """A line that stays, without those of its states that need not."""
    core = line.rstrip("\r")
    if "\r" not in core:
        return [line]
    left = set(settled(core).split("\n"))
    return [state for state in core.split("\r") if state.strip() and (state in left or guard.protects(state))]


def replaced(lines: list[str], guard: Guard, rules: Sequence[tuple[str, str]]) -> list[str]:
    """3, `replace`: in each line what a rule's expression finds becomes the rule's text, rule by rule."""
    made = [(compiled((pattern,)), template) for pattern, template in rules]
    new = {line: _replaced(line, made) for line in _matchable(lines) if not guard.protects(line)}
    return [new.get(line, line) for line in lines]


def _replaced(line: str, rules: list[tuple[re.Pattern[str], str]]) -> str:
    for pattern, template in rules:
        line = pattern.sub(template, line)
    return line


def kept_lines(lines: list[str], guard: Guard, patterns: Patterns) -> list[str]:
    """4, `keep_lines`: only lines that match, and those that no expression sees."""
    unwanted = _matchable(lines) - _matching(lines, patterns)
    stays = guard.protected_with_details(lines)
    return _closed_up(lines, [is_kept or line not in unwanted for is_kept, line in zip(stays, lines, strict=True)])


def without_lines(lines: list[str], guard: Guard, patterns: Patterns) -> list[str]:
    """4, `drop_lines`: without lines that match."""
    gone = {line for line in _matching(lines, patterns) if not guard.protects(line)}
    return _closed_up(lines, [line not in gone for line in lines])


def _matchable(lines: list[str]) -> set[str]:
    """The different lines that expressions see: those that are not very long."""
    return {line for line in set(lines) if len(line) <= LONGEST_CHARS}


def _matching(lines: list[str], patterns: Patterns) -> set[str]:
    """The different lines that one of *patterns* matches from their beginning."""
    match = compiled(patterns).match
    return {line for line in _matchable(lines) if match(line.rstrip())}


def _closed_up(lines: list[str], stays: list[bool]) -> list[str]:
    """The lines that stay, with one blank line where several met, and none at the ends."""
    if all(stays):
        return lines
    kept = single_blanks([line for line, is_kept in zip(lines, stays, strict=True) if is_kept])
    while kept and not kept[0].strip():
        kept.pop(0)
    while kept and not kept[-1].strip():
        kept.pop()
    return kept


def folded(lines: list[str], guard: Guard, patterns: Patterns) -> list[str]:
    """5, `fold`: of four or more lines in a row that match one expression: the first, how many, and the last.

    The last says how far the tool came.
    """
    which: dict[str, int] = {}
    for i, pattern in enumerate(patterns):
        for line in _matching(lines, (pattern,)):
            which.setdefault(line, i)
    foldable = {line: i for line, i in which.items() if not guard.protects(line)}
    out: list[str] = []
    for i_pattern, grouped in groupby(lines, foldable.get):
        run = list(grouped)
        if i_pattern is None or len(run) < _FEWEST_FOLDED:
            out += run
        else:
            out += [run[0], f"... ({len(run) - 2} more like this)", run[-1]]
    return out


def without_repeats(lines: list[str], guard: Guard) -> list[str]:
    """6, `dedupe`: of equal lines anywhere the first, with how many there are."""
    stays = guard.protected_with_details(lines)
    counts: dict[str, int] = {}
    for line, is_kept in zip(lines, stays, strict=True):
        if not is_kept and len(line.strip()) >= _FEWEST_REPEATED_CHARS:
            counts[line] = counts.get(line, 0) + 1
    out: list[str] = []
    for line, is_kept in zip(lines, stays, strict=True):
        n_copies = 1 if is_kept else counts.get(line, 1)
        if n_copies > 1:
            out.append(f"{line.rstrip()}  (x{n_copies})")
            counts[line] = 0
        elif n_copies == 1:
            out.append(line)
    return out


def limited(lines: list[str], guard: Guard, head: int | None, tail: int | None) -> list[str]:
    """7, `head_lines` and `tail_lines`: the beginning and the end, and how much is left out between them."""
    start, stop = head or 0, len(lines) - (tail or 0)
    stays = guard.protected_with_details(lines)
    out = lines[:start]
    for is_kept, grouped in groupby(range(start, max(start, stop)), lambda i: stays[i]):
        run = list(grouped)
        out += [lines[i] for i in run] if is_kept or len(run) == 1 else [note(len(run))]
    return out + lines[max(start, stop) :]


def not_empty(lines: list[str], message: str, *, before: list[str]) -> list[str]:
    """8, `on_empty`: where nothing is left, the filter's *message* and how many lines there were *before*."""
    n_before = sum(1 for line in before if line.strip())
    if n_before == 0 or any(line.strip() for line in lines):
        return lines
    return [note(n_before, said=message)]
