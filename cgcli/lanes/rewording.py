"""What of a conversation comes again in a request that words it otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cgcli.model import Digest, Item

_SYSTEM_ROLES = frozenset({"system", "developer"})


def is_answered(tail: Sequence[Item], now: Sequence[Item]) -> bool:
    """True where *now* words *tail*, what was asked last, otherwise and goes on with an answer.

    Nobody else asked that in between, so that the answer is the one to *tail*.
    """
    asked = [item.role for item in tail]
    n = len(asked)
    goes_on = len(now) > n and now[n].role == "assistant"
    return goes_on and "assistant" not in asked and asked == [item.role for item in now[:n]]


def is_left_out(tail: Sequence[Item], now: Sequence[Item]) -> bool:
    """True where *now* has the answer to what was asked last, and the end of that, *tail*, is no longer there."""
    return bool(now) and now[0].role == "assistant" and all(item.role == "user" for item in tail)


def first_answer(messages: Sequence[Item]) -> Digest | None:
    """What the assistant said first."""
    return next((item.rendered for item in messages if item.role == "assistant"), None)


def told(messages: Sequence[Item]) -> Sequence[Item]:
    """*messages* without the system messages that they begin with; the same object where there are none."""
    n_leading = next((i for i, item in enumerate(messages) if item.role not in _SYSTEM_ROLES), len(messages))
    return messages[n_leading:] if n_leading else messages


def reappearing(tail: Sequence[Item], now: Sequence[Item]) -> int:
    """How many of *tail* come again in *now*, in the same order (first fit).

    Where *now* is longer, an output of the same calls comes again whatever it says.
    """
    keys = _keys if len(now) > len(tail) else _words
    places: dict[Digest | tuple[str, ...], list[int]] = {}
    for i, item in enumerate(now):
        for key in keys(item):
            places.setdefault(key, []).append(i)
    last = -1
    found = 0
    for item in tail:
        later = next((i for key in keys(item) for i in places.get(key, ()) if i > last), None)
        if later is not None:
            last = later
            found += 1
    return found


def _keys(item: Item) -> Iterable[Digest | tuple[str, ...]]:
    """What *item* is known by: what it says, and the ids of the calls whose outputs it holds."""
    answered = tuple(part.pair_id for part in item.parts if part.kind is Kind.TOOL_RESULT and part.pair_id)
    return (item.rendered, answered) if answered else (item.rendered,)


def _words(item: Item) -> Iterable[Digest | tuple[str, ...]]:
    """What *item* is known by if no word of it may differ."""
    return (item.rendered,)
