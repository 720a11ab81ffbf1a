"""Text inside text: a string that holds JSON that holds a string, each with the way back to the outermost."""

from __future__ import annotations

import re
from bisect import bisect_right
from json import JSONDecoder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_LEVELS = 6
_ESCAPE = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([\"\\/bfnrt]))"
)
_FAST = JSONDecoder(strict=False)
_SHORT = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Level:
    """A text, and where each of its characters is spelled in the outermost one."""

    def __init__(self, text: str, outer: Level | None = None) -> None:
        """*text* as it stands, or as read out of *outer*."""
        self.text = text
        self._outer = outer
        self._marks: tuple[list[int], list[int]] | None = None

    def at(self, i: int) -> int:
        """Where in the outermost text the character *i* begins; the length of this text gives the end of that one."""
        if self._outer is None:
            return i
        inner, outer = self._map(self._outer.text)
        mark = bisect_right(inner, i) - 1
        return self._outer.at(outer[mark] + i - inner[mark])

    def _map(self, spelled: str) -> tuple[list[int], list[int]]:
        """Positions right behind each escape: in this text, and in the one around it."""
        if self._marks is None:
            inner, outer = [0], [0]
            at = length = 0
            for match in _ESCAPE.finditer(spelled):
                length += match.start() - at + 1
                at = match.end()
                inner.append(length)
                outer.append(at)
            self._marks = inner, outer
        return self._marks

    def inner(self) -> Level | None:
        """This text with its JSON escapes read; None where it has none."""
        if "\\" not in self.text:
            return None
        try:
            text, end = _FAST.raw_decode(f'"{self.text}"')
        except ValueError:
            text, end = "", 0
        if end < len(self.text) + 2:  # a quote, or a backslash that is no escape
            text = _ESCAPE.sub(_read, self.text)
        return Level(text, self) if text != self.text else None


def _read(escape: re.Match[str]) -> str:
    high, low, code, short = escape.groups()
    if short is not None:
        return _SHORT[short]
    if code is not None:
        return chr(int(code, 16))
    return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)


def levels(outermost: Level) -> Iterator[Level]:
    """*outermost*, and what is read out of it, up to `MOST_LEVELS` in all."""
    level: Level | None = outermost
    for _ in range(MOST_LEVELS):
        if level is None:
            return
        yield level
        level = level.inner()
