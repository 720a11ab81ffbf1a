"""Bodies and messages put together from what a history says, its JSON taken over as it is written."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


_ENCODER = json.JSONEncoder(separators=(",", ":"))


def spell(given: Any) -> bytes:
    """*given* as JSON without white space; lone surrogates stay escapes."""
    return _ENCODER.encode(given).encode()


def object_of(members: Mapping[str, bytes | None]) -> bytes:
    """A JSON object of *members*, each written already; what is None is left out."""
    return b"{%s}" % b",".join([_key(key) + written for key, written in members.items() if written])


def array_of(elements: Iterable[bytes]) -> bytes:
    """A JSON array of *elements*, each written already."""
    return b"[%s]" % b",".join(elements)


def body(messages: Iterable[bytes], *, key: str = "messages", **members: bytes | None) -> tuple[bytes, ...]:
    """A request body in pieces: *members*, then *messages* under *key* (`input` for Responses).

    Joined they are the body. Requests repeat their history: a message that is the same object each time is not copied
    before the whole line is.
    """
    before = b"".join([_key(name) + written + b"," for name, written in members.items() if written])
    said = [*messages]
    spaced = [b","] * (2 * len(said) - 1)
    spaced[::2] = said
    return (b"{" + before + _key(key) + b"[", *spaced, b"]}")


def message(role: str, blocks: Iterable[bytes]) -> bytes:
    """A message of content *blocks*, each written already."""
    return object_of({"role": spell(role), "content": array_of(blocks)})


def text_block(text: bytes | None) -> bytes:
    """A text block of Anthropic's, around a string that is written already."""
    return object_of({"type": spell("text"), "text": text})


@lru_cache(maxsize=256)
def _key(name: str) -> bytes:
    """A member's name, and the colon behind it."""
    return spell(name) + b":"
