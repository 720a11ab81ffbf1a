"""A text with what was found in it replaced."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from cgcli.scrub.blobs import packed, unpacked
from cgcli.scrub.finding import EMBEDDED, PRIVATE_KEY
from cgcli.scrub.replacing import SIGN, respelled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cgcli.scrub.reading import Hit
    from cgcli.scrub.replacing import Replacements

_LINE = re.compile(r"[A-Za-z0-9+/=]+")


def rewritten(text: str, found: Sequence[Hit], with_: Replacements, inner: Callable[[bytes], bytes]) -> str:
    """*text* with each of *found* replaced; *inner* rewrites a file that is packed in it."""
    pieces: list[str] = []
    at = 0
    for hit in found:
        pieces += (text[at : hit.start], _new(text, hit, with_, inner))
        at = hit.stop
    return "".join([*pieces, text[at:]])


def _new(text: str, hit: Hit, with_: Replacements, inner: Callable[[bytes], bytes]) -> str:
    if hit.kind == EMBEDDED:
        data = unpacked(hit.value)
        changed = inner(data) if data is not None else None
        if data is None or changed is None or changed == data:
            return text[hit.start : hit.stop]
        whole = packed(changed, hit.value)
        # What a cut left of the last group.
        return whole + hit.value[len(packed(data, hit.value)) :]
    new = with_.of(hit.value, hit.kind)
    raw = [text[left:right] for left, right in pairwise(hit.raw)]
    if with_.keep_length:
        return respelled(raw, new)
    if hit.kind != PRIVATE_KEY:
        return new
    # Its line ends stay, so that the file has as many lines as before.
    lines = list(_LINE.finditer(hit.value))
    words = [new] + [SIGN] * (len(lines) - 1)
    gaps = ["".join(raw[one.end() : other.start()]) for one, other in pairwise(lines)]
    return "".join(word + gap for word, gap in zip(words, [*gaps, ""], strict=True))
