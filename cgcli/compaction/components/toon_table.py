"""Tables: a JSON array of flat objects with the same keys, as one head and a row for each object.

    [2]{id,name}:
    1,Alice
    2,"Bob, the second"

A cell is a number, `true`, `false`, `null` or a string; a string is quoted as in JSON where it could be read as
something else. Every value has one spelling and every spelling one value.
"""

from __future__ import annotations

import json
import re
from typing import Any

from cgcli.compaction.components.json_text import quoted
from cgcli.model import value

FEWEST_ROWS = 2
_LONGEST_HEAD = 4000
_QUOTED = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_HEAD = re.compile(rf'\[(\d{{1,9}})\]\{{((?:{_QUOTED}|[^"{{}}])*+)\}}')
_HEAD_IN_KEY = re.compile(r"\[\d{1,9}\]\{")
_CELL = re.compile(rf'{_QUOTED}|[^",]*+')
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?")
_LIKE_NUMBER = re.compile(
    r"[+-]?(?:(?:\d[\d_]*+(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?|0[xXoObB][0-9a-fA-F_]++|nan|inf(?:inity)?)",
    re.IGNORECASE,
)
_WORDS = {"true": True, "false": False, "null": None}
_SPELLED = {meant: word for word, meant in _WORDS.items()}
# What parts cells and rows, what a head is made of, and what does not print.
_MUST_QUOTE = re.compile(
    '[,"\\\\{}\\[\\]\x00-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]'
)


class NoTable(ValueError):
    """The text, or the value, is no table."""


@value
class Table:
    """A table as it is written."""

    head: str
    """`[2]{id,name}`."""
    rows: str
    """Lines, parted by a newline."""


def table(parsed: Any) -> Table:
    """*parsed*, as `json_text.parse` reads it, as a table.

    Raises:
        NoTable: it is no array of two or more flat objects with the same keys in the same order.
    """
    if not isinstance(parsed, list) or len(parsed) < FEWEST_ROWS or not all(map(_is_object, parsed)):
        raise NoTable
    keys = [key for key, _ in parsed[0]]
    if any([key for key, _ in row] != keys for row in parsed):
        raise NoTable
    head = f"[{len(parsed)}]{{{','.join(map(_string, keys))}}}"
    if len(head) > _LONGEST_HEAD:
        raise NoTable
    return Table(head=head, rows="\n".join([",".join([_cell(cell) for _, cell in row]) for row in parsed]))


def read(head: str, rows: str) -> list[Any]:
    """What a table says, as `json_text.parse` would read it.

    Raises:
        NoTable: it is none.
    """
    match = _HEAD.fullmatch(head)
    lines = rows.split("\n")
    if match is None or len(lines) != int(match[1]):
        raise NoTable
    keys = [_text(cell) for cell in _cells(match[2])]
    return [_row(keys, _cells(line)) for line in lines]


def split_key(key: str) -> tuple[str, str]:
    """The key and the head that stand in *key*, as in `items[2]{id,name}`.

    Raises:
        NoTable: there is no head at its end.
    """
    if key.endswith("}") and len(key) <= 2 * _LONGEST_HEAD:
        for match in _HEAD_IN_KEY.finditer(key):
            if _HEAD.fullmatch(key, match.start()):
                return key[: match.start()], key[match.start() :]
    raise NoTable


def _is_object(parsed: Any) -> bool:
    """True for an object with a key; numbers are tuples of characters."""
    return isinstance(parsed, tuple) and bool(parsed) and isinstance(parsed[0], tuple)


def _row(keys: list[str], cells: list[str]) -> tuple[tuple[str, Any], ...]:
    if len(cells) != len(keys):
        raise NoTable
    return tuple(zip(keys, map(_parsed, cells), strict=True))


def _cell(parsed: Any) -> str:
    if isinstance(parsed, str):
        return _string(parsed)
    if isinstance(parsed, tuple) and parsed and isinstance(parsed[0], str):
        return "".join(parsed)
    if parsed is None or isinstance(parsed, bool):
        return _SPELLED[parsed]
    raise NoTable  # an array or an object


def _string(text: str) -> str:
    is_plain = text and not (text[0].isspace() or text[-1].isspace() or text in _WORDS)
    if is_plain and not _MUST_QUOTE.search(text) and not _LIKE_NUMBER.fullmatch(text):
        return text
    return quoted(text)


def _cells(line: str) -> list[str]:
    if '"' not in line:
        return line.split(",")
    cells: list[str] = []
    at = 0
    while True:
        match = _CELL.match(line, at)
        if match is None:
            raise NoTable
        cells.append(match[0])
        at = match.end()
        if at == len(line):
            return cells
        if line[at] != ",":
            raise NoTable
        at += 1


def _parsed(cell: str) -> Any:
    if _JSON_NUMBER.fullmatch(cell):
        return tuple(cell)
    return _WORDS[cell] if cell in _WORDS else _text(cell)


def _text(cell: str) -> str:
    if cell[:1] != '"':
        return cell
    try:
        text: str = json.loads(cell)
    except json.JSONDecodeError as error:
        raise NoTable from error
    return text
