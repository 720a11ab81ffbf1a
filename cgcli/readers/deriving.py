"""From what a deriving reader finds to the lines that `readers.requests` reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.readers.derived import Missed
from cgcli.readers.piece import Piece
from cgcli.readers.requests import Speller
from cgcli.rope import Rope

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cgcli.readers.derived import Derived, Deriving, DerivingText


def derived_lines(reader: Deriving | DerivingText, pieces: Iterable[Piece]) -> Iterator[Piece]:
    """One line for each exchange that *reader* finds in *pieces*, at the line where it stands in the file."""
    speller = Speller(format_name=reader.name, reconstructed=reader.reconstructs)
    for found in reader.derive(pieces):
        if isinstance(found, Missed):
            yield Piece(raw=b"", line=found.line, is_record=False, passed=found.passed)
        else:
            yield spelled(speller.line(found), found)


def spelled(line: bytes | Rope, found: Derived, *, file: str | None = None) -> Piece:
    """The record *line* that says *found*, of *file* where a capture is made of several."""
    raw, rope = (b"", line) if isinstance(line, Rope) else (line, None)
    return Piece(
        raw=raw,
        rope=rope,
        line=found.line,
        is_record=True,
        file=file,
        read_before=found.read_before,
    )
