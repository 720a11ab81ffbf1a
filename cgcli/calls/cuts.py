"""May a run of messages be taken out of a request, and something else be put in its place?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.calls.open_calls import open_calls
from cgcli.calls.why import Why, refuse
from cgcli.dialects.content import has_kind
from cgcli.dialects.settings import settings
from cgcli.model import Kind
from cgcli.providers.thinking import DROPS_INSTEAD, binds

if TYPE_CHECKING:
    from cgcli.model import Refusal, Request


def unfit_run(request: Request, start: int, stop: int) -> Refusal | None:
    """Why messages *start* to *stop* cannot be taken out whole: there are none, or something would be torn apart."""
    messages = request.messages
    if not 0 <= start < stop <= len(messages):
        return refuse(Why.SPAN_NOT_IN_PARENT, f"messages {start} to {stop} of {len(messages)}")
    for cut in (start, stop):
        if open_calls(request.dialect, messages, cut):
            return refuse(Why.TOOL_GROUP_CUT, f"before message {cut}")
        torn = 0 < cut < len(messages) and request.dialect == "openai-responses"
        if torn and has_kind(messages[cut - 1], Kind.THINKING) and messages[cut].role == "assistant":
            return refuse(Why.REASONING_CUT, f"before message {cut}")
    return None


def system_torn(request: Request, start: int) -> Refusal | None:
    """Why a user's message cannot be put before message *start*: a system message stands right before that (Claude)."""
    if request.dialect == "anthropic" and start and request.messages[start - 1].role == "system":
        return refuse(Why.SYSTEM_MISPLACED, f"a user's message behind message {start - 1}")
    return None


def thinking_torn(request: Request, stop: int) -> Refusal | None:
    """Why nothing before message *stop* may change: thinking from there on is bound to it, and would be refused."""
    if not _binds_kept(request, stop) or _drops_instead(request):
        return None
    return refuse(Why.THINKING_BOUND, request.model)


def bound_messages(request: Request) -> int:
    """How many leading messages may not change, because kept thinking behind them is bound to them."""
    if not binds(request.model) or _drops_instead(request):
        return 0
    return max((i for i, item in enumerate(request.messages) if has_kind(item, Kind.THINKING)), default=0)


def thinking_follows_wrongly(request: Request, stop: int) -> Refusal | None:
    """Why kept thinking does not survive compaction on demand up to *stop*.

    Claude docs: the first kept message must have another role than the last summarised one, and not be system.
    """
    messages = request.messages
    if not _binds_kept(request, stop) or _drops_instead(request):
        return None
    first, last = messages[stop].role, messages[stop - 1].role
    if first not in (last, "system"):
        return None
    return refuse(Why.THINKING_BOUND, f"message {stop} is the {first}'s, and so is the last one before it")


def _binds_kept(request: Request, stop: int) -> bool:
    return binds(request.model) and any(has_kind(item, Kind.THINKING) for item in request.messages[stop:])


def _drops_instead(request: Request) -> bool:
    """True where the request asks that thinking which does not fit be dropped, not refused."""
    thinking = settings(request).get("thinking")
    binding = thinking.get("block_binding") if isinstance(thinking, dict) else None
    return isinstance(binding, dict) and binding.get("prefix_mismatch_behavior") == DROPS_INSTEAD
