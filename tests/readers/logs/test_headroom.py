"""headroom's capture: the bytes that were sent, where they are whole."""

from __future__ import annotations

import base64
import json

import pytest

from tests.readers.histories.rebuilding import Json, jsonl, of_path, rebuilt
from tests.readers.logs.fuzzed import survives
from tests.running import FIXTURES

LANE = FIXTURES / "headroom" / "lane.jsonl"
BODY: Json = {"model": "claude-x", "messages": [{"role": "user", "content": "hi"}]}
WORDS = (
    *("request_json", "request_body_b64", "request_body_truncated", "request_body_sha256", "messages", "ts", "lane"),
    *("session_id", "timestamp", "e30=", "eyJtZXNzYWdlcyI6W119"),
)


def test_bytes_are_the_body_where_they_are_whole() -> None:
    """As they are, or packed; a cut one stands parsed beside them."""
    found = of_path(LANE)
    assert (found.capture.format_name, found.lines, found.lanes()) == ("headroom", [1, 2, 3], [[[1, 2, 3]]])
    assert [len(body["messages"]) for body in found.bodies] == [1, 3, 5]
    assert {one.session_id for one in found.exchanges} == {"lane-1"}
    assert [one.sent_s for one in found.exchanges] == [1_772_438_400, 1_772_438_410, 1_772_438_420]


def test_cut_and_wrong_bytes_are_skipped() -> None:
    """What the record says itself, and what its digest says."""
    assert [(line, one.reason, one.detail[:28]) for line, one in of_path(LANE).passed] == [
        (4, "cut", "`request_body_truncated`: th"),
        (5, "cut", "`request_body_b64` is not wh"),
    ]


def test_records_that_are_all_parsed_are_an_envelope() -> None:
    """They can be edited in place."""
    found = rebuilt(jsonl([{"request_json": BODY, "request_body_b64": "e30="}] * 2))
    assert (found.capture.format_name, found.capture.is_derived, len(found.bodies)) == ("envelope", False, 2)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({}, "no_body"),
        ({"request_body_b64": "!"}, "cut"),
        ({"request_body_b64": "e30="}, "no_body"),
        ({"request_body_b64": 7, "request_json": "text"}, "no_body"),
        ({"request_body_b64": "e30=", "request_body_sha256": "00"}, "cut"),
    ],
)
def test_an_odd_record_spoils_no_other(record: Json, reason: str) -> None:
    """Nothing to read, no base64, no body in it, wrong kinds, another digest."""
    good = {"request_body_b64": base64.b64encode(json.dumps(BODY).encode()).decode()}
    found = rebuilt(jsonl([good, record]))
    assert (found.bodies, [passed.reason for _, passed in found.passed]) == ([BODY], [reason])


def test_damaged_captures_are_read_or_reported() -> None:
    """Never another error."""
    survives("headroom", ["headroom/lane.jsonl"], WORDS)
