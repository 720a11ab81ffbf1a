"""The members of a body beside its tools, system prompt and messages, read without touching those."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cgcli.wire.spans import Document, Malformed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.model import Request

_HOLE = b"0"


@lru_cache(maxsize=1)
def settings(request: Request) -> dict[str, Any]:
    """Every member of the body, not to be changed; lists of items have a stand-in in them.

    Costs what these members measure. What cannot be read (nested too deeply) gives no members at all.
    """
    try:
        found = Document(b"".join(_outside(request))).root().value()
    except Malformed:
        return {}
    return found if isinstance(found, dict) else {}


def _outside(request: Request) -> Iterator[bytes]:
    """The body with one digit in the place of each run of items."""
    runs = sorted(
        (starts[0], starts[-1] + items[-1].size_bytes)
        for items, starts in (
            (request.tools, request.tools_starts),
            (request.system, request.system_starts),
            (request.messages, request.starts),
        )
        if items
    )
    at = 0
    for start, stop in runs:
        yield bytes(request.raw[at:start])
        yield _HOLE
        at = stop
    yield bytes(request.raw[at:])
