"""Edits of a request's bytes: put a message behind, take a run of messages out, add a member; nothing else changes.

Every function gives `(start, stop, new)` in bytes of the request. Positions come from the parsed request, so that it
does not matter how a body is spelled or what stands behind its messages.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from cgcli.dialects.settings import settings
from cgcli.rope import plain
from cgcli.wire.spans import Document
from cgcli.wire.splice import splice
from cgcli.wire.strings import Style, encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cgcli.model import Request

Edit = tuple[int, int, bytes]
_SPACE = b" \t\n\r"


def message(role: str, content: bytes) -> bytes:
    """A message with *content*, which is JSON."""
    return b'{"role":"%s","content":%s}' % (role.encode(), content)


def quoted(text: str, style: Style | None) -> bytes:
    """*text* as a JSON string; without a *style* as `json.dumps` spells it."""
    return encode(text, style if style is not None else Style.ASCII)


def is_string_input(request: Request) -> bool:
    """True where the history is one string (Responses), which stands for a user's message."""
    return request.dialect == "openai-responses" and request.messages[0].wire[:1] == b'"'


def end_of(request: Request, i_message: int) -> int:
    """The byte behind message *i_message*."""
    return request.starts[i_message] + request.messages[i_message].size_bytes


def append(request: Request, new: bytes) -> list[Edit]:
    """Put the message *new* behind the last one.

    Raises:
        ValueError: there are no messages.
    """
    n = len(request.messages)
    return replace(request, n, n, (new,))


def replace(request: Request, start: int, stop: int, new: Sequence[bytes]) -> list[Edit]:
    """Put the messages *new* in the place of messages *start* to *stop*; none of either: put in, or take out.

    A history that is a string becomes a list.

    Raises:
        ValueError: there are no messages, or not those.
    """
    n = len(request.messages)
    if not n or not 0 <= start <= stop <= n:
        raise ValueError(f"messages {start} to {stop} of {n}")
    joined = b",".join(new)
    if is_string_input(request):
        return _replace_string(request, start, stop, joined)
    first = request.starts[start] if start < n else end_of(request, n - 1)
    if new and start < stop:
        return [(first, end_of(request, stop - 1), joined)]
    if new:
        return [(first, first, joined + b"," if start < n else b"," + joined)]
    if start == stop:
        return []
    if stop < n:
        return [(first, request.starts[stop], b"")]
    return [(end_of(request, start - 1) if start else first, end_of(request, n - 1), b"")]


def _replace_string(request: Request, start: int, stop: int, joined: bytes) -> list[Edit]:
    """The same for the one message that a string stands for, whose text stays as it is written."""
    first, end = request.starts[0], end_of(request, 0)
    if start < stop:
        return [(first, end, b"[" + joined + b"]")]
    if not joined:
        return []
    before = b"[" + joined + b"," if start == 0 else b"["
    behind = b"]" if start == 0 else b"," + joined + b"]"
    return [(first, first, before + b'{"role":"user","content":'), (end, end, b"}" + behind)]


def set_member(request: Request, name: str, member: bytes) -> Edit:
    """Add the member *name* with the JSON *member* at the end of the body, or put it in the place of a `null`.

    Raises:
        ValueError: the body has that member, and it is not null.
    """
    outside = settings(request)
    if outside.get(name) is not None:
        raise ValueError(f"the body has `{name}` already")
    if name in outside:
        node = Document(bytes(request.raw)).root().members()[name]
        return node.start, node.stop, member
    raw = plain(request.raw)
    at = len(raw) - 1
    while raw[at - 1] in _SPACE:
        at -= 1
    return at, at, b"," + json.dumps(name).encode() + b":" + member


def edited(request: Request, edits: Iterable[Edit]) -> bytes:
    """The body after *edits*, which may come in any order.

    Raises:
        ValueError: two of them overlap.
    """
    return splice(bytes(request.raw), sorted(edits, key=lambda edit: edit[:2]))
