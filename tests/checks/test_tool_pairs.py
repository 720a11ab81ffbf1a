"""G-TOOL-PAIRS."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.checks.base import Verdict
from tests import captures, oracle
from tests.checks.gated import Json, body, failures, fixture, lines, notes, result, said, user

GATE = "G-TOOL-PAIRS"


def calls(*names: str) -> Json:
    """An assistant's message that calls."""
    made = [{"type": "tool_use", "id": name, "name": "Bash", "input": {}} for name in names]
    return {"role": "assistant", "content": made}


def results(*names: str, more: str | None = None) -> Json:
    """A user's message that answers, and may say *more*."""
    blocks: list[Json] = [{"type": "tool_result", "tool_use_id": name, "content": "ok"} for name in names]
    return {"role": "user", "content": blocks + ([{"type": "text", "text": more}] if more else [])}


def found(*messages: Json, **fields: Any) -> list[tuple[str | None, str | None]]:
    """(kind, path) of each failure in one request."""
    return [(one.kind, one.path) for one in failures(result(lines([body(*messages, **fields)]), GATE))]


def test_the_failing_fixture_names_the_ids() -> None:
    """A partly answered run at the end and in the middle, a result from nowhere, a call at the very end."""
    data = fixture(GATE, "failing")
    got = result(data, GATE)
    assert (got.verdict, got.checked, got.unit) == (Verdict.FAIL, 3, "tool calls")
    assert [(one.line, one.kind, one.path) for one in got.findings] == [
        (1, "pending_partly", "messages.1.content.2"),
        (2, "partly_answered", "messages.1.content.2"),
        (2, "uncalled", "messages.4.content.0"),
        (3, "pending", "messages.1.content.0"),
    ]
    assert [one.message.rpartition(": ")[2] for one in got.findings] == ["toolu_b", "toolu_b", "toolu_c", "toolu_d"]
    first, second, third = data.read_bytes().splitlines()
    assert [one.byte for one in got.findings] == [
        first.index(b'{"type":"tool_use","id":"toolu_b"'),
        second.index(b'{"type":"tool_use","id":"toolu_b"'),
        second.index(b'{"type":"tool_result","tool_use_id":"toolu_c"'),
        third.index(b'{"type":"tool_use","id":"toolu_d"'),
    ]


def test_the_passing_and_the_vacuous_fixture() -> None:
    """Two parallel calls in the other order pass; without calls there is nothing to check."""
    passing, vacuous = (result(fixture(GATE, name), GATE) for name in ("passing", "vacuous"))
    assert (passing.verdict, passing.checked, passing.findings) == (Verdict.PASS, 2, ())
    assert (vacuous.verdict, vacuous.checked, vacuous.reason) == (Verdict.VACUOUS, 0, "no request has a tool call")


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([user("a"), calls("1", "2"), results("1"), results("2")], []),
        ([user("a"), calls("1"), calls("2"), results("1", "2")], []),
        ([user("a"), calls("1"), results("1", more="b"), said("c"), user("d")], []),
        ([user("a"), calls("1"), user("b")], [("pending", "messages.1.content.0")]),
        ([user("a"), calls("1"), user("b"), said("c"), results("1")], [
            ("unanswered", "messages.1.content.0"),
            ("late", "messages.4.content.0"),
        ]),
        ([user("a"), calls("1", "2", "3"), results("2"), said("b")], [("partly_answered", "messages.1.content.0")]),
        ([user("a"), calls("1"), results("1"), results("1")], [("answered_twice", "messages.3.content.0")]),
        ([user("a"), calls("1"), results("1"), calls("1"), results("1")], [("called_twice", "messages.3.content.0")]),
        ([user("a"), calls("1", "1"), results("1")], [("called_twice", "messages.1.content.1")]),
        ([user("a"), calls("1", "2"), results("1"), calls("3"), results("2", "3")], [
            ("partly_answered", "messages.1.content.1"),
            ("late", "messages.4.content.0"),
        ]),
    ],
)  # fmt: skip
def test_anthropic_runs(messages: list[Json], expected: list[tuple[str, str]]) -> None:
    """Results stand in the user messages right behind their calls, each once; a mixed run is told apart by ids."""
    assert found(*messages) == expected


