"""What the model was sent at a place of pi's tree, and which branch that place is on."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from cgcli.readers.histories.pi.messages import no_result
from cgcli.readers.spelling import message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.readers.histories.pi.entries import Compaction, Entry
    from cgcli.readers.histories.pi.messages import Said


class History:
    """The messages at one entry after another; what two neighbours have in common is not put together twice."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        """Walk on *entries*."""
        self._entries = entries
        self._path: list[int] = []
        self._messages: list[bytes] = []
        self._results: list[bytes] = []
        """The blocks of the last message, where they are results."""
        self._pending: list[bytes] = []
        """The calls that have no result yet."""

    def at(self, place: int | None) -> list[bytes]:
        """The messages from the root to entry number *place*, each written; only good until the next call."""
        new: list[int] = []
        last = self._path[-1] if self._path else None
        while place is not None and place != last:
            new.append(place)
            place = self._entries[place].parent
        if place != last:
            self._path.clear()
            self._start()
        for number in reversed(new):
            self._go(number)
        return self._messages

    def _start(self) -> None:
        self._messages = []
        self._results = []
        self._pending = []

    def _go(self, number: int) -> None:
        entry = self._entries[number]
        if entry.compaction is not None:
            self._compact(entry.compaction)
        elif entry.said is not None:
            self._add(entry.said)
        self._path.append(number)

    def _compact(self, compaction: Compaction) -> None:
        """Begin anew with the summary and what is kept: of the whole path, whatever an earlier one left out."""
        self._start()
        self._add(compaction.summary)
        first = compaction.first_kept
        i = bisect_left(self._path, first) if first is not None else len(self._path)
        if i < len(self._path) and self._path[i] == first:
            for number in self._path[i:]:
                kept = self._entries[number].said
                if kept is not None:
                    self._add(kept)

    def _add(self, said: Said) -> None:
        if said.answers is None:
            for call in self._pending:
                self._append(no_result(call))
            self._pending = list(said.calls)
        elif said.answers in self._pending:
            self._pending.remove(said.answers)
        self._append(said)

    def _append(self, said: Said) -> None:
        if said.answers is not None and self._results:
            self._results.extend(said.blocks)
            self._messages[-1] = message(said.role, self._results)
            return
        self._results = list(said.blocks) if said.answers is not None else []
        self._messages.append(message(said.role, said.blocks))


def branches(entries: Sequence[Entry]) -> list[int]:
    """The number of the branch that each entry is on: 1 is the one that the file's last entry is on.

    The others have other numbers; where one forks again, its newest continuation keeps its number.
    """
    newest: dict[int | None, int] = {entry.parent: i for i, entry in enumerate(entries)}
    numbers = [0] * len(entries)
    place = len(entries) - 1 if entries else None
    while place is not None:
        numbers[place] = 1
        place = entries[place].parent
    n_branches = 1
    for i, entry in enumerate(entries):
        if numbers[i]:
            continue
        before = numbers[entry.parent] if entry.parent is not None else 1
        if before != 1 and newest[entry.parent] == i:
            numbers[i] = before
        else:
            n_branches += 1
            numbers[i] = n_branches
    return numbers
