"""A history of which each record is a file of its own: the files of a folder, read as one."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from cgcli.model import changed, value
from cgcli.readers.derived import Missed
from cgcli.readers.deriving import spelled
from cgcli.readers.files import open_bytes
from cgcli.readers.layout import lay_out
from cgcli.readers.piece import Piece
from cgcli.readers.requests import Speller
from cgcli.wire.spans import Document, Malformed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from cgcli.readers.capture import About, Tally
    from cgcli.readers.derived import Spread

_NUMBER = re.compile(r"([0-9]+)")


@value
class _Place:
    file: str
    line: int


def histories(abouts: Sequence[About]) -> list[list[About]]:
    """*abouts*, those together that are parts of one history; each history where its first part stands."""
    found: dict[tuple[str, bool], list[About]] = {}
    for one in abouts:
        is_part = one.part_of is not None
        found.setdefault((_folder(one.file) if is_part else one.file, is_part), []).append(one)
    return list(found.values())


def part_names(abouts: Sequence[About]) -> frozenset[tuple[str, str]]:
    """The folders that have parts of a history, each with how the names of its parts end."""
    return frozenset(_part_name(one.file) for one in abouts if one.part_of is not None)


def is_damaged_part(file: str, names: Collection[tuple[str, str]]) -> bool:
    """True where *file* is no JSON, and is named as a part is: *names* are those of `part_names`."""
    if _part_name(file) not in names:
        return False
    with open_bytes(file) as stream:
        whole = stream.read()
    try:
        Document(whole).root().members()
    except Malformed:
        return True
    return False


def pieces_of(reader: Spread, parts: Sequence[About], tally: Tally) -> Iterator[Piece]:
    """One line for each exchange that *reader* finds in *parts*, in the order of the numbers in their names.

    Each has the file and the line where it stands; the folder is the name of the session.
    """
    places: list[_Place] = []
    speller = Speller(format_name=reader.name, reconstructed=reader.reconstructs)
    in_order = sorted((one.file for one in parts), key=_by_numbers)
    for found in reader.derive_parts(_numbered(in_order, places, tally), session_id=_folder(in_order[0])):
        at = places[found.line - 1]
        if isinstance(found, Missed):
            passed = changed(found.passed, detail=f"{at.file}:{at.line}: {found.passed.detail}")
            yield Piece(raw=b"", line=at.line, is_record=False, passed=passed, file=at.file)
        else:
            told = changed(found, line=at.line)
            yield spelled(speller.line(told), told, file=at.file)


def _numbered(files: Sequence[str], places: list[_Place], tally: Tally) -> Iterator[Piece]:
    """The pieces of *files* with their number, from 1, for a line; *places* is told where each stands."""
    for file in files:
        with open_bytes(file) as stream:
            for piece in tally.over(iter(lay_out(stream, file=file).pieces)):
                places.append(_Place(file=file, line=piece.line))
                yield changed(piece, line=len(places))


def _folder(file: str) -> str:
    return os.path.dirname(file)  # noqa: PTH120 - a name, kept as it was given


def _part_name(file: str) -> tuple[str, str]:
    return _folder(file), os.path.splitext(file)[1]  # noqa: PTH122 - as above


def _by_numbers(file: str) -> list[int | str]:
    """A key that sorts 10 after 9."""
    return [int(word) if i % 2 else word for i, word in enumerate(_NUMBER.split(file))]
