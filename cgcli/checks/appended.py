"""What the message that a fork appends says: does it repeat what stands before it, and which span does it name?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.model import Kind, value
from cgcli.wire.strings import decode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cgcli.model import Item

EXCERPT_CHARS = 300
"""How much of the span a fork quotes to say where it ends; more than that is the span sent a second time."""
_LEAST_CHARS = 40
"""A shorter text may stand in two places by chance."""
_MOST_BYTES_A_CHAR = 12
"""Two escapes of six bytes spell one character beyond the basic plane."""
_SYSTEM_ROLES = frozenset({"system", "developer"})
_N_MESSAGES = re.compile(r"\bfirst (\d{1,6}) messages?\b", re.IGNORECASE)
_TOLD = frozenset({Kind.USER_TEXT, Kind.ASSISTANT_TEXT, Kind.TOOL_RESULT})


@value
class Scope:
    """The span that an instruction names, and the one that its excerpt is the end of."""

    n_said: int
    """`the first N messages`."""
    n_meant: int
    """Up to the last message (system messages not counted) that the excerpt is of."""


def texts(item: Item, *, most_chars: int | None = None) -> Iterator[str]:
    """The texts of a message: what user, assistant and tools said; those that are surely longer may be left out."""
    for part in item.parts:
        if part.kind not in _TOLD or part.slot is None:
            continue
        if most_chars is None or part.slot.stop - part.slot.start <= 2 + _MOST_BYTES_A_CHAR * most_chars:
            yield decode(item.wire[part.slot.start : part.slot.stop])


def resent_chars(before: Sequence[Item], appended: Item) -> int:
    """How many characters of texts of *before* stand again, whole, in *appended*.

    Short texts are left out, and each text counts once.
    """
    said = "\n".join(texts(appended))
    if len(said) <= EXCERPT_CHARS:
        return 0
    found: set[str] = set()
    for item in before:
        if item.role not in _SYSTEM_ROLES and item.size_bytes > _LEAST_CHARS:
            found |= {text for text in texts(item, most_chars=len(said)) if len(text) >= _LEAST_CHARS and text in said}
    return sum(map(len, found))


def scope(before: Sequence[Item], appended: Item) -> Scope | None:
    """The span that *appended* names; None where it names no number, or quotes none of *before*."""
    said = "\n".join(texts(appended))
    count = _N_MESSAGES.search(said)
    if count is None:
        return None
    n_said = int(count[1])
    told = [item for item in before if item.role not in _SYSTEM_ROLES]
    # The same text may stand in several messages: the number that is said is believed where it can be true.
    for n in (n_said, *range(len(told), 0, -1)):
        if 0 < n <= len(told) and _quotes(said, told[n - 1]):
            return Scope(n_said=n_said, n_meant=n)
    return None


def _quotes(said: str, item: Item) -> bool:
    """True where *said* has the beginning of a text of *item*."""
    heads = (text.strip()[:EXCERPT_CHARS] for text in texts(item))
    return any(len(head) >= _LEAST_CHARS and head in said for head in heads)