def test_the_providers_own_tools_are_not_paired() -> None:
    """A server tool without its result, and one whose result stands in the same message, are no findings."""
    blocks = [
        {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []},
        {"type": "server_tool_use", "id": "srv_2", "name": "web_search", "input": {}},
        {"type": "mcp_tool_use", "id": "mcp_1", "name": "find", "server_name": "m", "input": {}},
        {"type": "tool_use", "id": "1", "name": "Bash", "input": {}},
    ]
    assert found(user("a"), {"role": "assistant", "content": blocks}, results("1")) == []
    assert found(user("a"), {"role": "assistant", "content": blocks}) == [("pending", "messages.1.content.4")]


def test_a_result_that_is_an_image_is_a_result() -> None:
    """What a result is made of does not count."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    block = {"type": "tool_result", "tool_use_id": "1", "content": [image]}
    assert found(user("a"), calls("1"), {"role": "user", "content": [block]}) == []


CHAT: Json = {"model": "gpt-4.1", "system": None, "max_tokens": None, "tools": None}


def asks(*names: str) -> Json:
    """A Chat message that calls."""
    made = [{"id": name, "type": "function", "function": {"name": "run", "arguments": "{}"}} for name in names]
    return {"role": "assistant", "content": None, "tool_calls": made}


def tool(name: str | None, content: Any = "ok") -> Json:
    """A Chat tool message."""
    return {"role": "tool", "content": content, **({"tool_call_id": name} if name is not None else {})}


OLD_CALL = {"role": "assistant", "content": None, "function_call": {"name": "run", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([user("a"), asks("1", "2"), tool("2"), tool("1"), user("b")], []),
        ([user("a"), asks("1"), tool("1", []), user("b")], []),
        ([user("a"), asks("1", "2"), tool("1"), user("b"), tool("2")], [
            ("partly_answered", "messages.1.tool_calls.1"),
            ("late", "messages.4"),
        ]),
        ([user("a"), tool("1")], [("uncalled", "messages.1")]),
        ([user("a"), asks("1"), tool("1"), tool("1")], [("answered_twice", "messages.3")]),
        ([user("a"), asks("1"), tool(None)], [
            ("result_without_id", "messages.2"),
            ("pending", "messages.1.tool_calls.0"),
        ]),
        ([user("a"), asks("1", "2"), tool("1")], [("pending_partly", "messages.1.tool_calls.1")]),
        ([user("a"), OLD_CALL, {"role": "function", "name": "run", "content": "ok"}, OLD_CALL], [
            ("pending", "messages.3.function_call"),
        ]),
        ([user("a"), OLD_CALL, {"role": "function", "name": "walk", "content": "ok"}], [
            ("uncalled", "messages.2"),
            ("pending", "messages.1.function_call"),
        ]),
    ],
)  # fmt: skip
def test_chat_runs(messages: list[Json], expected: list[tuple[str, str]]) -> None:
    """Tool messages stand right behind the assistant message; a function_call is known by its name."""
    assert found(*messages, **CHAT) == expected


def test_an_id_that_comes_again_in_a_later_chat_run_is_a_note() -> None:
    """OpenAI pairs by run, so that history goes on; twice in one message it is a failure."""
    again = [user("a"), asks("1"), tool("1"), asks("1"), tool("1")]
    got = result(lines([body(*again, **CHAT)]), GATE)
    assert (got.verdict, [one.kind for one in notes(got)]) == (Verdict.PASS, ["called_twice"])
    assert ("called_twice", "messages.1.tool_calls.1") in found(user("a"), asks("1", "1"), tool("1"), **CHAT)


def item_call(name: str) -> Json:
    """A Responses call."""
    return {"type": "function_call", "call_id": name, "name": "run", "arguments": "{}"}


def item_output(name: str) -> Json:
    """A Responses output."""
    return {"type": "function_call_output", "call_id": name, "output": "ok"}


def items(*found_items: Json, **fields: Any) -> list[tuple[str | None, str | None]]:
    """(kind, path) of each failure in one Responses request."""
    request = {"model": "gpt-5", "input": [{"role": "user", "content": "a"}, *found_items], **fields}
    return [(one.kind, one.path) for one in failures(result(lines([request]), GATE))]


def test_responses_items() -> None:
    """An output may stand anywhere behind its call, once; a provider's own call needs none."""
    asked = {"role": "user", "content": "b"}
    searched = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    assert items(item_call("1"), item_call("2"), item_output("2"), asked, item_output("1"), searched) == []
    assert items(item_output("1"), item_call("1")) == [("uncalled", "messages.1"), ("pending", "messages.2")]
    assert items(item_call("1"), item_output("1"), item_output("1")) == [("answered_twice", "messages.3")]


