"""What pi's messages say, in Anthropic's spelling, whatever provider they went to.

Made as pi's own provider for Anthropic does it (packages/ai and packages/coding-agent of pi-mono, March 2026).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.dialects import named
from cgcli.dialects.base import string_of
from cgcli.model import value
from cgcli.readers.fields import elements_of, is_true, members_of, value_at
from cgcli.readers.histories.sound import check_message
from cgcli.readers.spelling import array_of, message, object_of, spell, text_block

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cgcli.wire.spans import Node

    Members = Mapping[str, Node]

_ANTHROPIC = named("anthropic")
_COMPACTED = (
    "The conversation history before this point was compacted into the following summary:\n\n<summary>\n",
    "\n</summary>",
)
_CAME_BACK = (
    "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
    "</summary>",
)


@value
class Said:
    """What an entry adds to the history."""

    role: str
    blocks: tuple[bytes, ...]
    calls: tuple[bytes, ...] = ()
    """The ids of the tool calls in it, as they are written."""
    answers: bytes | None = None
    """The id of the call that it is the result of; results that follow one another are one message."""


def said(members: Members) -> Said | None:
    """What the message with these *members* adds; None for nothing, or for a role that is not known.

    Raises:
        Malformed: it cannot be used.
    """
    spell_it = _ROLES.get(string_of(members, "role") or "")
    return _checked(spell_it(members)) if spell_it is not None else None


def custom(members: Members) -> Said | None:
    """What an extension adds with an entry of its own, which has these *members*; None for nothing.

    Raises:
        Malformed: it cannot be used.
    """
    return _checked(_person(members))


def _checked(found: Said | None) -> Said | None:
    if found is None or not found.blocks:
        return None
    check_message(message(found.role, found.blocks), _ANTHROPIC)
    return found


def compaction_summary(text: str) -> Said:
    """What stands before the kept messages after a compaction."""
    return Said(role="user", blocks=(text_block(spell(text.join(_COMPACTED))),))


def branch_summary(text: str) -> Said | None:
    """What is told of a branch that was left; nothing where there is no text."""
    return Said(role="user", blocks=(text_block(spell(text.join(_CAME_BACK))),)) if text else None


def no_result(call: bytes) -> Said:
    """What pi sends for a *call* that was never answered, as no provider takes one without a result."""
    told = {"type": spell("tool_result"), "tool_use_id": call or None, "content": spell("No result provided")}
    return Said(role="user", blocks=(object_of({**told, "is_error": b"true"}),), answers=call)


def _person(members: Members) -> Said:
    return Said(role="user", blocks=_blocks(members.get("content")))


def _assistant(members: Members) -> Said:
    content = members.get("content")
    blocks = [members_of(node) for node in elements_of(content)]
    calls = tuple(_id(block.get("id")) for block in blocks if string_of(block, "type") == "toolCall")
    return Said(role="assistant", blocks=_blocks(content), calls=calls)


def _result(members: Members) -> Said:
    content = members.get("content")
    blocks = _blocks(content)
    parts = [members_of(node) for node in elements_of(content)]
    lone = parts[0].get("text") if len(parts) == 1 and string_of(parts[0], "type") == "text" else content
    is_text = lone is not None and lone.kind == "string"
    block = object_of(
        {
            "type": spell("tool_result"),
            "tool_use_id": _string(members, "toolCallId"),
            "content": lone.bytes() if is_text and lone is not None else array_of(blocks),
            "is_error": b"true" if is_true(members, "isError") else None,
        }
    )
    return Said(role="user", blocks=(block,), answers=_id(members.get("toolCallId")))


def _command(members: Members) -> Said | None:
    """A command that the person ran, as pi tells the model of it."""
    if is_true(members, "excludeFromContext"):
        return None
    output = string_of(members, "output")
    text = f"Ran `{string_of(members, 'command') or ''}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    code = value_at(members, "exitCode")
    if is_true(members, "cancelled"):
        text += "\n\n(command cancelled)"
    elif isinstance(code, int) and code:
        text += f"\n\nCommand exited with code {code}"
    path = string_of(members, "fullOutputPath")
    if path and is_true(members, "truncated"):
        text += f"\n\n[Output truncated. Full output: {path}]"
    return Said(role="user", blocks=(text_block(spell(text)),))


_ROLES: dict[str, Callable[[Members], Said | None]] = {
    "user": _person,
    "custom": _person,
    "hookMessage": _person,
    "assistant": _assistant,
    "toolResult": _result,
    "bashExecution": _command,
    "branchSummary": lambda members: branch_summary(string_of(members, "summary") or ""),
    "compactionSummary": lambda members: compaction_summary(string_of(members, "summary") or ""),
}
ROLES = frozenset(_ROLES)
"""The roles that are understood."""


def _blocks(content: Node | None) -> tuple[bytes, ...]:
    """The blocks of *content*, which may be a string."""
    if content is not None and content.kind == "string":
        return () if not content.text().strip() else (text_block(content.bytes()),)
    spelled = (_block(node, node.members()) for node in elements_of(content) if node.kind == "object")
    return tuple(block for block in spelled if block is not None)


def _block(node: Node, members: Members) -> bytes | None:
    """One block; None for a blank one, which no provider takes. One of another type is taken over as it is."""
    kind = string_of(members, "type")
    if kind == "text":
        text = members.get("text")
        blank = text is None or text.kind != "string" or not text.text().strip()
        return None if blank else text_block(_string(members, "text"))
    if kind == "thinking":
        return _thinking(members)
    if kind == "toolCall":
        arguments = members.get("arguments")
        return object_of(
            {
                "type": spell("tool_use"),
                "id": _string(members, "id"),
                "name": _string(members, "name"),
                "input": arguments.bytes() if arguments is not None and arguments.kind == "object" else b"{}",
            }
        )
    if kind == "image":
        source = {"type": spell("base64"), "media_type": _string(members, "mimeType"), "data": _string(members, "data")}
        return object_of({"type": spell("image"), "source": object_of(source)})
    return node.bytes()


def _thinking(members: Members) -> bytes | None:
    """Thinking with its signature, where there is one; what the provider hid has nothing else."""
    signature = _string(members, "thinkingSignature") if string_of(members, "thinkingSignature") else None
    if is_true(members, "redacted"):
        return object_of({"type": spell("redacted_thinking"), "data": signature})
    if not (string_of(members, "thinking") or "").strip():
        return None
    return object_of({"type": spell("thinking"), "thinking": _string(members, "thinking"), "signature": signature})


def _string(members: Members, key: str) -> bytes | None:
    """The string under *key* as it is written; None where there is none."""
    node = members.get(key)
    return node.bytes() if node is not None and node.kind == "string" else None


def _id(node: Node | None) -> bytes:
    return node.bytes() if node is not None and node.kind == "string" else b""
