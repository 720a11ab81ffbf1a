"""G-SHAPE."""

from __future__ import annotations

from typing import Any

import pytest

from cgcli.checks.base import Verdict
from cgcli.checks.gates.shape import RULE
from cgcli.providers.request_rules import RULES, Fault
from tests import captures
from tests.checks.gated import BASH, Json, body, failures, fixture, forgotten, lines, notes, result, said, turn, user

GATE = "G-SHAPE"
SYSTEM = {"role": "system", "content": "Be brief."}
OPENAI: Json = {"model": "gpt-4.1", "system": None, "max_tokens": None, "tools": None}


def found(*messages: Json, **fields: Any) -> list[tuple[str | None, str | None]]:
    """(kind, path) of each failure in one request."""
    return [(one.kind, one.path) for one in failures(result(lines([body(*messages, **fields)]), GATE))]


def blocks(role: str, *content: Json) -> Json:
    """A message with a list of blocks."""
    return {"role": role, "content": list(content)}


def text(words: str) -> Json:
    """A text block."""
    return {"type": "text", "text": words}


def test_the_failing_fixture() -> None:
    """A system message in the list and a blank text; an assistant first and a result behind a text."""
    data = fixture(GATE, "failing")
    got = result(data, GATE)
    assert (got.verdict, got.checked, got.unit) == (Verdict.FAIL, 2, "requests")
    assert [(one.line, one.kind, one.path) for one in got.findings] == [
        (1, "system_in_list", "messages.3"),
        (1, "blank_text", "messages.4.content.0.text"),
        (2, "first_not_user", "messages.0"),
        (2, "result_not_first", "messages.3.content.1"),
    ]
    first, second = data.read_bytes().splitlines()
    assert [one.byte for one in got.findings] == [
        first.index(b'{"role":"system"'),
        first.index(b'"  "'),
        second.index(b'{"role":"assistant"'),
        second.index(b'{"type":"tool_result"'),
    ]


def test_the_passing_and_the_vacuous_fixture() -> None:
    """The same words in legal shapes pass; there are no rules for Responses."""
    passing, vacuous = (result(fixture(GATE, name), GATE) for name in ("passing", "vacuous"))
    assert (passing.verdict, passing.checked, passing.findings) == (Verdict.PASS, 2, ())
    assert (vacuous.verdict, vacuous.checked) == (Verdict.VACUOUS, 0)


def test_every_rule_has_a_source_and_stands_in_the_explanation() -> None:
    """The gate's text names each refused shape and where that is from."""
    assert set(RULES) == set(Fault)
    assert all(rule.says in RULE.checks and rule.source in RULE.source for rule in RULES.values())


@pytest.mark.parametrize(
    ("model", "messages", "expected"),
    [
        ("claude-opus-5", [user("a"), SYSTEM], []),
        ("claude-opus-5", [user("a"), SYSTEM, said("b"), user("c")], []),
        ("claude-opus-5", [user("a"), SYSTEM, user("b")], [("system_misplaced", "messages.1")]),
        ("claude-opus-5", [user("a"), said("b"), SYSTEM], [("system_misplaced", "messages.2")]),
        ("claude-sonnet-5", [user("a"), SYSTEM], [("system_in_list", "messages.1")]),
        ("claude-haiku-4-5", [user("a"), SYSTEM], [("system_in_list", "messages.1")]),
    ],
)
def test_a_system_message_among_the_messages(model: str, messages: list[Json], expected: list[tuple[str, str]]) -> None:
    """Models that take one want it behind a user turn, and before an assistant turn or at the end."""
    assert found(*messages, model=model) == expected


def test_a_model_that_nothing_is_known_of_is_a_note() -> None:
    """A new model may take a system message or not."""
    got = result(lines([body(user("a"), SYSTEM, model="claude-opus-9")]), GATE)
    assert (got.verdict, [one.kind for one in notes(got)]) == (Verdict.PASS, ["system_in_list_unknown"])


def test_a_system_message_becomes_misplaced_by_what_follows() -> None:
    """At the end it is legal; in the next request a user message stands behind it."""
    bodies = [body(user("a"), SYSTEM, model="claude-opus-5"), body(user("a"), SYSTEM, user("b"), model="claude-opus-5")]
    got = failures(result(lines(bodies), GATE))
    assert [(one.line, one.kind, one.path) for one in got] == [(2, "system_misplaced", "messages.1")]


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([blocks("user", text("a"), text(""))], [("blank_text", "messages.0.content.1.text")]),
        ([blocks("user", text("a"), text(" \n\t "))], [("blank_text", "messages.0.content.1.text")]),
        ([blocks("user", text("a"), text("\u00a0"))], []),
        ([user("")], [("no_content", "messages.0")]),
        ([user("a"), said("")], []),
        ([user("a"), said(""), user("b")], [("no_content", "messages.1")]),
        ([user("a"), blocks("assistant"), user("b")], [("no_content", "messages.1")]),
        ([user("a"), user("b"), said("c"), said("d"), user("e")], []),
        ([said("a"), user("b")], [("first_not_user", "messages.0")]),
        ([blocks("assistant", {"type": "compaction", "content": "x", "signature": "s"}), user("b")], []),
        ([{"role": "critic", "content": "a"}], [("unknown_role", "messages.0.role")]),
    ],
)
def test_anthropic_messages(messages: list[Json], expected: list[tuple[str, str]]) -> None:
    """Blank texts, empty messages, roles, and who speaks first; an empty last answer and repeated roles are legal."""
    assert found(*messages) == expected


