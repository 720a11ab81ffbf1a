"""What the user asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.summarisers.extractive.fitting import Entry
from cgcli.summarisers.extractive.lines import lines, quoted

if TYPE_CHECKING:
    from cgcli.summarisers.extractive.heard import Heard

_FIRST = (10, 4)
"""How many lines of the head and of the tail of the first request are shown; a request often ends with what counts."""
_LATER = (4, 1)
_CUT = "…"


def task(heard: Heard) -> tuple[Entry, ...]:
    """Each text of the user; the first is kept longest, then the newest."""
    texts = [one.text for one in heard.said if one.is_user]
    shown: dict[tuple[str, ...], int] = {}
    for i, text in enumerate(texts):
        found = _shown(text, *(_LATER if shown else _FIRST))
        if found:
            shown.setdefault(found, 0 if not shown else len(texts) - i)
    return tuple(Entry(lines=found, rank=rank) for found, rank in shown.items())


def _shown(text: str, n_head: int, n_tail: int) -> tuple[str, ...]:
    found = [line for line in map(quoted, lines(text)) if line]
    if len(found) <= n_head + n_tail + 1:
        return tuple(found)
    return (*found[:n_head], _CUT, *found[-n_tail:])
