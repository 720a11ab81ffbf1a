"""Langfuse's ingestion and exports: one request for each generation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cgcli.model import Usage
from cgcli.readers.logs.langfuse.usage import usage_of
from tests.readers.histories.rebuilding import Json, answer, jsonl, of_path, rebuilt
from tests.readers.logs.fuzzed import survives
from tests.running import FIXTURES

BATCH, OBSERVATIONS = FIXTURES / "langfuse" / "batch.json", FIXTURES / "langfuse" / "observations.jsonl"
MESSAGES = [{"role": "system", "content": "s"}, {"role": "user", "content": "hi"}]
WORDS = (
    *("batch", "body", "type", "generation-create", "generation-update", "trace-create", "id", "traceId", "input"),
    *("output", "messages", "tools", "metadata", "usage", "usageDetails", "unit", "TOKENS", "GENERATION", "data"),
    *("observations", "startTime", "role", "content", "modelParameters", "sessionId", "total"),
)


def _generation(**more: Any) -> bytes:
    body = {"id": "g", "traceId": "t", "model": "m", "input": MESSAGES, **more}
    return jsonl([{"batch": [{"type": "generation-create", "id": "e", "body": body}]}])


def test_events_of_one_generation_come_together() -> None:
    """What an update adds is taken, what it leaves null is not; requests come by the time at which they began."""
    found = of_path(BATCH)
    assert (found.capture.format_name, found.lines) == ("langfuse", [13, 116, 64])
    assert [len(body["messages"]) for body in found.bodies] == [2, 4, 1]
    assert [one.session_id for one in found.exchanges] == ["harbour-7", "harbour-7", "trace-2"]
    assert found.lanes() == [[[1, 2]], [[3]]]
    assert (found.exchanges[0].sent_s, found.exchanges[0].answered_s) == (1_772_438_400.0, 1_772_438_402.5)
    assert found.reasons == [(215, "no_body", False)]


def test_tools_stand_in_the_input_or_in_the_metadata() -> None:
    """Where neither has them they are not recorded; nor is a system prompt that no message has."""
    found = of_path(BATCH)
    assert [body.get("tools") is not None for body in found.bodies] == [True, True, False]
    assert [one.request.tools is None for one in found.exchanges] == [False, False, True]
    assert [one.request.system for one in found.exchanges] == [(), (), None]


def test_usage_is_disjoint() -> None:
    """A total that is input and output says that the input has what was read in it; one of all figures, that not."""
    assert of_path(BATCH).billed == [(40, 20, {}, 7), (61, None, {}, 7), (10, 5, {300: 40}, 9)]
    assert of_path(OBSERVATIONS).billed == [(40, 20, {}, 7)] * 2


def test_answers_are_given_the_providers_shape() -> None:
    """OpenAI's message and a text become the only choice; Anthropic's answer stays as it is."""
    first, second, third = (answer(one) for one in of_path(BATCH).exchanges)
    assert first is not None
    assert first["choices"][0]["message"]["tool_calls"][0]["id"] == "call_0"
    assert second == {"choices": [{"index": 0, "message": {"role": "assistant", "content": "At 14:05."}}]}
    assert third is not None
    assert third["content"][0]["id"] == "toolu_0"


def test_exports_are_turned_to_the_order_of_time() -> None:
    """Newest first, keys in snake case, input and output as strings."""
    found = of_path(OBSERVATIONS)
    assert (found.lines, found.lanes()) == ([2, 1], [[[1, 2]]])
    assert {one.session_id for one in found.exchanges} == {"quay-2"}
    assert [len(body["messages"]) for body in found.bodies] == [2, 4]
    assert [body["temperature"] for body in found.bodies] == [0.2, 0.2]
    said = [answer(one) for one in found.exchanges]
    assert [one and one["choices"][0]["message"]["tool_calls"][0]["id"] for one in said] == ["call_0", "call_1"]


def test_a_trace_with_its_observations_is_read() -> None:
    """As the interface exports one; spans are no requests."""
    observation = {"id": "o", "traceId": "t", "type": "GENERATION", "input": MESSAGES, "model": "m"}
    trace = {"id": "t", "sessionId": "s", "input": None, "observations": [{**observation, "type": "SPAN"}, observation]}
    found = rebuilt(json.dumps(trace, indent=1).encode())
    assert ([body["model"] for body in found.bodies], found.exchanges[0].session_id) == (["m"], "s")


def test_an_observation_list_of_the_api_is_read() -> None:
    """`data` has them."""
    one = {"id": "o", "traceId": "t", "type": "GENERATION", "input": {"messages": MESSAGES}, "startTime": 7}
    found = rebuilt(jsonl([{"data": [one, {**one, "id": "p", "startTime": 3}], "meta": {}}]))
    assert [exchange.sent_s for exchange in found.exchanges] == [3.0, 7.0]


@pytest.mark.parametrize("given", [None, 7, "words", "{", "[1]", [], [7], {"prompt": "a"}, {"messages": "a"}, "[]"])
def test_an_input_that_is_no_list_of_messages_is_no_body(given: Any) -> None:
    """Counted, with its line."""
    assert [passed.reason for _, passed in rebuilt(_generation(input=given)).passed] == ["no_body"]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (None, None),
        ("", None),
        (7, None),
        ([{"role": "assistant"}], None),
        ({"role": "assistant", "content": "a"}, "choices"),
        ({"role": "assistant", "content": [{"type": "text", "text": "a"}]}, "content"),
        ({"choices": []}, "choices"),
        ({"type": "message", "role": "assistant", "content": []}, "content"),
        ({"output": []}, "output"),
    ],
)
def test_outputs_of_each_shape(output: Any, expected: str | None) -> None:
    """An answer, its message, or nothing that can be used."""
    (exchange,) = rebuilt(_generation(output=output)).exchanges
    found = answer(exchange)
    assert (expected in found) if expected is not None and found is not None else found is None


@pytest.mark.parametrize(
    ("details", "older", "expected"),
    [
        (None, None, None),
        ({}, {"input": 3, "output": 1, "unit": "CHARACTERS"}, None),
        ({"input": "3"}, None, None),
        ({"input": 3, "output": 1}, {"input": 9}, Usage(fresh=3, read=None, write_by_ttl_s=None, output=1)),
        ({}, {"input": 3, "output": 1, "unit": None}, Usage(fresh=3, read=None, write_by_ttl_s=None, output=1)),
        (
            {"prompt_tokens": 30, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 10}},
            None,
            Usage(fresh=20, read=10, write_by_ttl_s={}, output=4),
        ),
        (
            {"input_tokens": 3, "cache_read_input_tokens": 7, "output_tokens": 2},
            None,
            Usage(fresh=3, read=7, write_by_ttl_s={}, output=2),
        ),
        (
            {"input": 30, "input_cache_read": 10, "input_cache_creation": 5, "output": 2, "total": 47},
            None,
            Usage(fresh=30, read=10, write_by_ttl_s={300: 5}, output=2),
        ),
        (
            {"input": 30, "input_cached_tokens": 10, "output": 2, "total": 32},
            None,
            Usage(fresh=20, read=10, write_by_ttl_s=None, output=2),
        ),
        (
            {"input": 5, "cache_read_input_tokens": 10, "output": 2, "total": 7},
            None,
            Usage(fresh=5, read=10, write_by_ttl_s=None, output=2),
        ),
    ],
)
def test_figures_of_each_name(details: Any, older: Any, expected: Usage | None) -> None:
    """Langfuse's own and the providers'; only tokens count."""
    assert usage_of(details, older) == expected


def test_damaged_exports_are_read_or_reported() -> None:
    """Never another error."""
    survives("langfuse", ["langfuse/observations.jsonl", "langfuse/batch.json"], WORDS)


def test_generations_without_an_id_are_their_own() -> None:
    """They are not taken for one."""
    body: Json = {"input": MESSAGES}
    events = [{"type": "generation-create", "body": body}] * 2
    assert len(rebuilt(jsonl([{"batch": events}])).bodies) == 2
