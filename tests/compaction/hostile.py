"""Texts that a pattern which backtracks takes minutes or days over: a megabyte each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

N_CHARS = 1_000_000


def filled(piece: str) -> str:
    """A megabyte of *piece*."""
    return (piece * (N_CHARS // len(piece) + 1))[:N_CHARS]


_PIECES = {
    "a": "a",
    "blanks": " ",
    "[": "[",
    "(": "(",
    "{": "{",
    "<": "<",
    "/": "/",
    ":": ":",
    "digits": "1234567890",
    "quotes": '"',
    "backslashes": "\\",
    "returns": "\r",
    "line breaks": "\n",
    "open escapes": "\x1b[",
    "titles": "\x1b]0;",
    "colours": "\x1b[31m",
    "redraws": "50%\r",
    "figures": "12.5 MB 3/9 ",
    "bars": "█[=>",
    "places": "a/b:1:",
    "failures": "FAIL ",
    "markers": "<<cg:",
    "surrogates": "\ud83d",
}
HOSTILE: Mapping[str, str] = {
    **{name: filled(piece) for name, piece in _PIECES.items()},
    "nested brackets": "[" * (N_CHARS // 2) + "]" * (N_CHARS // 2),
    "nested objects": '{"a":' * (N_CHARS // 6) + "1" + "}" * (N_CHARS // 6),
    "open rows": "[" + '{"a":1},' * (N_CHARS // 8),
    "short lines": "".join(f"{i % 7} of\n" for i in range(100_000)),
    "distinct lines": "".join(f"line {i}\n" for i in range(100_000)),
    "errors": "".join(f"a.py:{i}: error\n" for i in range(60_000)),
}
"""By what they are made of."""
