"""Bare request bodies: one a line, one alone, an array of them, or an object of them by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.readers.base import Known, Opened, Passed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.wire.spans import Node

KNOWN = Known(tools=True, system=True, usage=False, response=False, time=False)


def is_body(members: Mapping[str, Node], *, may_have_hole: bool = False) -> bool:
    """True where *members* are those of a request body: a list of messages or input items, each with a role or type.

    *may_have_hole*: a number in place of the first message is the incremental reader's stand-in for what it knows.
    """
    node = members.get("messages") or members.get("input")
    if node is None or node.kind not in ("array", "string"):
        return False
    if node.kind == "string":
        return "input" in members and "model" in members
    elements = node.elements()
    if not elements:
        return "model" in members
    if may_have_hole and elements[0].kind == "number":
        del elements[0]
    for element in elements[:3]:
        if element.kind != "object":
            return False
        keys = element.members()
        if not (
            ("role" in keys and ("content" in keys or "tool_calls" in keys)) or ("type" in keys and "input" in members)
        ):
            return False
    return not _HISTORY & members.keys()


_HISTORY = frozenset({"sessionId", "projectHash", "trajectory_format", "agent", "schema_version", "environment"})
"""Keys that say: a session history with messages in it, no request."""


class Bodies:
    """Bare bodies."""

    name: ClassVar[str] = "bodies"
    known: ClassVar[Known] = KNOWN
    independent: ClassVar[bool] = False
    go_escapes: ClassVar[bool] = False

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record is itself a body."""
        return any(is_body(members) for members in sample)

    def open(self, record: Node) -> Opened | Passed:
        """The record is the body."""
        if record.kind != "object":
            return Passed(reason="not_an_object", usable=False)
        members = record.members()
        if "messages" not in members and "input" not in members:
            return Passed(reason="no_body", usable=False)
        return Opened(body=record)
