"""Messages that stay whatever is wanted, and why."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from cgcli.model import Kind
from cgcli.select.summaries import is_native, is_summary
from cgcli.select.texts import BY_USER, texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cgcli.model import Item
    from cgcli.select.joined import Joined
    from cgcli.select.selection import SpanOptions

SYSTEM_ROLES = frozenset({"system", "developer"})
_SHOWN = frozenset({Kind.IMAGE, Kind.OTHER})
_OPENS, _CLOSES = "<system-reminder", "</system-reminder>"


class Why(StrEnum):
    """Why a message stays."""

    SYSTEM = "system"
    FIRST = "first"
    SUMMARY = "earlier summary"
    COMPACTED = "compacted by the provider"
    """It stands before the provider's own compaction, so it is not read any more."""
    LAST_USER = "last of the user"
    RECENT = "recent"
    LONE = "tool call or result without its counterpart"
    JOINED = "of one piece with a message that stays"


def staying(messages: Sequence[Item], options: SpanOptions, together: Joined) -> Mapping[int, Why]:
    """The messages that stay, each with the first reason that applies."""
    stays: dict[int, Why] = {}
    told = [i for i, item in enumerate(messages) if item.role not in SYSTEM_ROLES]
    _add(stays, (i for i, item in enumerate(messages) if item.role in SYSTEM_ROLES), Why.SYSTEM)
    _add(stays, (i for i in told if is_summary(messages[i])), Why.SUMMARY)
    native = next((i for i in reversed(told) if is_native(messages[i])), 0)
    _add(stays, range(native), Why.COMPACTED)
    _add(stays, told[: options.keep_first], Why.FIRST)
    live = [i for i in told if stays.get(i) is not Why.SUMMARY]
    _add(stays, live[len(live) - _n_recent(len(live), options) :], Why.RECENT)
    last_user = next((i for i in reversed(live) if _is_user_speaking(messages[i])), None)
    _add(stays, () if last_user is None else (last_user,), Why.LAST_USER)
    _add(stays, sorted(together.lone), Why.LONE)
    _add(stays, sorted(together.closed(stays)), Why.JOINED)
    return stays


def _add(stays: dict[int, Why], found: Iterable[int], why: Why) -> None:
    for i in found:
        stays.setdefault(i, why)


def _n_recent(n_live: int, options: SpanOptions) -> int:
    """How many of the live messages are the tail; a share is rounded up, so that it is never less than was said."""
    if options.keep_last is not None:
        return min(options.keep_last, n_live)
    return ceil(Fraction(str(options.protect_recent)) * n_live)


def _is_user_speaking(item: Item) -> bool:
    """True where a user says or shows something; results of tools and an agent's own reminders are neither."""
    if item.role != "user":
        return False
    if any(part.kind in _SHOWN and part.pair_id is None and part.path for part in item.parts):
        return True
    return any(without_reminders(text).strip() for text in texts(item, BY_USER))


def without_reminders(text: str) -> str:
    """*text* without what agents put beside a user's words; in linear time, whatever stands there."""
    *reminding, rest = text.split(_CLOSES)
    return "".join([*(piece.partition(_OPENS)[0] for piece in reminding), rest])
