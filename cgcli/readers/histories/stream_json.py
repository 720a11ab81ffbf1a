"""What `claude -p --output-format stream-json` prints, and what the Agent SDK exchanges: events as they happen.

One event a line, one JSON array, pretty-printed objects one after another, or an SDK recording
(`{"messages": [{"direction": …, "message": …}]}`). The list of tools is a list of names, the system prompt is not told,
and the prompt only where it was sent as an event, so a first request may have no message at all.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cgcli.dialects.base import string_of
from cgcli.model import unique
from cgcli.readers.base import Known, Passed, unusable
from cgcli.readers.derived import NEITHER, Derived, Missed
from cgcli.readers.fields import is_true
from cgcli.readers.histories.claude_code.messages import (
    ANTHROPIC,
    SYNTHETIC,
    Answer,
    Content,
    content_of,
    part_of,
    user_message,
)
from cgcli.readers.histories.sound import check_message
from cgcli.readers.records import records
from cgcli.readers.spelling import body, spell
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.piece import Piece
    from cgcli.readers.records import Record
    from cgcli.wire.spans import Node

_CHECK = partial(check_message, dialect=ANTHROPIC)
_TYPES = ("system", "assistant", "user")
_SAYING = ("system", "assistant", "result")
"""Events whose session is the one that runs: what is sent to it may name another."""


@unique
class _Event:
    line: int
    kind: str | None
    members: Mapping[str, Node]

    def string(self, key: str) -> str | None:
        return string_of(self.members, key)


@unique
class _Told:
    """An answer, and how many messages of its lane were sent before it."""

    lane: _Lane
    messages: list[bytes]
    n_messages: int
    answer: Answer
    identity: str | None
    line: int


class _Lane:
    """The events of the main agent of a session, or of a sub-agent."""

    def __init__(self, name: str | None) -> None:
        self.name = name
        self.messages: list[bytes] = []
        self.said: list[Content] = []
        """What the next request says, beside what the last one said."""
        self.open: _Told | None = None
        """The newest answer, which may go on."""

    def hear(self, content: Content) -> None:
        self.said.append(content)

    def restart(self) -> None:
        """Begin anew after a compaction: the summary is the next that is said."""
        self.messages, self.said, self.open = [], [], None

    def answer(self, event: _Event, members: Mapping[str, Node]) -> _Told | None:
        """Take an assistant's event; the answer, where it is the first one of it.

        Raises:
            Malformed: it says nothing.
        """
        part = part_of(members, _CHECK)
        if self.open is not None and part.message_id is not None and part.message_id == self.open.identity:
            self.open.answer.add(part)
            return None
        self._close()
        if (asked := user_message(self.said)) is not None:
            self.messages.append(asked)
        self.said = []
        told = _Told(
            lane=self,
            messages=self.messages,
            n_messages=len(self.messages),
            answer=Answer(),
            identity=part.message_id,
            line=event.line,
        )
        told.answer.add(part)
        self.open = told
        return told

    def _close(self) -> None:
        """Write down the answer that was open."""
        if self.open is not None and (message := self.open.answer.message()) is not None:
            self.messages.append(message)
        self.open = None


class StreamJson:
    """The events of `claude -p` and the Agent SDK."""

    name: ClassVar[str] = "stream-json"
    known: ClassVar[Known] = Known(tools=False, system=False, usage=True, response=True, time=False)
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = True

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where an event names its session, or a record holds events with a direction."""
        return any(_is_event(members) or _is_recording(members) for members in sample)

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """A request for each answer: the events of its lane before it."""
        talk = _Talk()
        for record in records(pieces):
            if isinstance(record, Missed):
                yield record
                continue
            try:
                for event in _events(record):
                    if (passed := talk.take(event)) is not None:
                        yield Missed(line=event.line, passed=passed)
            except Malformed as error:
                yield Missed(line=record.line, passed=unusable(error))
        yield from (_derived(told) for told in talk.told)


class _Talk:
    """The lanes of a file, event by event."""

    def __init__(self) -> None:
        self.told: list[_Told] = []
        self._lanes: dict[tuple[str | None, str | None], _Lane] = {}
        self._session: str | None = None
        self._early: list[Content] = []
        """What was said to the main agent before a session was named."""
        self._seen: set[str] = set()

    def take(self, event: _Event) -> Passed | None:
        """Take the next event; why it is no message, where that is worth counting."""
        try:
            if event.kind in _SAYING:
                self._session = event.string("session_id") or self._session
            if event.kind == "user":
                self._user(event)
            elif event.kind == "assistant":
                return self._assistant(event)
            elif event.kind == "system" and event.string("subtype") == "compact_boundary":
                self._lane(event).restart()
        except Malformed as error:
            return unusable(error)
        return None

    def _user(self, event: _Event) -> None:
        uuid = event.string("uuid")
        if uuid is not None and uuid in self._seen:
            return  # the echo of what was sent
        content = content_of(_message(event).get("content"), _CHECK)
        self._seen |= {uuid} if uuid is not None else set()
        if self._session is None and event.string("parent_tool_use_id") is None:
            self._early.append(content)
        else:
            self._lane(event).hear(content)

    def _assistant(self, event: _Event) -> Passed | None:
        members = _message(event)
        if string_of(members, "model") == SYNTHETIC:
            return Passed(reason="synthetic", usable=True, detail="written by Claude Code itself")
        told = self._lane(event).answer(event, members)
        if told is not None:
            self.told.append(told)
        return None

    def _lane(self, event: _Event) -> _Lane:
        agent = event.string("parent_tool_use_id")
        key = (self._session, agent)
        if key not in self._lanes:
            self._lanes[key] = _Lane("/".join(part for part in key if part is not None) or None)
        lane = self._lanes[key]
        if agent is None:
            lane.said += self._early
            self._early = []
        return lane


def _is_event(members: Mapping[str, Node]) -> bool:
    kind = string_of(members, "type")
    return kind in _TYPES and "session_id" in members and ("message" in members or "subtype" in members)


def _is_recording(members: Mapping[str, Node]) -> bool:
    events = members.get("messages")
    if events is None or events.kind != "array":
        return False
    first = next(iter(events.elements()), None)
    keys = first.members() if first is not None and first.kind == "object" else {}
    return "direction" in keys and "message" in keys


def _events(record: Record) -> Iterator[_Event]:
    """The event that *record* is, or those that it holds, each with the line on which it stands."""
    if not _is_recording(record.members):
        yield _Event(line=record.line, kind=record.string("type"), members=record.members)
        return
    at, line = record.node.start, record.line
    for element in record.members["messages"].elements():
        held = element.members().get("message") if element.kind == "object" else None
        if held is None or held.kind != "object":
            continue
        line += record.node.doc.raw.count(b"\n", at, held.start)
        at = held.start
        members = held.members()
        if is_true(members, "isReplay"):
            continue  # the echo of what stands in the recording as it was sent
        yield _Event(line=line, kind=string_of(members, "type"), members=members)


def _message(event: _Event) -> Mapping[str, Node]:
    node = event.members.get("message")
    if node is None or node.kind != "object":
        raise Malformed("no_message", "the event has no message")
    return node.members()


def _derived(told: _Told) -> Derived:
    model = told.answer.model
    return Derived(
        body=body(told.messages[: told.n_messages], model=spell(model) if model is not None else None),
        line=told.line,
        provider="anthropic",
        session_id=told.lane.name,
        find_answer=partial(told.answer.whole),
        usage=told.answer.usage,
        unrecorded=NEITHER,
    )