def test_responses_that_lean_on_the_providers_memory() -> None:
    """With `previous_response_id`, `conversation` or a reference, the call may stand outside the file."""
    assert items(item_output("1")) == [("uncalled", "messages.1")]
    assert items(item_output("1"), previous_response_id="resp_1") == []
    assert items(item_output("1"), conversation="conv_1") == []
    assert items({"type": "item_reference", "id": "fc_1"}, item_output("1")) == []


def test_a_fault_is_told_once_and_counted_once() -> None:
    """Nine requests that repeat a lost result have one finding, and each call counts once."""
    history = [user("a"), calls("1"), results("1"), calls("2"), user("b"), said("c")]
    bodies = [body(*history, *[said(str(n)) for n in range(i)]) for i in range(9)]
    got = result(lines(bodies), GATE)
    assert (got.checked, [(one.line, one.kind) for one in got.findings]) == (2, [(1, "unanswered")])


def test_many_faults_end_in_a_note() -> None:
    """Of 500 orphans 100 are listed, and one note says that there are more."""
    got = result(lines([body(user("a"), results(*map(str, range(500))))]), GATE)
    assert (len(failures(got)), len(notes(got))) == (100, 1)
    assert notes(got)[0].message == "more than 100 of this kind: no more are listed"


def test_a_side_call_that_became_a_thread_keeps_its_own_state() -> None:
    """A side call is taken out of its thread; what the main line did after that is not taken for its history."""
    base = [user("a"), calls("1"), results("1")]
    side = [*base, user("aside")]
    main = [*base, calls("2"), results("2")]
    bodies = [body(*base), body(*side), body(*main), body(*side, said("d"), user("e"))]
    assert failures(result(lines(bodies), GATE)) == []


@given(
    st.lists(st.tuples(st.sampled_from("ARu"), st.lists(st.sampled_from("1234"), max_size=3, unique=True)), max_size=7)
)
@settings(max_examples=150, deadline=None)
def test_agrees_with_the_oracle_on_chat(steps: list[tuple[str, list[str]]]) -> None:
    """A request fails exactly where a plain second implementation finds something wrong."""
    messages: list[Json] = [user("a")]
    used: set[str] = set()
    for kind, names in steps:
        fresh = [name for name in names if name not in used]
        if kind == "A" and fresh:
            messages.append(asks(*fresh))
            used |= set(fresh)
        elif kind == "R":
            messages += [tool(name) for name in names]
        else:
            messages.append(user("b"))
    request = body(*messages, **CHAT)
    assert bool(found(*messages, **CHAT)) == bool(oracle.check_tool_pairs(request))


@pytest.mark.parametrize("dialect", ["anthropic", "chat", "responses"])
def test_generated_sessions_pass(dialect: captures.Dialect) -> None:
    """Sessions with three parallel calls a turn are whole in every dialect: 6 turns, 18 calls."""
    got = result(captures.capture(dialect=dialect, parallel=3), GATE)
    assert (got.verdict, got.checked) == (Verdict.PASS, 18)
