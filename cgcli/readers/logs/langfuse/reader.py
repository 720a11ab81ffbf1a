"""Langfuse: what is sent to its ingestion (`batch[].body`), and what is exported from it (traces, observations).

A generation is told in several events, later ones with more; and exports are newest first. So all of a file is read
before the first request is known.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from cgcli.dialects.base import string_of
from cgcli.model import Section, unique
from cgcli.readers import answers, chat
from cgcli.readers.base import Known, Passed
from cgcli.readers.derived import Derived, Missed
from cgcli.readers.fields import Lines, elements_of, members_of, or_missed, value_at
from cgcli.readers.logs import calls
from cgcli.readers.logs.langfuse.usage import usage_of
from cgcli.readers.logs.parameters import body_parameters, has_system
from cgcli.readers.records import records
from cgcli.readers.spelling import object_of, spell
from cgcli.readers.stamps import time_s
from cgcli.wire.spans import Document, Malformed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.piece import Piece
    from cgcli.readers.records import Record
    from cgcli.wire.spans import Node

_LOOKED_AT = 64
_EVENTS = frozenset({"generation-create", "generation-update"})
_OBSERVATION_EVENTS = frozenset({"observation-create", "observation-update"})
_TRACE_EVENTS = frozenset({"trace-create"})
_LISTS = ("batch", "data", "observations")
_SNAKE = {
    "trace_id": "traceId",
    "session_id": "sessionId",
    "start_time": "startTime",
    "end_time": "endTime",
    "model_parameters": "modelParameters",
    "provided_model_name": "model",
    "usage_details": "usageDetails",
}
"""Exports to blob storage spell their keys so."""


class Langfuse:
    """Langfuse's ingestion batches and exports."""

    name: ClassVar[str] = "langfuse"
    known: ClassVar[Known] = Known(tools=False, system=False, usage=True, response=True, time=True)
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = False

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record is a batch of ingestion events, one of them, a trace, or an observation."""
        return any(_is_langfuse(members) for members in sample)

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request for each generation, by the time at which it began."""
        said = _Said()
        for record in records(pieces):
            if isinstance(record, Missed):
                yield record
                continue
            yield from said.take(record)
        yield from said.requests()


def _is_langfuse(members: Mapping[str, Node]) -> bool:
    if any({"body", "type"} <= event.keys() for event in _usable(members.get("batch"))):
        return True
    if string_of(members, "type") in _EVENTS | _OBSERVATION_EVENTS | _TRACE_EVENTS:
        return "body" in members
    return _is_observation(members) or _is_trace(members) or any(map(_is_observation, _usable(members.get("data"))))


def _usable(listed: Node | None) -> list[Mapping[str, Node]]:
    """The objects in a list, without what cannot be used."""
    found = (or_missed(0, partial(members_of, one)) for one in elements_of(listed)[:_LOOKED_AT])
    return [one for one in found if not isinstance(one, Missed)]


def _is_observation(members: Mapping[str, Node]) -> bool:
    has_trace = "traceId" in members or "trace_id" in members
    return has_trace and "input" in members and string_of(members, "type") in ("GENERATION", "SPAN", "EVENT")


def _is_trace(members: Mapping[str, Node]) -> bool:
    return "observations" in members and members["observations"].kind == "array" and "id" in members


@unique
class _Generation:
    line: int
    members: dict[str, Node]
    """The newest of each key that is not null."""


