"""Where each key of a TOML document stands: the standard library reads TOML and does not say."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

Path = tuple[str | int, ...]
"""Keys and indexes from the top, as `("steps", 0, "component")`."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRINGS = (
    re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"""(?:""?(?!"))?', re.DOTALL),
    re.compile(r"'''(?:[^']|'(?!''))*'''(?:''?(?!'))?"),
    re.compile(r'"(?:[^"\\\n]|\\.)*"'),
    re.compile(r"'[^'\n]*'"),
)
_SCALAR = re.compile(r"[^,\]}#\n]+")
_AT_LINE = re.compile(r"\(at line (\d{1,9}), column \d{1,9}\)")


def lines(text: str) -> Mapping[Path, int]:
    """The line, from 1, of each key, table and element of the valid TOML document *text*.

    A table or an array of tables stands where it is first named.
    """
    return _Walk(text).walked()


def line_at(found: Mapping[Path, int], path: Path) -> int | None:
    """The line of *path* in what `lines` *found*, else that of the nearest table around it; None where none has one."""
    return next((found[path[:n]] for n in range(len(path), 0, -1) if path[:n] in found), None)


def error_line(error: tomllib.TOMLDecodeError, text: str) -> int:
    """The line of a syntax *error* in *text*: the one that it names, else the last, for it is "at end of document"."""
    said = _AT_LINE.search(str(error))
    return int(said[1]) if said else text.count("\n") + (not text.endswith("\n"))


class _Walk:
    """One pass over a document that `tomllib` has read: what is not valid is never met."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._breaks = [found.start() for found in re.finditer("\n", text)]
        self._found: dict[Path, int] = {}
        self._n_tables: dict[Path, int] = {}
        """How many tables an array of tables has so far."""

    def walked(self) -> dict[Path, int]:
        table: Path = ()
        self._skip_blank()
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip_blank()
        return self._found

    def _header(self) -> Path:
        """The path of the table that `[…]` or `[[…]]` begins."""
        is_array = self._text.startswith("[[", self._at)
        line = self._line()
        self._at += 1 + is_array
        path: Path = ()
        keys = self._keys()
        self._at += 1 + is_array
        for i, key in enumerate(keys):
            path = (*path, key)
            self._found.setdefault(path, line)
            if is_array and i == len(keys) - 1:
                self._n_tables[path] = self._n_tables.get(path, 0) + 1
            if path in self._n_tables:
                path = (*path, self._n_tables[path] - 1)
                self._found.setdefault(path, line)
        return path

    def _pair(self, table: Path) -> None:
        """One `key = value`, and what is in the value."""
        line = self._line()
        path = table
        for key in self._keys():
            path = (*path, key)
            self._found.setdefault(path, line)
        self._at += 1  # the equals sign
        self._value(path)

    def _keys(self) -> list[str]:
        """A key in its parts, and the white space behind it."""
        keys = []
        while True:
            self._skip_space()
            keys.append(self._key())
            self._skip_space()
            if not self._text.startswith(".", self._at):
                return keys
            self._at += 1

    def _key(self) -> str:
        bare = _BARE.match(self._text, self._at)
        if bare is not None:
            self._at = bare.end()
            return bare[0]
        start = self._at
        self._string()
        said: str = tomllib.loads(f"key = {self._text[start : self._at]}")["key"]
        return said

    def _value(self, path: Path) -> None:
        self._skip_space()
        char = self._text[self._at]
        if char == "[":
            self._array(path)
        elif char == "{":
            self._inline_table(path)
        elif char in "\"'":
            self._string()
        else:
            scalar = _SCALAR.match(self._text, self._at)
            self._at = scalar.end() if scalar is not None else len(self._text)

    def _array(self, path: Path) -> None:
        n = 0
        self._at += 1
        while not self._ends("]"):
            self._found[(*path, n)] = self._line()
            self._value((*path, n))
            n += 1

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        while not self._ends("}"):
            self._pair(path)

    def _ends(self, bracket: str) -> bool:
        """True behind the closing *bracket*; else at the next element, behind the comma before it."""
        self._skip_blank()
        if self._text.startswith(",", self._at):
            self._at += 1
            self._skip_blank()
        is_end = self._text.startswith(bracket, self._at)
        self._at += is_end
        return is_end

    def _string(self) -> None:
        for kind in _STRINGS:
            found = kind.match(self._text, self._at)
            if found is not None:
                self._at = found.end()
                return

    def _skip_space(self) -> None:
        while self._at < len(self._text) and self._text[self._at] in " \t":
            self._at += 1

    def _skip_blank(self) -> None:
        found = _BLANK.match(self._text, self._at)
        self._at = found.end() if found is not None else self._at

    def _line(self) -> int:
        return bisect_left(self._breaks, self._at) + 1
