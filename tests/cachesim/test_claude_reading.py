"""What Claude's API makes of a request before its cache sees it: each row of the invalidation table, in figures."""

from __future__ import annotations

from typing import Any

import pytest

from cgcli.cachesim.simulator import CacheOptions, Simulator
from tests.cachesim.caching import SONNET, Json, Sent, Words, mark, message, text, told, tool

OPUS = "claude-opus-4-5"
ALL_NEW = "first_request"
HEAD: Json = {
    "model": SONNET,
    "tools": [tool(1500), {"name": "Read", "description": "x", "input_schema": {}, **mark()}],
    "system": [text(999, **mark())],
    "messages": [message("user", text(997, **mark()))],
}
"""Tools end at 1,501 tokens, the system prompt at 2,500, the message at 3,500; an entry stands at each."""
WEB = {"type": "web_search_20250305", "name": "web_search"}
FETCH = {"type": "web_fetch_20250910", "name": "web_fetch", "max_uses": 5}
LATER = {"name": "Later", "description": "later", "input_schema": {}, "defer_loading": True}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}


def _changed(**change: Any) -> tuple[int, str | None]:
    sent = Sent()
    assert told(sent.send(HEAD)) == (0, {300: 3500}, 0, ALL_NEW)
    found = sent.send({**HEAD, **change})
    return found.read_tokens, found.why


@pytest.mark.parametrize(
    ("thinking", "read"),
    [
        ({"type": "enabled", "budget_tokens": 2000}, 3500),
        ({"type": "enabled", "budget_tokens": 4000}, 2500),
        ({"type": "adaptive"}, 2500),
        ({"type": "disabled"}, 2500),
        (None, 2500),
    ],
)
def test_thinking_budget_and_mode_break_the_messages(thinking: Json | None, read: int) -> None:
    """Against a request that may think 2,000 tokens: tools and system prompt stay, 2,500."""
    sent = Sent()
    sent.send({**HEAD, "thinking": {"type": "enabled", "budget_tokens": 2000}})
    found = sent.send({**HEAD, "thinking": thinking})
    assert (found.read_tokens, found.why) == (read, None if read == 3500 else "params_changed")


@pytest.mark.parametrize(
    ("choice", "read"),
    [
        ({"type": "auto", "disable_parallel_tool_use": True}, 2500),
        ({"type": "auto", "disable_parallel_tool_use": False}, 3500),
        ({"disable_parallel_tool_use": False, "type": "auto"}, 3500),
        ({"type": "any"}, 2500),
        ({"type": "none"}, 2500),
        ({"type": "auto"}, 3500),
    ],
)
def test_parallel_tool_use_and_tool_choice_break_the_messages(choice: Json, read: int) -> None:
    """But for what means the same as leaving them out."""
    assert _changed(tool_choice=choice) == (read, None if read == 3500 else "params_changed")


@pytest.mark.parametrize(
    ("effort", "read"), [({"effort": "high"}, 3500), ({}, 3500), ({"effort": "low"}, 2500), ({"effort": "max"}, 2500)]
)
def test_effort_breaks_the_messages(effort: Json, read: int) -> None:
    """The default, said or left out, is the same."""
    assert _changed(output_config=effort) == (read, None if read == 3500 else "params_changed")


@pytest.mark.parametrize("added", [WEB, FETCH])
def test_web_tools_break_what_follows_the_tools(added: Json) -> None:
    """They are said in the system prompt: 1,501 tokens of tools are read, wherever among the tools they stand."""
    for tools in ([*HEAD["tools"], added], [added, *HEAD["tools"]]):
        assert _changed(tools=tools) == (1501, "params_changed")


def test_a_web_tool_that_stays_breaks_nothing() -> None:
    """With it from the first request on, all is read; and a change of it is a change of what follows the tools."""
    sent = Sent()
    body = {**HEAD, "tools": [*HEAD["tools"], WEB]}
    sent.send(body)
    assert sent.send(body).read_tokens == 3501
    other = {**HEAD, "tools": [*HEAD["tools"], {**WEB, "max_uses": 3}]}
    assert sent.send(other).read_tokens == 1501


