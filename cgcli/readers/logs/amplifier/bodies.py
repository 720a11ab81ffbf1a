"""The body in an event of Amplifier's log: the parameters that its provider gave to the provider's client."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.readers.fields import members_of
from cgcli.readers.logs import calls
from cgcli.readers.spelling import object_of
from cgcli.wire.spans import Document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.wire.spans import Node

REDACTED = re.compile(rb'"\[REDACTED[^"\\]*\]"')
BODY_KEYS = ("raw", "params", "raw_request")
"""Where versions have had the body, in an event's `data`."""
_CLIENT = frozenset(
    {"api_key", "auth_token", "betas", "extra_body", "extra_headers", "extra_query", "headers", "timeout"}
)
"""Parameters of a client that are not in the body it sends; `extra_body` is, but its members are."""


def body_in(data: Mapping[str, Node]) -> bytes | None:
    """The body in an event's *data*; None where there is none, or it stands elsewhere.

    Raises:
        Malformed: it cannot be used.
    """
    node = next((found for key in BODY_KEYS if (found := whole_object(data.get(key))) is not None), None)
    if node is None:
        return None
    members = node.members()
    if "messages" not in members and "input" not in members:
        return None
    if not members.keys() & _CLIENT:
        return node.bytes()
    more = {key: one.bytes() for key, one in members_of(members.get("extra_body")).items()}
    return object_of({**{key: one.bytes() for key, one in members.items() if key not in _CLIENT}, **more})


def whole_object(node: Node | None) -> Node | None:
    """The object that *node* is, or holds as a string; None for what is none, such as the name of a blob.

    Raises:
        Malformed: the string begins as an object, and is not whole.
    """
    if node is None or node.kind == "object":
        return node
    text = node.text().strip() if node.kind == "string" else ""
    if not text.startswith("{"):
        return None
    root = Document(calls.utf8(text)).root()
    root.members()
    return root
