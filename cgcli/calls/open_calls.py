"""Which tool calls wait for their results at some point of a history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.dialects.pairing import Group, stepper

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.model import Item

_UNANSWERED = frozenset({"unanswered", "partly_answered"})


def open_calls(dialect: str, messages: Sequence[Item], stop: int) -> tuple[str, ...]:
    """The ids of the calls in *messages* up to *stop* that have no result there, of the last run of calls.

    All calls of the run are looked at: one answered of two is open. A run that other messages came behind counts too.
    """
    step, group = stepper(dialect), Group()
    missing: tuple[str, ...] = ()
    for i in range(_last_run(dialect, messages, stop), stop):
        group = step(group, messages[i], i)
        missing = tuple(name for fault in group.faults if fault.kind in _UNANSWERED for name in fault.ids) or missing
    return tuple(call.id for call in group.missing) or missing


def _last_run(dialect: str, messages: Sequence[Item], stop: int) -> int:
    """Where the last run of calls can begin; Responses pairs over the whole history."""
    if dialect == "openai-responses":
        return 0
    i = stop
    while i > 0 and messages[i - 1].role != "assistant":
        i -= 1
    if dialect == "openai-chat":
        return max(0, i - 1)
    while i > 0 and messages[i - 1].role != "user":
        i -= 1
    return i
