"""What a provider compacted, as it is sent back: its own bytes, in the place that its kind wants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.calls.edits import message
from cgcli.providers.compaction_support import ITEM
from cgcli.wire.spans import Document, Malformed

if TYPE_CHECKING:
    from cgcli.calls.edits import Edit
    from cgcli.model import Request
    from cgcli.wire.spans import Node


def echoed(block: bytes, dialect: str) -> tuple[bytes, ...] | None:
    """The elements of *block* (a block, or a list with one in it) as they are; None where no compaction is in them.

    A block without content is none: Claude answers such a one where no summary was made, and refuses an empty one.
    """
    try:
        root = Document(block).root()
        found = root.elements() if root.kind == "array" else [root]
        is_one = any(_is_compaction(element, dialect) for element in found)
    except Malformed:
        return None
    return tuple(element.bytes() for element in found) if is_one else None


def _is_compaction(node: Node, dialect: str) -> bool:
    members = node.members() if node.kind == "object" else {}
    kind = members.get("type")
    if kind is None or kind.string() != ITEM:
        return False
    content = members.get("content" if dialect == "anthropic" else "encrypted_content")
    return content is not None and bool(content.string())


def own_message(request: Request, i_answer: int, found: tuple[bytes, ...]) -> bytes | None:
    """A message of its own for the block, where no answer of the assistant's stands at *i_answer*; else None."""
    messages = request.messages
    if i_answer < len(messages) and messages[i_answer].role == "assistant":
        return None
    return message("assistant", b"[" + b",".join(found) + b"]")


def into_answer(request: Request, i_answer: int, found: tuple[bytes, ...]) -> list[Edit]:
    """Put the block first in the answer, message *i_answer*.

    Where more than the block was answered, it takes the place of all that stands there.
    """
    start = request.starts[i_answer]
    content = Document(request.messages[i_answer].wire).root().members()["content"]
    left, right = start + content.start, start + content.stop
    if len(found) > 1 or (content.kind == "string" and not content.text()):
        return [(left, right, b"[" + b",".join(found) + b"]")]
    if content.kind == "string":
        return [(left, left, b"[" + found[0] + b',{"type":"text","text":'), (right, right, b"}]")]
    blocks = content.elements()
    at = start + (blocks[0].start if blocks else content.stop - 1)
    return [(at, at, found[0] + (b"," if blocks else b""))]
