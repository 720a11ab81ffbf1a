"""A lane's decisions as byte ranges of one request's body."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.compaction.state import Decision, SlotState
    from cgcli.compaction.summaries.state import Applied
    from cgcli.model import Request

Placed = tuple[int, int, "Decision"]
"""(start, stop, decision) in bytes of the body."""


def edits(
    request: Request, slots: Sequence[SlotState], applied: Sequence[Applied], others: Sequence[Placed] = ()
) -> tuple[Placed, ...]:
    """Where in *request*'s body each decision stands, in order.

    What stands inside messages that a summary stands for goes with them. *others* are decisions about more than one
    slot, or about none; a slot that one of them replaces goes with that.
    """
    messages, starts = request.messages, request.starts
    runs = [(one.start, one.stop) for one in applied]
    found: list[Placed] = [
        (starts[slot.i_message] + span.start, starts[slot.i_message] + span.stop, decision)
        for slot in slots
        if (decision := slot.decision) is not None
        and not (runs and any(start <= slot.i_message < stop for start, stop in runs))
        and (span := messages[slot.i_message].parts[slot.i_part].slot) is not None
    ]
    for one in applied:
        last = one.stop - 1
        found.append((starts[one.start], starts[last] + messages[last].size_bytes, one.decision))
    if not others:
        return tuple(sorted(found, key=lambda edit: edit[:2])) if applied else tuple(found)
    return tuple(sorted(_outermost(found, others), key=lambda edit: edit[:2]))


def _outermost(found: Sequence[Placed], others: Sequence[Placed]) -> list[Placed]:
    """All of both but for those that stand inside another one; of two for the same bytes the later one."""
    # What is put in at the first byte of a replaced range stands before it, and stays.
    ordered = sorted(
        enumerate([*found, *others]), key=lambda one: (one[1][0], one[1][1] > one[1][0], -one[1][1], -one[0])
    )
    kept: list[Placed] = []
    end = -1
    for _, edit in ordered:
        start, stop, _ = edit
        if start >= end:
            kept.append(edit)
            end = stop
    return kept
