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
_NUMBERS = re.compile(r"\b(?:first (\d{1,6}) messages?|messages (\d{1,6}) to (\d{1,6}))\b", re.IGNORECASE)
_TOLD = frozenset({Kind.USER_TEXT, Kind.ASSISTANT_TEXT, Kind.TOOL_RESULT})


@value
class Scope:
    """The span that an instruction names, and the one that its excerpt is the end of."""

    n_said: int
    """The number of its last message: `the first N messages`, `messages A to N`."""
    n_meant: int
    """The number of the message (system messages not counted) that the excerpt is of."""
    i_first: int = 1
    """The number of its first message."""


def texts(item: Item, *, most_chars: int | None = None) -> Iterator[str]:
    """The texts of a message: what user, assistant and tools said; those that are surely longer may be left out."""
    for part in item.parts:
        if part.kind not in _TOLD or part.slot is None:
            continue
        if most_chars is None or part.slot.stop - part.slot.start <= 2 + _MOST_BYTES_A_CHAR * most_chars:
            yield decode(item.wire[part.slot.start : part.slot.stop])


def resent_chars(before: Sequence[Item], appended: Item) -> int:
    """How many characters of texts of *before* stand again, whole, in *appended*.

    Short texts are left out; each text counts once, and not at all where it is a part of another one.
    """
    said = "\n".join(texts(appended))
    if len(said) <= EXCERPT_CHARS:
        return 0
    found: set[str] = set()
    for item in before:
        if item.role not in _SYSTEM_ROLES and item.size_bytes > _LEAST_CHARS:
            found |= {text for text in texts(item, most_chars=len(said)) if len(text) >= _LEAST_CHARS and text in said}
    longest: list[str] = []
    for text in sorted(found, key=len, reverse=True):
        if not any(text in other for other in longest):
            longest.append(text)
    return sum(map(len, longest))


def scope(before: Sequence[Item], appended: Item) -> Scope | None:
    """The span that *appended* names; None where it names no number, or quotes none of *before*."""
    said = "\n".join(texts(appended))
    # The first one that is said: an excerpt stands behind it, and may have numbers of its own.
    count = _NUMBERS.search(said)
    if count is None:
        return None
    n_said = int(count[1] or count[3])
    told = [item for item in before if item.role not in _SYSTEM_ROLES]
    # The same text may stand in several messages: the number that is said is believed where it can be true.
    for n in (n_said, *range(len(told), 0, -1)):
        if 0 < n <= len(told) and _quotes(said, told[n - 1], is_said=n == n_said):
            return Scope(n_said=n_said, n_meant=n, i_first=int(count[2] or 1))
    return None


def _quotes(said: str, item: Item, *, is_said: bool) -> bool:
    """True where *said* has the beginning of a text of *item*, or of all of them together.

    A short text may stand anywhere by chance: it counts for the message that is named, and as lines of its own.
    """
    told = [text.strip() for text in texts(item)]
    heads = [text[:EXCERPT_CHARS] for text in (*told, "\n".join(filter(None, told)))]
    if any(len(head) >= _LEAST_CHARS and head in said for head in heads):
        return True
    return is_said and any(head and f"\n{head}\n" in said for head in heads)
