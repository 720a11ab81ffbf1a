"""OpenAI Chat Completions: everything is a message, tool outputs have their own role."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.dialects.base import MARK_KEYS, Glance, Item, Parsed, block_members, mark_of, others, string_of, text_bytes
from cgcli.dialects.canonical import free_content
from cgcli.model import Kind
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.model import Mark
    from cgcli.wire.spans import Node

_MESSAGE = frozenset({"role", "content", "tool_calls", "tool_call_id"})
_TEXT = frozenset({"type", "text"})
_CALL = frozenset({"id", "type", "function"})
_SYSTEM_ROLES = ("system", "developer")
_RESULT_ROLES = ("tool", "function")


class OpenAIChat:
    """OpenAI Chat Completions."""

    name: ClassVar[str] = "openai-chat"
    history: ClassVar[str] = "messages"
    static: ClassVar[tuple[str, str]] = ("tools", "")

    def fits(self, body: Mapping[str, Node], head: Sequence[Glance]) -> bool:
        """True for any `messages` list whose elements have a role."""
        return "messages" in body and all("role" in message.keys for message in head)

    def is_certain(self, body: Mapping[str, Node], head: Sequence[Glance]) -> bool:
        """True for a tool role or tool calls."""
        return "messages" in body and any("tool_calls" in message.keys or message.role == "tool" for message in head)

    def tools(self, node: Node) -> list[Parsed]:
        """One item per tool spec."""
        return tool_specs(node)

    def system(self, node: Node) -> list[Parsed]:
        """Never called: system prompts are messages here."""
        raise Malformed("bad_shape", f"a system prompt outside the messages at byte {node.start}")

    def message(self, node: Node) -> Parsed:
        """One message; a tool's answer is one block, each tool call is one."""
        members = block_members(node)
        role = string_of(members, "role") or ""
        item = Item(node, role)
        mark = mark_of(members)
        content = members.get("content")
        pair_id = string_of(members, "tool_call_id")
        kind = _kind(role)
        if content is None or content.kind == "null":
            pass
        elif content.kind == "string":
            item.part(kind, "content", content, slot=content, pair_id=pair_id, mark=mark)
            item.block(0, "text", ("text", text_bytes(content)))
        elif content.kind == "array":
            for i, block in enumerate(content.elements()):
                _content_part(item, block, f"content.{i}", kind, pair_id, mark if i == 0 else None)
        else:
            raise Malformed("bad_shape", f"the content of a message at byte {node.start} is neither string nor list")
        calls = members.get("tool_calls")
        if calls is not None and calls.kind == "array":
            for i, call in enumerate(calls.elements()):
                _tool_call(item, call, f"tool_calls.{i}")
        known = _MESSAGE
        if (old := members.get("function_call")) is not None and old.kind == "object":
            item.part(Kind.TOOL_CALL, "function_call", old, name=string_of(old.members(), "name"))
            item.block(len(item.parts) - 1, "function_call", ("function", free_content(old)))
            known = _MESSAGE | {"function_call"}
        if pair_id is not None:
            item.block(0, "answers", ("id", pair_id.encode("utf-8", "surrogatepass")))
        if (rest := others(members, known)) is not None:
            item.block(0, "fields", ("fields", rest))
        return item.parsed()


def tool_specs(node: Node) -> list[Parsed]:
    """One item per tool spec, in the Chat shape (`function.name`) or the Responses one (`name`)."""
    found = []
    for spec in node.elements():
        members = block_members(spec)
        name = string_of(members, "name")
        function = members.get("function")
        if name is None and function is not None and function.kind == "object":
            name = string_of(function.members(), "name")
        item = Item(spec, "tool")
        item.part(Kind.TOOL_SPEC, "", spec, name=name, mark=mark_of(members))
        item.block(0, "tool", ("spec", free_content(spec, without="cache_control")))
        found.append(item.parsed())
    return found


def _kind(role: str) -> Kind:
    if role in _SYSTEM_ROLES:
        return Kind.SYSTEM
    if role in _RESULT_ROLES:
        return Kind.TOOL_RESULT
    return Kind.ASSISTANT_TEXT if role == "assistant" else Kind.USER_TEXT


def _content_part(item: Item, node: Node, path: str, kind: Kind, pair_id: str | None, mark: Mark | None) -> None:
    members = block_members(node)
    i_part = len(item.parts)
    mark = mark_of(members) or mark
    shape = string_of(members, "type") or ""
    if shape == "text" and "text" in members:
        item.part(kind, f"{path}.text", node, slot=members["text"], pair_id=pair_id, mark=mark)
        item.block(i_part, "text", ("text", text_bytes(members["text"])), ("more", others(members, _TEXT)))
    else:
        item.part(Kind.IMAGE if shape.startswith("image") else Kind.OTHER, path, node, pair_id=pair_id, mark=mark)
        item.block(i_part, shape or "unknown", ("block", free_content(node, without=MARK_KEYS)))


def _tool_call(item: Item, node: Node, path: str) -> None:
    members = block_members(node)
    function = members.get("function")
    inner = function.members() if function is not None and function.kind == "object" else {}
    item.part(Kind.TOOL_CALL, path, node, pair_id=string_of(members, "id"), name=string_of(inner, "name"))
    item.block(
        len(item.parts) - 1,
        "tool_call",
        ("id", free_content(members["id"]) if "id" in members else None),
        ("function", free_content(function) if function is not None else None),
        ("more", others(members, _CALL)),
    )
