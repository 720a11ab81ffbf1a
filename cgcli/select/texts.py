"""The texts of a message, decoded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import Kind
from cgcli.wire.strings import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.model import Item

SAID = frozenset({Kind.USER_TEXT, Kind.ASSISTANT_TEXT, Kind.TOOL_RESULT})
"""What user, assistant and tools say; not thinking, nor what a call is given."""
BY_USER = frozenset({Kind.USER_TEXT})


def texts(item: Item, kinds: frozenset[Kind] = SAID) -> Iterator[str]:
    """The texts of the parts of *item* that are of *kinds*, in order."""
    for part in item.parts:
        if part.kind in kinds and part.slot is not None:
            yield decode(item.wire[part.slot.start : part.slot.stop])
