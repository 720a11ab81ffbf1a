"""Claude on Bedrock: what differs from Anthropic's own API, every figure written out."""

from __future__ import annotations

import pytest

from tests.cachesim.caching import Json, Sent, lane, mark, message, text, told
from tests.cachesim.prefixes import chat, said, sent

SONNET = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
OLD = "anthropic.claude-3-7-sonnet-20250219-v1:0"
HERE: Json = {"model": SONNET}


def test_marks_work_as_anthropics_do() -> None:
    """Written at a mark, found 20 positions later, for five minutes."""
    of = Sent()
    assert told(of.send(lane(10, {10: None}, **HERE), 0.0)) == (0, {300: 2000}, 0, "first_request")
    assert told(of.send(lane(29, {29: None}, **HERE), 300.0)) == (2000, {300: 3800}, 0, None)
    assert told(of.send(lane(30, {30: None}, **HERE), 601.0))[0] == 0


def test_there_is_no_automatic_caching() -> None:
    """A `cache_control` at the top marks nothing; Anthropic's own API writes 2,000 for it."""
    automatic: Json = {"cache_control": {"type": "ephemeral"}}
    assert told(Sent().send(lane(10, **HERE, **automatic))) == (0, {}, 2000, "no_breakpoint")
    assert told(Sent().send(lane(10, **automatic)))[1] == {300: 2000}


def test_each_call_of_a_run_is_a_position() -> None:
    """21 calls and their results are 42 positions; on the Claude API they are two."""
    calls = [{"type": "tool_use", "id": f"t{i}", "name": "B", "input": {}} for i in range(21)]
    results: list[Json] = [{"type": "tool_result", "tool_use_id": f"t{i}", "content": "w"} for i in range(21)]
    results[-1] |= mark()
    added = [message("assistant", *calls), message("user", *results)]
    here: list[tuple[Json, int]] = [(HERE, 0), ({}, 2000)]
    for fields, read in here:
        of = Sent()
        of.send(lane(10, {10: None}, **fields))
        body = lane(10, **fields)
        assert of.send({**body, "messages": [*body["messages"], *added]}).read_tokens == read


@pytest.mark.parametrize(
    ("model", "is_taken"),
    [
        (SONNET, True),
        ("anthropic.claude-haiku-4-5-20251001-v1:0", True),
        ("eu.anthropic.claude-opus-5", True),
        (OLD, False),
        ("bedrock/anthropic.claude-opus-4-1-20250805-v1:0", False),
    ],
)
def test_an_hour_is_for_claude_4_5_and_later(model: str, is_taken: bool) -> None:  # noqa: FBT001 - a column of the table
    """Others are answered with 400."""
    of = Sent()
    body = lane(25, {25: "1h"}, model=model)
    if is_taken:
        assert told(of.send(body)) == (0, {3600: 5000}, 0, "first_request")
    else:
        found = of.refused(body)
        assert found.reason == "bad_breakpoints"
        assert found.detail == f"no mark of {model} lives '1h' on Bedrock: 5m exist: answered with 400"


@pytest.mark.parametrize(
    ("model", "least"), [(SONNET, 1024), (OLD, 1024), ("us.anthropic.claude-haiku-4-5-20251001-v1:0", 4096)]
)
def test_the_minimums_are_the_models(model: str, least: int) -> None:
    """A token less is silently left out."""
    for size, read in ((least - 1, 0), (least, least)):
        of = Sent()
        body = {"model": model, "messages": [message("user", text(size - 3, **mark()))]}
        of.send(body)
        assert of.send(body).read_tokens == read


def test_a_body_without_a_model_says_that_it_is_for_bedrock() -> None:
    """By its `anthropic_version`: nothing is automatic then."""
    body = {**lane(10, cache_control={"type": "ephemeral"}), "anthropic_version": "bedrock-2023-05-31"}
    del body["model"]
    assert told(Sent().send(body)) == (0, {}, 2000, "no_breakpoint")
    assert told(Sent().send({**body, "anthropic_version": "vertex-2023-10-16"}))[1] == {300: 2000}


def test_converse_bodies_are_refused() -> None:
    """Their marks stand among the content, and would be taken for content."""
    body = lane(10, **HERE)
    body["messages"][9]["content"].append({"cachePoint": {"type": "default"}})
    assert Sent().refused(body).reason == "no_cache_model"
    system = {**lane(10, **HERE), "system": [{"text": "s"}, {"cachePoint": {"type": "default"}}]}
    assert Sent().refused(system).reason == "no_cache_model"


def test_a_history_may_count_as_marked() -> None:
    """A request that was put together from one, which has no marks, is taken to have one at its end."""
    of = sent(assumed_ttl="5m")
    assert told(of.send(lane(10, **HERE))) == (0, {300: 2000}, 0, "first_request")
    assert told(of.send(lane(12, **HERE))) == (2000, {300: 400}, 0, None)
    assert told(of.send(lane(13, {12: "1h"}, **HERE))) == (2400, {}, 200, None)


def test_a_body_without_marks_is_told_so() -> None:
    """A Chat body replayed against Bedrock: nothing asks for caching."""
    of = sent(provider="bedrock")
    body = chat("gpt-4.1", said("user", 2000))
    assert told(of.send(body)) == (0, {}, 2000, "no_breakpoint")
