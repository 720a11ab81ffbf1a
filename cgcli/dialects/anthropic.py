"""Anthropic Messages: `system`, `tools` and `messages` whose content is a string or a list of blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.dialects.base import Glance, Item, Parsed, block_members, mark_of, others, string_of, text_bytes
from cgcli.dialects.canonical import frame, free_content
from cgcli.model import Kind
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.dialects.canonical import Content
    from cgcli.wire.spans import Node

_TEXT = frozenset({"type", "text"})
_CALL = frozenset({"type", "id", "name", "input"})
_RESULT = frozenset({"type", "tool_use_id", "is_error", "content"})
_THINKING = frozenset({"type", "thinking", "signature", "data"})
_MESSAGE = frozenset({"role", "content"})
_KINDS = {"image": Kind.IMAGE, "thinking": Kind.THINKING, "redacted_thinking": Kind.THINKING}
_OPENAI_ROLES = frozenset({"tool", "developer"})
_BLOCK_TYPES = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "document", "image"})


class Anthropic:
    """Anthropic Messages."""

    name: ClassVar[str] = "anthropic"
    history: ClassVar[str] = "messages"
    static: ClassVar[tuple[str, str]] = ("tools", "system")

    def fits(self, body: Mapping[str, Node], head: Sequence[Glance]) -> bool:
        """True for `messages` without a role or a tool spec that only OpenAI has."""
        if "messages" not in body or any("role" not in message.keys for message in head):
            return False
        openai = any(message.role in _OPENAI_ROLES or "tool_calls" in message.keys for message in head)
        return not openai and "function" not in _first_tool(body) and not (head and head[0].role == "system")

    def is_certain(self, body: Mapping[str, Node], head: Sequence[Glance]) -> bool:
        """True for a top-level `system`, tools with an `input_schema`, or blocks that only Anthropic has."""
        if "system" in body or "anthropic_version" in body or "stop_sequences" in body:
            return True
        return "input_schema" in _first_tool(body) or any(message.block_types & _BLOCK_TYPES for message in head)

    def tools(self, node: Node) -> list[Parsed]:
        """One item per tool spec."""
        found = []
        for spec in node.elements():
            members = block_members(spec)
            item = Item(spec, "tool")
            item.part(Kind.TOOL_SPEC, "", spec, name=string_of(members, "name"), mark=mark_of(members))
            item.block(0, "tool", ("spec", free_content(spec, without="cache_control")))
            found.append(item.parsed())
        return found

    def system(self, node: Node) -> list[Parsed]:
        """One item per block of the system prompt; a string is one text block."""
        if node.kind == "string":
            item = Item(node, "system")
            item.part(Kind.SYSTEM, "", node, slot=node)
            item.block(0, "text", ("text", text_bytes(node)))
            return [item.parsed()]
        if node.kind != "array":
            raise Malformed("bad_shape", "`system` is neither a string nor a list")
        found = []
        for block in node.elements():
            item = Item(block, "system")
            _content_block(item, block, "")
            found.append(item.parsed())
        return found

    def message(self, node: Node) -> Parsed:
        """One message."""
        members = block_members(node)
        item = Item(node, string_of(members, "role") or "")
        content = members.get("content")
        if content is None or content.kind == "null":
            pass
        elif content.kind == "string":
            item.part(_text_kind(item.role), "content", content, slot=content)
            item.block(0, "text", ("text", text_bytes(content)))
        elif content.kind == "array":
            for i, block in enumerate(content.elements()):
                _content_block(item, block, f"content.{i}")
        else:
            raise Malformed("bad_shape", f"the content of a message at byte {node.start} is neither string nor list")
        if (rest := others(members, _MESSAGE)) is not None:
            item.block(0, "fields", ("fields", rest))
        return item.parsed()


def _first_tool(body: Mapping[str, Node]) -> Mapping[str, Node]:
    tools = body.get("tools")
    specs = tools.elements() if tools is not None and tools.kind == "array" else []
    return specs[0].members() if specs and specs[0].kind == "object" else {}


def _text_kind(role: str) -> Kind:
    return {"assistant": Kind.ASSISTANT_TEXT, "system": Kind.SYSTEM}.get(role, Kind.USER_TEXT)


def _content_block(item: Item, node: Node, path: str) -> None:
    """Add one content block of a message or of the system prompt."""
    members = block_members(node)
    kind = string_of(members, "type") or ""
    i_part = len(item.parts)
    mark = mark_of(members)
    at = f"{path}." if path else ""
    if kind == "text" and "text" in members:
        item.part(_text_kind(item.role), f"{at}text", node, slot=members["text"], mark=mark)
        item.block(i_part, "text", ("text", text_bytes(members["text"])), ("more", others(members, _TEXT)))
    elif kind == "tool_result":
        _tool_result(item, node, members, at)
    elif kind.endswith("tool_use"):
        item.part(
            Kind.TOOL_CALL,
            path,
            node,
            pair_id=string_of(members, "id"),
            name=string_of(members, "name"),
            mark=mark,
        )
        fields = tuple((key, free_content(members[key]) if key in members else None) for key in ("id", "name", "input"))
        item.block(i_part, kind, *fields, ("more", others(members, _CALL)))
    elif kind.endswith("tool_result"):
        item.part(Kind.TOOL_RESULT, path, node, pair_id=string_of(members, "tool_use_id"), mark=mark)
        item.block(i_part, kind, ("block", free_content(node, without="cache_control")))
    elif kind in ("thinking", "redacted_thinking"):
        item.part(Kind.THINKING, path, node)
        fields = tuple(
            (key, text_bytes(members[key]) if key in members else None) for key in ("thinking", "signature", "data")
        )
        item.block(i_part, kind, *fields, ("more", others(members, _THINKING)))
    else:
        item.part(_KINDS.get(kind, Kind.OTHER), path, node, mark=mark)
        item.block(i_part, kind or "unknown", ("block", free_content(node, without="cache_control")))


def _tool_result(item: Item, node: Node, members: Mapping[str, Node], at: str) -> None:
    """Add a client tool's result: a string, or a list of blocks of which the texts may be edited."""
    i_part = len(item.parts)
    pair_id = string_of(members, "tool_use_id")
    mark = mark_of(members)
    content = members.get("content")
    inner: list[tuple[str, Content | None]] = []
    if content is not None and content.kind == "string":
        item.part(Kind.TOOL_RESULT, f"{at}content", node, slot=content, pair_id=pair_id, mark=mark)
        inner.append(("text", text_bytes(content)))
    elif content is not None and content.kind == "array":
        for k, block in enumerate(content.elements()):
            sub = block_members(block)
            path = f"{at}content.{k}"
            sub_mark = mark if k == 0 else None
            if string_of(sub, "type") == "text" and "text" in sub:
                slot = sub["text"]
                item.part(
                    Kind.TOOL_RESULT,
                    f"{path}.text",
                    block,
                    slot=slot,
                    pair_id=pair_id,
                    mark=sub_mark or mark_of(sub),
                )
                inner += [("text", text_bytes(slot)), ("more", others(sub, _TEXT))]
            else:
                kind = Kind.IMAGE if string_of(sub, "type") == "image" else Kind.OTHER
                item.part(kind, path, block, pair_id=pair_id, mark=sub_mark or mark_of(sub))
                inner.append(("block", free_content(block, without="cache_control")))
    elif content is not None and content.kind != "null":
        inner.append(("value", free_content(content)))
    if len(item.parts) == i_part:
        item.part(Kind.TOOL_RESULT, at.rstrip("."), node, pair_id=pair_id, mark=mark)
    is_error = members.get("is_error")
    item.block(
        i_part,
        "tool_result",
        ("id", (pair_id or "").encode("utf-8", "surrogatepass")),
        ("is_error", is_error.bytes() if is_error is not None else None),
        ("content", frame(inner) if content is not None and content.kind != "null" else None),
        ("more", others(members, _RESULT)),
    )
