"""Amplifier's `events.jsonl`: `llm:request` and `llm:response` events; a request has its body where `raw` is on.

Older versions have the body in an event of its own, `llm:request:raw`. What `llm:request:debug` has is no body: its
strings are cut, and some providers leave the tools out of it. Secrets are redacted before an event is written, so a
body may not be what was sent.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cgcli.dialects.base import string_of
from cgcli.model import Usage
from cgcli.readers import answers
from cgcli.readers import usage as usages
from cgcli.readers.base import Known, Passed
from cgcli.readers.derived import Derived, Missed
from cgcli.readers.fields import count_at, members_of, or_missed
from cgcli.readers.logs.amplifier.bodies import BODY_KEYS, REDACTED, body_in, whole_object
from cgcli.readers.logs.pairing import Call, Pairs
from cgcli.readers.records import records
from cgcli.readers.stamps import iso_s

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.piece import Piece
    from cgcli.readers.records import Record
    from cgcli.wire.spans import Node

_NO_BODIES = "no bodies: set `raw: true` in the provider's configuration"
_CALL = re.compile(r"llm:(request|response)(?::(raw|debug))?")
_ENDS = frozenset({"session:start", "session:resume", "session:end", "prompt:submit"})
"""Events at which no call of the session can be under way."""


class Amplifier:
    """Amplifier's events."""

    name: ClassVar[str] = "amplifier"
    known: ClassVar[Known] = Known(tools=True, system=True, usage=True, response=True, time=True)
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = False

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record is an event of Amplifier's log; not where its requests have no bodies."""
        return any(is_event(members) for members in sample) and not without_bodies(sample)

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request for each `llm:request`, with the answer that is its own for certain."""
        events = _Events()
        for record in records(pieces):
            if isinstance(record, Missed):
                yield record
                continue
            told = or_missed(record.line, partial(events.take, record))
            yield from [told] if isinstance(told, Missed) else told
            yield from events.ready()
        yield from events.ready(all_of_them=True)


def is_event(members: Mapping[str, Node]) -> bool:
    """True for an event of Amplifier's log."""
    if "event" not in members or members["event"].kind != "string" or not {"data", "ts"} <= members.keys():
        return False
    schema = members_of(members.get("schema"))
    return string_of(schema, "name") == "amplifier.log" or _CALL.fullmatch(members["event"].text()) is not None


def without_bodies(sample: Sequence[Mapping[str, Node]]) -> bool:
    """True where there are requests, and none of them has a body."""
    kinds = [(_CALL.fullmatch(string_of(members, "event") or ""), members) for members in sample]
    asked = [members_of(members.get("data")) for match, members in kinds if match and match[1] == "request"]
    return bool(asked) and all(not set(BODY_KEYS) & data.keys() for data in asked)


class _Events:
    def __init__(self) -> None:
        self._pairs = Pairs()

    def ready(self, *, all_of_them: bool = False) -> Iterator[Derived | Missed]:
        """The calls that nothing more is told of."""
        for call in self._pairs.ready(all_of_them=all_of_them):
            yield call.found(_NO_BODIES)

    def take(self, record: Record) -> list[Missed]:
        """Take one event; what is worth counting about it."""
        event = record.string("event") or ""
        data = members_of(record.members.get("data"))
        session = record.string("session_id") or string_of(data, "session_id")
        match = _CALL.fullmatch(event)
        if match is None:
            if event in _ENDS:
                self._pairs.end(session)
            return []
        if match[2] == "debug":
            return []
        if match[1] == "request":
            return self._request(record, data, session, is_raw=match[2] is not None)
        return self._response(record, data, session, is_raw=match[2] is not None)

    def _request(self, record: Record, data: Mapping[str, Node], session: str | None, *, is_raw: bool) -> list[Missed]:
        body = body_in(data)
        call = self._newest(session) if is_raw else None
        if call is not None and call.is_open and call.body is not None and call.body == body:
            return []  # both events have it
        if call is None or call.body is not None:
            for settled in self._pairs.of(session):
                settled.is_done = settled.is_done or not settled.is_open
            call = Call(line=record.line, session=session, request_id=_request_id(record, data))
            call.sent_s = iso_s(record.string("ts"))
            call.provider = string_of(data, "provider")
            self._pairs.ask(call)
        call.body = body
        n = len(REDACTED.findall(body or b""))
        said = f"{n} values read [REDACTED]: what was sent had others"
        return [Missed(line=record.line, passed=Passed(reason="redacted", usable=True, detail=said))] if n else []

    def _newest(self, session: str | None) -> Call | None:
        return next(self._pairs.of(session), None)

    def _response(self, record: Record, data: Mapping[str, Node], session: str | None, *, is_raw: bool) -> list[Missed]:
        answer = whole_object(data.get("raw") or data.get("response"))
        if is_raw:  # it comes before its `llm:response`, or after it
            open_calls = self._pairs.open_in(session)
            call = open_calls[0] if open_calls else self._newest(session)
            if call is not None and len(open_calls) <= 1 and call.find_answer is None:
                _answer(call, answer)
                call.is_done = not call.is_open
            return []
        found = self._pairs.answered(session, _request_id(record, data), record.line)
        if isinstance(found, Missed):
            return [found]
        found.is_open = False
        found.answered_s = iso_s(record.string("ts"))
        _answer(found, answer)
        found.usage = found.usage or _usage(members_of(data.get("usage")))
        found.is_done = found.find_answer is not None
        return []


def _request_id(record: Record, data: Mapping[str, Node]) -> str | None:
    return string_of(data, "request_id") or record.string("request_id")


def _answer(call: Call, answer: Node | None) -> None:
    """Give *call* the *answer*, and the usage that the provider says in it."""
    if answer is not None:
        call.find_answer = partial(answers.of_body, answer.bytes())
        call.usage = usages.of_answer(answer.value())


def _usage(told: Mapping[str, Node]) -> Usage | None:
    """Amplifier's own figures: `input_tokens` has what was read in it. All zero are none: an answer costs something."""
    total, output = count_at(told, "input_tokens"), count_at(told, "output_tokens")
    read, written = count_at(told, "cache_read_tokens"), count_at(told, "cache_write_tokens")
    if total is None or not (total or output or read or written):
        return None
    fresh = max(0, total - (read or 0))
    return Usage(fresh=fresh, read=read, write_by_ttl_s=usages.by_ttl(written), output=output)
