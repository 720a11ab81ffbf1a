"""Model calls in logs of HTTP traffic: which calls they are, the body, and the answer as the log keeps it.

Only bodies are looked at: no header, no URL and no query string goes any further.
"""

from __future__ import annotations

import base64
import re
import zlib
from functools import partial
from typing import TYPE_CHECKING

from cgcli.model import value
from cgcli.readers import answers
from cgcli.readers import usage as usages
from cgcli.readers.base import Passed
from cgcli.wire.spans import Document, Malformed

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.model import Usage
    from cgcli.wire.spans import Node

NOT_A_CALL = Passed(reason="not_a_messages_call", usable=True)
_ENDS = ("/messages", "/chat/completions", "/responses")
_CLOUD = re.compile(r"/model/[^/]+/invoke(?:-with-response-stream)?|:(?:stream)?rawpredict", re.IGNORECASE)
"""Bedrock's and Vertex's paths for a model's own body."""
_LONE = re.compile("[\ud800-\udfff]")
_PACKED = (b"\x1f\x8b", b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
_MOST_UNPACKED_BYTES = 256 << 20


@value
class Answered:
    """What a log says of the answer."""

    find: Callable[[], bytes | None] | None = None
    usage: Usage | None = None


NOT_ANSWERED = Answered()


def is_model_call(method: str | None, url: str | None) -> bool:
    """True for a POST to a path that a model answers at; counting tokens, batches and files are none."""
    if url is None or (method or "POST").upper() != "POST":
        return False
    path = url.split("?", 1)[0].split("#", 1)[0].rstrip("/")
    return path.endswith(_ENDS) or any(match.end() == len(path) for match in _CLOUD.finditer(path))


def checked_body(written: bytes) -> bytes:
    """*written*, which is a request body.

    Raises:
        Malformed: it is no JSON object with messages or input, or not UTF-8.
    """
    members = Document(written).root().members()
    if "messages" not in members and "input" not in members:
        raise Malformed("no_body", "the body has neither messages nor input")
    try:
        written.decode()  # the parser does not look into what it skips
    except UnicodeDecodeError as error:
        raise Malformed("invalid_utf8", f"not UTF-8 at byte {error.start} of the body") from error
    return written


def utf8(text: str) -> bytes:
    r"""*text*, which holds JSON, as bytes; a lone surrogate becomes the escape that JSON has for it."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _LONE.sub(lambda lone: f"\\u{ord(lone[0]):04x}", text).encode()


def json_of(node: Node | None) -> bytes:
    """The JSON that *node* is, or holds as a string; nothing where it is neither an object nor a string."""
    if node is None or node.kind not in ("object", "string"):
        return b""
    return node.bytes() if node.kind == "object" else utf8(node.text())


def answered(content: bytes) -> Answered:
    """The answer in *content*, one JSON object or an event stream; nothing where it is neither, or packed."""
    if content.lstrip()[:1] == b"{":
        return _whole(content)
    try:
        stream = content.decode()
    except UnicodeDecodeError:
        return NOT_ANSWERED
    return Answered(find=partial(answers.of_stream, stream), usage=usages.of_stream(stream))


def _whole(content: bytes) -> Answered:
    try:
        parsed = Document(content).root().value()
    except Malformed:
        return NOT_ANSWERED
    return Answered(find=partial(answers.of_body, content), usage=usages.of_answer(parsed))


def from_base64(text: str) -> bytes | None:
    """The bytes that *text* spells, with or without line ends in it; None where it is no base64."""
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except ValueError:
        return None


def unpacked(content: bytes) -> bytes:
    """*content*, unpacked where it is gzip or deflate.

    Raises:
        Malformed: it is damaged, or too large for one call.
    """
    if not content.startswith(_PACKED):
        return content
    unpack = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    try:
        out = unpack.decompress(content, _MOST_UNPACKED_BYTES)
    except zlib.error as error:
        raise Malformed("packed", f"the packed content is damaged: {error}") from error
    if not unpack.eof:
        raise Malformed("packed", "the packed content ends early, or is larger than 256 MB")
    return out
