"""A request as an arm sends it is what a parser makes of the edited bytes."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.state import Decision
from cgcli.model import Digest, Request
from cgcli.readers.derived import Derived
from cgcli.readers.incremental import Incremental, Read
from cgcli.readers.requests import Requests, Speller
from cgcli.readers.single import BodyParser, parse_body
from cgcli.readers.spelling import body
from cgcli.replay.paired.as_sent import AsSent
from cgcli.rope import Rope
from cgcli.wire.splice import splice

if TYPE_CHECKING:
    from collections.abc import Callable


def _body(n_outputs: int, *, tools_last: bool = False, head: str = "Count.") -> bytes:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "count the boats"}]
    for i in range(n_outputs):
        call = {"type": "tool_use", "id": f"t{i}", "name": "Bash", "input": {"command": f"ls {i}"}}
        result = {"type": "tool_result", "tool_use_id": f"t{i}", "content": f"boat {i} " * (i % 5 + 1)}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    tools = [{"name": "Bash", "input_schema": {"type": "object"}}]
    body = {"model": "claude-sonnet-4-5", "system": head, "messages": messages}
    return json.dumps({**body, "tools": tools} if tools_last else {"tools": tools, **body}).encode()


def _decision(literal: bytes) -> Decision:
    digest = Digest(sha256(literal).digest())
    return Decision(
        literal=literal, original=digest, replacement=digest, fired=(), saved_tokens=0, is_reversible=True, style=None
    )


def _placed(request: Request, decisions: dict[int, Decision]) -> tuple[tuple[int, int, Decision], ...]:
    """The decisions, each in the slot of the tool output of that number."""
    found = []
    for i, decision in sorted(decisions.items()):
        at = 2 + 2 * i
        if at < len(request.messages):
            slot = request.messages[at].parts[0].slot
            assert slot is not None
            found.append((request.starts[at] + slot.start, request.starts[at] + slot.stop, decision))
    return tuple(found)


def _same(sent: Request, body: bytes) -> None:
    parsed = parse_body(body)
    assert bytes(sent.raw) == body
    assert sent.states == parsed.states
    assert sent.tools is None or sent.static == parsed.static
    assert list(sent.starts) == list(parsed.starts)
    assert sent.tools_starts == parsed.tools_starts
    assert sent.system_starts == parsed.system_starts
    assert [item.wire for item in sent.messages] == [item.wire for item in parsed.messages]
    assert [item.parts for item in sent.messages] == [item.parts for item in parsed.messages]


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_each_request_reads_as_its_bytes_do(data: st.DataObject) -> None:
    """Whatever is decided, taken back or appended from request to request, and wherever the tools stand."""
    arm, parser, decisions = AsSent(), BodyParser(), {}
    n, tools_last = 1, data.draw(st.booleans())
    for _ in range(data.draw(st.integers(1, 6))):
        n = max(1, n + data.draw(st.integers(-1, 3)))
        for i in data.draw(st.sets(st.integers(0, n - 1), max_size=3)):
            decisions[i] = _decision(json.dumps(data.draw(st.sampled_from(["", "gone", "x" * 40, "é\n"]))).encode())
        for i in data.draw(st.sets(st.integers(0, n), max_size=1)):
            decisions.pop(i, None)
        written = _body(n, tools_last=tools_last, head=data.draw(st.sampled_from(["Count.", "Count all."])))
        request = parser.parse(written)
        placed = _placed(request, decisions)
        sent = arm.request(request, placed)
        _same(sent, splice(written, [(start, stop, one.literal) for start, stop, one in placed]))


def _rebuilt() -> Callable[[int, str], Request]:
    """Makes the requests of a history, as its reader does: in pieces that most of them have in common."""
    speller = Speller(format_name="x", reconstructed=True)
    reader = Incremental(Requests().open)
    known: list[bytes] = []

    def request(n_outputs: int, model: str) -> Request:
        found = [json.dumps(one).encode() for one in json.loads(_body(n_outputs))["messages"]]
        known.extend(found[len(known) :])
        line = speller.line(Derived(body=body(known[: len(found)], model=json.dumps(model).encode()), line=1))
        assert isinstance(line, Rope)
        read = reader.read(line)
        assert isinstance(read, Read)
        assert bytes(read.request.raw) == bytes(line)[read.start : read.stop]
        return read.request

    return request


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_so_does_each_of_a_history(data: st.DataObject) -> None:
    """Nothing of it is put together but what is edited; another model's name stands before other bytes."""
    arm, rebuilt, decisions = AsSent(), _rebuilt(), {}
    n = 1
    for _ in range(data.draw(st.integers(1, 6))):
        n = max(1, n + data.draw(st.integers(-1, 3)))
        for i in data.draw(st.sets(st.integers(0, n - 1), max_size=3)):
            decisions[i] = _decision(json.dumps(data.draw(st.sampled_from(["", "gone", "x" * 40]))).encode())
        for i in data.draw(st.sets(st.integers(0, n), max_size=1)):
            decisions.pop(i, None)
        request = rebuilt(n, data.draw(st.sampled_from(["claude-sonnet-4-5", "claude-opus-4-1"])))
        placed = _placed(request, decisions)
        sent = arm.request(request, placed)
        assert isinstance(sent.raw, Rope)
        _same(sent, splice(bytes(request.raw), [(start, stop, one.literal) for start, stop, one in placed]))


def test_an_edit_beside_the_messages_is_parsed_as_a_body() -> None:
    """A tool that is put in changes what stands before the messages."""
    written = _body(2)
    request = parse_body(written)
    at = request.tools_starts[0] + len(b'{"name": "Bash", "input_schema": {"type": "object"}}')
    more = (at, at, b',{"name":"expand","input_schema":{"type":"object"}}')
    placed = _placed(request, {0: _decision(b'"gone"')})
    sent = AsSent().request(request, placed, (more,))
    _same(sent, splice(written, [more, *((start, stop, one.literal) for start, stop, one in placed)]))
    assert sent.tools is not None
    assert len(sent.tools) == 2
