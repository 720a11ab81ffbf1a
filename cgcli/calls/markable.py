"""Edits inside the last message of a Claude request: a cache mark on its last block, white space off its last text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.dialects.content import decoded
from cgcli.dialects.settings import settings
from cgcli.model import Kind
from cgcli.prefix.marked import CLAUDE_KEY, Tally, tally
from cgcli.providers.breakpoints import ANTHROPIC, UNMARKABLE_TYPES
from cgcli.wire.quoted import Quoted
from cgcli.wire.spans import Document, decode_text
from cgcli.wire.strings import utf8

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from cgcli.calls.edits import Edit
    from cgcli.model import Item, Request
    from cgcli.wire.spans import Node

MARK = b'{"type":"ephemeral"}'
"""Asks for the shortest life: it may stand behind any other mark."""


def mark_last(request: Request, stop: int) -> list[Edit]:
    """Mark the last block of messages 0 to *stop* that can be marked, so that the provider looks back from there.

    Nothing where it would not help or not be allowed: the request sets no mark at all (nothing was written that could
    be found), the block has one, the request asks for the automatic one, or those before *stop* are four already.
    """
    if isinstance(settings(request).get(CLAUDE_KEY), dict):
        return []
    head = _count(request.tools or ()) + _count(request.system or ())
    n_marks = head + _count(request.messages[:stop])
    if n_marks >= ANTHROPIC.most or not n_marks + _count(request.messages[stop:]):
        return []
    for i in range(stop - 1, -1, -1):
        found = _mark(request.messages[i], request.starts[i])
        if found is not None:
            return found
    return []


def _count(items: Iterable[Item]) -> int:
    so_far = Tally()
    for i, item in enumerate(items):
        so_far = tally(so_far, item, i)
    return so_far.n_marks


def _mark(item: Item, start: int) -> list[Edit] | None:
    """The edits that mark the item's last markable block: none where it is marked; None where it has no such block."""
    tree = decoded(item)
    content = tree.get("content") if isinstance(tree, dict) else None
    if isinstance(content, str):
        return _mark_string(item, start) if content else None
    blocks = content if isinstance(content, list) else []
    i = next((i for i in range(len(blocks) - 1, -1, -1) if _can_be_marked(blocks[i])), None)
    if i is None:
        return None
    if blocks[i].get(CLAUDE_KEY) is not None:
        return []
    node = _content(item).elements()[i]
    null = node.members().get(CLAUDE_KEY)
    if null is not None:
        return [(start + null.start, start + null.stop, MARK)]
    at = node.stop - 1
    while item.wire[at - 1] in b" \t\n\r":
        at -= 1
    return [(start + at, start + at, b',"%s":%s' % (CLAUDE_KEY.encode(), MARK))]


def _mark_string(item: Item, start: int) -> list[Edit]:
    """A string cannot be marked: it becomes the one text block that it stands for, which reads the same."""
    node = _content(item)
    left, right = start + node.start, start + node.stop
    return [
        (left, left, b'[{"type":"text","text":'),
        (right, right, b',"%s":%s}]' % (CLAUDE_KEY.encode(), MARK)),
    ]


def _can_be_marked(block: Any) -> bool:
    if not isinstance(block, dict) or block.get("type") in UNMARKABLE_TYPES:
        return False
    return not (block.get("type") == "text" and not block.get("text"))


def _content(item: Item) -> Node:
    return Document(item.wire).root().members()["content"]


def strip_end(request: Request, i_message: int) -> list[Edit]:
    """Take the white space off the end of message *i_message*, where that is the assistant's and ends on a text.

    Raises:
        ValueError: nothing else is in the text.
    """
    item, start = request.messages[i_message], request.starts[i_message]
    part = item.parts[-1]
    if item.role != "assistant" or part.kind is not Kind.ASSISTANT_TEXT or part.slot is None:
        return []
    literal = item.wire[part.slot.start : part.slot.stop]
    text = decode_text(literal)
    kept = text.rstrip()
    if kept == text:
        return []
    if not kept:
        raise ValueError("the last assistant text has nothing but white space")
    left = start + part.slot.start + Quoted(literal).outer(len(utf8(kept)))
    return [(left, start + part.slot.stop - 1, b"")]
