"""A body somewhere in a record, under one of the paths that loggers use, as an object or as a string.

Where such a record has the answer beside it, as the same loggers write it, that and its usage are taken too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from cgcli.readers.base import Known, Opened, Passed
from cgcli.readers.bodies import KNOWN, is_body
from cgcli.readers.fields import members_of
from cgcli.readers.logs import calls
from cgcli.wire.quoted import inner_of
from cgcli.wire.spans import Document, Malformed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.readers.logs.calls import Answered
    from cgcli.wire.spans import Node

PATHS = (
    ("request", "body"),
    ("request_json",),
    ("requestBody",),
    ("request_body",),
    ("raw", "request"),
    ("call", "request"),
    ("params",),
    ("body",),
    ("raw",),
    ("request",),
    ("response",),
)
"""Where a body may stand, in the order in which they are tried."""

ANSWERS: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("request", "body"): ("response", "body"),
    ("request_json",): ("response_json",),
    ("requestBody",): ("responseBody",),
    ("request_body",): ("response_body",),
    ("raw", "request"): ("raw", "response"),
    ("call", "request"): ("call", "response"),
    ("request",): ("response",),
}
"""Where the answer stands to a body at each path: an object, or a string that holds one, or an event stream."""

_OBJECT = re.compile(rb"\s*+\{")
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
        members = members_of(record)
        found = _find(members)
        if found is None:
            return Passed(reason="no_body", usable=True)
        path, body = found
        session = next((s for key in _SESSION_KEYS if key in members and (s := members[key].string())), None)
        answer = _answer(members, path)
        return Opened(body=body, session_id=session, find_answer=answer.find, usage=answer.usage)


def _find(members: Mapping[str, Node]) -> tuple[tuple[str, ...], Node] | None:
    for path in PATHS:
        node = _at(members, path)
        if node is not None and _looks_like_body(node):
            return path, node
    return None


def _answer(members: Mapping[str, Node], path: tuple[str, ...]) -> Answered:
    """The answer to the body at *path*; nothing where it cannot be used."""
    try:
        node = _at(members, ANSWERS[path]) if path in ANSWERS else None
        if node is None or node.kind not in ("object", "string"):
            return calls.NOT_ANSWERED
        return calls.answered(calls.json_of(node))
    except Malformed:
        return calls.NOT_ANSWERED


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
            inner = inner_of(node.view())
            if not _OBJECT.match(inner) or (b'"messages"' not in inner and b'"input"' not in inner):
                return False
            return is_body(Document(inner).root().members())
        if node.kind != "object":
            return False
        return is_body(node.members(), may_have_hole=True)
    except Malformed:
        return False
