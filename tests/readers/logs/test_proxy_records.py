"""Proxies that write requests and answers as records of their own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.readers.histories.rebuilding import Json, answer, jsonl, of_path, rebuilt
from tests.readers.logs.fuzzed import survives
from tests.running import FIXTURES

LLM_PROXY = FIXTURES / "llm-proxy" / "session.jsonl"
INTERCEPTOR = FIXTURES / "llm-interceptor" / "all_captured.jsonl"
LUNAROUTE = FIXTURES / "lunaroute" / "session.jsonl"
BODY: Json = {"model": "claude-x", "messages": [{"role": "user", "content": "hi"}]}
WORDS = (
    *("type", "request", "response", "response_chunk", "response_meta", "request_recorded", "response_recorded"),
    *("_meta", "session", "request_id", "ts", "id", "method", "POST", "path", "url", "/v1/messages", "body", "chunks"),
    *("raw", "content", "request_json", "response_json", "session_id", "timestamp", "messages", "headers"),
)


def test_llm_proxys_bodies_stand_in_strings() -> None:
    """Go escapes what stands in them; the session is the lane, and a fork begins one of its own."""
    found = of_path(LLM_PROXY)
    assert (found.capture.format_name, found.lines) == ("llm-proxy", [2, 6, 8])
    assert [one.session_id for one in found.exchanges] == ["s-1", "s-1", "s-2"]
    assert found.bodies[1]["messages"][2]["content"][0]["content"] == "berth 0: <free> & swept"
    assert found.lanes() == [[[1, 2]], [[3]]]
    assert found.reasons == [(3, "not_a_messages_call", True)]


def test_llm_proxys_chunks_are_one_stream() -> None:
    """They end anywhere, in the middle of an event too; a request that nobody answered has none."""
    found = of_path(LLM_PROXY)
    said = [answer(one) for one in found.exchanges]
    assert [one and one["content"][0]["id"] for one in said] == ["toolu_0", None, "toolu_1"]
    assert found.billed == [(10, 0, {300: 40}, 9), None, (11, 100, {300: 40}, 9)]
    assert [one.answered_s for one in found.exchanges] == [
        pytest.approx(1_772_438_404.123456789),
        None,
        pytest.approx(1_772_438_408.123456789),
    ]


def test_the_interceptors_chunks_are_told_apart_by_id() -> None:
    """Two answers come at once; one id that two requests have tells nothing, and what nobody asked is passed over."""
    found = of_path(INTERCEPTOR)
    assert (found.capture.format_name, found.lines) == ("llm-interceptor", [1, 2, 17, 18])
    said = [answer(one) for one in found.exchanges]
    assert [one and one["content"][0]["id"] for one in said] == ["toolu_0", "toolu_1", None, None]
    assert found.billed == [(10, 0, {300: 40}, 9), (11, 100, {300: 40}, 9), None, None]
    assert {one.session_id for one in found.exchanges} == {"20260302_080000"}
    assert found.reasons == [(19, "ambiguous", True)]


def test_the_interceptors_raw_chunks_are_a_stream_too() -> None:
    """Content that is a string is a part of it."""
    chunks = ['data: {"choices":[{"delta":{"content":"a', '"},"finish_reason":"stop"}]}\n\n', None, 7]
    records: list[Json] = [
        {"type": "request", "id": "r", "method": "POST", "url": "https://h/chat/completions", "body": BODY}
    ]
    records += [{"type": "response_chunk", "request_id": "r", "content": chunk} for chunk in chunks]
    records += [{"type": "response_meta", "request_id": "r"}, {"type": "response_meta", "request_id": "r"}]
    (exchange,) = rebuilt(jsonl(records)).exchanges
    said = answer(exchange)
    assert said is not None
    assert said["choices"][0]["message"]["content"] == "a"


def test_lunaroutes_recordings_are_paired() -> None:
    """`request_json` and `response_json`, by session and id."""
    found = of_path(LUNAROUTE)
    assert (found.capture.format_name, found.lines) == ("lunaroute", [2, 4])
    assert found.billed == [(10, 0, {300: 40}, 9), (11, 100, {300: 40}, 9)]
    assert next((one.sent_s, one.answered_s) for one in found.exchanges) == (1_772_438_400.125, 1_772_438_403.125)


@pytest.mark.parametrize(
    ("body", "reason"),
    [(None, "no_body"), ("", "no_body"), (7, "no_body"), ("{", "cut"), ({}, "no_body"), ([], "no_body")],
)
def test_a_request_without_its_body_is_skipped(body: Any, reason: str) -> None:
    """Beside a good one."""
    record = {"type": "request", "id": "r", "method": "POST", "url": "https://h/v1/messages", "body": BODY}
    found = rebuilt(jsonl([record, {**record, "id": "q", "body": body}]))
    assert (len(found.bodies), [passed.reason for _, passed in found.passed]) == (1, [reason])


def test_damaged_logs_are_read_or_reported() -> None:
    """Never another error."""
    survives("llm-proxy", ["llm-proxy/session.jsonl"], WORDS)
    survives("llm-interceptor", ["llm-interceptor/all_captured.jsonl"], WORDS)
    survives("lunaroute", ["lunaroute/session.jsonl"], WORDS)
