"""Runs of messages that may give way as they are, where nothing but their shape keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.calls.edits import is_string_input
from cgcli.model import Refusal, value
from cgcli.select.choosing import NOTHING_TO_SELECT, ends
from cgcli.select.joined import joined
from cgcli.select.staying import SYSTEM_ROLES
from cgcli.select.summaries import is_native

if TYPE_CHECKING:
    from cgcli.model import Request


@value
class Run:
    """A run of messages that may give way."""

    start: int
    ends: tuple[int, ...]
    """Where it may end, ascending; at least one."""


def run_from(request: Request, start: int) -> Run | Refusal:
    """The run of *request* that begins at message *start*, or behind the newest block that the provider compacted.

    It ends before the next system message, and before a tool call or result without its counterpart.
    """
    messages = request.messages
    n = len(messages)
    if is_string_input(request):
        return nothing("the history is one string")
    native = next((i + 1 for i in range(n - 1, -1, -1) if is_native(messages[i])), 0)
    start = max(start, native)
    together = joined(request)
    stays = together.closed(together.lone)
    limit = next((i for i in range(start, n) if i in stays or messages[i].role in SYSTEM_ROLES), n)
    found = ends(together, start, limit, n)
    if not found:
        return nothing(f"no group of messages from message {start} on is whole before message {limit}")
    return Run(start=start, ends=tuple(found))


def nothing(detail: str) -> Refusal:
    """The refusal of a request in which no messages may give way."""
    return Refusal(reason=NOTHING_TO_SELECT, detail=detail)
