"""Amplifier's events: bodies, their answers by id or by order, and what is not known."""

from __future__ import annotations

from typing import Any

import pytest

from cgcli.errors import FormatError
from tests.readers.histories.rebuilding import Json, answer, jsonl, of_path, rebuilt
from tests.readers.logs.fuzzed import survives
from tests.running import FIXTURES

AMPLIFIER = FIXTURES / "amplifier"
BODY: Json = {"model": "claude-x", "messages": [{"role": "user", "content": "hi"}]}
WORDS = (
    *("ts", "event", "data", "session_id", "schema", "name", "amplifier.log", "llm:request", "llm:response"),
    *("llm:request:raw", "llm:response:raw", "session:end", "raw", "params", "usage", "input_tokens", "request_id"),
    *("messages", "provider", "extra_body", "status", "output_tokens", "cache_read_tokens"),
)


def _event(event: str, session: str | None = "s", **data: Any) -> Json:
    schema = {"name": "amplifier.log", "ver": "1.0.0"}
    return {"ts": "2026-03-02T08:00:00Z", "schema": schema, "event": event, "session_id": session, "data": data}


def test_answers_are_found_by_their_ids() -> None:
    """Five requests of two sessions; the answers of the sub-agent come between those of its parent."""
    found = of_path(AMPLIFIER / "raw.jsonl")
    assert (found.capture.format_name, found.lines) == ("amplifier", [3, 4, 7, 10, 12])
    assert found.lanes() == [[[1, 3, 5]], [[2, 4]]]
    assert {one.session_id for one in found.exchanges} == {
        "11111111-2222-4333-8444-555555555555",
        "11111111-2222-4333-8444-555555555555-0123456789abcdef_reader",
    }
    assert next((one.sent_s, one.answered_s) for one in found.exchanges) == (1_772_438_402.25, 1_772_438_404.25)


def test_the_providers_own_figures_come_first() -> None:
    """Of the whole answer; else Amplifier's, whose input has what was read in it; zeros and an error have none."""
    found = of_path(AMPLIFIER / "raw.jsonl")
    assert found.billed == [(10, 0, {300: 40}, 9), (10, 0, {300: 40}, 9), (11, 100, {300: 40}, 9), None, None]
    said = [answer(exchange) for exchange in found.exchanges]
    assert [one and one["content"][0]["id"] for one in said] == ["toolu_0", None, None, None, None]


def test_redacted_values_are_told() -> None:
    """Each body that has one is counted beside its request, which is read all the same."""
    found = of_path(AMPLIFIER / "raw.jsonl")
    ((line, passed),) = found.passed
    assert (line, passed.reason, passed.usable) == (7, "redacted", True)
    assert passed.detail == "1 values read [REDACTED]: what was sent had others"


def test_a_clients_own_parameters_are_no_part_of_the_body() -> None:
    """Headers and a timeout are left out; what `extra_body` has is in the body."""
    body = of_path(AMPLIFIER / "raw.jsonl").bodies[0]
    assert sorted(body) == ["max_tokens", "messages", "model", "system", "tools", "top_k"]


def test_older_events_are_paired_where_one_request_is_open() -> None:
    """Bodies and answers in events of their own, before or after; what happened while two were open has no answer."""
    found = of_path(AMPLIFIER / "older.jsonl")
    assert found.lines == [1, 6, 11, 12, 14, 18]
    said = [answer(exchange) for exchange in found.exchanges]
    assert [one and one["content"][0]["id"] for one in said] == ["toolu_0", "toolu_1", None, None, None, None]
    assert found.billed == [
        (10, 0, {300: 40}, 9),
        (11, 100, {300: 40}, 9),
        None,
        None,
        None,
        (13, 300, {300: 40}, 9),
    ]


def test_what_is_not_certain_is_counted() -> None:
    """Three answers of which no one knows whose they are, one that nothing waits for, two requests without a body."""
    assert of_path(AMPLIFIER / "older.jsonl").reasons == [
        (13, "ambiguous", True),
        (15, "ambiguous", True),
        (16, "ambiguous", True),
        (20, "unpaired", True),
        (21, "no_body", False),
        (22, "no_body", False),
    ]


def test_a_log_without_bodies_is_refused_with_the_way_to_them() -> None:
    """One line: what it is, why it is no use, and what to set."""
    with pytest.raises(FormatError, match="no bodies") as caught:
        of_path(AMPLIFIER / "silent.jsonl")
    assert "raw: true" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("ci-blob://sha256/00", "no_body"),
        (7, "no_body"),
        ({"model": "m"}, "no_body"),
        ('{"messages":[', "cut"),
        ('{"model":"claude-x","messages":[{"role":"user","content":"hi"}]}', None),
    ],
)
def test_raw_is_an_object_or_a_string_that_holds_one(raw: Any, reason: str | None) -> None:
    """The name of a blob is no body; an adapter's string that was cut is none."""
    found = rebuilt(jsonl([_event("llm:request", raw=BODY), _event("session:end"), _event("llm:request", raw=raw)]))
    assert [passed.reason for _, passed in found.passed] == ([reason] if reason else [])
    assert found.bodies[1:] == ([] if reason else [BODY])


def test_usage_without_what_was_read_counts_all_as_fresh() -> None:
    """It is not said how much of the input was read."""
    found = rebuilt(
        jsonl([_event("llm:request", raw=BODY), _event("llm:response", usage={"input_tokens": 7, "output_tokens": 2})])
    )
    (exchange,) = found.exchanges
    assert exchange.usage is not None
    assert (exchange.usage.fresh, exchange.usage.read, exchange.usage.write_by_ttl_s) == (7, None, None)


def test_a_body_that_both_events_have_is_one_request() -> None:
    """`llm:request` and `llm:request:raw` of the same call."""
    found = rebuilt(jsonl([_event("llm:request", raw=BODY), _event("llm:request:raw", params=BODY)]))
    assert (found.bodies, found.lines) == ([BODY], [1])


def test_raw_events_alone_are_requests() -> None:
    """A log from which the others were filtered."""
    first, second = BODY, {**BODY, "temperature": 1}
    found = rebuilt(
        jsonl(
            [
                _event("llm:request:raw", params=first),
                _event("llm:response", usage={"input_tokens": 3, "output_tokens": 1, "cache_read_tokens": 1}),
                _event("llm:request:raw", params=second),
            ]
        )
    )
    assert found.bodies == [first, second]
    assert found.billed == [(2, 1, {}, 1), None]


def test_damaged_logs_are_read_or_reported() -> None:
    """Never another error."""
    survives("amplifier", ["amplifier/raw.jsonl", "amplifier/older.jsonl", "amplifier/silent.jsonl"], WORDS)
