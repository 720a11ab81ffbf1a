"""HAR files: the model calls among the entries."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.readers.histories.rebuilding import Json, answer, of_path, rebuilt
from tests.readers.logs.fuzzed import survives
from tests.running import FIXTURES

PROXY = FIXTURES / "har" / "proxy.har"
BODY: Json = {"model": "claude-x", "messages": [{"role": "user", "content": "hi"}]}
WORDS = (
    *("log", "entries", "request", "response", "method", "POST", "url", "https://h/v1/messages", "postData", "text"),
    *("content", "encoding", "base64", "startedDateTime", "2026-03-02T08:00:00Z", "time", "messages"),
)


def _entry(**more: Any) -> Json:
    request = {"method": "POST", "url": "https://h/v1/messages", "postData": {"text": json.dumps(BODY)}}
    return {"request": {**request, **more.pop("request", {})}, "response": {}, **more}


def _file(*entries: Any) -> bytes:
    return json.dumps({"log": {"entries": list(entries)}}).encode()


def test_requests_come_in_the_order_in_which_they_were_sent() -> None:
    """The fixture's entries are out of order: 4 calls, each body as it was posted, at the line of its entry."""
    found = of_path(PROXY)
    assert found.capture.format_name == "har"
    assert [len(body["messages"]) for body in found.bodies] == [1, 3, 5, 7]
    assert found.bodies[0]["messages"][0]["content"] == "Is crane 7 free? Größe: 12 m."
    assert found.lines == [104, 203, 54, 252]
    assert found.lanes() == [[[1, 2, 3, 4]]]


def test_other_calls_are_passed_and_lost_bodies_are_skipped() -> None:
    """A page and a count of tokens are no requests; a form without its text and a cut body should have been."""
    assert sorted(of_path(PROXY).reasons) == [
        (9, "not_a_messages_call", True),
        (154, "not_a_messages_call", True),
        (302, "no_body", False),
        (351, "cut", False),
    ]


def test_answers_are_read_from_streams_from_base64_and_from_gzip() -> None:
    """The fixture has an event stream, an object, a stream in base64 that does not say so, and gzip in base64."""
    found = of_path(PROXY)
    said = [answer(exchange) for exchange in found.exchanges]
    assert [one["content"][0]["id"] for one in said if one] == ["toolu_0", "toolu_1", "toolu_2", "toolu_3"]
    assert found.billed == [(10 + n, 100 * n, {300: 40}, 9) for n in range(4)]


def test_times_are_those_of_the_entry() -> None:
    """2026-03-02T08:00:02.5Z, and 2.5 seconds more."""
    first = of_path(PROXY).exchanges[0]
    assert (first.sent_s, first.answered_s) == (1_772_438_402.5, 1_772_438_405.0)


def test_without_a_time_in_each_entry_they_stay_as_they_stand() -> None:
    """One entry has none; no answer is recorded, and no end."""
    found = rebuilt(_file(_entry(startedDateTime="2026-03-02T08:00:09Z", time=-1), _entry()))
    assert [exchange.sent_s for exchange in found.exchanges] == [1_772_438_409.0, None]
    assert [exchange.answered_s for exchange in found.exchanges] == [None, None]
    assert [answer(exchange) for exchange in found.exchanges] == [None, None]
    assert found.billed == [None, None]


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("no entry", "not_a_messages_call"),
        ({"request": 7}, "not_a_messages_call"),
        (_entry(request={"postData": "text"}), "no_body"),
        (_entry(request={"postData": {"text": 7}}), "no_body"),
        (_entry(request={"postData": {"text": "[1]"}}), "not_a_container"),
        (_entry(request={"postData": {"text": "{}"}}), "no_body"),
        (_entry(response={"content": {"text": 7, "encoding": []}}), None),
        (_entry(response={"content": {"text": "H4sIAAAA", "encoding": "base64"}}), None),
    ],
)
def test_an_odd_entry_spoils_no_other(entry: Any, reason: str | None) -> None:
    """Whatever kinds its values have."""
    found = rebuilt(_file(entry, _entry()))
    assert [passed.reason for _, passed in found.passed] == ([reason] if reason else [])
    assert len(found.exchanges) == 2 - len(found.passed)


def test_damaged_archives_are_read_or_reported() -> None:
    """Never another error."""
    survives("har", ["har/proxy.har"], WORDS)
