"""The local provider's Chat Completions and Responses: the guide's traps, and what they refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.live.asking import Json, ask_openai, assistant, error_of, text, user

if TYPE_CHECKING:
    from tests.live.provider import Provider

MODEL = "gpt-5.6-sol"
CALL: Json = {"type": "function_call", "call_id": "c1", "name": "ls", "arguments": "{}"}
OUTPUT: Json = {"type": "function_call_output", "call_id": "c1", "output": "a"}
EXPLICIT: Json = {"prompt_cache_breakpoint": {"mode": "explicit"}}
TRIGGER: Json = {"type": "compaction_trigger"}

HEAD = 8
"""Tokens of {"role":"user","type":"message"}, a user message without its content; an assistant's or developer's: 10."""


def respond(provider: Provider, *items: Json, **more: Any) -> Json:
    """The answer of Responses."""
    status, answer = ask_openai(provider, "/v1/responses", {"model": MODEL, "input": list(items), **more})
    assert status == 200, answer
    found: Json = answer
    return found


def counts(answer: Json) -> tuple[int, int, int]:
    """Read, written and fresh: the input includes the first two."""
    usage = answer["usage"]
    details = usage["input_tokens_details"]
    read, written = details["cached_tokens"], details["cache_write_tokens"]
    return read, written, usage["input_tokens"] - read - written


def of(provider: Provider, *items: Json, **more: Any) -> tuple[int, int, int]:
    """Read, written and fresh of a request to Responses."""
    return counts(respond(provider, *items, **more))


A, B, C = (user(text(2000, letter)) for letter in "abc")
REPLY = assistant(text(100, "r"))
LONG = 2000 + HEAD
"""Tokens of one of them."""


def test_a_fork_that_appends_hits(provider: Provider) -> None:
    """The parent's end is among the earlier endings that are looked at; what is new is written."""
    assert of(provider, A, REPLY, B) == (0, 2 * LONG + 110, 0)
    assert of(provider, A, REPLY, B, C) == (2 * LONG + 110, LONG, 0)


def test_a_shared_prefix_behind_a_varying_last_message_misses(provider: Provider) -> None:
    """Only the end was written; with an explicit breakpoint before it the prefix is read."""
    assert of(provider, user(text(2000, "a"), text(30, "b"))) == (0, 2030 + HEAD, 0)
    assert of(provider, user(text(2000, "a"), text(30, "c")))[0] == 0
    kept = text(2000, "d", **EXPLICIT)
    assert of(provider, user(kept, text(30, "b"))) == (0, 2030 + HEAD, 0)
    assert of(provider, user(kept, text(30, "c"))) == (2000 + HEAD, 30, 0)


def test_a_shorter_prefix_misses(provider: Provider) -> None:
    """It matches forward from what was written, never back into it."""
    assert of(provider, A, REPLY, B)[1] > 0
    assert of(provider, A)[0] == 0


def test_explicit_without_a_breakpoint_is_no_caching(provider: Provider) -> None:
    """Nothing is written, nothing read."""
    explicit = {"prompt_cache_options": {"mode": "explicit"}}
    assert [of(provider, A, **explicit) for _ in range(2)] == [(0, 0, LONG)] * 2


def test_explicit_sees_an_implicit_write_only_at_a_breakpoint(provider: Provider) -> None:
    """The same point, marked, is read."""
    explicit = {"prompt_cache_options": {"mode": "explicit"}}
    assert of(provider, A)[1] == LONG
    assert of(provider, A, B, **explicit) == (0, 0, 2 * LONG)
    there = user(text(2000, "a", **EXPLICIT))
    assert of(provider, there, B, **explicit) == (LONG, 0, LONG)


def test_a_message_that_grows_loses_its_old_end(provider: Provider) -> None:
    """Its end is another point now."""
    assert of(provider, A)[1] == LONG
    assert of(provider, user(text(2000, "a"), text(30, "b")))[0] == 0


