"""G-NATIVE."""

from __future__ import annotations

from typing import Any

import pytest

from cgcli.checks.base import Verdict
from tests.checks.gated import Json, body, failures, fixture, lines, result, said, user

GATE = "G-NATIVE"
ON = "claude-opus-5"
BLOCK = {"type": "compaction", "content": "So far.", "signature": "sigA"}
GO_ON = {"type": "text", "text": "go on"}
ASK = {"compaction": {"type": "summarize"}}


def block(**fields: Any) -> Json:
    """The block as an assistant's message of its own."""
    return {"role": "assistant", "content": [{**BLOCK, **fields}]}


OLD = [user("task"), said("first answer"), user("more")]
KEPT = [said("second answer"), user("why")]


def asking(*messages: Json, **fields: Any) -> Json:
    """A call on demand."""
    return body(*messages, **{"model": ON, **ASK, **fields})


def found(*bodies: Json) -> list[tuple[int, str | None, str | None]]:
    """(line, kind, path) of each failure."""
    return [(one.line, one.kind, one.path) for one in failures(result(lines(bodies), GATE))]


def on(*messages: Json, **fields: Any) -> Json:
    """A request to a model that has compaction."""
    return body(*messages, **{"model": ON, **fields})


def test_the_failing_fixture() -> None:
    """Both kinds, a trigger below 50,000, a misplaced block, and a block that is gone."""
    data = fixture(GATE, "failing")
    got = result(data, GATE)
    assert (got.verdict, got.checked, got.unit) == (Verdict.FAIL, 2, "requests with compaction by the provider")
    assert [(one.line, one.kind, one.path) for one in got.findings] == [
        (2, "trigger_too_low", "context_management"),
        (2, "both_kinds", "compaction"),
        (3, "misplaced", "messages.1.content.0"),
        (4, "omitted", "messages.0"),
    ]
    _, _, third, fourth = data.read_bytes().splitlines()
    assert [one.byte for one in got.findings] == [
        None,
        None,
        third.index(b'{"type":"compaction"'),
        fourth.index(b'{"role":"assistant"'),
    ]


def test_the_passing_and_the_vacuous_fixture() -> None:
    """A call and its block in two requests; nothing of the kind."""
    passing, vacuous = (result(fixture(GATE, name), GATE) for name in ("passing", "vacuous"))
    assert (passing.verdict, passing.checked, passing.findings) == (Verdict.PASS, 3, ())
    assert (vacuous.verdict, vacuous.checked) == (Verdict.VACUOUS, 0)


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([block(), *KEPT], []),
        ([{"role": "user", "content": [BLOCK, GO_ON]}], []),
        ([{"role": "user", "content": [GO_ON, BLOCK]}], [("misplaced", "messages.0.content.1")]),
        ([user("a"), block(), *KEPT], [("misplaced", "messages.1.content.0")]),
        ([block(), block(signature="sigB"), *KEPT], [("several_blocks", "messages.1.content.0")]),
        ([block(citations=None), *KEPT], [("null_member", "messages.0.content.0")]),
        ([block(cache_control={"type": "ephemeral"}), *KEPT], []),
    ],
)  # fmt: skip
def test_where_a_signed_block_stands(messages: list[Json], expected: list[tuple[str, str]]) -> None:
    """One block, first of all, without members that the answer did not have; it may be marked."""
    assert [(kind, path) for _, kind, path in found(on(*messages))] == expected


