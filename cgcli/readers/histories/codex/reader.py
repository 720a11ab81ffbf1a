"""Codex rollouts, old and new: one item, event or setting a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.readers.base import unusable
from cgcli.readers.derived import HISTORY, Missed
from cgcli.readers.histories.codex.lines import is_rollout, line_of
from cgcli.readers.histories.codex.session import Session
from cgcli.readers.records import records
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.base import Known
    from cgcli.readers.derived import Derived
    from cgcli.readers.piece import Piece
    from cgcli.wire.spans import Node


class Codex:
    """A rollout of the Codex CLI."""

    name: ClassVar[str] = "codex"
    known: ClassVar[Known] = HISTORY
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = True

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record has a `timestamp`, a `payload` and one of Codex' types, or is an old rollout's head."""
        return any(is_rollout(members) for members in sample)

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """A request for each run of items that the model made."""
        session = Session()
        for record in records(pieces):
            if isinstance(record, Missed):
                session.miss(record.line, record.passed)
                continue
            try:
                line = line_of(record)
                if line is not None:
                    session.take(line)
            except Malformed as error:
                session.miss(record.line, unusable(error))
            yield from session.ready()
        session.finish()
        yield from session.ready()