def test_a_later_developer_message_is_no_boundary(provider: Provider) -> None:
    """The first run's end is looked at, a later message's is not written."""
    first = {"role": "developer", "content": [text(1500, "d")]}
    late = {"role": "developer", "content": [text(1500, "l")]}
    assert of(provider, first)[:2] == (0, 1500 + 10)
    read, written, fresh = of(provider, first, A, late)
    assert (read, written, fresh) == (1510, LONG, 1510)


def test_only_the_last_output_of_a_group_is_a_boundary(provider: Provider) -> None:
    """Two outputs in a row: the end of the second is written."""
    second = {**OUTPUT, "call_id": "c2"}
    calls = [CALL, {**CALL, "call_id": "c2"}]
    read, written, fresh = of(provider, A, *calls, OUTPUT, second)
    assert (read, fresh) == (0, 0)
    assert of(provider, A, *calls, OUTPUT, second, B)[:2] == (written, LONG)


def test_the_minimum_is_1024(provider: Provider) -> None:
    """A token less is not written; the boundary is exact."""
    assert of(provider, user(text(1023 - HEAD))) == (0, 0, 1023)
    assert of(provider, user(text(1024 - HEAD))) == (0, 1024, 0)
    assert of(provider, user(text(1024 - HEAD))) == (1024, 0, 0)


def test_lifetimes(provider: Provider) -> None:
    """Thirty minutes after the last use, or twelve hours where that was asked for; the usage says which."""
    assert of(provider, A) == (0, LONG, 0)
    provider.now_s = 1800
    assert of(provider, A) == (LONG, 0, 0)
    provider.now_s = 3601
    answer = respond(provider, A, prompt_cache_options={"ttl": "12h"})
    assert answer["usage"]["input_tokens_details"] == {
        "cached_tokens": 0,
        "cache_write_tokens": LONG,
        "cache_write_tokens_details": {"ttl_30m_tokens": 0, "ttl_12h_tokens": LONG},
    }
    provider.now_s += 43_200
    assert of(provider, A)[0] == LONG


@pytest.mark.parametrize(
    ("change", "is_read"),
    [
        ({"max_output_tokens": 5, "tool_choice": "none", "text": {"format": {"type": "text"}}}, True),
        ({"parallel_tool_calls": True}, True),
        ({"parallel_tool_calls": False}, False),
        ({"reasoning": {"effort": "low"}}, False),
        ({"text": {"verbosity": "low"}}, False),
        ({"tools": [{"type": "function", "name": "ls", "parameters": {}}]}, False),
        ({"prompt_cache_key": "other"}, False),
        ({"instructions": "Be brief."}, False),
        ({"model": "gpt-6-sol"}, False),
    ],
)
def test_what_breaks_the_cache(provider: Provider, change: Json, is_read: bool) -> None:  # noqa: FBT001
    """Every setting that is part of the prefix, whole."""
    assert of(provider, A)[1] == LONG
    assert (of(provider, A, **change)[0] > 0) is is_read


def test_four_writes_at_most(provider: Provider) -> None:
    """The latest three breakpoints and the end: the first of four is not written."""
    parts = [text(1200, letter, **EXPLICIT) for letter in "abcd"]
    assert of(provider, user(*parts, text(40, "e")))[1] == 4840 + HEAD
    explicit = {"prompt_cache_options": {"mode": "explicit"}}
    assert of(provider, user(parts[0]), **explicit)[0] == 0
    assert of(provider, user(*parts[:2]), **explicit)[0] == 2400 + HEAD


def test_chat_counts_as_responses_do(provider: Provider) -> None:
    """`prompt_tokens` includes what was read and what was written."""
    body = {"model": MODEL, "messages": [A]}
    usages = [ask_openai(provider, "/v1/chat/completions", body)[1]["usage"] for _ in range(2)]
    assert [usage["prompt_tokens"] for usage in usages] == [LONG, LONG]
    assert [usage["prompt_tokens_details"] for usage in usages] == [
        {"cached_tokens": 0, "cache_write_tokens": LONG},
        {"cached_tokens": LONG, "cache_write_tokens": 0},
    ]


