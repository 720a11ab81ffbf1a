"""What each format says beside the body."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.model import Usage
from cgcli.readers import READERS, open_bytes, read
from cgcli.readers.base import Known
from cgcli.readers.derived import Deriving
from tests.running import FIXTURES

if TYPE_CHECKING:
    from cgcli.model import Exchange
    from cgcli.readers import Entry

BODY: dict[str, Any] = {"model": "claude-x", "messages": [{"role": "user", "content": "hi"}]}


def _entries(*records: Any) -> list[Entry]:
    data = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    return list(read(io.BytesIO(data), file="f"))


def _exchanges(*records: Any) -> list[Exchange]:
    return [entry.exchange for entry in _entries(*records) if entry.exchange is not None]


def _fixture(name: str) -> list[Entry]:
    with open_bytes(str(FIXTURES / name)) as stream:
        return list(read(stream, file=name))


def test_what_each_format_records() -> None:
    """Of files whose own bytes are edited, claude-trace's have answers; batches are no conversations; Go escapes."""
    nothing = Known(tools=True, system=True, usage=False, response=False, time=False)
    everything = Known(tools=True, system=True, usage=True, response=True, time=True)
    rows = [
        (reader.name, reader.known == nothing, reader.independent, reader.go_escapes)
        for reader in READERS
        if not isinstance(reader, Deriving)
    ]
    assert rows == [
        ("requests", False, False, False),
        ("openai-batch", True, True, False),
        ("anthropic-batch", True, True, False),
        ("context-guru", True, False, True),
        ("claude-trace", False, False, False),
        ("bodies", True, False, False),
        ("envelope", True, False, False),
    ]
    assert next(reader for reader in READERS if reader.name == "claude-trace").known == everything


# --- context-guru


@pytest.mark.parametrize(
    ("more", "dialect", "sent_s"),
    [
        ({}, "anthropic", None),
        ({"provider": "openai"}, "openai-chat", None),
        ({"provider": None}, "anthropic", None),
        ({"provider": "bedrock", "model": "m"}, "anthropic", None),
        ({"ts": 1_700_000_000_500}, "anthropic", 1_700_000_000.5),
        ({"ts": "yesterday"}, "anthropic", None),
        ({"ts": 10**400}, "anthropic", None),
    ],
)
@pytest.mark.parametrize("quoted", [False, True])
def test_context_guru_says_the_provider_and_perhaps_the_time(
    more: dict[str, Any], dialect: str, sent_s: float | None, *, quoted: bool
) -> None:
    """A missing provider is Anthropic's; milliseconds; a body in a string is treated alike."""
    (found,) = _exchanges({"body": json.dumps(BODY) if quoted else BODY, **more})
    assert (found.request.dialect, found.sent_s, found.usage, found.session_id) == (dialect, sent_s, None, None)
    assert found.source.wrap == ("json_string" if quoted else "object")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (5, "no_body"),
        ("no JSON", "bad_shape"),
        ('{"model"', "cut"),
        ("", "empty"),
        ("[]", "bad_shape"),
        ('{"model":"m"}', "unknown_body"),
    ],
)
def test_context_guru_bodies_that_are_none(body: Any, reason: str) -> None:
    """Beside a good one each is skipped with its reason."""
    found = _entries({"body": BODY}, {"body": body})
    assert [entry.passed.reason for entry in found if entry.passed] == [reason]


def test_a_string_that_is_not_utf8_is_skipped() -> None:
    """The bytes stand in a literal that no text can be decoded from."""
    good = json.dumps({"body": json.dumps(BODY)}).encode()
    bad = good.replace(b"hi", b"\xff")
    entries = list(read(io.BytesIO(good + b"\n" + bad + b"\n"), file="f"))
    assert [entry.passed.reason for entry in entries if entry.passed] == ["invalid_utf8"]


# --- claude-trace


def _pair(**more: Any) -> dict[str, Any]:
    request = {"timestamp": 10.25, "method": "POST", "url": "https://h/v1/messages?beta=true", "body": BODY}
    return {"request": {**request, **more}, "response": None, "logged_at": "t"}


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({}, None),
        ({"method": "post"}, None),
        ({"method": None}, None),
        ({"url": "https://h/v1/messages/"}, None),
        ({"url": "https://h/openai/v1/chat/completions?x=1"}, None),
        ({"url": "https://h/v1/responses"}, None),
        ({"url": "https://h/v1/messages/count_tokens"}, "not_a_messages_call"),
        ({"url": "https://h/v1/messages/batches"}, "not_a_messages_call"),
        ({"url": "https://h/api/metrics"}, "not_a_messages_call"),
        ({"url": None}, "not_a_messages_call"),
        ({"method": "GET"}, "not_a_messages_call"),
        ({"body": None}, "no_body"),
    ],
)
def test_claude_trace_takes_the_messages_calls_only(more: dict[str, Any], reason: str | None) -> None:
    """By path and method; another call is passed, one without a body is unusable."""
    *_, last = _entries(_pair(), _pair(**more))
    assert (last.passed.reason if last.passed else None) == reason
    if last.passed is not None:
        assert last.passed.usable is (reason == "not_a_messages_call")


ANSWER = {"timestamp": 11.5, "status_code": 200}
FIGURES = {"input_tokens": 3, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 5, "output_tokens": 2}
STREAM = f"event: message_start\ndata: {json.dumps({'message': {'usage': FIGURES}})}\n\n"


