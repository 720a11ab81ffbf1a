"""Base64: images and signatures are left alone, JSON that somebody packed is read."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error
from bisect import bisect_right
from typing import TYPE_CHECKING

from cgcli.scrub.finding import EMBEDDED, Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

FEWEST_CHARS = 200
_RUN = re.compile(rf"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{{{FEWEST_CHARS},}}+={{0,2}}+")
_JSON = ("eyJ", "ewo", "ew0", "eyA", "W3s", "Wwo", "Ww0", "W10")
"""How `{"`, `{` with a line end or a space, `[{`, `[` with a line end, and `[]` begin in base64."""


def blobs(text: str) -> list[tuple[int, int]]:
    """Where a long run of base64 stands in *text*."""
    return [match.span() for match in _RUN.finditer(text)] if len(text) >= FEWEST_CHARS else []


def embedded(text: str, spans: Sequence[tuple[int, int]]) -> list[Finding]:
    """Those of the *spans* of *text* that hold JSON."""
    return [
        Finding(start=start, stop=stop, kind=EMBEDDED, spreads=False)
        for start, stop in spans
        if text.startswith(_JSON, start) and unpacked(text[start:stop]) is not None
    ]


def within(found: Finding, spans: Sequence[tuple[int, int]]) -> bool:
    """True where *found* is a part of a blob, and so stands there by chance."""
    i = bisect_right(spans, (found.start, found.stop)) - 1
    around = spans[max(0, i) : i + 2]
    return any(
        start <= found.start and found.stop <= stop and (found.start, found.stop) != (start, stop)
        for start, stop in around
    )


def unpacked(run: str) -> bytes | None:
    """What *run* holds, without what a cut left of its last group; None where that is no text."""
    whole = run.rstrip("=")
    whole = whole[: len(whole) // 4 * 4] if len(run) % 4 == 1 or len(whole) % 4 == 1 else whole
    try:
        data = b64decode(whole + "=" * (-len(whole) % 4), validate=True)
        data[: FEWEST_CHARS // 2].decode("utf-8", "strict")
    except (Error, UnicodeDecodeError):
        return None
    return data


def packed(data: bytes, run: str) -> str:
    """*data* in the place of what *run* holds, padded as that is."""
    coded = b64encode(data).decode("ascii")
    return coded if run.endswith("=") or len(run) % 4 == 0 else coded.rstrip("=")