def test_blocks_of_a_threshold_stand_anywhere() -> None:
    """Unsigned ones may be several and behind messages; null stands for nothing; an empty text is refused."""
    plain = {
        "role": "assistant",
        "content": [{"type": "compaction", "content": "So far."}, {"type": "text", "text": "x"}],
    }
    null = {"role": "assistant", "content": [{"type": "compaction", "content": None}, {"type": "text", "text": "x"}]}
    empty = {"role": "assistant", "content": [{"type": "compaction", "content": ""}]}
    assert found(on(*OLD, plain, user("b"), plain, user("c"))) == []
    assert result(lines([on(*OLD, null, user("b"))]), GATE).verdict is Verdict.VACUOUS
    assert found(on(*OLD, empty, user("b"))) == [(1, "empty_block", "messages.3.content.0")]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, []),
        ({"stop_sequences": ["x"]}, [("refused_setting", "stop_sequences")]),
        ({"output_config": {"format": {"type": "json_schema"}}}, [("refused_setting", "output_config.format")]),
        (
            {"output_config": {"task_budget": {"remaining": 5}}},
            [("refused_setting", "output_config.task_budget.remaining")],
        ),
        ({"tool_choice": {"type": "any"}}, [("refused_setting", "tool_choice")]),
        ({"tool_choice": {"type": "auto"}}, []),
        ({"context_management": {"edits": []}}, [("both_kinds", "compaction")]),
        ({"compaction": {"type": "summarize", "instructions": "x" * 16_384}}, []),
        (
            {"compaction": {"type": "summarize", "instructions": "x" * 16_385}},
            [("instructions_too_long", "compaction.instructions")],
        ),
        ({"model": "claude-sonnet-4-5"}, [("model_unsupported", "model")]),
        ({"model": "claude-opus-9"}, []),
        ({"model": "us.anthropic.claude-opus-4-8-v1:0"}, [("platform_unsupported", "compaction")]),
    ],
)
def test_what_a_call_on_demand_is_refused_with(fields: Json, expected: list[tuple[str, str]]) -> None:
    """Settings that do not go with it, the other kind, long instructions, and models or platforms without it."""
    assert [(kind, path) for _, kind, path in found(asking(*OLD, **fields))] == expected


