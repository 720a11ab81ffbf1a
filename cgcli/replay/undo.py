"""The undo record of a run: where in the output the edits stand, and what stood there.

A capture repeats its history, and so its edits, in every record; a row says how many edits it has in common with an
earlier one, so that the record grows with the distinct content.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from cgcli.errors import StashCorrupt
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SCHEMA = "cgcli/undo/v1"

Placed = tuple[int, int]
"""(bytes between the edit before and this one, number of the edit); 0 bytes for a row's first."""


@value
class Replaced:
    """What stood where an edit is."""

    original: str
    """sha256 of the slot's text."""
    style: str | None
    """The escapes that give the slot's literal from the text."""
    raw: str | None
    """sha256 of the literal as it was written, where no style gives it."""
    length: int
    """Bytes of what replaced it."""


@value
class Row:
    """The edits of one record."""

    offset: int
    """Where in the output the first one begins."""
    base: int
    """The row that it has its first edits in common with; -1 for none."""
    n_same: int
    more: tuple[Placed, ...]


class Undo:
    """Collects the edits of a run."""

    def __init__(self) -> None:
        """Begin with no edit."""
        self.edits: list[Replaced] = []
        self.rows: list[Row] = []
        self._numbers: dict[Replaced, int] = {}
        self.n_irreversible = 0
        """Edits that cannot be undone: their originals were not kept."""
        self._last: dict[int, tuple[int, list[Placed]]] = {}

    def number(self, replaced: Replaced) -> int:
        """The number under which *replaced* is known."""
        number = self._numbers.setdefault(replaced, len(self.edits))
        if number == len(self.edits):
            self.edits.append(replaced)
        return number

    def add(self, lane: int, offsets: Sequence[int], numbers: Sequence[int]) -> None:
        """Add a record's edits in order: where each begins in the output, and its number.

        *lane* tells which record before this one it is likely to repeat.
        """
        ends = [offset + self.edits[number].length for offset, number in zip(offsets, numbers, strict=True)]
        gaps = [0, *(offset - end for offset, end in zip(offsets[1:], ends, strict=False))]
        sequence = list(zip(gaps, numbers, strict=True))
        base, before = self._last.get(lane, (-1, []))
        n_same = _common(before, sequence)
        self._last[lane] = len(self.rows), sequence
        self.rows.append(
            Row(offset=offsets[0], base=base if n_same else -1, n_same=n_same, more=tuple(sequence[n_same:]))
        )

    def needs(self) -> frozenset[str]:
        """The objects without which the input cannot be restored."""
        return frozenset(edit.raw or edit.original for edit in self.edits)

    def encode(self, *, source: str, source_bytes: int) -> bytes:
        """The record's payload; *source* is the sha256 of the input, which has *source_bytes*."""
        return json.dumps(
            {
                "schema": SCHEMA,
                "input": source,
                "input_bytes": source_bytes,
                "irreversible": self.n_irreversible,
                "edits": [[edit.original, edit.style, edit.raw, edit.length] for edit in self.edits],
                "rows": [[row.offset, row.base, row.n_same, row.more] for row in self.rows],
            },
            separators=(",", ":"),
        ).encode()


@value
class Recorded:
    """An undo record, read back."""

    source: str
    source_bytes: int
    n_irreversible: int
    edits: tuple[Replaced, ...]
    rows: tuple[Row, ...]

    def placed(self) -> Iterator[tuple[int, Replaced]]:
        """Every edit of the output: (offset, what stood there), in order."""
        sequences: list[list[Placed]] = []
        for row in self.rows:
            sequence = (sequences[row.base][: row.n_same] if row.base >= 0 else []) + list(row.more)
            sequences.append(sequence)
            at = row.offset
            for gap, number in sequence:
                edit = self.edits[number]
                yield at + gap, edit
                at += gap + edit.length


def decode(payload: bytes, *, where: str) -> Recorded:
    """The undo record in *payload*.

    Raises:
        StashCorrupt: it is none, or of a later version.
    """
    try:
        document = json.loads(payload)
        if document["schema"] != SCHEMA:
            raise StashCorrupt(f"the undo record is of the kind {document['schema']}", where=where, hint="a newer cg")
        return Recorded(
            source=document["input"],
            source_bytes=document["input_bytes"],
            n_irreversible=document["irreversible"],
            edits=tuple(
                Replaced(original=original, style=style, raw=raw, length=length)
                for original, style, raw, length in document["edits"]
            ),
            rows=tuple(
                Row(offset=offset, base=base, n_same=n_same, more=tuple((gap, number) for gap, number in more))
                for offset, base, n_same, more in document["rows"]
            ),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise StashCorrupt("the undo record is damaged", where=where) from error


def _common(a: Sequence[Placed], b: Sequence[Placed]) -> int:
    n = min(len(a), len(b))
    if a[:n] == b[:n]:
        return n
    return next(i for i in range(n) if a[i] != b[i])
