"""The local provider as a server: keys, addresses, faults, streams, parallel requests."""

from __future__ import annotations

import json
import threading
from threading import Barrier, Thread
from typing import Any

import pytest

from tests.live.asking import ON_DEMAND, ask, ask_openai, error_of, marked, message, post, split, user
from tests.live.provider import KEY, Fault, Provider

BODY = message(user("Hello"))


def events(stream: str) -> list[Any]:
    """The events of a stream, parsed."""
    lines = [line.removeprefix("data: ") for line in stream.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


@pytest.mark.parametrize(
    ("path", "headers", "message"),
    [
        ("/v1/messages", {}, "x-api-key header is required"),
        ("/v1/messages", {"x-api-key": "wrong"}, "invalid x-api-key"),
        ("/v1/responses", {"x-api-key": KEY}, "You didn't provide an API key."),
        ("/v1/chat/completions", {"authorization": "Bearer wrong"}, "Incorrect API key provided."),
    ],
)
def test_a_key_is_needed(provider: Provider, path: str, headers: dict[str, str], message: str) -> None:
    """Without one, or with another, the answer is 401."""
    status, answer = post(provider, path, BODY, **headers)
    assert (status, error_of(answer)) == (401, message)


def test_an_error_says_its_kind(provider: Provider) -> None:
    """Both shapes of errors."""
    assert ask(provider, {**BODY, "model": "claude-none-9"}) == (
        404,
        {
            "type": "error",
            "error": {"type": "not_found_error", "message": "model: claude-none-9"},
            "request_id": "req_1",
        },
    )
    status, answer = ask_openai(provider, "/v1/responses", {"model": "gpt-4.1", "input": "a"})
    assert (status, answer["error"]["code"]) == (404, "model_not_found")


@pytest.mark.parametrize(("status", "kind"), [(429, "rate_limit_error"), (500, "api_error"), (529, "overloaded_error")])
def test_a_fault_is_met_once(provider: Provider, status: int, kind: str) -> None:
    """The next request meets it, the one after it is answered."""
    provider.faults.append(Fault("status", status=status, message="busy"))
    assert ask(provider, BODY) == (
        status,
        {"type": "error", "error": {"type": kind, "message": "busy"}, "request_id": "req_1"},
    )
    assert ask(provider, BODY)[0] == 200


def test_broken_and_empty_answers(provider: Provider) -> None:
    """Half of the JSON; a text of nothing; on demand no block, `max_tokens`, and still billed."""
    provider.faults.extend([Fault("broken"), Fault("empty"), Fault("empty")])
    assert isinstance(ask(provider, BODY)[1], str)
    assert ask(provider, BODY)[1]["content"] == [{"type": "text", "text": ""}]
    answer = ask(provider, {**BODY, "compaction": {"type": "summarize"}}, ON_DEMAND)[1]
    assert (answer["content"], answer["stop_reason"]) == ([], "max_tokens")
    assert answer["usage"]["iterations"][0]["input_tokens"] > 0


def test_every_thread_ends() -> None:
    """A request that is never answered ends with the provider."""
    before = threading.active_count()
    with Provider() as provider:
        provider.faults.append(Fault("slow"))
        asking = Thread(target=_ask_quietly, args=(provider,))
        asking.start()
        while not provider.seen:
            asking.join(0.001)
    asking.join()
    assert threading.active_count() == before


def _ask_quietly(provider: Provider) -> None:
    with pytest.raises(ConnectionError):
        ask(provider, BODY)


def test_parallel_cold_requests_all_miss(provider: Provider) -> None:
    """What one writes can be read only when its answer has begun: both write, neither reads; a third one reads."""
    provider.meeting = Barrier(2)
    answers: list[Any] = []
    asking = [Thread(target=lambda: answers.append(ask(provider, marked(10))[1])) for _ in range(2)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert [split(answer["usage"]) for answer in answers] == [(0, 2000, 0)] * 2
    provider.meeting = None
    assert split(ask(provider, marked(10))[1]["usage"]) == (2000, 0, 0)


def test_the_same_request_has_the_same_answer(provider: Provider) -> None:
    """Text and id follow from the request alone."""
    first, second = (ask(provider, BODY)[1] for _ in range(2))
    assert first == second
    assert first["content"][0]["text"].startswith("Summary ")
    assert first["content"] != ask(provider, message(user("Hi")))[1]["content"]


def test_messages_stream(provider: Provider) -> None:
    """Text comes in deltas; input counts at the start, output counts at the end."""
    whole = ask(provider, BODY)[1]
    found = events(ask(provider, {**BODY, "stream": True})[1])
    assert [event["type"] for event in found] == [
        "message_start",
        "ping",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert "".join(event["delta"]["text"] for event in found[3:5]) == whole["content"][0]["text"]
    assert found[0]["message"]["usage"]["input_tokens"] == whole["usage"]["input_tokens"]
    assert found[6]["usage"] == {"output_tokens": whole["usage"]["output_tokens"]}


def test_a_signed_block_streams_without_deltas(provider: Provider) -> None:
    """It stands whole in its start."""
    body = {**BODY, "compaction": {"type": "summarize"}, "stream": True}
    found = events(ask(provider, body, ON_DEMAND)[1])
    assert [event["type"] for event in found[2:4]] == ["content_block_start", "content_block_stop"]
    assert found[2]["content_block"].keys() == {"type", "content", "signature"}
    assert found[-2]["usage"]["iterations"][0]["type"] == "compaction"


def test_openai_streams(provider: Provider) -> None:
    """Chat has its usage in the last chunk where it was asked for, Responses the whole answer in the last event."""
    chat = {"model": "gpt-5.6-sol", "messages": [user("Hello")], "stream": True}
    chunks = events(ask_openai(provider, "/v1/chat/completions", chat)[1])
    assert all("usage" not in chunk for chunk in chunks)
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"
    asked = {**chat, "stream_options": {"include_usage": True}}
    assert events(ask_openai(provider, "/v1/chat/completions", asked)[1])[-1]["usage"]["prompt_tokens"] > 0
    body = {"model": "gpt-5.6-sol", "input": "Hello"}
    whole = ask_openai(provider, "/v1/responses", body)[1]
    assert events(ask_openai(provider, "/v1/responses", {**body, "stream": True})[1])[-1] == {
        "type": "response.completed",
        "response": whole,
    }


def test_an_unknown_address_is_404(provider: Provider) -> None:
    """The provider has four addresses."""
    assert post(provider, "/v2/other", BODY, authorization=f"Bearer {KEY}")[0] == 404
