"""The runs of messages that are left out, as they grow, and what a note about each costs."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from cgcli.calls.cuts import system_torn
from cgcli.calls.summary_message import summary_message
from cgcli.compaction.components.ladder.memory import Note, runs
from cgcli.compaction.components.ladder.words import longest_note, note
from cgcli.compaction.summaries.placing import original
from cgcli.markers import KEY_HEX
from cgcli.tokens.meter import MESSAGE_TOKENS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from cgcli.compaction.body import Body

_LEADS_ON = ("assistant", "system")
"""What may follow a system message in the list (Claude)."""


class Gaps:
    """The runs of one request."""

    def __init__(self, body: Body, removed: Iterable[int], absent: AbstractSet[int]) -> None:
        """Begin with what is *removed* already; something else stands in the place of *absent* messages."""
        self._body = body
        self._absent = absent
        self._stop_by_start = dict(runs(sorted(removed)))
        self._start_by_stop = {stop: start for start, stop in self._stop_by_start.items()}
        text, key, key_tokens = longest_note()
        self._note_tokens = body.count(text) - body.count(key) + key_tokens + MESSAGE_TOKENS

    def added_tokens(self, pieces: Sequence[tuple[int, int]]) -> int | None:
        """What the notes cost more where *pieces*, runs of one group, go too; None where that may not be.

        Claude takes a system message in the list only behind a user's turn, and before an answer or at the end.
        """
        added = 0
        for start, stop in pieces:
            first, behind = self._start_by_stop.get(start, start), self._stop_by_start.get(stop, stop)
            if not self.may_be(first, behind):
                return None
            merged = {(first, start), (stop, behind)} - {(start, start), (stop, stop)}
            added += self._cost(first) - sum(self._cost(one) for one, _ in merged)
        return added

    def add(self, pieces: Iterable[tuple[int, int]]) -> None:
        """Leave *pieces* out, too."""
        for start, stop in pieces:
            first, behind = self._start_by_stop.pop(start, start), self._stop_by_start.pop(stop, stop)
            self._stop_by_start[first] = behind
            self._start_by_stop[behind] = first

    def notes(self, known: Iterable[Note]) -> tuple[Note, ...]:
        """What stands in each run's place; a run that has one of *known* keeps it."""
        old = {(one.start, one.stop): one for one in known}
        return tuple(old.get(run) or self._note(*run) for run in sorted(self._stop_by_start.items()))

    def may_be(self, start: int, stop: int) -> bool:
        """True where the provider takes what is left with this run out of it."""
        messages = self._body.request.messages
        leads_on = stop == len(messages) or (messages[stop].role in _LEADS_ON and stop not in self._absent)
        return leads_on or self._takes_note(start)

    def _takes_note(self, start: int) -> bool:
        return system_torn(self._body.request, start) is None

    def _cost(self, start: int) -> int:
        return self._note_tokens if self._takes_note(start) else 0

    def _note(self, start: int, stop: int) -> Note:
        if not self._takes_note(start):
            return Note(start=start, stop=stop, literal=b"", tokens=0)
        key = sha256(original(self._body.request, start, stop)).hexdigest()[:KEY_HEX]
        text = note(stop - start, key)
        return Note(
            start=start,
            stop=stop,
            literal=summary_message(self._body.request.dialect, text, self._body.style),
            tokens=self._body.count(text) + MESSAGE_TOKENS,
        )