@pytest.mark.parametrize(("tokens", "expected"), [(50_000, []), (49_999, ["trigger_too_low"])])
def test_the_least_trigger(tokens: int, expected: list[str]) -> None:
    """50,000 tokens are the least; with a signed block in the request no threshold can be."""
    edit = {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": tokens}}
    managed = {"context_management": {"edits": [edit]}}
    assert [kind for _, kind, _ in found(on(*OLD, **managed))] == expected
    assert [kind for _, kind, _ in found(on(block(), *KEPT, **managed))] == [*expected, "both_kinds"]


def test_a_changed_block() -> None:
    """Other words under the same signature."""
    bodies = [on(block(), *KEPT), on(block(content="Otherwise."), *KEPT, said("c"), user("d"))]
    assert found(*bodies) == [(2, "block_changed", "messages.0.content.0")]


def test_what_was_summarised_is_sent_again() -> None:
    """Behind the block stands an answer that the call covered; what the call did not cover may follow."""
    call = asking(*OLD)
    assert found(on(*OLD, *KEPT), call, on(block(), *KEPT)) == []
    assert found(on(*OLD, *KEPT), call, on(block(), *OLD, *KEPT)) == [(3, "sent_again", "messages.2")]


def test_the_whole_history_behind_the_block_without_a_recorded_call() -> None:
    """Where the call is not in the file, the conversation's first message right behind the block tells it."""
    assert found(on(*OLD), on(block(), *OLD, *KEPT)) == [(2, "sent_again", "messages.1")]


def test_a_block_that_is_omitted_later() -> None:
    """The kept turns go on without it; a request that has the whole history again has lost nothing."""
    more = [*KEPT, said("third answer"), user("and")]
    before = [on(*OLD, *KEPT), asking(*OLD), on(block(), *KEPT)]
    assert found(*before, on(block(), *more)) == []
    assert found(*before, on(*more)) == [(4, "omitted", "messages.0")]
    assert found(*before, on(*OLD, *more)) == []


def test_a_block_of_a_threshold_that_is_stripped() -> None:
    """Cut from its message after the client dropped what it stood for, the summary is lost."""
    answer = {"type": "text", "text": "second answer"}
    whole = {"role": "assistant", "content": [{"type": "compaction", "content": "So far."}, answer]}
    stripped = {"role": "assistant", "content": [answer]}
    tail = [user("b"), said("third answer"), user("c")]
    first = on(*OLD, whole, *tail)
    assert found(first, on(whole, *tail, said("d"), user("e"))) == []
    assert found(first, on(user("b"), *tail[1:], said("d"), user("e"))) == [(2, "omitted", "messages.0")]
    assert found(first, on(*OLD, stripped, *tail)) == []


def test_another_compaction_takes_the_place_of_the_first() -> None:
    """The newest block alone, with what was kept, is right."""
    second = [on(block(), *KEPT), asking(block(), *KEPT), on(block(signature="sigB"), said("c"), user("d"))]
    assert found(asking(*OLD), *second) == []


def test_a_call_whose_block_never_comes_is_unknown() -> None:
    """Answers are not recorded: the summary may have failed, or was lost."""
    got = result(lines([on(*OLD), asking(*OLD), on(*OLD, *KEPT)]), GATE)
    assert (got.verdict, got.checked) == (Verdict.UNKNOWN, 1)
    assert got.reason == "no later request has the block of a compaction call (1), and answers are not recorded"
    assert result(lines([on(*OLD), asking(*OLD)]), GATE).verdict is Verdict.PASS


def openai(*items: Json, **fields: Any) -> Json:
    """A Responses request."""
    return {"model": "gpt-5.6-sol", "input": list(items), **fields}


ITEM = {"type": "compaction", "id": "cmp_1", "encrypted_content": "AAAA"}
TRIGGER = {"type": "compaction_trigger"}
ASKED = {"role": "user", "content": "a"}
ANSWER = {"role": "assistant", "content": "b"}


def test_openai_items() -> None:
    """None, one or two items pass, and so does an item of a type that nobody knows."""
    unknown = {"type": "context_compaction", "id": "x", "data": "?"}
    assert result(lines([openai(ASKED)]), GATE).verdict is Verdict.VACUOUS
    assert result(lines([openai(unknown, ASKED)]), GATE).verdict is Verdict.VACUOUS
    for items in ([ITEM, ASKED], [ITEM, ASKED, {**ITEM, "id": "cmp_2"}, ASKED]):
        got = result(lines([openai(*items)]), GATE)
        assert (got.verdict, got.checked, got.findings) == (Verdict.PASS, 1, ())
    threshold = {"context_management": [{"type": "compaction", "compact_threshold": 100_000}]}
    assert result(lines([openai(ASKED, **threshold)]), GATE).verdict is Verdict.PASS


def test_openais_trigger_comes_last() -> None:
    """In the middle it is refused, also in the next request that left it there."""
    assert found(openai(ASKED, TRIGGER)) == []
    assert found(openai(ASKED, TRIGGER, ITEM)) == [(1, "trigger_not_last", "messages.1")]
    assert found(openai(ASKED, TRIGGER), openai(ASKED, TRIGGER, ITEM, ASKED)) == [(2, "trigger_not_last", "messages.1")]


def test_openais_item_changed_or_lost() -> None:
    """The same id with other content; and later requests that go on without the item."""
    more = [ANSWER, {"role": "user", "content": "c"}]
    assert found(openai(ITEM, *more), openai({**ITEM, "encrypted_content": "BBBB"}, *more)) == [
        (2, "block_changed", "messages.0")
    ]
    assert found(openai(ITEM, *more), openai(*more, ASKED)) == [(2, "omitted", "messages.0")]


def test_chat_has_no_compaction() -> None:
    """A Chat file has nothing to check."""
    assert result(lines([{"model": "gpt-4.1", "messages": OLD}]), GATE).verdict is Verdict.VACUOUS


def test_a_fault_in_every_request_is_told_once() -> None:
    """Twenty requests with the same misplaced block have one finding."""
    bodies = [on(user("a"), block(), *KEPT, *[said(str(n)) for n in range(i)]) for i in range(20)]
    assert found(*bodies) == [(1, "misplaced", "messages.1.content.0")]