TOOL_CALL: Json = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}],
}
TOOL: Json = {"role": "tool", "tool_call_id": "c1", "content": "a"}


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([], "[] is too short"),
        ([user("a"), TOOL_CALL], "must be followed by tool messages responding to each 'tool_call_id'"),
        (
            [user("a"), TOOL_CALL, user("b"), TOOL],
            "must be followed by tool messages responding to each 'tool_call_id'",
        ),
        ([user("a"), TOOL], "must be a response to a preceeding message with 'tool_calls'"),
        ([{"role": "human", "content": "a"}], "Invalid value: 'human'"),
        ([{"role": "user", "content": None}], "expected a string, got null"),
    ],
)
def test_what_chat_refuses(provider: Provider, messages: list[Json], said: str) -> None:
    """400, in the API's words; a call with its answer is taken."""
    status, answer = ask_openai(provider, "/v1/chat/completions", {"model": MODEL, "messages": messages})
    assert status == 400
    assert said in error_of(answer)
    whole = {"model": MODEL, "messages": [user("a"), TOOL_CALL, TOOL]}
    assert ask_openai(provider, "/v1/chat/completions", whole)[0] == 200


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([], "Missing required parameter: 'input'."),
        ([user("a"), CALL], "No tool output found for function call c1."),
        ([user("a"), CALL, TRIGGER], "No tool output found for function call c1."),
        ([user("a"), OUTPUT], "No tool call found for function call output with call_id c1."),
        ([TRIGGER, user("a")], "A 'compaction_trigger' item must be the last input item."),
        ([{"type": "compaction", "encrypted_content": "x"}, user("a")], "could not be verified"),
    ],
)
def test_what_responses_refuses(provider: Provider, items: list[Json], said: str) -> None:
    """400, in the API's words."""
    status, answer = ask_openai(provider, "/v1/responses", {"model": MODEL, "input": items})
    assert status == 400
    assert said in error_of(answer)


def test_a_trigger_compacts_now_and_reads_the_prefix(provider: Provider) -> None:
    """It is the last item, and no part of the prompt; the item that it gives can be sent back."""
    assert of(provider, A, REPLY, B)[1] > 0
    answer = respond(provider, A, REPLY, B, TRIGGER)
    assert [item["type"] for item in answer["output"]] == ["compaction"]
    assert counts(answer) == (2 * LONG + 110, 0, 0)
    item = answer["output"][0]
    assert respond(provider, item, user("go on"))["usage"]["input_tokens"] < 100
    assert of(provider, A, REPLY, item, user("go on")) == of(provider, item, user("go on"))


def test_compaction_at_a_threshold(provider: Provider) -> None:
    """The item comes before the message where the input reaches it."""
    for threshold, kinds in ((LONG + 1, ["message"]), (LONG, ["compaction", "message"])):
        managed = [{"type": "compaction", "compact_threshold": threshold}]
        answer = respond(provider, A, context_management=managed)
        assert [item["type"] for item in answer["output"]] == kinds


def test_the_endpoint_of_its_own_takes_no_tools(provider: Provider) -> None:
    """It gives the user's messages and one item; without tools it cannot read a prefix that has some."""
    tools = [{"type": "function", "name": "ls", "parameters": {}}]
    assert of(provider, A, REPLY, B, tools=tools)[1] > 0
    body = {"model": MODEL, "input": [A, REPLY, B]}
    status, answer = ask_openai(provider, "/v1/responses/compact", body)
    assert (status, answer["object"]) == (200, "response.compaction")
    assert answer["output"][:2] == [A, B]
    assert [item["type"] for item in answer["output"][2:]] == ["compaction"]
    assert counts(answer)[0] == 0
    refused = ask_openai(provider, "/v1/responses/compact", {**body, "tools": tools})
    assert (refused[0], error_of(refused[1])) == (400, "Unknown parameter: 'tools'.")
