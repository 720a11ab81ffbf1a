"""When a fork must not be built: the reasons, in the order in which they are looked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.calls.call import PrefixSource
from cgcli.calls.obstacles import forced_choice, history_elsewhere, structured_output
from cgcli.calls.open_calls import open_calls
from cgcli.calls.span import in_parent
from cgcli.calls.why import Why, refuse
from cgcli.dialects.settings import settings
from cgcli.tokens.meter import MESSAGE_TOKENS
from cgcli.tokens.ruler import Ruler

if TYPE_CHECKING:
    from cgcli.calls.call import Asking, Parent
    from cgcli.model import Refusal


def misaligned(asking: Asking) -> Refusal | None:
    """Why a fork of the parent would share nothing, or not have the span; what the call says is not looked at yet."""
    parent = asking.parent
    request, model = parent.request, asking.options.model
    if not parent.tools_recorded or request.tools is None:
        return refuse(Why.TOOLS_NOT_RECORDED)
    if model is not None and model != request.model:
        return refuse(Why.OTHER_MODEL, f"{model}, and the parent's is {request.model or 'not recorded'}")
    if parent.prefix_source is None or not request.messages:
        return refuse(Why.NO_PARENT)
    unsent = _not_sent(parent)
    if unsent is not None:
        return refuse(Why.PARENT_NOT_SENT, unsent)
    return open_at_end(asking) or (None if in_parent(asking) is not None else refuse(Why.SPAN_NOT_IN_PARENT))


def _not_sent(parent: Parent) -> str | None:
    if parent.prefix_source is PrefixSource.MODULE_VIEW or parent.source.reconstructed:
        return "it is rebuilt from a history"
    if parent.views_since_send:
        return f"{parent.views_since_send} sent since"
    return None


def open_at_end(asking: Asking) -> Refusal | None:
    """The refusal of a parent that ends on tool calls without a result."""
    request = asking.parent.request
    missing = open_calls(request.dialect, request.messages, len(request.messages))
    return refuse(Why.OPEN_TOOL_CALLS, _named(missing)) if missing else None


def _named(ids: tuple[str, ...]) -> str:
    return ", ".join(repr(one[:40]) for one in ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")  # noqa: PLR2004 - a few will do


def too_large(asking: Asking, instruction: str) -> Refusal | None:
    """The refusal of a fork that would not fit into the window; where the window is not known, none."""
    parent, options = asking.parent, asking.options
    if parent.window_tokens is None:
        return None
    ruler = asking.ruler if asking.ruler is not None else Ruler(parent.request.model)
    told = ruler.tokens(ruler.count(instruction) + MESSAGE_TOKENS)
    tokens = parent.tokens if parent.tokens is not None else ruler.tokens(ruler.measure(parent.request).total)
    wanted = tokens + told + options.reserve_tokens
    if wanted <= parent.window_tokens:
        return None
    return refuse(
        Why.WINDOW,
        f"{tokens:,} + {told:,} + {options.reserve_tokens:,} tokens, and the window has {parent.window_tokens:,}",
    )


def not_a_summary(asking: Asking) -> Refusal | None:
    """Why the parent's own settings would not let a summary be answered, or do not have its history in the request."""
    request = asking.parent.request
    outside = settings(request)
    for why, found in (
        (Why.FORCED_TOOL_CHOICE, forced_choice(request.dialect, outside)),
        (Why.STRUCTURED_OUTPUT, structured_output(request.dialect, outside)),
        (Why.PREVIOUS_RESPONSE, history_elsewhere(outside)),
    ):
        if found is not None:
            return refuse(why, found)
    return None
