"""LiteLLM's logging payload: body, answer and usage of each call."""

from __future__ import annotations

from typing import Any

import pytest

from cgcli.model import Usage
from tests.readers.histories.rebuilding import Json, answer, jsonl, of_path, rebuilt
from tests.readers.logs.fuzzed import survives
from tests.running import FIXTURES

PAYLOADS = FIXTURES / "litellm" / "payloads.jsonl"
CHAT: Json = {"messages": [{"role": "user", "content": "hi"}], "model": "m", "model_parameters": {}, "call_type": "c"}
WORDS = (
    *("id", "trace_id", "call_type", "aresponses", "messages", "model_parameters", "model", "response", "usage"),
    *("prompt_tokens", "completion_tokens", "prompt_tokens_details", "cached_tokens", "startTime", "tools"),
    *("standard_logging_object", "metadata", "usage_object", "cache_creation_token_details", "role", "content"),
)


def test_bodies_have_what_was_sent() -> None:
    """Model, the parameters that belong in a body, messages or input; no header and no key of the client."""
    found = of_path(PAYLOADS)
    assert (found.capture.format_name, found.lines) == ("litellm", [1, 2, 3, 4, 6])
    assert [list(body) for body in found.bodies] == [
        ["model", "tools", "temperature", "stream", "messages"],
        ["model", "tools", "temperature", "stream", "messages"],
        ["model", "max_tokens", "tools", "stream", "messages"],
        ["model", "instructions", "stream", "input"],
        ["model", "tools", "temperature", "stream", "messages"],
    ]
    assert [one.request.dialect for one in found.exchanges] == [
        "openai-chat",
        "openai-chat",
        "anthropic",
        "openai-responses",
        "openai-chat",
    ]


def test_a_trace_is_a_session_unless_it_is_the_calls_own_id() -> None:
    """LiteLLM makes one up for each call that has none."""
    found = of_path(PAYLOADS)
    assert [one.session_id for one in found.exchanges] == ["run-1", "run-1", None, "run-2", "run-1"]
    assert found.lanes() == [[[1, 2, 5]], [[3]], [[4]]]
    assert next((one.sent_s, one.answered_s) for one in found.exchanges) == (1_772_438_400.25, 1_772_438_401.75)


def test_usage_is_disjoint() -> None:
    """OpenAI's; Anthropic's with two lifetimes, which LiteLLM adds to the input; sums alone are all fresh."""
    assert of_path(PAYLOADS).billed == [
        (60, 0, {}, 7),
        (41, 20, {}, 7),
        (11, 100, {300: 30, 3600: 10}, 9),
        (63, None, {}, 7),
        (65, None, {}, 7),
    ]


def test_answers_are_whole() -> None:
    """A text in place of an answer is none."""
    said = [answer(one) for one in of_path(PAYLOADS).exchanges]
    assert [one and sorted(one) for one in said] == [
        ["choices", "id", "object", "usage"],
        ["choices", "id", "object", "usage"],
        ["choices", "usage"],
        ["output"],
        None,
    ]


def test_a_call_whose_messages_are_not_logged_is_skipped() -> None:
    """`redacted-by-litellm` stands in their place."""
    assert of_path(PAYLOADS).reasons == [(5, "no_body", False)]


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 5}, Usage(fresh=5, read=0, write_by_ttl_s={}, output=None)),
        (
            {"prompt_tokens": 5, "completion_tokens": 2, "cache_read_input_tokens": 100},
            Usage(fresh=5, read=100, write_by_ttl_s={}, output=2),
        ),
        (
            {"prompt_tokens": 105, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 40},
            Usage(fresh=5, read=60, write_by_ttl_s={300: 40}, output=None),
        ),
        (
            {"input_tokens": 50, "output_tokens": 6, "input_tokens_details": {"cached_tokens": 30}},
            Usage(fresh=20, read=30, write_by_ttl_s={}, output=6),
        ),
        (
            {"input_tokens": 50, "output_tokens": 6, "cache_read_input_tokens": 30},
            Usage(fresh=50, read=30, write_by_ttl_s={}, output=6),
        ),
        ({"prompt_tokens": "many"}, None),
    ],
)
def test_usage_of_each_shape(usage: Json, expected: Usage | None) -> None:
    """LiteLLM's, before and after it added Anthropic's cache to the input; Responses'; Anthropic's own."""
    (exchange,) = rebuilt(jsonl([{**CHAT, "response": {"choices": [], "usage": usage}}])).exchanges
    assert exchange.usage == expected


def test_what_is_not_said_is_not_recorded() -> None:
    """Without parameters no tools; in a call that is no chat a system prompt may have stood elsewhere."""
    known, silent = (
        rebuilt(jsonl([{**CHAT, "call_type": "completion"}])).exchanges[0],
        rebuilt(jsonl([{**CHAT, "model_parameters": None, "call_type": "anthropic_messages"}])).exchanges[0],
    )
    assert (known.request.tools, known.request.system) == ((), ())
    assert (silent.request.tools, silent.request.system) == (None, None)


@pytest.mark.parametrize("messages", [None, "text", 7, {}])
def test_messages_of_another_kind_are_no_body(messages: Any) -> None:
    """An embedding's text, nothing, a number, an object."""
    found = rebuilt(jsonl([CHAT, {**CHAT, "messages": messages}]))
    assert (len(found.bodies), [passed.reason for _, passed in found.passed]) == (1, ["no_body"])


def test_damaged_payloads_are_read_or_reported() -> None:
    """Never another error."""
    survives("litellm", ["litellm/payloads.jsonl"], WORDS)
