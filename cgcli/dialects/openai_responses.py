"""OpenAI Responses: `instructions`, `tools`, and `input` as a string or a list of items."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.dialects.base import Glance, Item, Parsed, block_members, mark_of, others, string_of, text_bytes
from cgcli.dialects.canonical import frame, free_content
from cgcli.dialects.openai_chat import tool_specs
from cgcli.model import Kind
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.dialects.canonical import Content
    from cgcli.wire.spans import Node

_MESSAGE = frozenset({"type", "role", "content"})
_TEXT = frozenset({"type", "text"})
_RESULT = frozenset({"type", "call_id", "output"})
CALLS = frozenset(
    {
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "shell_call",
        "computer_call",
        "apply_patch_call",
    }
)
_OUTPUTS = frozenset({f"{call}_output" for call in CALLS})
_TEXTS = frozenset({"input_text", "output_text", "text", "summary_text"})


class OpenAIResponses:
    """OpenAI Responses."""

    name: ClassVar[str] = "openai-responses"
    history: ClassVar[str] = "input"
    static: ClassVar[tuple[str, str]] = ("tools", "instructions")

    def fits(self, body: Mapping[str, Node], head: Sequence[Glance]) -> bool:
        """True for `input` without `messages`: a string, or items with a role or a type."""
        node = body.get("input")
        if node is None or "messages" in body:
            return False
        return node.kind == "string" or all(item.keys & {"role", "type"} for item in head)

    def is_certain(self, body: Mapping[str, Node], head: Sequence[Glance]) -> bool:
        """Always, where it fits: no other shape has `input`."""
        return "input" in body and not any("tool_calls" in item.keys for item in head)

    def tools(self, node: Node) -> list[Parsed]:
        """One item per tool spec."""
        return tool_specs(node)

    def system(self, node: Node) -> list[Parsed]:
        """The `instructions`, one item."""
        item = Item(node, "system")
        item.part(Kind.SYSTEM, "", node, slot=node)
        item.block(0, "text", ("text", text_bytes(node) if node.kind == "string" else free_content(node)))
        return [item.parsed()]

    def message(self, node: Node) -> Parsed:
        """One input item; a string input is one user message."""
        if node.kind == "string":
            item = Item(node, "user")
            item.part(Kind.USER_TEXT, "", node, slot=node)
            item.block(0, "text", ("text", text_bytes(node)))
            return item.parsed()
        members = block_members(node)
        shape = string_of(members, "type") or ("message" if "role" in members else "")
        if shape == "message":
            return _message(node, members)
        return _item(node, members, shape)


def _message(node: Node, members: Mapping[str, Node]) -> Parsed:
    role = string_of(members, "role") or ""
    item = Item(node, role)
    kind = {"assistant": Kind.ASSISTANT_TEXT, "system": Kind.SYSTEM, "developer": Kind.SYSTEM}.get(role, Kind.USER_TEXT)
    content = members.get("content")
    if content is None or content.kind == "null":
        pass
    elif content.kind == "string":
        item.part(kind, "content", content, slot=content)
        item.block(0, "text", ("text", text_bytes(content)))
    elif content.kind == "array":
        for i, block in enumerate(content.elements()):
            _content_part(item, block, f"content.{i}", kind)
    else:
        raise Malformed("bad_shape", f"the content of a message at byte {node.start} is neither string nor list")
    if (rest := others(members, _MESSAGE)) is not None:
        item.block(0, "fields", ("fields", rest))
    return item.parsed()


def _content_part(item: Item, node: Node, path: str, kind: Kind) -> None:
    members = block_members(node)
    shape = string_of(members, "type") or ""
    i_part = len(item.parts)
    if shape in _TEXTS and "text" in members:
        item.part(kind, f"{path}.text", node, slot=members["text"], mark=mark_of(members))
        item.block(i_part, "text", ("text", text_bytes(members["text"])), ("more", others(members, _TEXT)))
    else:
        item.part(Kind.IMAGE if "image" in shape else Kind.OTHER, path, node, mark=mark_of(members))
        item.block(i_part, shape or "unknown", ("block", free_content(node, without="prompt_cache_breakpoint")))


def _item(node: Node, members: Mapping[str, Node], shape: str) -> Parsed:
    """A call, its output, reasoning, or an item that passes through."""
    item = Item(node, "tool" if shape in _OUTPUTS else "assistant")
    if shape in _OUTPUTS:
        _output(item, node, members, shape)
        return item.parsed()
    if shape in CALLS:
        pair_id = string_of(members, "call_id") or string_of(members, "id")
        item.part(Kind.TOOL_CALL, "", node, pair_id=pair_id, name=string_of(members, "name"))
    else:
        item.part(Kind.THINKING if shape == "reasoning" else Kind.OTHER, "", node)
    item.block(0, shape or "unknown", ("item", free_content(node)))
    return item.parsed()


def _output(item: Item, node: Node, members: Mapping[str, Node], shape: str) -> None:
    pair_id = string_of(members, "call_id")
    output = members.get("output")
    inner: list[tuple[str, Content | None]] = []
    if output is not None and output.kind == "string":
        item.part(Kind.TOOL_RESULT, "output", node, slot=output, pair_id=pair_id)
        inner.append(("text", text_bytes(output)))
    elif output is not None and output.kind == "array":
        for k, block in enumerate(output.elements()):
            sub = block_members(block)
            if string_of(sub, "type") in _TEXTS and "text" in sub:
                item.part(
                    Kind.TOOL_RESULT,
                    f"output.{k}.text",
                    block,
                    slot=sub["text"],
                    pair_id=pair_id,
                    mark=mark_of(sub),
                )
                inner += [("text", text_bytes(sub["text"])), ("more", others(sub, _TEXT))]
            else:
                item.part(
                    Kind.IMAGE if "image" in (string_of(sub, "type") or "") else Kind.OTHER,
                    f"output.{k}",
                    block,
                    pair_id=pair_id,
                    mark=mark_of(sub),
                )
                inner.append(("block", free_content(block, without="prompt_cache_breakpoint")))
    elif output is not None:
        inner.append(("output", free_content(output)))
    if not item.parts:
        item.part(Kind.TOOL_RESULT, "", node, pair_id=pair_id)
    item.block(
        0,
        shape,
        ("id", (pair_id or "").encode("utf-8", "surrogatepass")),
        ("output", frame(inner)),
        ("more", others(members, _RESULT)),
    )
