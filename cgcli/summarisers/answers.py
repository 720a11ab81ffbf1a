"""A provider's answer to a call, read as a summary: its text, its own compaction block, and what it billed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.calls.call import NATIVE, CallMode
from cgcli.model import Basis, Refusal, changed
from cgcli.providers.compaction_support import ITEM
from cgcli.readers import usage
from cgcli.summarisers.protocol import Summary
from cgcli.summarisers.stops import Reply, of_anthropic, of_chat, of_error, of_responses
from cgcli.wire.spans import Document, Malformed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from cgcli.model import Usage
    from cgcli.wire.spans import Node


def read_answer(answer: bytes, mode: CallMode) -> Summary:
    """The summary in *answer*, a whole answer as JSON: a message, a chat completion or a response.

    What makes it no summary is its `fault`.

    Raises:
        Malformed: it is no such answer.
    """
    root = Document(answer).root()
    whole = root.value()
    reply = _reply(whole)
    if reply is None:
        raise Malformed("no_answer", "neither a message, nor a chat completion, nor a response, nor an error")
    billed = _billed(whole)
    if mode in NATIVE and not reply.is_error:
        return _native(root, reply, mode, billed)
    return Summary(text=reply.text, basis=Basis.MEASURED, usage=billed, fault=reply.fault)


def _reply(whole: Any) -> Reply | None:
    if not isinstance(whole, dict):
        return None
    if isinstance(whole.get("choices"), list):
        return of_chat(whole)
    if isinstance(whole.get("output"), list):
        return of_responses(whole)
    if isinstance(whole.get("content"), list):
        return of_anthropic(whole)
    return of_error(whole) if isinstance(whole.get("error"), dict) else None


def _native(root: Node, reply: Reply, mode: CallMode, billed: Usage | None) -> Summary:
    """The one compaction block, as it is written. A block whose content is null stands for nothing."""
    members = root.members()
    is_item = "output" in members
    nodes = members["output" if is_item else "content"].elements() if "choices" not in members else []
    blocks = [(node, value) for node in nodes if (value := _block(node)) is not None]
    real = [(node, value) for node, value in blocks if is_item or value.get("content", "") is not None]
    empty = Summary(text="", basis=Basis.MEASURED, usage=billed)
    if not real:
        reason = "null_block" if blocks else "no_block"
        why = "its compaction block is null" if blocks else "it has no compaction block"
        return changed(empty, fault=Refusal(reason=reason, detail=f"{why}; the provider stopped with {reply.stop}"))
    if len(real) > 1:
        return changed(empty, fault=Refusal(reason="many_blocks", detail=f"{len(real)} compaction blocks, not one"))
    node, value = real[0]
    text = value.get("encrypted_content" if is_item else "content")
    if not isinstance(text, str) or not text.strip():
        return changed(empty, fault=Refusal(reason="empty_block", detail="its compaction block holds nothing"))
    if mode is CallMode.NATIVE_ON_DEMAND and not is_item and not isinstance(value.get("signature"), str):
        return changed(empty, fault=Refusal(reason="unsigned_block", detail="its compaction block is not signed"))
    return changed(empty, text="" if is_item else text, block=node.bytes())


def _block(node: Node) -> dict[str, Any] | None:
    value = node.value()
    return value if isinstance(value, dict) and value.get("type") == ITEM else None


def _billed(whole: Mapping[str, Any]) -> Usage | None:
    """The usage, with that of each iteration: what the provider's compaction costs stands only there."""
    top = usage.of_answer(whole)
    counts = whole.get("usage")
    listed = counts.get("iterations") if isinstance(counts, dict) else None
    if top is None or not isinstance(listed, list):
        return top
    iterations = [usage.of_answer({"usage": one}) for one in listed]
    return changed(top, iterations=tuple(one for one in iterations if one is not None))
