"""Proxies that write a request and its answer as records of their own, joined by an id: one reader each.

llm-proxy: `request` has the body as a string, `response` a body or chunks of an event stream, `fork` begins a lane.
LLM Interceptor: `request` has the body, then `response`, or `response_chunk` records that `response_meta` ends.
lunaroute: `request_recorded` has `request_json`, `response_recorded` has `response_json`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cgcli.dialects.base import string_of
from cgcli.readers.base import Known
from cgcli.readers.derived import Derived, Missed
from cgcli.readers.fields import elements_of, members_of, or_missed
from cgcli.readers.logs import calls
from cgcli.readers.logs.pairing import Call, Pairs
from cgcli.readers.records import records
from cgcli.readers.stamps import iso_s
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.piece import Piece
    from cgcli.readers.records import Record
    from cgcli.wire.spans import Node

_NO_BODY = "the request record has no body"


class _Proxy:
    """What is common to the three."""

    known: ClassVar[Known] = Known(tools=True, system=True, usage=True, response=True, time=True)
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = False

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request for each call of a model, with its answer."""
        pairs = Pairs()
        chunks: dict[str, list[bytes]] = {}
        for record in records(pieces):
            if isinstance(record, Missed):
                yield record
                continue
            missed = or_missed(record.line, partial(self._take, record, pairs, chunks))
            if isinstance(missed, Missed):
                yield missed
            for call in pairs.ready():
                yield call.found(_NO_BODY)
        for call in pairs.ready(all_of_them=True):
            yield call.found(_NO_BODY)

    def _take(self, record: Record, pairs: Pairs, chunks: dict[str, list[bytes]]) -> Missed | None:
        """Take what one record says; *chunks* are those of answers that are not whole yet, by id.

        Raises:
            Malformed: it cannot be used.
        """
        raise NotImplementedError


class LlmProxy(_Proxy):
    """llm-proxy's session logs."""

    name: ClassVar[str] = "llm-proxy"

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record has a `type` and a `_meta` with a `session`."""
        return any("type" in members and "session" in members_of(members.get("_meta")) for members in sample)

    def _take(self, record: Record, pairs: Pairs, chunks: dict[str, list[bytes]]) -> Missed | None:
        del chunks
        kind, meta = record.string("type"), members_of(record.members.get("_meta"))
        session, request_id = string_of(meta, "session"), string_of(meta, "request_id")
        at_s = iso_s(string_of(meta, "ts"))
        if kind == "request":
            return _asked(record, pairs, (session, request_id), at_s, url_key="path")
        if kind == "response":
            parts = [string_of(members_of(one), "raw") or "" for one in elements_of(record.members.get("chunks"))]
            content = calls.utf8("".join(parts)) if parts else calls.json_of(record.members.get("body"))
            return _answered(record, pairs, (session, request_id), at_s, content)
        return None


class LlmInterceptor(_Proxy):
    """LLM Interceptor's captures."""

    name: ClassVar[str] = "llm-interceptor"

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record is a request with an id, a url and a body, or a part of an answer to one."""
        return any(_is_intercepted(members) for members in sample)

    def _take(self, record: Record, pairs: Pairs, chunks: dict[str, list[bytes]]) -> Missed | None:
        kind, at_s = record.string("type"), iso_s(record.string("timestamp"))
        if kind == "request":
            return _asked(record, pairs, (record.string("_session_id"), record.string("id")), at_s, url_key="url")
        request_id = record.string("request_id")
        if kind == "response_chunk" and request_id is not None:
            chunks.setdefault(request_id, []).append(_event(record.members.get("content")))
        elif kind == "response_meta" and request_id is not None:
            parts = chunks.pop(request_id, [])
            if parts:
                return _answered(record, pairs, (None, request_id), None, b"".join(parts))
        elif kind == "response":
            return _answered(record, pairs, (None, request_id), at_s, calls.json_of(record.members.get("body")))
        return None


class Lunaroute(_Proxy):
    """lunaroute's session recordings."""

    name: ClassVar[str] = "lunaroute"

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record is a `request_recorded` with its `request_json`."""
        return any(string_of(members, "type") == "request_recorded" and "request_json" in members for members in sample)

    def _take(self, record: Record, pairs: Pairs, chunks: dict[str, list[bytes]]) -> Missed | None:
        del chunks
        kind, at_s = record.string("type"), iso_s(record.string("timestamp"))
        who = record.string("session_id"), record.string("request_id")
        if kind == "request_recorded":
            return _asked(record, pairs, who, at_s, url_key=None, body_key="request_json")
        if kind == "response_recorded":
            return _answered(record, pairs, who, at_s, calls.json_of(record.members.get("response_json")))
        return None


def _is_intercepted(members: Mapping[str, Node]) -> bool:
    kind = string_of(members, "type")
    if kind == "request":
        return {"id", "url", "body", "method"} <= members.keys()
    return kind in ("response_chunk", "response_meta") and "request_id" in members


def _asked(
    record: Record,
    pairs: Pairs,
    who: tuple[str | None, str | None],
    sent_s: float | None,
    *,
    url_key: str | None,
    body_key: str = "body",
) -> Missed | None:
    """A request of *who* (session and id) was sent."""
    if url_key is not None and not calls.is_model_call(record.string("method"), record.string(url_key)):
        return Missed(line=record.line, passed=calls.NOT_A_CALL)
    content = calls.json_of(record.members.get(body_key))
    if not content:
        raise Malformed("no_body", _NO_BODY)
    session, request_id = who
    call = Call(line=record.line, session=session, request_id=request_id)
    call.sent_s, call.body = sent_s, calls.checked_body(content)
    pairs.ask(call)
    return None


def _answered(
    record: Record, pairs: Pairs, who: tuple[str | None, str | None], at_s: float | None, content: bytes
) -> Missed | None:
    """An answer for *who* (session and id) came; what no call of a model waits for is passed over."""
    session, request_id = who
    call = pairs.answered(session, request_id, record.line)
    if isinstance(call, Missed):
        return call if call.passed.reason == "ambiguous" else None
    answer = calls.answered(content)
    call.answered_s, call.find_answer, call.usage = at_s, answer.find, answer.usage
    call.is_open, call.is_done = False, True
    return None


def _event(node: Node | None) -> bytes:
    """A part of a stream as such: what is no text was the data of one event."""
    if node is None or node.kind == "null":
        return b""
    if node.kind == "string":
        return calls.utf8(node.text())
    return b"data: " + b" ".join(node.bytes().splitlines()) + b"\n\n"
