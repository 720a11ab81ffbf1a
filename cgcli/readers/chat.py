"""Messages of Chat Completions, put together from what another shape says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.readers.spelling import array_of, object_of, spell

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from cgcli.wire.spans import Node

SENT = (
    "role",
    "content",
    "name",
    "tool_calls",
    "tool_call_id",
    "function_call",
    "reasoning_content",
    "thinking_blocks",
    "cache_control",
)
"""The keys of a message that LiteLLM sends on; agents keep others beside them."""


def sent(message: Mapping[str, Node], **more: bytes | None) -> bytes:
    """*message* without the keys that no provider gets; *more* stands for, or beside, its own."""
    kept = {key: node.bytes() for key, node in message.items() if key in SENT and _says(key, node)}
    return object_of({**kept, **more})


def _says(key: str, node: Node) -> bool:
    """False for what is null, or has another kind than the key's."""
    if key in ("tool_calls", "thinking_blocks"):
        return node.kind == "array"
    return node.kind != "null" or key == "content"


def text(role: str, said: str) -> bytes:
    """A message of plain text."""
    return object_of({"role": spell(role), "content": spell(said)})


def call(call_id: str, name: str, arguments: str) -> bytes:
    """A tool call; *arguments* are its JSON, as a string."""
    function = object_of({"name": spell(name), "arguments": spell(arguments)})
    return object_of({"id": spell(call_id), "type": spell("function"), "function": function})


def assistant(content: bytes | None, calls: Iterable[bytes]) -> bytes:
    """An assistant's message: its *content*, written already, and its calls."""
    written = tuple(calls)
    return object_of(
        {
            "role": spell("assistant"),
            "content": content or b"null",
            "tool_calls": array_of(written) if written else None,
        }
    )


def result(call_id: str, content: bytes) -> bytes:
    """The answer of a tool, its *content* written already."""
    return object_of({"role": spell("tool"), "tool_call_id": spell(call_id), "content": content})


def answer(message: bytes) -> bytes:
    """An answer whose one choice is *message*."""
    return object_of({"choices": array_of((object_of({"index": b"0", "message": message}),))})
