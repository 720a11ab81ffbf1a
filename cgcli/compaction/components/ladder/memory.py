"""What the ladder remembers of a lane: every decision, keyed by the running digest of the history up to its message."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from cgcli.model import Digest, value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@value
class Written:
    """A text in the place of another: a truncated output, or what is left of a user's words."""

    i_message: int
    i_part: int
    state: Digest
    """`Request.states` at its message."""
    literal: bytes
    saved_tokens: int
    """Counted, against the text before any compaction."""


@value
class Note:
    """What stands in the place of messages `start:stop`."""

    start: int
    stop: int
    literal: bytes
    """A user's message; empty where none may stand there."""
    tokens: int


@value
class Memory:
    """The ladder's decisions about one lane."""

    n_messages: int = 0
    """Of the request that the decisions were last made or looked at for."""
    state: Digest | None = None
    """`Request.states` at its last message."""
    level: int = 0
    """The highest that was ever reached; it never falls."""
    removed: tuple[tuple[int, Digest], ...] = ()
    """(message, state), in order."""
    written: tuple[Written, ...] = ()
    """In order; none in a message that was removed."""
    notes: tuple[Note, ...] = ()
    """One for each run of removed messages, in order."""
    n_over: int = 0
    """So many passes in a row ended over the real budget."""
    idle_tokens: int = 0
    """The size of the request after the last pass, the model's own tokens, where that pass freed nothing; else 0."""
    told: frozenset[str] = frozenset()
    """The breakers that have spoken."""

    @property
    def n_decisions(self) -> int:
        """How many messages were removed and texts written."""
        return len(self.removed) + len(self.written)


NOTHING = Memory()
"""Of a lane before its first pass."""


def runs(messages: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The runs that *messages*, in order, make up; half-open.

    >>> list(runs([1, 2, 5]))
    [(1, 3), (5, 6)]
    """
    listed = list(messages)
    if not listed:
        return
    start = listed[0]
    for one, after in pairwise(listed):
        if after != one + 1:
            yield start, one + 1
            start = after
    yield start, listed[-1] + 1
