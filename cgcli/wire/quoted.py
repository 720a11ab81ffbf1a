"""JSON inside a JSON string: where a byte of the inner text stands in the outer literal."""

from __future__ import annotations

import re
from bisect import bisect_right
from io import BytesIO

from cgcli.wire import strings
from cgcli.wire.spans import texts

_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)


class Quoted:
    """A string literal that holds JSON, with the map from the inner bytes to the outer ones."""

    def __init__(self, literal: bytes | memoryview) -> None:
        """Decode *literal*, quotes included.

        Raises:
            Malformed: it is no JSON string, or not UTF-8.
        """
        self.literal = literal
        self.inner = inner_of(literal)
        self._marks: tuple[list[int], list[int]] | None = None
        self._style: strings.Style | None = None

    def outer(self, at: int) -> int:
        """Where in the literal the inner byte *at* begins."""
        inner, outer = self._map()
        i = bisect_right(inner, at) - 1
        return outer[i] + at - inner[i]

    def quote(self, text: bytes) -> bytes:
        """*text* as it is to stand inside the literal, in the literal's own style."""
        if self._style is None:
            self._style = strings.style_of(bytes(self.literal), strings.text(self.inner)) or strings.Style.ASCII
        return strings.encode(strings.text(text), self._style)[1:-1]

    def _map(self) -> tuple[list[int], list[int]]:
        """Positions right behind each escape: in the inner bytes, and in the literal."""
        if self._marks is not None:
            return self._marks
        inner, outer = [0], [1]
        at = 1
        length = 0
        high: int | None = None
        for match in _ESCAPE.finditer(self.literal, 1, len(self.literal) - 1):
            length += match.start() - at
            at = match.end()
            code = int(match[1], 16) if match[1] else 0
            if high is not None and match.start() == high and code in strings.LOW_SURROGATES:
                length += 1  # the pair is four bytes, three of which the high half was counted for
                high = None
            else:
                length += _width(code) if match[1] else 1
                high = at if code in strings.HIGH_SURROGATES else None
            inner.append(length)
            outer.append(at)
        self._marks = inner, outer
        return self._marks


def _width(code: int) -> int:
    """Bytes of the code unit *code* in UTF-8."""
    if code < 0x80:  # noqa: PLR2004 - UTF-8's own bounds
        return 1
    return 2 if code < 0x800 else 3  # noqa: PLR2004


def inner_of(literal: bytes | memoryview) -> bytes:
    """The text of a JSON string *literal* in UTF-8; it grows in place, and is the only copy.

    Raises:
        Malformed: it is no JSON string, or not UTF-8.
    """
    inner = BytesIO()
    inner.writelines(map(strings.utf8, texts(literal)))
    return inner.getvalue()
