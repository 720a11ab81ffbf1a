"""Claude Code's messages: what its rows say, put together as it sends them.

All that the user's side says between two answers is one message, tool results first; the rows of one answer are one
message too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cgcli.dialects import named
from cgcli.dialects.base import string_of
from cgcli.model import unique, value
from cgcli.readers import usage
from cgcli.readers.spelling import array_of, message, object_of, spell, text_block
from cgcli.wire.spans import Document, Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cgcli.model import Usage
    from cgcli.wire.spans import Node

SYNTHETIC = "<synthetic>"
"""What a row has for a model that Claude Code wrote itself."""
ANTHROPIC = named("anthropic")
Check = Callable[[bytes], None]
"""Reads a message, so that one that cannot be used is left out alone; raises `Malformed`."""
_CALLS = ("tool_use",)
_KEPT = ("id", "type", "role", "model", "stop_reason", "stop_sequence", "usage")
"""Fields of an answer that are taken over; the rest is Claude Code's own."""


@value
class Block:
    """One content block."""

    written: bytes
    calls: str | None = None
    """The id of a tool call."""
    answers: str | None = None
    """The id of the call that a tool result is of."""


@unique
class Content:
    """What one row says."""

    blocks: tuple[Block, ...]
    literal: bytes | None = None
    """The string, quotes included, where the content is one."""

    @property
    def is_result(self) -> bool:
        """True where a tool result is in it."""
        return any(block.answers is not None for block in self.blocks)


@unique
class Part:
    """One row of an answer."""

    message_id: str | None
    model: str | None
    content: Content
    fields: Mapping[str, bytes]
    usage: Usage | None


def content_of(node: Node | None, check: Check, *, role: str = "user") -> Content:
    """What stands under `content` of a message that *role* says; *check* reads such a message.

    Raises:
        Malformed: nothing that could be sent.
    """
    if node is None or node.kind not in ("string", "array"):
        raise Malformed("no_content", "the message has no content")
    if node.kind == "string":
        node.text()
        return Content(blocks=(_text(node),), literal=node.bytes())
    blocks = tuple(_block(element) for element in node.elements() if element.kind in ("object", "string"))
    check(message(role, (block.written for block in blocks)))
    return Content(blocks=blocks)


def result_of(members: Mapping[str, Node], check: Check) -> Content:
    """The tool result that a row is by itself.

    Raises:
        Malformed: it does not say of which call.
    """
    call, content = members.get("tool_use_id"), members.get("content")
    if call is None or call.kind != "string":
        raise Malformed("no_content", "the tool result names no call")
    written = object_of(
        {
            "type": spell("tool_result"),
            "tool_use_id": call.bytes(),
            "content": content.bytes() if content is not None else None,
        }
    )
    return content_of(Document(array_of([written])).root(), check)


def part_of(members: Mapping[str, Node], check: Check) -> Part:
    """One row's share of an answer, from the *members* of its `message`.

    Raises:
        Malformed: no content in it, or not usable JSON.
    """
    told = {key: node for key, node in members.items() if key in _KEPT}
    values = {key: node.value() for key, node in told.items()}
    return Part(
        message_id=string_of(members, "id"),
        model=string_of(members, "model"),
        content=content_of(members.get("content"), check, role="assistant"),
        fields={key: node.bytes() for key, node in told.items()},
        usage=usage.of_answer(values),
    )


def user_message(contents: Sequence[Content]) -> bytes | None:
    """One user message of *contents*, results first; None where nothing is said."""
    if len(contents) == 1 and contents[0].literal is not None:
        return object_of({"role": spell("user"), "content": contents[0].literal})
    blocks = list(_once(block for content in contents for block in content.blocks))
    blocks.sort(key=lambda block: block.answers is None)
    return message("user", (block.written for block in blocks)) if blocks else None


class Answer:
    """An answer, row by row."""

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        """Begin with no row."""
        self._parts: list[Part] = []

    def add(self, part: Part) -> None:
        """Take the next row."""
        self._parts.append(part)

    @property
    def model(self) -> str | None:
        """The model that answered."""
        return self._parts[0].model

    @property
    def calls(self) -> frozenset[str]:
        """The ids of its tool calls."""
        return frozenset(block.calls for part in self._parts for block in part.content.blocks if block.calls)

    @property
    def usage(self) -> Usage | None:
        """Its usage, which each row repeats: the one with the most output, which is counted while the answer comes."""
        return self._billed().usage

    def message(self) -> bytes | None:
        """The message that later requests have of it; None where nothing is in it."""
        content = self._content()
        return object_of({"role": spell("assistant"), "content": content}) if content is not None else None

    def whole(self) -> bytes:
        """The answer as the provider gave it, as far as the rows have it."""
        billed = self._billed()
        fields: dict[str, bytes | None] = {**self._parts[-1].fields, "content": self._content() or b"[]"}
        fields["role"] = spell("assistant")
        if "usage" in billed.fields:
            fields["usage"] = billed.fields["usage"]
        return object_of(fields)

    def _billed(self) -> Part:
        return max(reversed(self._parts), key=lambda part: _output(part.usage))

    def _content(self) -> bytes | None:
        if len(self._parts) == 1 and self._parts[0].content.literal is not None:
            return self._parts[0].content.literal
        blocks = [block.written for block in _once(b for part in self._parts for b in part.content.blocks)]
        return array_of(blocks) if blocks else None


def _output(billed: Usage | None) -> int:
    """What tells the rows' figures apart; a row without any is the last to be believed."""
    return -1 if billed is None else billed.output or 0


def _once(blocks: Iterable[Block]) -> Iterable[Block]:
    """*blocks* without a second call or result of one id."""
    seen: set[tuple[str | None, str | None]] = set()
    for block in blocks:
        key = (block.calls, block.answers)
        if key != (None, None) and key in seen:
            continue
        seen.add(key)
        yield block


def _block(node: Node) -> Block:
    if node.kind == "string":
        return _text(node)
    members = node.members()
    kind = string_of(members, "type")
    return Block(
        written=node.bytes(),
        calls=string_of(members, "id") if kind in _CALLS else None,
        answers=string_of(members, "tool_use_id") if kind == "tool_result" else None,
    )


def _text(node: Node) -> Block:
    return Block(written=text_block(node.bytes()))
