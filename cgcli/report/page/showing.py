"""The document with every text safe to show: control, bidirectional and zero-width characters are seen, not obeyed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cgcli.report.safe import safe

_BREAKS = re.compile(r"(\t|\r\n|\n)")
_WITHOUT_BREAKS = {ord("\t"): None, ord("\n"): None}
_LONG_TEXTS = ("before", "after")
"""What was edited: its lines are kept as lines."""


def shown(document: Any) -> Any:
    """*document*, all of its strings safe to show, the names of its fields too."""
    if isinstance(document, str):
        return safe(document)
    if isinstance(document, Mapping):
        return {safe(str(name)): _field(name, given) for name, given in document.items()}
    if isinstance(document, list | tuple):
        return [shown(one) for one in document]
    return document


def _field(name: object, given: Any) -> Any:
    return in_lines(given) if name in _LONG_TEXTS and isinstance(given, str) else shown(given)


def in_lines(text: str) -> str:
    r"""*text* safe to show, its tabs and line ends kept; one of two characters is written as one.

    >>> in_lines("a\r\nb\rc\x1b")
    'a\nb\\rc\\x1b'
    """
    inside = text.translate(_WITHOUT_BREAKS)
    if safe(inside) == inside:
        return text
    return "".join(_piece(piece) for piece in _BREAKS.split(text))


def _piece(piece: str) -> str:
    return "\n" if piece == "\r\n" else piece if piece in ("\t", "\n") else safe(piece)
