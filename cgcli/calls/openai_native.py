"""OpenAI's own compaction (Responses): at a threshold, by a last input item, and at an address of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from cgcli.calls.call import Call, CallMode
from cgcli.calls.edits import append, edited, replace, set_member
from cgcli.calls.native_refusals import DEFAULT_TRIGGER_TOKENS
from cgcli.calls.paths import COMPACT_PATH, PATHS
from cgcli.calls.span import in_parent
from cgcli.providers.compaction_support import ITEM, TRIGGER_ITEM
from cgcli.wire.spans import Document

if TYPE_CHECKING:
    from cgcli.calls.call import Asking, CallOptions

ENDPOINT_MEMBERS = frozenset(
    {"model", "input", "instructions", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"}
    | {"service_tier"}
)
"""OpenAI Python SDK 3.57.0, `responses.compact`: what it takes of a request. No tools: it shares no prefix with one."""


def at_threshold(asking: Asking) -> Call:
    """The parent, and the setting under which the provider compacts by itself from a number of tokens on."""
    request = asking.parent.request
    edit = set_member(request, "context_management", management(asking.options))
    return _call(asking, CallMode.NATIVE_THRESHOLD, edited(request, [edit]))


def management(options: CallOptions) -> bytes:
    """The value of `context_management`; without a trigger, Claude's default, so that the two can be compared."""
    tokens = options.trigger_tokens if options.trigger_tokens is not None else DEFAULT_TRIGGER_TOKENS
    return b'[{"type":"%s","compact_threshold":%d}]' % (ITEM.encode(), tokens)


def on_demand(asking: Asking) -> Call:
    """The parent, and a last item that asks for compaction of all of it: its tools and instructions stay."""
    request = asking.parent.request
    item = b'{"type":"%s"}' % TRIGGER_ITEM.encode()
    return _call(asking, CallMode.NATIVE_ON_DEMAND, edited(request, append(request, item)))


def _call(asking: Asking, mode: CallMode, body: bytes) -> Call:
    """A call that covers the whole parent."""
    parent = asking.parent
    return Call(
        mode=mode,
        body=body,
        path=PATHS["openai-responses"],
        parent=parent.source,
        scope="all",
        scoped_by="provider",
        is_reversible=False,
        n_prefix_messages=len(parent.request.messages),
    )


def endpoint(asking: Asking) -> Call:
    """What the endpoint takes of the parent, its input cut at the span's end.

    Raises:
        ValueError: the span is not in the parent.
    """
    parent, span = asking.parent, in_parent(asking)
    if span is None:
        raise ValueError("the span is not in the parent")
    cut = edited(parent.request, replace(parent.request, span.stop, len(parent.request.messages), ()))
    members = Document(cut).root().members()
    kept = [
        json.dumps(name).encode() + b":" + node.bytes() for name, node in members.items() if name in ENDPOINT_MEMBERS
    ]
    return Call(
        mode=CallMode.NATIVE_ENDPOINT,
        body=b"{" + b",".join(kept) + b"}",
        path=COMPACT_PATH,
        parent=parent.source,
        scope=(0, span.stop),
        scoped_by="construction",
        is_reversible=False,
        n_prefix_messages=span.stop,
    )
