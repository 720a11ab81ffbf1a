"""Messages as plain text, for a call that does not have them as messages.

What is not rendered is named where it stood; tool outputs are whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.dialects.base import string_of
from cgcli.dialects.canonical import free_json
from cgcli.dialects.openai_responses import CALLS
from cgcli.wire.spans import Document
from cgcli.wire.strings import text as decoded_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from cgcli.model import Item
    from cgcli.wire.spans import Node

    Members = Mapping[str, Node]

ARGUMENTS_CHARS = 500
"""How much of a call's arguments is shown (amplifier's length)."""
_TEXTS = frozenset({"text", "input_text", "output_text", "summary_text"})
_THINKING = frozenset({"thinking", "redacted_thinking", "reasoning"})
_MEDIA = {
    "image": "[image]",
    "image_url": "[image]",
    "input_image": "[image]",
    "computer_screenshot": "[image]",
    "input_audio": "[audio]",
    "file": "[file]",
    "input_file": "[file]",
}
_CALLS = CALLS | {"tool_use", "server_tool_use", "mcp_tool_use"}
"""Kinds that hold a call alone; a call with its output in it (`mcp_call`) is shown as it is."""
_ARGUMENTS = ("arguments", "input", "action", "operation")
_THOUGHTS = ("reasoning_content", "reasoning")
"""Members of Chat messages in which other providers' models think."""


def render(items: Iterable[Item]) -> str:
    """*items* as text: a paragraph for each message and each tool result, a blank line between.

    `[role]: text`, then an indented line for each call, `name(arguments)`; a tool's result is `[tool_result for ID]:
    text`. Thinking, images and other media are named and left out; a block of another kind is compact JSON. For every
    dialect: their shapes do not overlap.

    Source: amplifier-module-context-simple, its formatter for standalone summaries, which drops what is no text.
    """
    return "\n\n".join(paragraph for item in items for paragraph in _Message(item).paragraphs())


class _Message:
    """One message on its way into text."""

    def __init__(self, item: Item) -> None:
        self._item = item
        self._done: list[str] = []
        self._lines: list[str] = []
        self._calls: list[str] = []
        self._n_thoughts = 0
        self._i_thoughts = 0

    def paragraphs(self) -> list[str]:
        """Its paragraphs; at least one."""
        root = Document(self._item.wire).root()
        if root.kind == "string":
            self._lines.append(root.text())
        else:
            self._message(root, root.members())
        if self._lines or self._calls or self._n_thoughts or not self._done:
            self._close()
        return self._done

    def _message(self, node: Node, members: Members) -> None:
        if string_of(members, "type") not in (None, "message"):
            self._block(node)
            return
        if self._item.role in ("tool", "function"):
            self._result(members, _answered(members), "content")
            return
        for key in _THOUGHTS:
            if string_of(members, key):
                self._think()
        self._content(members.get("content"))
        refusal = string_of(members, "refusal")
        if refusal:
            self._lines.append(refusal)
        calls = members.get("tool_calls")
        for call in calls.elements() if calls is not None and calls.kind == "array" else ():
            self._call(call.members())
        old = members.get("function_call")
        if old is not None and old.kind == "object":
            self._call(old.members())

    def _content(self, content: Node | None) -> None:
        if content is None or content.kind == "null":
            return
        if content.kind == "array":
            for block in content.elements():
                self._block(block)
        else:
            self._lines.append(_plain(content))

    def _block(self, node: Node) -> None:
        """A content block, or an item that is no message."""
        members = node.members() if node.kind == "object" else {}
        kind = string_of(members, "type") or ""
        if kind in _THINKING:
            self._think()
        elif kind.endswith("tool_result"):
            self._result(members, _id(members, "tool_use_id"), "content")
        elif kind.endswith("_output"):
            self._result(members, _id(members, "call_id", "id"), "output")
        elif kind in _CALLS:
            self._call(members)
        else:
            self._lines.append(_shown(node, members, kind))

    def _call(self, members: Members) -> None:
        inner = next((members[key].members() for key in ("function", "custom") if key in members), members)
        name = string_of(inner, "name") or string_of(inner, "tool") or string_of(inner, "type") or "?"
        given = next((inner[key] for key in _ARGUMENTS if key in inner), None)
        arguments = _plain(given) if given is not None else ""
        if len(arguments) > ARGUMENTS_CHARS:
            arguments = arguments[:ARGUMENTS_CHARS] + "..."
        self._calls.append(f"  {name}({arguments})")

    def _result(self, members: Members, call_id: str, key: str) -> None:
        """A tool's result is a paragraph of its own; what was said before it is another one."""
        if self._lines or self._calls or self._n_thoughts:
            self._close()
        content = members.get(key)
        if content is None or content.kind == "null":
            text = ""
        else:
            text = "\n".join(map(_inner, content.elements() if content.kind == "array" else [content]))
        failed = members.get("is_error")
        error = ", error" if failed is not None and failed.bytes() == b"true" else ""
        self._done.append(f"[tool_result for {call_id}{error}]: {text}".rstrip(" "))

    def _think(self) -> None:
        if not self._n_thoughts:
            self._i_thoughts = len(self._lines)
        self._n_thoughts += 1

    def _close(self) -> None:
        if self._n_thoughts:
            blocks = "block" if self._n_thoughts == 1 else "blocks"
            self._lines.insert(self._i_thoughts, f"[thinking left out: {self._n_thoughts} {blocks}]")
        told = "\n".join(self._lines)
        self._done.append("\n".join([f"[{self._item.role}]: {told}".rstrip(" "), *self._calls]))
        self._lines, self._calls, self._n_thoughts = [], [], 0


def _inner(block: Node) -> str:
    """A tool's result, or a block inside it."""
    members = block.members() if block.kind == "object" else {}
    return _shown(block, members, string_of(members, "type") or "")


def _shown(node: Node, members: Members, kind: str) -> str:
    if kind in _TEXTS and (said := string_of(members, "text")) is not None:
        return said
    if kind == "document":
        source = members.get("source")
        inner = source.members() if source is not None and source.kind == "object" else {}
        told = string_of(inner, "data") if string_of(inner, "type") == "text" else None
        return told if told is not None else "[document]"
    return _MEDIA.get(kind) or _plain(node)


def _plain(node: Node) -> str:
    """A string as it is, any other value as JSON without white space and cache marks."""
    return node.text() if node.kind == "string" else decoded_text(free_json(node, without="cache_control"))


def _answered(members: Members) -> str:
    """What a tool's message answers; histories that SWE-agent saved name several calls."""
    saved = members.get("tool_call_ids")
    if "tool_call_id" not in members and saved is not None and saved.kind == "array":
        return ", ".join(map(_plain, saved.elements()))
    return _id(members, "tool_call_id", "name")


def _id(members: Members, *keys: str) -> str:
    return next((found for key in keys if (found := string_of(members, key)) is not None), "?")
