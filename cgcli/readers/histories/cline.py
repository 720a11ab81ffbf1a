"""Cline's sessions: the messages of a task, bare or with what is known of it, and what a compaction left of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cgcli.dialects import named
from cgcli.dialects.base import string_of
from cgcli.model import Section, unique
from cgcli.readers import spelling
from cgcli.readers.base import Known
from cgcli.readers.derived import NEITHER, Derived, Missed
from cgcli.readers.fields import Lines, count_at, elements_of, members_of, or_missed, value_at
from cgcli.readers.histories.sound import check_message
from cgcli.readers.records import Record, records
from cgcli.readers.spelling import spell
from cgcli.readers.stamps import number_s
from cgcli.readers.usage import inclusive
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.model import Usage
    from cgcli.readers.piece import Piece
    from cgcli.wire.spans import Node

_ANTHROPIC = named("anthropic")
_SESSION = frozenset({"messages", "sessionId", "agent"})
_ROLES = frozenset({"user", "assistant"})
_BARE = frozenset({"role", "content", "ts", "id", "modelInfo", "metrics", "metadata"})
_BLOCKS = frozenset({"text", "image", "document", "file", "tool_use", "tool_result", "thinking", "redacted_thinking"})
_MS_PER_S = 1000


class Cline:
    """Cline's session."""

    name: ClassVar[str] = "cline"
    known: ClassVar[Known] = Known(tools=False, system=True, usage=True, response=True, time=True)
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = True

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record is a session, or the records are nothing but Anthropic's messages with blocks in them."""
        return any(_is_session(members) for members in sample) or _are_bare(sample)

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request for each answer that was given to the messages before it."""
        bare: _Task | None = None
        for record in records(pieces):
            if isinstance(record, Missed):
                yield record
            elif _is_session(record.members):
                yield from _of_session(record)
            else:
                bare = bare or _Task(session_id=None, system=None)
                yield from bare.taken(record.node, record.line)
        if bare is not None:
            yield from bare.left_over()


def _is_session(members: Mapping[str, Node]) -> bool:
    return members.keys() >= _SESSION and ("system_prompt" in members or "updated_at" in members)


def _are_bare(sample: Sequence[Mapping[str, Node]]) -> bool:
    """True for messages of the two roles, of which one has a list of Anthropic's blocks."""
    if not sample or string_of(sample[0], "role") != "user":
        return False
    if any(string_of(members, "role") not in _ROLES or members.keys() - _BARE for members in sample):
        return False
    kinds = [
        string_of(members_of(block), "type") for members in sample for block in elements_of(members.get("content"))
    ]
    return bool(kinds) and all(kind in _BLOCKS for kind in kinds)


def _of_session(record: Record) -> Iterator[Derived | Missed]:
    messages = or_missed(record.line, lambda: elements_of(record.members.get("messages")))
    if isinstance(messages, Missed):
        yield messages
        return
    system = record.members.get("system_prompt")
    task = _Task(
        session_id=_or_none(record.members, "sessionId"),
        system=system.bytes() if system is not None and system.kind == "string" else None,
    )
    lines = Lines(record.node.doc.raw, record.line)
    for node in messages:
        yield from task.taken(node, lines.of(node))
    yield from task.left_over()


def _or_none(members: Mapping[str, Node], key: str) -> str | None:
    try:
        return string_of(members, key)
    except Malformed:
        return None


@unique
class _Message:
    """One message of the file."""

    is_answer: bool
    written: bytes
    model: str | None
    usage: Usage | None
    stamp_s: float | None
    compacted_s: float | None
    """When the compaction was made that this message is the summary of; 0 where it does not say."""
    is_kept: bool
    """A compaction left it; what it answered is not what stands before it now."""


class _Task:
    """The messages of one task so far."""

    def __init__(self, *, session_id: str | None, system: bytes | None) -> None:
        """Nothing was said yet; *system* is the prompt, written as JSON."""
        self._session_id = session_id
        self._system = system
        self._said: list[bytes] = []
        self._last: _Message | None = None
        self._compacted_s: float | None = None
        self._kept_line: int | None = None
        """Where the last answer stands that a compaction left, as long as none was given after it."""

    def taken(self, node: Node, line: int) -> Iterator[Derived | Missed]:
        """The request that the message at *node* tells of, where it was given to the messages before it."""
        message = or_missed(line, partial(_message, node))
        if isinstance(message, Missed):
            yield message
            return
        if message.compacted_s is not None:
            self._compacted_s = message.compacted_s
        if message.is_answer and self._is_kept(message):
            self._kept_line = line
        elif message.is_answer and self._said:
            self._kept_line = None
            yield self._derived(message, line)
        self._said.append(message.written)
        self._last = message

    def left_over(self) -> Iterator[Derived | Missed]:
        """What a compaction left, where nothing was answered since: the next request begins with it."""
        if self._kept_line is not None:
            yield self._derived(None, self._kept_line)

    def _is_kept(self, message: _Message) -> bool:
        """True where a compaction left the answer: one older than the summary was not given to it."""
        if self._compacted_s is None or message.stamp_s is None:
            return message.is_kept
        return message.is_kept or message.stamp_s < self._compacted_s

    def _derived(self, answer: _Message | None, line: int) -> Derived:
        written = answer.written if answer is not None else None
        return Derived(
            body=spelling.body(
                self._said, model=spell(answer.model) if answer and answer.model else None, system=self._system
            ),
            line=line,
            provider="anthropic",
            session_id=self._session_id,
            sent_s=self._last.stamp_s if self._last is not None else None,
            answered_s=answer.stamp_s if answer is not None else None,
            find_answer=(lambda: written) if answer is not None else None,
            usage=answer.usage if answer is not None else None,
            unrecorded=NEITHER if self._system is None else frozenset({Section.TOOLS}),
        )


def _message(node: Node) -> _Message:
    members = members_of(node)
    role = string_of(members, "role")
    content = members.get("content")
    if role not in _ROLES or content is None:
        raise Malformed("bad_shape", f"the message at byte {node.start} has no role, or no content")
    written = spelling.object_of({"role": spell(role), "content": content.bytes()})
    check_message(written, _ANTHROPIC)
    noted = members_of(members.get("metadata"))
    model = members_of(members.get("modelInfo"))
    return _Message(
        is_answer=role == "assistant",
        written=written,
        model=string_of(model, "id") or string_of(model, "modelId"),
        usage=_usage(members_of(members.get("metrics"))),
        stamp_s=number_s(value_at(members, "ts"), units_per_s=_MS_PER_S),
        compacted_s=_compacted_s(noted),
        is_kept=string_of(noted, "compaction") == "preserved",
    )


def _compacted_s(noted: Mapping[str, Node]) -> float | None:
    if string_of(noted, "kind") not in ("compaction", "compaction_summary"):
        return None
    return number_s(value_at(noted, "generatedAt"), units_per_s=_MS_PER_S) or 0.0


def _usage(metrics: Mapping[str, Node]) -> Usage | None:
    """What the answer billed; the input includes what was read and written.

    The extension's own `tokens` adds reads and writes up in one number, which cannot be taken apart.
    """
    total = count_at(metrics, "inputTokens")
    if not total:
        return None
    return inclusive(
        total=total,
        read=count_at(metrics, "cacheReadTokens") or 0,
        written=count_at(metrics, "cacheWriteTokens") or 0,
        output=count_at(metrics, "outputTokens"),
    )
