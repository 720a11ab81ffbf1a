"""The entries of a pi session: where each hangs, what it adds to the history, and which of them are answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.dialects.base import string_of
from cgcli.model import Usage, unique, value
from cgcli.readers.fields import count, count_at, members_of, value_at
from cgcli.readers.histories.pi.messages import ROLES, Said, branch_summary, compaction_summary, custom, said
from cgcli.readers.stamps import iso_s, number_s
from cgcli.readers.usage import by_ttl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.readers.records import Record
    from cgcli.wire.spans import Node

_BROKEN_OFF = {"aborted": "aborted_turn", "error": "failed_turn"}
_NO_PROVIDER = "openclaw"
"""What OpenClaw writes down for messages that it put into the session itself: nobody was asked."""


@value
class Answered:
    """An assistant's entry."""

    model: str | None
    usage: Usage | None
    sent_s: float | None
    answered_s: float | None
    is_whole: bool
    no_request: str | None = None
    """Why it tells of no request: the reason's name."""


@value
class Compaction:
    """What stands for the history from here on."""

    summary: Said
    first_kept: int | None
    """The entry from which on the messages before it are kept; None where none are."""


@unique
class Entry:
    """One record of the session."""

    line: int
    parent: int | None
    """The number of the entry that it follows; always a smaller one."""
    said: Said | None = None
    answered: Answered | None = None
    compaction: Compaction | None = None
    unknown_role: str | None = None


class Entries:
    """The entries of one session in the order of the file; the header counts as one."""

    def __init__(self) -> None:
        """Begin with none."""
        self.all: list[Entry] = []
        self._by_id: dict[str, int] = {}

    def add(self, record: Record) -> None:
        """Take up *record*; one that cannot be used says nothing, and is counted all the same.

        Raises:
            Malformed: it cannot be used.
        """
        before = len(self.all) - 1 if self.all else None
        self.all.append(Entry(line=record.line, parent=before))
        kind = record.string("type")
        parent = self._parent(record.members, before)
        identity = record.string("id")
        if identity is not None and kind != "session":
            self._by_id[identity] = len(self.all) - 1
        self.all[-1] = Entry(line=record.line, parent=parent)
        self.all[-1] = self._entry(record, kind, parent)

    def _entry(self, record: Record, kind: str | None, parent: int | None) -> Entry:
        members = record.members
        if kind == "message":
            body = members_of(members.get("message"))
            role = string_of(body, "role")
            if role not in ROLES:
                return Entry(line=record.line, parent=parent, unknown_role=role or "")
            answered = _answered(record, body) if role == "assistant" else None
            broken = answered is not None and not answered.is_whole
            text = said(body)
            return Entry(line=record.line, parent=parent, said=None if broken else text, answered=answered)
        if kind == "compaction":
            kept = self._first_kept(members)
            made = Compaction(summary=compaction_summary(string_of(members, "summary") or ""), first_kept=kept)
            return Entry(line=record.line, parent=parent, compaction=made)
        if kind == "branch_summary":
            return Entry(line=record.line, parent=parent, said=branch_summary(string_of(members, "summary") or ""))
        if kind == "custom_message":
            return Entry(line=record.line, parent=parent, said=custom(members))
        return Entry(line=record.line, parent=parent)

    def _parent(self, members: Mapping[str, Node], before: int | None) -> int | None:
        """The entry it hangs on: the one *before* it where there is no tree, or where the one it names is lost."""
        node = members.get("parentId")
        if node is not None and node.kind == "null":
            return None
        named = node.string() if node is not None else None
        return self._by_id.get(named, before) if named is not None else before

    def _first_kept(self, members: Mapping[str, Node]) -> int | None:
        named = string_of(members, "firstKeptEntryId")
        if named is not None:
            return self._by_id.get(named)
        index = count_at(members, "firstKeptEntryIndex")
        return index if index is not None and 0 < index < len(self.all) - 1 else None


def _answered(record: Record, body: Mapping[str, Node]) -> Answered:
    broken_off = _BROKEN_OFF.get(string_of(body, "stopReason") or "")
    usage = _usage(value_at(body, "usage"))
    no_request = broken_off if usage is None else None
    if string_of(body, "provider") == _NO_PROVIDER:
        no_request = "no_model_call"
    return Answered(
        model=string_of(body, "model"),
        usage=usage,
        sent_s=number_s(value_at(body, "timestamp"), units_per_s=1000),
        answered_s=iso_s(record.value("timestamp")),
        is_whole=broken_off is None,
        no_request=no_request,
    )


def _usage(told: Any) -> Usage | None:
    """The usage that pi records, which is disjoint; None where all of it is zero: then nothing was reported.

    pi asks for the provider's short lifetime unless it is told otherwise, and does not record which.
    """
    if not isinstance(told, dict):
        return None
    fresh, read, written, output = (count(told.get(key)) for key in ("input", "cacheRead", "cacheWrite", "output"))
    if fresh is None or not any((fresh, read, written, output)):
        return None
    return Usage(fresh=fresh, read=read, write_by_ttl_s=by_ttl(written or 0), output=output)
