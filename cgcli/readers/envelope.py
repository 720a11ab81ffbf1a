"""A body somewhere in a record, under one of the paths that loggers use, as an object or as a string."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.readers.base import Known, Opened, Passed
from cgcli.readers.bodies import KNOWN, is_body
from cgcli.wire.spans import Document, Malformed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.wire.spans import Node

PATHS = (
    ("request", "body"),
    ("request_json",),
    ("requestBody",),
    ("raw", "request"),
    ("call", "request"),
    ("params",),
    ("body",),
    ("raw",),
    ("request",),
    ("response",),
)
"""Where a body may stand, in the order in which they are tried."""

_SESSION_KEYS = ("session_id", "sessionId", "session", "trace_id")


class Envelope:
    """A generic envelope around a body."""

    name: ClassVar[str] = "envelope"
    known: ClassVar[Known] = KNOWN
    independent: ClassVar[bool] = False
    go_escapes: ClassVar[bool] = False

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record holds a body under one of the paths."""
        return any(_find(members) is not None for members in sample)

    def open(self, record: Node) -> Opened | Passed:
        """The first path under which a body stands."""
        members = record.members() if record.kind == "object" else {}
        body = _find(members)
        if body is None:
            return Passed(reason="no_body", usable=True)
        session = next((s for key in _SESSION_KEYS if key in members and (s := members[key].string())), None)
        return Opened(body=body, session_id=session)


def _find(members: Mapping[str, Node]) -> Node | None:
    for path in PATHS:
        node = _at(members, path)
        if node is not None and _looks_like_body(node):
            return node
    return None


def _at(members: Mapping[str, Node], path: tuple[str, ...]) -> Node | None:
    node = members.get(path[0])
    for key in path[1:]:
        if node is None or node.kind != "object":
            return None
        node = node.members().get(key)
    return node


def _looks_like_body(node: Node) -> bool:
    """True for a body, and for a string that holds one; a hole in place of messages is one."""
    try:
        if node.kind == "string":
            text = node.text()
            if not text.lstrip().startswith("{") or ('"messages"' not in text and '"input"' not in text):
                return False
            return is_body(Document(text.encode("utf-8", "surrogatepass")).root().members())
        if node.kind != "object":
            return False
        return is_body(node.members(), may_have_hole=True)
    except Malformed:
        return False
