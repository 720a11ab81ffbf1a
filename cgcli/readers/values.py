"""JSON objects one after another, each over several lines, as pretty-printing programs append them to a log."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.readers.piece import Piece
from cgcli.wire.spans import Document, Malformed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cgcli.wire.spans import Node

_BEGINS = re.compile(rb"^(?:\}[ \t]*)?(\{)", re.MULTILINE)
"""A brace at the very left: pretty-printing indents every other one, and no string has a line end in it."""


def value_spans(whole: bytes) -> list[tuple[int, int]]:
    """Where each object of *whole* begins, and where the next one does; none where the first is not an object.

    A broken object spoils no other.
    """
    starts = [match.start(1) for match in _BEGINS.finditer(whole)]
    if not starts:
        return []
    spans = list(zip(starts, [*starts[1:], len(whole)], strict=True))
    return spans if spans and _members(whole, *spans[0]) is not None else []


def value_sample(whole: bytes, spans: list[tuple[int, int]]) -> list[Mapping[str, Node]]:
    """The members of the objects at *spans* that are usable."""
    found = (_members(whole, start, stop) for start, stop in spans)
    return [members for members in found if members is not None]


def value_pieces(whole: bytes, spans: list[tuple[int, int]]) -> Iterator[Piece]:
    """Each object with the white space behind it, and first what stands before them all."""
    line = 1
    if spans[0][0]:
        yield Piece(raw=whole[: spans[0][0]], line=1, is_record=False)
        line += whole.count(b"\n", 0, spans[0][0])
    for start, stop in spans:
        yield Piece(raw=whole[start:stop], line=line, is_record=True, is_cut=stop == len(whole))
        line += whole.count(b"\n", start, stop)


def _members(whole: bytes, start: int, stop: int) -> dict[str, Node] | None:
    try:
        return Document(whole[start:stop]).root().members()
    except Malformed:
        return None
