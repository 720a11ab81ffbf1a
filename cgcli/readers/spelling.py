"""Bodies and messages put together from what a history says, its JSON taken over as it is written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def spell(given: Any) -> bytes:
    """*given* as JSON without white space; lone surrogates stay escapes."""
    return json.dumps(given, separators=(",", ":")).encode()


def object_of(members: Mapping[str, bytes | None]) -> bytes:
    """A JSON object of *members*, each written already; what is None is left out."""
    return b"{%s}" % b",".join(b"%s:%s" % (spell(key), written) for key, written in members.items() if written)


def array_of(elements: Iterable[bytes]) -> bytes:
    """A JSON array of *elements*, each written already."""
    return b"[%s]" % b",".join(elements)


def body(messages: Iterable[bytes], *, key: str = "messages", **members: bytes | None) -> bytes:
    """A request body: *members*, then *messages* under *key* (`input` for Responses)."""
    return object_of({**members, key: array_of(messages)})


def message(role: str, blocks: Iterable[bytes]) -> bytes:
    """A message of content *blocks*, each written already."""
    return object_of({"role": spell(role), "content": array_of(blocks)})


def text_block(text: bytes | None) -> bytes:
    """A text block of Anthropic's, around a string that is written already."""
    return object_of({"type": spell("text"), "text": text})