def test_tools_that_are_loaded_later_are_outside_the_prefix() -> None:
    """One more of them behind the marked ones changes nothing; its tokens are counted, though."""
    read, why = _changed(tools=[*HEAD["tools"], LATER])
    assert (read, why) == (3501, None)
    read, why = _changed(tools=[LATER, *HEAD["tools"]])
    assert (read, why) == (3501, None)


def test_citations_break_what_follows_the_tools() -> None:
    """Asked for by a document anywhere in the messages; not by the citations of an answer."""
    document = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "d"}}
    asking = {**document, "citations": {"enabled": True}}
    silent = {**document, "citations": {"enabled": False}}
    answer = {"type": "text", "text": "w", "citations": [{"type": "char_location"}]}
    results = {"type": "tool_result", "tool_use_id": "t", "content": [asking]}
    for block, read in ((asking, 1501), (results, 1501), (silent, 3500), (document, 3500)):
        assert _changed(messages=[*HEAD["messages"], message("user", block)])[0] == read
    assert _changed(messages=[*HEAD["messages"], message("assistant", answer)])[0] == 3500


@pytest.mark.parametrize("inside", [False, True])
def test_the_first_image_breaks_the_messages(inside: bool) -> None:  # noqa: FBT001 - a column of the table
    """Anywhere in them; where one is there already, another one does not; without any again, it is as before."""
    block = {"type": "tool_result", "tool_use_id": "t", "content": [IMAGE]} if inside else IMAGE
    asked = message("user", text(997))
    sent = Sent()
    assert sent.send(HEAD).written_tokens == 3500
    found = sent.send({**HEAD, "messages": [asked, message("user", block, text(96, **mark()))]})
    assert told(found) == (2500, {300: 1099}, 0, "params_changed")
    more = [asked, message("user", block, text(96)), message("user", IMAGE, text(97, **mark()))]
    assert told(sent.send({**HEAD, "messages": more})) == (3599, {300: 100}, 0, None)
    assert sent.send({**HEAD, "messages": [*HEAD["messages"], message("user", text(1))]}).read_tokens == 3500


THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
"""One token: its JSON has no blank."""
THINKS = {"thinking": {"type": "enabled", "budget_tokens": 2000}}
CALL = {"type": "tool_use", "id": "t", "name": "B", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "t", "content": "w"}


def _stripping() -> Sent:
    return Sent(Simulator(Words, options=CacheOptions(strips_thinking=True)))


def _turns(model: str, *more: Json, thinks: bool = True) -> Json:
    """1,000 tokens asked, then a call with a thought, and its result: 1,000, 5 and 4 tokens."""
    messages = [message("user", text(997)), message("assistant", THOUGHT, CALL), message("user", RESULT), *more]
    last = messages[-1]["content"]
    messages[-1] = {**messages[-1], "content": [*last[:-1], {**last[-1], **mark()}]}
    return {"model": model, "messages": [message("user", text(1000)), *messages], **(THINKS if thinks else {})}


@pytest.mark.parametrize(
    ("model", "thinks", "expected"),
    [
        # a question behind the calls: the thought before it is taken out, and with it all that was cached behind it
        (SONNET, True, (0, {300: 2115}, 0, "messages_changed")),
        ("claude-haiku-4-5", True, (0, {}, 2115, "below_minimum")),
        # kept by later models, and where the request does not think nothing is said of it
        ("claude-opus-4-6", True, (0, {}, 2116, "below_minimum")),
        ("claude-sonnet-4-6", True, (2012, {300: 104}, 0, None)),
        (SONNET, False, (2012, {300: 104}, 0, None)),
    ],
)
def test_older_models_lose_their_thinking_to_a_question(
    model: str,
    thinks: bool,  # noqa: FBT001 - a column of the table
    expected: tuple[int, dict[int, int], int, str | None],
) -> None:
    """1,003 + 1,000 + 5 + 4 tokens were written, then come an answer of 4 and a question of 100 tokens."""
    sent = _stripping()
    sent.send(_turns(model, thinks=thinks))
    asked = [message("assistant", text(1)), message("user", text(97))]
    assert told(sent.send(_turns(model, *asked, thinks=thinks))) == expected


