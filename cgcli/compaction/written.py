"""A tool output as it is written: read once for all policies of a replay, which look at it one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.compaction.remembered import remembered
from cgcli.markers import key
from cgcli.model import unique
from cgcli.wire.spans import decode_text
from cgcli.wire.strings import utf8

if TYPE_CHECKING:
    from cgcli.model import Item

_MOST_KEPT = 16
"""What is new in one turn."""


@unique
class Written:
    """The string in a slot."""

    literal: bytes
    """As it is written, quotes included."""
    text: str
    original: bytes
    """The text in UTF-8."""
    key: str
    """The marker's key."""


def read(literal: bytes) -> Written:
    """The string *literal*, quotes included.

    Raises:
        Malformed: it is none.
    """
    text = decode_text(literal)
    return Written(literal=literal, text=text, original=utf8(text), key=key(text))


@remembered(_MOST_KEPT)
def written(item: Item, i_part: int) -> Written:
    """What is written in the slot of part *i_part* of *item*."""
    slot = item.parts[i_part].slot
    assert slot is not None, "only a part with a slot has a literal"  # noqa: S101 - an impossible state
    return read(item.within[item.at + slot.start : item.at + slot.stop])
