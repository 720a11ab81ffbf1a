"""Does a request ask for a summary of its conversation? A guess by its wording, for labels and reports only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.model import Kind
from cgcli.wire.spans import texts

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
OPENING = "Summarise the part of this conversation that you are asked for. The work goes on from your summary alone:"
"""How the prompt of our own calls begins: a fork's last message, and a standalone call's system prompt."""
_ALONE = 2
"""The messages of a standalone call at most, where the system prompt is the first of them."""


def asks_for_summary(request: Request) -> bool:
    """True where the last message is a user's and asks for a summary, or the system prompt sets that task.

    A system block does where it is short, or begins as that of our own standalone calls. Known to be wrong for a user
    who asks the same of a document, so no decision rests on it.
    """
    if not request.messages or request.messages[-1].role != "user":
        return False
    found = _texts(request, request.messages[-1], request.starts[-1], Kind.USER_TEXT)
    if any(_ASKS.search(text[:_LOOKED_AT_CHARS]) for text in found):
        return True
    return any(_sets_task(request, item, start) for item, start in _system_blocks(request))


def _system_blocks(request: Request) -> Iterator[tuple[Item, int]]:
    """The blocks beside the messages, and a first message that is the system prompt of a call with one message more."""
    if request.system is not None:
        yield from zip(request.system, request.system_starts, strict=True)
    if len(request.messages) == _ALONE and request.messages[0].role == "system":
        yield request.messages[0], request.starts[0]


def _sets_task(request: Request, item: Item, start: int) -> bool:
    is_short = item.size_bytes <= _SHORT_BYTES
    found = _texts(request, item, start, Kind.SYSTEM)
    return any(text.startswith(OPENING) or (is_short and _ASKS.search(text) is not None) for text in found)


def _texts(request: Request, item: Item, start: int, kind: Kind) -> Iterator[str]:
    """What the parts of that *kind* begin with: far more than is looked at, and all where that is no megabyte."""
    for part in item.parts:
        if part.kind is kind and part.slot is not None:
            yield next(texts(request.raw[start + part.slot.start : start + part.slot.stop]), "")
