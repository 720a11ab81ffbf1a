"""The lines of a Codex rollout in one shape, whichever version wrote them.

New: `{timestamp, type, payload}`, or the payload's own keys beside the first two. Old: a head
`{id, timestamp, instructions}`, then bare items, with `{record_type: state}` between them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.dialects.base import string_of
from cgcli.model import unique
from cgcli.readers.spelling import object_of
from cgcli.readers.stamps import iso_s
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.readers.records import Record
    from cgcli.wire.spans import Node

HEAD, TURN, ITEM, EVENT, COMPACTED = "session_meta", "turn_context", "response_item", "event_msg", "compacted"
KINDS = frozenset({HEAD, TURN, ITEM, EVENT, COMPACTED})
MADE = frozenset({"reasoning", "compaction", "compaction_summary", "context_compaction"})
"""Items of the model that are neither a message nor a call."""
NEVER_SENT = frozenset({"ghost_snapshot", "compaction_trigger", "other"})
_ENVELOPE = frozenset({"timestamp", "ordinal"})
_OLD_HEAD = frozenset({"id", "timestamp", "instructions"})


@unique
class Line:
    """What a line says."""

    line: int
    kind: str
    """One of `KINDS`."""
    at_s: float | None
    members: Mapping[str, Node]
    written: bytes
    """An item, as it is sent."""

    @property
    def item(self) -> str:
        """The type of an item or an event."""
        return item_type(self.members)


def is_rollout(members: Mapping[str, Node]) -> bool:
    """True for a record that only a rollout has."""
    kind = string_of(members, "type")
    return ("payload" in members and "timestamp" in members and kind in KINDS) or is_old_head(members)


def is_old_head(members: Mapping[str, Node]) -> bool:
    """True for the first line of an old rollout."""
    return members.keys() >= _OLD_HEAD and not members.keys() & {"type", "model", "input", "messages"}


def line_of(record: Record) -> Line | None:
    """What *record* says; None for one that has no part in the conversation.

    Raises:
        Malformed: it cannot be used.
    """
    members = record.members
    kind = string_of(members, "type")
    at_s = iso_s(record.value("timestamp"))
    if is_old_head(members):
        return Line(line=record.line, kind=HEAD, at_s=at_s, members=members, written=b"")
    payload = members.get("payload")
    if payload is not None:
        if kind not in KINDS:
            return None
        if payload.kind != "object":
            raise Malformed("not_an_object", f"the payload of a {kind} is no JSON object")
        return Line(line=record.line, kind=kind, at_s=at_s, members=payload.members(), written=payload.bytes())
    if kind in KINDS - {ITEM, EVENT}:
        return Line(line=record.line, kind=kind, at_s=at_s, members=members, written=b"")
    if not is_item(kind):
        return None
    written = object_of({key: node.bytes() for key, node in members.items() if key not in _ENVELOPE})
    return Line(line=record.line, kind=ITEM, at_s=at_s, members=members, written=written)


def item_type(members: Mapping[str, Node]) -> str:
    """The type of an item; `message` where it has a role and no type."""
    return string_of(members, "type") or ("message" if "role" in members else "")


def is_item(kind: str | None) -> bool:
    """True for the type of an item that models are sent or make."""
    return kind is not None and (kind == "message" or kind in MADE or kind.endswith(("_call", "_output")))


def is_made(item: str, role: str | None) -> bool:
    """True for an item that the model made: reasoning, calls, its own messages."""
    return role == "assistant" if item == "message" else item in MADE or item.endswith("_call")