class _Said:
    """What a file says of each generation."""

    def __init__(self) -> None:
        self._generations: dict[str, _Generation] = {}
        self._sessions: dict[str, str] = {}
        self._n_without_id = 0

    def take(self, record: Record) -> Iterator[Missed]:
        """Take what *record* says, which may be many events or observations; what cannot be used is given back."""
        members = record.members
        listed = next((key for key in _LISTS if key in members and members[key].kind == "array"), None)
        named = or_missed(record.line, partial(self._session, members)) if listed == "observations" else None
        if named is not None:
            yield named
        take = self._event if listed == "batch" or (listed is None and "body" in members) else self._observation
        lines = Lines(record.node.doc.raw, record.line)
        found = or_missed(record.line, lambda: [record.node] if listed is None else members[listed].elements())
        for node in [] if isinstance(found, Missed) else found:
            line = lines.of(node)
            trouble = or_missed(line, partial(take, node, line))
            if isinstance(trouble, Missed):
                yield trouble
        if isinstance(found, Missed):
            yield found

    def _event(self, node: Node, line: int) -> None:
        event = members_of(node)
        kind, body = string_of(event, "type"), members_of(event.get("body"))
        if kind in _TRACE_EVENTS:
            self._session(body)
        elif kind in _EVENTS or (kind in _OBSERVATION_EVENTS and string_of(body, "type") == "GENERATION"):
            self._generation(body, line)

    def _session(self, trace: Mapping[str, Node]) -> None:
        told, session = string_of(trace, "id"), string_of(trace, "sessionId")
        if told and session:
            self._sessions[told] = session

    def _observation(self, node: Node, line: int) -> None:
        members = members_of(node)
        if string_of(members, "type") == "GENERATION":
            self._generation({_SNAKE.get(key, key): node for key, node in members.items()}, line)

    def _generation(self, body: Mapping[str, Node], line: int) -> None:
        key = string_of(body, "id")
        if key is None:
            self._n_without_id += 1
            key = f"\0{self._n_without_id}"
        known = self._generations.setdefault(key, _Generation(line=line, members={}))
        known.members.update({name: node for name, node in body.items() if node.kind != "null"})

    def requests(self) -> Iterator[Derived | Missed]:
        """What is known of each generation, by the time at which it began; without one, as they stand."""
        found = [or_missed(one.line, partial(self._request, one)) for one in self._generations.values()]
        yield from (one for one in found if isinstance(one, Missed))
        yield from sorted((one for one in found if isinstance(one, Derived)), key=lambda one: one.sent_s or 0.0)

    def _request(self, generation: _Generation) -> Derived | Missed:
        told = generation.members
        asked = _Asked.of(told.get("input"), value_at(told, "metadata"))
        if asked is None:
            return Missed(line=generation.line, passed=Passed(reason="no_body", usable=False, detail=_NO_MESSAGES))
        trace = string_of(told, "traceId")
        session = string_of(told, "sessionId") or (self._sessions.get(trace, trace) if trace is not None else None)
        model = told.get("model")
        body = object_of(
            {
                "model": model.bytes() if model is not None and model.kind == "string" else None,
                **body_parameters(members_of(told.get("modelParameters"))),
                **asked.members,
            }
        )
        return Derived(
            body=body,
            line=generation.line,
            session_id=session,
            sent_s=time_s(value_at(told, "startTime")),
            answered_s=time_s(value_at(told, "endTime")),
            find_answer=_answer(told.get("output")),
            usage=usage_of(value_at(told, "usageDetails"), value_at(told, "usage")),
            unrecorded=asked.unrecorded,
        )


_NO_MESSAGES = "the generation's input is no list of messages"


@unique
class _Asked:
    """What a generation's input says of the body."""

    members: Mapping[str, bytes | None]
    unrecorded: frozenset[Section]

    @classmethod
    def of(cls, given: Node | None, metadata: Any) -> _Asked | None:
        """From a list of messages, or an object that has one; either may stand in a string."""
        given = _opened(given)
        if given is None or given.kind not in ("array", "object"):
            return None
        around = given.members() if given.kind == "object" else {}
        messages = given if given.kind == "array" else around.get("messages", around.get("input"))
        if messages is None or messages.kind != "array" or not _are_messages(messages.elements()):
            return None
        key = "input" if "messages" not in around and "input" in around else "messages"
        members = body_parameters(around)
        tools = metadata.get("tools") if isinstance(metadata, dict) else None
        if "tools" not in members and isinstance(tools, list):
            members["tools"] = spell(tools)
        silent = set() if "tools" in members else {Section.TOOLS}
        if not {"system", "instructions"} & members.keys() and not has_system(messages.elements()):
            silent.add(Section.SYSTEM)
        return cls(members={**members, key: messages.bytes()}, unrecorded=frozenset(silent))


def _opened(given: Node | None) -> Node | None:
    """*given*, or the JSON in it where it is a string."""
    if given is None or given.kind != "string":
        return given
    text = given.text().strip()
    if not text.startswith(("[", "{")):
        return None
    try:
        root = Document(calls.utf8(text)).root()
        root.elements() if root.kind == "array" else root.members()
    except Malformed:
        return None
    return root


def _are_messages(found: list[Node]) -> bool:
    return bool(found) and all("role" in members_of(one) or "type" in members_of(one) for one in found[:3])


def _answer(given: Node | None) -> Callable[[], bytes | None] | None:
    """An answer, or its message: Anthropic's as it is, OpenAI's as the only choice; a bare text is such a message."""
    opened = _opened(given)
    if opened is None:
        text = given.string() if given is not None else None
        return partial(chat.answer, object_of({"role": spell("assistant"), "content": spell(text)})) if text else None
    members = members_of(opened)
    content = members.get("content")
    if "role" in members and "type" not in members and (content is None or content.kind != "array"):
        return partial(chat.answer, opened.bytes())
    return partial(answers.of_body, opened.bytes()) if members else None
