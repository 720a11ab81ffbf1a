"""A divergence as a finding, the same way for every gate that compares a turn with another request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.checks.base import Finding

if TYPE_CHECKING:
    from cgcli.checks.base import Cost
    from cgcli.checks.turn import Turn
    from cgcli.prefix.divergence import Divergence


def finding(turn: Turn, found: Divergence, message: str, *, cost: Cost | None = None, is_note: bool = False) -> Finding:
    """The finding that *turn* parts with another request at *found*; *message* says it to a person."""
    return Finding(
        message=message,
        line=turn.line,
        i_exchange=turn.i_exchange,
        path=found.path,
        byte=turn.byte_of(found.section, found.i_item, found.byte),
        kind=found.kind.value,
        change=found.change.value,
        culprit=found.culprit,
        was=found.was,
        now=found.now,
        cost=cost,
        is_note=is_note,
    )
