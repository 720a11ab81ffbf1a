"""Sections of entries, and as much of them as a number of tokens allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import changed, value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MOST_ENTRIES = 150
"""Of a section: what ranks behind is left out before anything is counted."""
_BEGINS = "- "
_GOES_ON = "  "


@value
class Entry:
    """What is kept or left out together: a first line, and lines that may go, the last ones first."""

    lines: tuple[str, ...]
    rank: int
    """The least is kept longest."""
    least: int = 1
    """With fewer lines it says nothing."""


@value
class Section:
    """Entries under a heading, in the order in which they are shown."""

    title: str
    share: float
    """Of all tokens; what one section does not need goes to the others, by rank."""
    rank: int
    """The least is kept longest."""
    entries: tuple[Entry, ...]
    n_beyond: int = 0
    """How many entries more there were, that are not to be shown."""


class _Choice:
    """How many lines of each entry are shown."""

    def __init__(self, sections: Sequence[Section], opening: str, count: Callable[[str], int]) -> None:
        self._sections = sections
        self._opening = opening
        self._count = count
        self._taken: dict[tuple[int, int], int] = {}
        """(section, entry) to the number of its lines, in the order in which they were taken."""
        self.spent = count(opening + "\n")
        self._spent_on: dict[int, int] = {}

    def take(self, i_section: int, quota: int, *, most_entries: int | None = None) -> None:
        """Take entries by rank while they fit into *quota* tokens; of one that does not, its first lines."""
        section = self._sections[i_section]
        ranked = sorted(range(len(section.entries)), key=lambda i: section.entries[i].rank)[:most_entries]
        started = any(i == i_section for i, _ in self._taken)
        left = quota if started else quota - self._count(f"## {section.title}\n")
        before = left
        for i in ranked:
            done = self._taken.get((i_section, i), 0)
            entry = section.entries[i]
            n_lines, cost = self._fitting(entry.lines[done:], left)
            if n_lines and done + n_lines >= entry.least:
                self._taken[i_section, i] = done + n_lines
                left -= cost
        if left != before:
            self.spent += quota - left
            self._spent_on[i_section] = self.of(i_section) + quota - left

    def of(self, i_section: int) -> int:
        """The tokens that were taken for a section."""
        return self._spent_on.get(i_section, 0)

    def _fitting(self, lines: Sequence[str], left: int) -> tuple[int, int]:
        """How many of *lines* fit into *left* tokens, and how many tokens they take."""
        cost = n_lines = 0
        for line in lines:
            more = self._count(f"{_GOES_ON}{line}\n")
            if cost + more > left:
                break
            cost += more
            n_lines += 1
        return n_lines, cost

    def drop_last(self) -> None:
        """Leave out the last line of the entry that was taken last."""
        key, n_lines = self._taken.popitem()
        i_section, i = key
        if n_lines > self._sections[i_section].entries[i].least:
            self._taken[key] = n_lines - 1

    def text(self) -> str:
        """What was taken, sections without entries left out; empty where nothing was."""
        written = [self._section(i) for i in range(len(self._sections))]
        shown = [one for one in written if one]
        return "\n".join([self._opening, *shown]) if shown else ""

    def _section(self, i_section: int) -> str:
        section = self._sections[i_section]
        out: list[str] = []
        for i, entry in enumerate(section.entries):
            n_lines = self._taken.get((i_section, i), 0)
            out += [f"{_GOES_ON if k else _BEGINS}{line}" for k, line in enumerate(entry.lines[:n_lines])]
            if 0 < n_lines < len(entry.lines):
                out.append(f"{_GOES_ON}…")
        if not out:
            return ""
        n_left = section.n_beyond + sum((i_section, i) not in self._taken for i in range(len(section.entries)))
        if n_left:
            out.append(f"{_BEGINS}… (x{n_left} more left out)")
        return "\n".join([f"## {section.title}", *out])


def fitted(sections: Sequence[Section], *, opening: str, most_tokens: int, count: Callable[[str], int]) -> str:
    """The *sections* behind *opening* in at most *most_tokens*; empty where not even one entry fits."""
    bounded = [_bounded(section) for section in sections if section.entries]
    choice = _Choice(bounded, opening, count)
    by_rank = sorted(range(len(bounded)), key=lambda i: bounded[i].rank)
    for i in by_rank:
        choice.take(i, min(most_tokens - choice.spent, most_tokens // 2), most_entries=1)
    for i in by_rank:
        choice.take(i, min(most_tokens - choice.spent, round(most_tokens * bounded[i].share) - choice.of(i)))
    for i in by_rank:
        choice.take(i, most_tokens - choice.spent)
    while (text := choice.text()) and count(text) > most_tokens:
        choice.drop_last()
    return text


def _bounded(section: Section) -> Section:
    """*section* without what ranks behind the first 150, and how many that is."""
    n_over = len(section.entries) - MOST_ENTRIES
    if n_over <= 0:
        return section
    worst = sorted(entry.rank for entry in section.entries)[MOST_ENTRIES - 1]
    kept = tuple(entry for entry in section.entries if entry.rank <= worst)
    return changed(section, entries=kept, n_beyond=section.n_beyond + len(section.entries) - len(kept))
