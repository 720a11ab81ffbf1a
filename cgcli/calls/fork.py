"""The fork: the parent's bytes, and one user message behind them.

The prefix is the parent's by construction: the call is an insertion into its bytes. Model, tools, thinking, effort,
tool choice, marks and every other parameter are the parent's; no mark and no system message is added; the span is not
sent again, the appended message names it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.calls.attempt import attempt
from cgcli.calls.call import Call, CallMode
from cgcli.calls.edits import append, edited, message, quoted
from cgcli.calls.instruction import fork_text
from cgcli.calls.native_blocks import asked
from cgcli.calls.paths import PATHS
from cgcli.calls.refusals import misaligned, not_a_summary, too_large
from cgcli.calls.span import in_parent
from cgcli.calls.why import Why, refuse
from cgcli.dialects.content import decoded
from cgcli.dialects.settings import settings
from cgcli.model import Refusal

if TYPE_CHECKING:
    from cgcli.calls.call import Asking
    from cgcli.model import Request
    from cgcli.select.selection import Selection


def fork(asking: Asking) -> Call | Refusal:
    """The call as a fork of the parent, or the first reason why there must be none."""
    refused = misaligned(asking)
    if refused is not None:
        return refused
    text = attempt(lambda: fork_text(asking.parent.request, _located(asking), asking.options.prompt))
    told = "" if isinstance(text, Refusal) else text
    refused = too_large(asking, told) or not_a_summary(asking) or _unfit(asking.parent.request)
    if refused is not None:
        return refused
    return text if isinstance(text, Refusal) else attempt(lambda: _call(asking, text))


def _call(asking: Asking, text: str) -> Call:
    parent, span = asking.parent, _located(asking)
    request = parent.request
    return Call(
        mode=CallMode.FORK,
        body=edited(request, append(request, message("user", quoted(text, asking.options.style)))),
        path=PATHS[request.dialect],
        parent=parent.source,
        scope=(span.start, span.stop),
        scoped_by="instruction",
        is_reversible=True,
        n_prefix_messages=len(request.messages),
    )


def _located(asking: Asking) -> Selection:
    found = in_parent(asking)
    if found is None:
        raise ValueError("the span is not in the parent")
    return found


def _unfit(request: Request) -> Refusal | None:
    """Why nothing can be put behind the last message of *request*, though it could be sent itself."""
    outside = settings(request)
    if not outside:
        return refuse(Why.BUILD_FAILED, "the settings of the parent cannot be read")
    if asked(request, outside).on_demand:
        return refuse(Why.PARENT_IS_CALL)
    last = request.messages[-1]
    if request.dialect != "anthropic":
        return None
    if last.role == "system":
        return refuse(Why.SYSTEM_MISPLACED, "the parent ends on it, and a user's message may not come behind it")
    tree = decoded(last)
    content = tree.get("content") if isinstance(tree, dict) else None
    if content.strip() if isinstance(content, str) else content:
        return None
    return refuse(Why.BUILD_FAILED, "the parent ends on a message without content, which only the last one may be")