def test_an_empty_answer_is_refused_once_something_follows_it() -> None:
    """Legal as the last message, it is not in the middle."""
    bodies = [body(user("a"), said("")), body(user("a"), said(""), user("b"))]
    got = failures(result(lines(bodies), GATE))
    assert [(one.line, one.kind, one.path) for one in got] == [(2, "no_content", "messages.1")]


def test_empty_texts_in_a_tool_result_and_an_empty_result() -> None:
    """A result may be empty, a text block in it may not; white space is a result."""
    call, _ = turn(1)
    for content, expected in (
        ("", []),
        ([], []),
        ([text(" ")], []),
        ([text("")], [("blank_text", "messages.2.content.0.content.0.text")]),
    ):
        block = {"type": "tool_result", "tool_use_id": "call_1", "content": content}
        assert found(user("a"), call, blocks("user", block)) == expected


def test_results_come_first_in_their_user_turn() -> None:
    """Behind a text in the same message, and behind a user message before it, since both are one turn."""
    call, output = turn(1)
    block = output["content"][0]
    assert found(user("a"), call, blocks("user", block, text("b"))) == []
    assert found(user("a"), call, blocks("user", text("b"), block)) == [("result_not_first", "messages.2.content.1")]
    assert found(user("a"), call, user("b"), blocks("user", block)) == [("result_not_first", "messages.3.content.0")]


def test_no_messages_at_all() -> None:
    """An empty list is refused by both."""
    assert found() == [("no_messages", None)]
    assert found(**OPENAI) == [("no_messages", None)]


def test_five_marks() -> None:
    """Over tools, system prompt and messages together."""
    mark = {"cache_control": {"type": "ephemeral"}}
    marked = [{**text(str(n)), **mark} for n in range(3)]
    head = {"tools": [{**BASH, **mark}], "system": [{**text("s"), **mark}]}
    assert found(blocks("user", *marked), **head) == [("too_many_marks", "messages.0.content.2")]
    assert found(blocks("user", *marked[:2]), **head) == []
    assert found(blocks("user", *marked[:2], text("x")), **head, **mark) == [("too_many_marks", "messages.0.content.1")]


def test_two_tools_of_one_name() -> None:
    """The second one is named, hostile text and all."""
    twice = {**BASH, "name": "[red]x"}
    got = failures(result(lines([body(user("a"), tools=[BASH, twice, twice])]), GATE))
    assert [(one.kind, one.path) for one in got] == [("same_tool_name", "tools.2.name")]
    assert got[0].message.endswith(": [red]x")


def test_a_blank_system_block() -> None:
    """A block of the system prompt may not be blank either."""
    assert found(user("a"), system=[text("s"), text(" ")]) == [("blank_text", "system.1.text")]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"role": "assistant", "content": None, "refusal": "no"}, []),
        ({"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}, []),
        ({"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "f"}}]}, []),
        ({"role": "assistant", "content": None}, [("no_content", "messages.2")]),
        ({"role": "user", "content": None}, [("no_content", "messages.2")]),
        ({"role": "user", "content": ""}, []),
        ({"role": "critic", "content": "a"}, [("unknown_role", "messages.2.role")]),
    ],
)  # fmt: skip
def test_chat_messages(message: Json, expected: list[tuple[str, str]]) -> None:
    """System messages stand anywhere; only an answer that is a call or a refusal has no content."""
    assert found(user("a"), SYSTEM, message, **OPENAI) == expected


def test_without_tools_and_system_it_is_unknown() -> None:
    """Marks and names in them would not be seen; a failure stays one."""
    assert forgotten(lines([body(user("a"))]), GATE, forgets=("tools", "system")).verdict is Verdict.UNKNOWN
    assert forgotten(lines([body(said("a"))]), GATE, forgets=("tools", "system")).verdict is Verdict.FAIL


def test_a_fault_in_the_history_is_told_once() -> None:
    """Twenty requests that repeat a blank text have one finding, and a batch of them one too."""
    first = blocks("user", text("a"), text(""))
    lane = [body(first, *[said(str(n)) for n in range(i)]) for i in range(20)]
    assert len(failures(result(lines(lane), GATE))) == 1
    batch = [{"custom_id": str(i), "params": body(first)} for i in range(20)]
    assert len(failures(result(lines(batch), GATE))) == 1


@pytest.mark.parametrize("dialect", ["anthropic", "chat"])
def test_generated_sessions_pass(dialect: captures.Dialect) -> None:
    """Seven requests of a session with all kinds of outputs have no refused shape."""
    got = result(captures.capture(dialect=dialect, parallel=2), GATE)
    assert (got.verdict, got.checked, got.findings) == (Verdict.PASS, 7, ())
