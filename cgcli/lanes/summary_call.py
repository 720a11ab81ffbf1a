"""Does a request ask for a summary of its conversation? A guess by its wording, for labels and reports only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.model import Kind
from cgcli.wire.strings import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.model import Item, Request

_ASKS = re.compile(
    r"\b(?:summari[sz]e|summari[sz]ing|summary|compact)\b[^.?!]{0,80}"
    r"\b(?:conversation|session|context|transcript|history|so far|above|trajectory)\b"
    r"|\b(?:conversation|session|transcript|history)\b[^.?!]{0,40}\bsummar(?:y|i[sz]e|i[sz]ing)\b"
    # What stands in for the word: minutes, a hand-over, a prompt, for whoever goes on.
    r"|\b(?:hand-?off|hand-?over|checkpoint|minutes|notes|prompt)\b[^.?!]{0,80}"
    r"\b(?:continu(?:e|ing)|resum(?:e|ing)|successor|another (?:agent|assistant|llm|model))\b"
    r"|\bthen,? generate the <?state_snapshot\b",
    re.IGNORECASE,
)
_LOOKED_AT_CHARS = 4000
_SHORT_BYTES = 400


def asks_for_summary(request: Request) -> bool:
    """True where the last message is a user's and asks for a summary, or a short system block sets that task.

    Known to be wrong for a user who asks the same of a document, so no decision rests on it.
    """
    if not request.messages or request.messages[-1].role != "user":
        return False
    texts = list(_texts(request, request.messages[-1], request.starts[-1], Kind.USER_TEXT))
    asked = any(_ASKS.search(text[:_LOOKED_AT_CHARS]) for text in texts)
    if asked or request.system is None:
        return asked
    return any(
        item.size_bytes <= _SHORT_BYTES
        and any(_ASKS.search(text) for text in _texts(request, item, start, Kind.SYSTEM))
        for item, start in zip(request.system, request.system_starts, strict=True)
    )


def _texts(request: Request, item: Item, start: int, kind: Kind) -> Iterator[str]:
    for part in item.parts:
        if part.kind is kind and part.slot is not None:
            yield decode(bytes(request.raw[start + part.slot.start : start + part.slot.stop]))