def test_results_alone_keep_the_thinking() -> None:
    """The call goes on: nothing is taken out, and all 2,012 tokens are read."""
    sent = _stripping()
    sent.send(_turns(SONNET))
    found = sent.send(_turns(SONNET, message("assistant", THOUGHT, CALL), message("user", RESULT)))
    assert told(found) == (2012, {300: 9}, 0, None)


def test_thinking_that_was_taken_out_may_be_left_out() -> None:
    """Once a question stands behind it, a request without the thought is the same request."""
    asked = [message("assistant", text(1)), message("user", text(97))]
    sent = _stripping()
    assert sent.send(_turns(SONNET, *asked)).written_tokens == 2115
    bare = _turns(SONNET, *asked)
    bare["messages"][2]["content"] = [CALL]
    assert told(sent.send(bare)) == (2115, {}, 0, None)


def test_a_long_run_of_calls_behind_a_question() -> None:
    """1,200 messages behind the last question, whose state follows from that without the thinking before it."""
    asked = [message("user", text(997)), message("assistant", THOUGHT, text(1)), message("user", text(97))]
    calls = [message("assistant", CALL), message("user", RESULT)] * 599
    end = [message("assistant", CALL), message("user", {**RESULT, **mark()})]
    body = {"model": SONNET, "messages": [*asked, *calls, *end], **THINKS}
    sent = _stripping()
    assert told(sent.send(body)) == (0, {300: 1000 + 4 + 100 + 600 * 8}, 0, ALL_NEW)
    bare = {**body, "messages": [asked[0], message("assistant", text(1)), asked[2], *calls, *end]}
    assert told(sent.send(bare)) == (5904, {}, 0, None)


def test_no_thinking_is_taken_out_unless_that_is_asked_for() -> None:
    """A question reads all that stood before it."""
    sent = Sent()
    sent.send(_turns(SONNET))
    asked = [message("assistant", text(1)), message("user", text(97))]
    assert told(sent.send(_turns(SONNET, *asked))) == (2012, {300: 104}, 0, None)


SEARCHED = message(
    "assistant",
    {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
    {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
    text(96),
)
"""3 + 1 + 1 + 96 tokens: the result ends at the fifth."""


def test_the_api_adds_a_breakpoint_behind_a_server_tools_result() -> None:
    """Five minutes, behind a mark of an hour: 2,000 are written for an hour, 5 for five minutes, the rest is fresh."""
    first = {"model": SONNET, "messages": [message("user", text(1997, **mark("1h"))), SEARCHED]}
    sent = Sent()
    assert told(sent.send(first)) == (0, {3600: 2000, 300: 5}, 96, ALL_NEW)
    assert told(sent.send(first)) == (2005, {}, 96, None)


def test_it_adds_none_where_nothing_is_marked() -> None:
    """And none of the four is used up by it."""
    bare = {"model": SONNET, "messages": [message("user", text(1997)), SEARCHED]}
    assert told(Sent().send(bare)) == (0, {}, 2101, "no_breakpoint")
    marked = [message("user", text(497, f"m{i}", **mark())) for i in range(4)]
    four = {"model": SONNET, "messages": [*marked, SEARCHED]}
    assert told(Sent().send(four)) == (0, {300: 2005}, 96, ALL_NEW)


def test_a_request_without_an_answer_fills_the_cache() -> None:
    """`max_tokens` 0: written, readable when its answer begins, and read by the request that asks for one."""
    sent = Sent()
    assert told(sent.send({**HEAD, "max_tokens": 0}, 0.0, readable_s=2.0)) == (0, {300: 3500}, 0, ALL_NEW)
    assert told(sent.send({**HEAD, "max_tokens": 500}, 1.0))[0] == 0
    assert told(sent.send({**HEAD, "max_tokens": 500}, 2.0)) == (3500, {}, 0, None)
