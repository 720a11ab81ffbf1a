"""The rows of a Claude Code session, each as what it is to the conversation."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from cgcli.model import unique, value
from cgcli.readers.base import Passed, unusable
from cgcli.readers.fields import is_true
from cgcli.readers.histories.claude_code.messages import SYNTHETIC, Content, Part, content_of, part_of, result_of
from cgcli.readers.stamps import iso_s
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from cgcli.readers.histories.claude_code.messages import Check
    from cgcli.readers.records import Record

_SPEAKING = ("user", "assistant", "tool_result")


class Kind(Enum):
    """What a row is to the conversation."""

    USER = auto()
    """Something that the next request says: a prompt, a tool result, a note of Claude Code's."""
    ANSWER = auto()
    """A row of a model's answer."""
    SAID = auto()
    """An assistant message that no model gave; it is sent all the same."""
    BOUNDARY = auto()
    """The end of what was compacted."""
    LINK = auto()
    """Nothing that is sent; others hang on it."""


@value
class Kept:
    """What a compaction keeps word for word, by uuid."""

    anchor: str | None
    """The row that it comes after."""
    uuids: tuple[str, ...]
    head: str | None
    tail: str | None


@unique
class Line:
    """One row."""

    line: int
    kind: Kind
    uuid: str | None
    parent: str | None
    logical_parent: str | None
    """What stands before a compaction, which has no parent."""
    session: str | None
    agent: str | None
    is_side: bool
    is_summary: bool
    """The summary that a compacted conversation begins anew with."""
    time_s: float | None
    request: str | None
    """The provider's id of the request."""
    content: Content | None = None
    part: Part | None = None
    kept: Kept | None = None
    passed: Passed | None = None
    """Why it is no message, where that is worth counting."""

    @property
    def is_result(self) -> bool:
        """True where a tool result is in it."""
        return self.kind is Kind.USER and self.content is not None and self.content.is_result

    @property
    def party(self) -> tuple[bool, str | None]:
        """Who speaks: the main agent, or a sub-agent."""
        return self.is_side, self.agent


def line_of(record: Record, check: Check) -> Line | None:
    """The row that *record* is, its message read by *check*; None for one that no other hangs on and that says nothing.

    Raises:
        Malformed: it is not usable JSON.
    """
    kind = record.string("type")
    uuid = record.string("uuid")
    if uuid is None and kind not in _SPEAKING:
        return None
    content, part, passed, role = None, None, None, Kind.LINK
    try:
        role, content, part, passed = _said(record, kind, check)
    except Malformed as error:
        passed = unusable(error)
    return Line(
        line=record.line,
        kind=role,
        uuid=uuid,
        parent=record.string("parentUuid"),
        logical_parent=record.string("logicalParentUuid"),
        session=record.string("sessionId"),
        agent=record.string("agentId"),
        is_side=is_true(record.members, "isSidechain"),
        is_summary=is_true(record.members, "isCompactSummary"),
        time_s=iso_s(record.string("timestamp")),
        request=record.string("requestId"),
        content=content,
        part=part,
        kept=_kept(record.value("compactMetadata")) if role is Kind.BOUNDARY else None,
        passed=passed,
    )


_Said = tuple[Kind, Content | None, Part | None, Passed | None]


def _said(record: Record, kind: str | None, check: Check) -> _Said:
    """What the row says, by its type."""
    if kind == "system":
        return _system(record, check)
    if kind == "tool_result":
        return Kind.USER, result_of(record.members, check), None, None
    return _spoken(record, kind, check) if kind in _SPEAKING else (Kind.LINK, None, None, None)


def _spoken(record: Record, kind: str, check: Check) -> _Said:
    """What a user's or an assistant's row says.

    Raises:
        Malformed: nothing that can be sent.
    """
    node = record.members.get("message")
    if node is None or node.kind != "object":
        raise Malformed("no_message", "the row has no message")
    members = node.members()
    if kind == "user":
        return Kind.USER, content_of(members.get("content"), check), None, None
    if is_true(record.members, "isApiErrorMessage"):
        return Kind.LINK, None, None, Passed(reason="api_error", usable=True, detail="an error, no answer")
    part = part_of(members, check)
    if part.model == SYNTHETIC:
        return Kind.SAID, None, part, Passed(reason="synthetic", usable=True, detail="written by Claude Code itself")
    return Kind.ANSWER, None, part, None


def _system(record: Record, check: Check) -> _Said:
    """A boundary, what a local command printed, which is sent, or a note that is not."""
    subtype = record.string("subtype")
    if subtype == "compact_boundary":
        return Kind.BOUNDARY, None, None, None
    if subtype == "local_command" and (content := record.members.get("content")) is not None:
        return Kind.USER, content_of(content, check), None, None
    return Kind.LINK, None, None, None


def _kept(metadata: Any) -> Kept | None:
    """What the *metadata* of a boundary say to be kept; None where they name nothing."""
    told = metadata if isinstance(metadata, dict) else {}
    listed, segment = (_dict(told.get(key)) for key in ("preservedMessages", "preservedSegment"))
    uuids = listed.get("uuids")
    kept = Kept(
        anchor=_str(listed.get("anchorUuid")) or _str(segment.get("anchorUuid")),
        uuids=tuple(uuid for uuid in uuids if isinstance(uuid, str)) if isinstance(uuids, list) else (),
        head=_str(segment.get("headUuid")),
        tail=_str(segment.get("tailUuid")),
    )
    return kept if kept.uuids or (kept.head is not None and kept.tail is not None) else None


def _dict(given: Any) -> dict[str, Any]:
    return given if isinstance(given, dict) else {}


def _str(given: Any) -> str | None:
    return given if isinstance(given, str) else None
