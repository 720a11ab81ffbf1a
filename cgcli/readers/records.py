"""The records of a file one by one, for readers that need several of them to tell what was sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.dialects.base import string_of
from cgcli.model import unique
from cgcli.readers.base import unusable
from cgcli.readers.derived import Missed
from cgcli.wire.spans import Document, Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from cgcli.readers.piece import Piece
    from cgcli.wire.spans import Node


@unique
class Record:
    """A record that is a JSON object."""

    line: int
    node: Node
    members: Mapping[str, Node]

    def string(self, key: str) -> str | None:
        """The string under *key*, or None where there is none."""
        return string_of(self.members, key)

    def value(self, key: str) -> Any:
        """What stands under *key*, as Python objects; None where nothing does."""
        node = self.members.get(key)
        return node.value() if node is not None else None


def records(pieces: Iterable[Piece]) -> Iterator[Record | Missed]:
    """Each record of *pieces*, or why it is not usable."""
    for piece in pieces:
        if not piece.is_record:
            continue
        try:
            yield _record(piece)
        except Malformed as error:
            yield Missed(line=piece.line, passed=unusable(error, is_cut=piece.is_cut))


def _record(piece: Piece) -> Record:
    root = Document(piece.raw).root()
    if root.kind != "object":
        raise Malformed("not_an_object", "the record is no JSON object")
    return Record(line=piece.line, node=root, members=root.members())
