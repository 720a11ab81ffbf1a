"""What a reader rebuilt from a history, as plain Python objects."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

from cgcli.errors import CgError
from cgcli.readers import read
from tests.running import FIXTURES

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]


def fixture(path: str) -> bytes:
    """The bytes of a fixture."""
    return (FIXTURES / path).read_bytes()


def requests(source: bytes | Path) -> list[Json]:
    """The requests in *source*, in the order in which they were sent, each as its line says it."""
    data = source if isinstance(source, bytes) else source.read_bytes()
    return [json.loads(entry.raw) for entry in read(BytesIO(data), file="f") if entry.exchange is not None]


def passed(data: bytes) -> list[tuple[int, str, bool]]:
    """Line, reason and usability of each record of *data* that is no request."""
    return [
        (entry.line, entry.passed.reason, entry.passed.usable)
        for entry in read(BytesIO(data), file="f")
        if entry.passed is not None
    ]


def is_sound(data: bytes) -> bool:
    """True where reading *data* ends in a known error, or every request that was rebuilt can be read."""
    try:
        entries = list(read(BytesIO(data), file="f"))
    except CgError:
        return True
    return all(entry.exchange is not None for entry in entries if entry.raw)


def said(request: Json) -> list[str]:
    """The messages of *request* as `role: what`, in short: texts, `!call`, `?call: result`."""
    return [f"{message['role']}: {_content(message['content'])}" for message in request["body"]["messages"]]


def _content(content: Any) -> str:
    if isinstance(content, str):
        return content
    return " | ".join(_block(block) for block in content)


def _block(block: Json) -> str:
    if block["type"] == "tool_use":
        return f"!{block['id']}"
    if block["type"] == "tool_result":
        return f"?{block['tool_use_id']}: {block['content']}"
    return str(block[block["type"]])


def billed(found: list[Json]) -> tuple[int, int, int, int]:
    """Fresh, read, written and output tokens of all *found* together."""
    usages = [request.get("usage", {}) for request in found]
    written = sum(sum(usage.get("write_by_ttl_s", {}).values()) for usage in usages)
    fresh, read_, output = (sum(usage.get(key, 0) for usage in usages) for key in ("fresh", "read", "output"))
    return fresh, read_, written, output
