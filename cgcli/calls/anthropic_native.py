"""Claude's own compaction: at a threshold, and on demand. Two betas, never on one request."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.calls.call import Call, CallMode
from cgcli.calls.edits import edited, quoted, replace, set_member
from cgcli.calls.markable import mark_last, strip_end
from cgcli.calls.native_refusals import DEFAULT_TRIGGER_TOKENS
from cgcli.calls.paths import PATHS
from cgcli.calls.span import in_parent
from cgcli.providers.compaction_support import THRESHOLD_EDIT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.calls.call import Asking, CallOptions

THRESHOLD_HEADERS: Mapping[str, str] = MappingProxyType({"anthropic-beta": "compact-2026-01-12"})
"""Claude docs, compaction at a threshold: on the request, and on every later one of the conversation."""
ON_DEMAND_HEADERS: Mapping[str, str] = MappingProxyType({"anthropic-beta": "compact-2026-09-04"})
"""Claude docs, compaction on demand: on the call, and on every later request that has its block."""


def at_threshold(asking: Asking) -> Call:
    """The parent, and the edit under which the provider compacts by itself from a number of tokens on."""
    parent = asking.parent
    member = management(asking.options)
    return Call(
        mode=CallMode.NATIVE_THRESHOLD,
        body=edited(parent.request, [set_member(parent.request, "context_management", member)]),
        path=PATHS["anthropic"],
        parent=parent.source,
        scope="all",
        scoped_by="provider",
        is_reversible=False,
        n_prefix_messages=len(parent.request.messages),
        headers=dict(THRESHOLD_HEADERS),
        extra_round_trips=int(asking.options.pause),
    )


def management(options: CallOptions) -> bytes:
    """The value of `context_management`."""
    tokens = options.trigger_tokens if options.trigger_tokens is not None else DEFAULT_TRIGGER_TOKENS
    edit = b'{"type":"%s","trigger":{"type":"input_tokens","value":%d}' % (THRESHOLD_EDIT.encode(), tokens)
    pause = b',"pause_after_compaction":true' if options.pause else b""
    return b'{"edits":[' + edit + pause + _instructions(options) + b"}]}"


def _instructions(options: CallOptions) -> bytes:
    """The prompt as a member that follows others; a blank one is the same as none."""
    prompt = options.prompt
    return b',"instructions":' + quoted(prompt, options.style) if prompt is not None and prompt.strip() else b""


def on_demand(asking: Asking) -> Call:
    """The parent up to the span's end, and the parameter that asks for a summary of all of it.

    Raises:
        ValueError: the last assistant text is blank, or the span is not in the parent.
    """
    parent, span = asking.parent, in_parent(asking)
    if span is None:
        raise ValueError("the span is not in the parent")
    request, stop = parent.request, span.stop
    stripped = strip_end(request, stop - 1)
    member = b'{"type":"summarize"' + _instructions(asking.options) + b"}"
    edits = [
        *stripped,
        *mark_last(request, stop),
        *replace(request, stop, len(request.messages), ()),
        set_member(request, "compaction", member),
    ]
    return Call(
        mode=CallMode.NATIVE_ON_DEMAND,
        body=edited(request, edits),
        path=PATHS["anthropic"],
        parent=parent.source,
        scope=(0, stop),
        scoped_by="construction",
        is_reversible=False,
        n_prefix_messages=stop - bool(stripped),
        headers=dict(ON_DEMAND_HEADERS),
    )
