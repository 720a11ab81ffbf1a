"""Bodies of requests for a person to read: laid out line by line, or as a difference from the parent's."""

from __future__ import annotations

import re
from difflib import unified_diff
from typing import TYPE_CHECKING

from cgcli.report.safe import safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CONTEXT_LINES = 3
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\],:]|[^\s{}\[\],:"]++', re.DOTALL)
_OPENS, _CLOSES = "{[", "}]"


def laid_out(body: bytes) -> list[str]:
    r"""*body*, which is JSON, one member or element a line; hostile text in it is escaped.

    Every name, string and number is spelled as it is on the wire, names that stand there twice with them.

    >>> laid_out(b'{"a":[1.0,{}],"a":"\\u00e9"}')
    ['{', ' "a": [', '  1.0,', '  {}', ' ],', ' "a": "\\u00e9"', '}']
    """
    lines, line, depth = [], "", 0
    pieces = _PIECE.findall(body.decode("utf-8", "surrogateescape"))
    for i, piece in enumerate(pieces):
        before = pieces[i - 1] if i else ""
        is_empty = piece in _CLOSES and before in _OPENS and bool(before)
        depth -= piece in _CLOSES
        begins_line = before == "," or (before != "" and before in _OPENS) or piece in _CLOSES
        if begins_line and not is_empty:
            lines.append(line)
            line = " " * depth
        line += f"{piece} " if piece == ":" else piece
        depth += piece in _OPENS
    return [safe(one) for one in (*lines, line)]


def difference(parent: bytes, body: bytes, *, parent_name: str, name: str) -> Iterator[str]:
    """The unified difference of two bodies, laid out line by line.

    What both begin and end with is not compared line with line, so that a long history costs nothing.
    """
    before, after = laid_out(parent), laid_out(body)
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    first, last = max(0, head - _CONTEXT_LINES), max(0, tail - _CONTEXT_LINES)
    found = unified_diff(
        before[first : len(before) - last],
        after[first : len(after) - last],
        fromfile=parent_name,
        tofile=name,
        n=_CONTEXT_LINES,
        lineterm="",
    )
    for line in found:
        yield _shifted(line, first) if line.startswith("@@ ") else line


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    """How many leading lines are the same."""
    return next((i for i, (mine, theirs) in enumerate(zip(a, b, strict=False)) if mine != theirs), min(len(a), len(b)))


def _shifted(line: str, by: int) -> str:
    """The head of a hunk, *by* lines further on; a line of a body never begins with `@@`."""
    return re.sub(r"(?<=[-+])\d+", lambda found: str(int(found[0]) + by), line)
