"""Messages that stand for earlier ones: a summary is not summarised again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.dialects.content import decoded
from cgcli.providers.compaction_support import ITEM
from cgcli.select.texts import BY_USER, texts

if TYPE_CHECKING:
    from cgcli.model import Item

HEADER = "=== History Summary ==="
"""The first line of a summary of ours, and of context-guru's."""
_BEGINNINGS = (
    HEADER,
    '<system-reminder source="context-summary"',  # amplifier-module-context-simple, read 2026-11-30
    "This session is being continued from a previous conversation",  # Claude Code
)
_HINTS = (b"History Summary", b"context-summary", b"This session is being continued")
_NATIVE_HINT = b'"compaction"'


def is_summary(item: Item) -> bool:
    """True for a message that stands for earlier ones: ours, another tool's, or the provider's own compaction.

    Texts count in a user's message only, and only where one begins so: a tool that prints a summary made none. The
    first line is enough, since without a stash a summary of ours carries no marker.
    """
    return is_native(item) or (item.role == "user" and _is_told(item))


def is_native(item: Item) -> bool:
    """True for a message with the provider's compaction in it; one whose content is null stands for nothing."""
    if not item.has(_NATIVE_HINT):
        return False
    tree = decoded(item)
    if not isinstance(tree, dict):
        return False
    if tree.get("type") == ITEM:
        return True
    content = tree.get("content")
    return any(
        isinstance(block, dict) and block.get("type") == ITEM and block.get("content", "") is not None
        for block in (content if isinstance(content, list) else ())
    )


def _is_told(item: Item) -> bool:
    if not any(item.has(hint) for hint in _HINTS):
        return False
    return any(text.lstrip().startswith(_BEGINNINGS) for text in texts(item, BY_USER))