@pytest.mark.parametrize(
    ("answer", "answered_s", "usage"),
    [
        (None, None, None),
        (ANSWER, 11.5, None),
        ({**ANSWER, "body": {"usage": FIGURES}}, 11.5, (3, 7, {300: 5}, 2)),
        ({**ANSWER, "body_raw": STREAM}, 11.5, (3, 7, {300: 5}, 2)),
        ({**ANSWER, "body": None, "body_raw": STREAM}, 11.5, (3, 7, {300: 5}, 2)),
        ({"status_code": 529, "body": {"type": "error"}}, None, None),
        ({**ANSWER, "body_raw": "\u001f\ufffd\b"}, 11.5, None),
        ({**ANSWER, "timestamp": "late"}, None, None),
    ],
)
def test_claude_trace_has_the_answer_beside_the_request(
    answer: dict[str, Any] | None, answered_s: float | None, usage: tuple[int, int, dict[int, int], int] | None
) -> None:
    """Times in seconds, and usage from the body or from the event stream; None where there is no answer."""
    (found,) = _exchanges({**_pair(), "response": answer})
    assert (found.sent_s, found.answered_s) == (10.25, answered_s)
    expected = usage and Usage(fresh=usage[0], read=usage[1], write_by_ttl_s=usage[2], output=usage[3])
    assert found.usage == expected


def test_the_cold_fixture_has_its_times_and_figures() -> None:
    """As the standard library reads them from the same lines."""
    entries = _fixture("claude-trace/cold.jsonl")
    pairs = [json.loads(entry.raw) for entry in entries]
    assert [entry.exchange.sent_s for entry in entries if entry.exchange] == [p["request"]["timestamp"] for p in pairs]
    reads = [entry.exchange.usage.read for entry in entries if entry.exchange and entry.exchange.usage]
    assert [bool(read) for read in reads] == [False, True, True, False, True]


def test_the_odd_fixture_has_no_figures_where_there_is_no_answer() -> None:
    """Overloaded and orphaned requests have none; a stream that is cut has those that it began with."""
    found = [entry.exchange for entry in _fixture("claude-trace/odd.jsonl") if entry.exchange]
    assert [one.usage is not None for one in found] == [True, False, True, True, False]


# --- envelopes


@pytest.mark.parametrize(
    "path",
    [
        "request.body",
        "request_json",
        "requestBody",
        "raw.request",
        "call.request",
        "params",
        "body",
        "raw",
        "request",
        "response",
    ],
)
@pytest.mark.parametrize("quoted", [False, True])
def test_envelopes_hold_the_body_under_many_names(path: str, *, quoted: bool) -> None:
    """As an object, or as a string that holds it."""
    held: Any = json.dumps(BODY, ensure_ascii=False) if quoted else BODY
    for key in reversed(path.split(".")):
        held = {key: held}
    (found,) = _exchanges({"id": 7, **held})
    assert json.loads(bytes(found.request.raw)) == BODY
    assert found.source.wrap == ("json_string" if quoted else "object")


def test_the_first_name_in_the_list_counts() -> None:
    """Where two hold a body, the one that more loggers use."""
    other = {**BODY, "model": "gpt-4"}
    (found,) = _exchanges({"response": other, "request_json": BODY, "id": 1})
    assert found.request.model == "claude-x"


@pytest.mark.parametrize(
    ("more", "session_id"),
    [
        ({}, None),
        ({"session_id": "a"}, "a"),
        ({"sessionId": "b"}, "b"),
        ({"session": "c"}, "c"),
        ({"trace_id": "d"}, "d"),
        ({"trace_id": "d", "session_id": "a"}, "a"),
        ({"session_id": None, "trace_id": "d"}, "d"),
        ({"session_id": "", "session": "c"}, "c"),
        ({"session_id": 5}, None),
    ],
)
def test_envelopes_say_the_session(more: dict[str, Any], session_id: str | None) -> None:
    """Under one of four names; what is no string, or empty, says nothing."""
    (found,) = _exchanges({"request_json": BODY, **more})
    assert found.session_id == session_id


def test_an_envelope_without_a_body_is_passed() -> None:
    """Other records stand between requests in such logs."""
    found = _entries({"id": 1, "request_json": BODY}, {"id": 2, "event": "response"})
    assert [(entry.passed.reason, entry.passed.usable) for entry in found if entry.passed] == [("no_body", True)]


# --- batches


def test_batch_output_is_no_request() -> None:
    """A record without the body, or with one that is no object, is unusable."""
    record = {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": BODY}
    found = _entries(record, {"custom_id": "a", "response": {"body": {}}}, {**record, "body": "text"})
    assert [entry.passed.reason if entry.passed else "request" for entry in found] == ["request", "no_body", "no_body"]


# --- answers in envelopes


@pytest.mark.parametrize(
    ("name", "session", "output"),
    [("envelope/contextio.json", "ctx-1", "toolu_1"), ("envelope/anyclaude.json", None, "toolu_0")],
)
def test_an_envelope_may_have_the_answer_beside_the_body(name: str, session: str | None, output: str) -> None:
    """An event stream in a string, or an object: with its usage, and the body is still edited in place."""
    (found,) = [entry.exchange for entry in _fixture(name) if entry.exchange is not None]
    assert found.usage is not None
    assert (found.session_id, found.usage.write_by_ttl_s, found.usage.output) == (session, {300: 40}, 9)
    assert json.loads(found.answer or b"")["content"][0]["id"] == output


@pytest.mark.parametrize(
    "answer", [None, 7, [], "", "{", {"error": 1}, "data: {\n\n", {"usage": {"input_tokens": "1"}}]
)
def test_an_answer_that_is_none_is_not_recorded(answer: Any) -> None:
    """Whatever stands in its place."""
    (found,) = _exchanges({"request": {"body": BODY}, "response": {"body": answer}})
    assert (found.answer, found.usage) == (None, None)


def test_a_path_without_a_place_for_answers_has_none() -> None:
    """`params` has none beside it."""
    (found,) = _exchanges({"params": BODY, "response": {"content": []}})
    assert found.find_answer is None
