"""Which messages a summary is to stand for."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.errors import UsageError
from cgcli.model import Refusal, changed
from cgcli.readers.single import BodyParser, parse_body
from cgcli.select.choosing import select
from cgcli.select.selection import Selection, SpanOptions
from tests.captures import capture
from tests.oracle import check_tool_pairs
from tests.select.histories import (
    DIALECTS,
    SUMMARY,
    Json,
    body,
    calls,
    histories,
    messages_of,
    must_stay,
    request,
    results,
    user,
    wrong,
)

ALL = SpanOptions(fraction=1.0, protect_recent=0.0)
"""All that may go, with no tail."""


def chosen(dialect: str, messages: list[Json], options: SpanOptions = ALL) -> tuple[int, int] | str:
    """Where the span begins and ends, each message counting 10 tokens; or the refusal's detail."""
    found = select(request(dialect, messages), [10] * len(messages), options)
    return (found.start, found.stop) if isinstance(found, Selection) else found.detail


def turn(dialect: str, i: int) -> list[Json]:
    """One call and its result."""
    return [*calls(dialect, f"c{i}"), *results(dialect, f"c{i}")]


def run(dialect: str, n_turns: int) -> list[Json]:
    """A task, and so many turns."""
    return [user(dialect, "Build."), *(message for i in range(n_turns) for message in turn(dialect, i))]


# What stays


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_long_run_after_one_user_message_has_a_span(dialect: str) -> None:
    """21 messages, the task alone at the head; the tail is 7 (6.3 rounded up), which begins on a result: 8 stay."""
    assert chosen(dialect, run(dialect, 10), SpanOptions(fraction=1.0)) == (1, 13)


def test_the_span_ends_before_the_last_user_message() -> None:
    """Two user messages: the first is the head, what stands behind the second is not reached."""
    messages = [*run("anthropic", 3), user("anthropic", "Now test."), *run("anthropic", 6)[1:]]
    assert chosen("anthropic", messages) == (1, 7)


def test_two_user_messages_in_a_row_are_the_head() -> None:
    """The second is the last of the user, and stands in the leading run of what stays."""
    messages = [user("chat", "Build."), user("chat", "All of it."), *run("chat", 4)[1:]]
    assert chosen("chat", messages) == (2, 10)


def test_a_reminder_beside_a_result_is_no_user_speaking() -> None:
    """An agent puts its own words beside results; words of the user between two reminders count."""
    reminder = "<system-reminder>\nBe brief.\n</system-reminder>"
    messages = run("anthropic", 6)
    messages[4:5] = results("anthropic", "c1", text=reminder)
    assert chosen("anthropic", messages) == (1, 13)
    messages[4:5] = results("anthropic", "c1", text=f"{reminder} Stop.\n{reminder}")
    assert chosen("anthropic", messages) == (1, 3)


def test_a_picture_is_the_user_speaking() -> None:
    """A message with an image alone is the last of the user; an image in a tool's result is not."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0="}}
    messages = [*run("anthropic", 2), {"role": "user", "content": [image]}, *run("anthropic", 5)[1:]]
    assert chosen("anthropic", messages) == (1, 5)
    messages = run("anthropic", 5)
    messages[4]["content"][0]["content"] = [image]
    assert chosen("anthropic", messages) == (1, 11)


def test_system_messages_in_the_list_stay_and_do_not_count() -> None:
    """One at the head and the first message after it stay; one in the middle ends the span."""
    system = {"role": "system", "content": "An agent."}
    assert chosen("chat", [system, *run("chat", 3)]) == (2, 8)
    assert chosen("chat", [system, *run("chat", 3), system, *run("chat", 3)[1:]]) == (2, 8)
    developer = {"role": "developer", "content": "Be brief."}
    assert chosen("responses", [developer, *run("responses", 3)], changed(ALL, keep_first=0)) == (2, 8)


def test_the_first_messages_stay_with_their_groups() -> None:
    """The second one calls a tool: its result stays with it."""
    assert chosen("chat", run("chat", 4), changed(ALL, keep_first=2)) == (3, 9)


@pytest.mark.parametrize(
    ("options", "stop"),
    [
        (SpanOptions(fraction=1.0), 13),
        (SpanOptions(fraction=1.0, protect_recent=0.5), 9),
        (SpanOptions(fraction=1.0, keep_last=1), 19),
        (SpanOptions(fraction=1.0, keep_last=0), 21),
        (SpanOptions(fraction=1.0, keep_last=2), 19),
    ],
)
def test_the_tail(options: SpanOptions, stop: int) -> None:
    """Of 21 messages the last 6.3, so 7, by default; half are 11; a call whose result is among them stays, too."""
    assert chosen("chat", run("chat", 10), options) == (1, stop)


@pytest.mark.parametrize(
    "summary",
    [
        SUMMARY,
        "=== History Summary ===\nWithout a stash.",
        '<system-reminder source="context-summary">\nIt went well.\n</system-reminder>',
        "This session is being continued from a previous conversation that ran out of context.",
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_earlier_summary_is_the_head(dialect: str, summary: str) -> None:
    """Behind the task stands a summary: the span begins behind it; in the middle it ends the span."""
    messages = run(dialect, 4)
    assert chosen(dialect, [messages[0], user(dialect, summary), *messages[1:]]) == (2, 10)
    assert chosen(dialect, [*messages[:5], user(dialect, summary), *messages[5:]]) == (1, 5)


def test_a_tool_that_prints_a_summary_made_none() -> None:
    """The heading in an output, and a user's message that quotes it further down, are neither."""
    messages = run("chat", 4)
    messages[2]["content"] = SUMMARY
    messages[0]["content"] = f"What is this? {SUMMARY}"
    assert chosen("chat", messages, changed(ALL, keep_first=0)) == (1, 9)


def test_what_stands_before_the_providers_compaction_is_not_read_any_more() -> None:
    """Its block, or item, and all before it stay; one without content stands for nothing."""
    block = {"type": "compaction", "content": "It went well."}
    messages = run("anthropic", 6)
    messages[5]["content"].insert(0, block)
    assert chosen("anthropic", messages) == (7, 13)
    messages[5]["content"][0] = {**block, "content": None}
    assert chosen("anthropic", messages) == (1, 13)
    items = [*run("responses", 3), {"type": "compaction", "encrypted_content": "gAAA"}, *run("responses", 5)[1:]]
    assert chosen("responses", items) == (8, 18)


# Groups


def test_a_run_of_results_of_two_assistant_messages_goes_whole() -> None:
    """Two messages of the assistant call, the results are mixed: wherever the amount ends, all six go."""
    mixed = [*calls("chat", "a", "b"), *results("chat", "a"), *calls("chat", "c"), *results("chat", "c", "b")]
    messages = [user("chat", "Build."), *mixed, *turn("chat", 7)]
    for n in range(1, 6):
        assert chosen("chat", messages, SpanOptions(messages=n, protect_recent=0.0)) == (1, 6)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_parallel_calls_are_not_cut(dialect: str) -> None:
    """An amount that ends between the results of one turn takes them all."""
    group = [*calls(dialect, "a", "b"), *results(dialect, "a"), *results(dialect, "b")]
    messages = [user(dialect, "Build."), *group, *turn(dialect, 7)]
    for n in range(1, len(group) + 1):
        assert chosen(dialect, messages, SpanOptions(messages=n, protect_recent=0.0)) == (1, 1 + len(group))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_partly_answered_group_is_never_cut(dialect: str) -> None:
    """The span ends before the call; with the group at its beginning it begins behind it."""
    partly = [*calls(dialect, "a", "b"), *results(dialect, "a")]
    tail = run(dialect, 3)[1:]
    assert chosen(dialect, [*run(dialect, 2), *partly, *tail]) == (1, 5)
    begin = 1 + len(partly)
    assert chosen(dialect, [user(dialect, "Build."), *partly, *tail]) == (begin, begin + 6)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_result_beyond_the_tails_edge_keeps_its_call(dialect: str) -> None:
    """One result of a turn with two stands in the tail: the span ends before the turn."""
    messages = [*run(dialect, 2), *calls(dialect, "a", "b"), *results(dialect, "a"), *results(dialect, "b")]
    assert chosen(dialect, messages, SpanOptions(fraction=1.0, keep_last=1)) == (1, 5)


def test_a_message_with_text_and_result_belongs_to_its_group() -> None:
    """It is the last of the user: it stays, and so does the call that it answers."""
    messages = [*run("anthropic", 3), *calls("anthropic", "a"), *results("anthropic", "a", text="Now test.")]
    assert chosen("anthropic", messages) == (1, 7)


def test_a_result_without_a_call_stays() -> None:
    """Its call stands with the provider, or nowhere. It is not the first that is kept, nor is a stand-in ever taken."""
    messages = [*run("responses", 2), *results("responses", "elsewhere"), *run("responses", 2)[1:]]
    assert chosen("responses", messages) == (1, 3)
    reference = {"type": "item_reference", "id": "msg_1"}
    assert chosen("responses", [*run("responses", 2), reference, *run("responses", 2)[1:]]) == (1, 5)


def test_an_id_that_is_used_again_joins_nothing() -> None:
    """Each turn calls `c0`; the old `function_call` has no id at all, and each of its turns has the same name."""
    again = [user("chat", "Build."), *(message for _ in range(4) for message in turn("chat", 0))]
    assert chosen("chat", again, SpanOptions(messages=3, protect_recent=0.0)) == (1, 5)
    old: list[Json] = [
        {"role": "assistant", "content": None, "function_call": {"name": "Bash", "arguments": "{}"}},
        {"role": "function", "name": "Bash", "content": "done"},
    ]
    legacy = [user("chat", "Build."), *old, *old, *old]
    assert chosen("chat", legacy, SpanOptions(messages=3, protect_recent=0.0)) == (1, 5)


def test_thinking_is_not_cut_off_its_turn() -> None:
    """Thinking as the last block, the call in the next message: providers read both as one."""
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    thought = {"role": "assistant", "content": [thinking]}
    messages = [user("anthropic", "Build."), thought, *turn("anthropic", 1), *turn("anthropic", 2)]
    assert chosen("anthropic", messages, SpanOptions(messages=1, protect_recent=0.0)) == (1, 4)


def test_reasoning_goes_with_what_follows_it() -> None:
    """An item of its own (Responses): the amount ends on it, and its call and the output go, too."""
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    messages = [user("responses", "Build."), reasoning, *turn("responses", 1), *turn("responses", 2)]
    assert chosen("responses", messages, SpanOptions(messages=1, protect_recent=0.0)) == (1, 4)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_turn_with_calls_alone_at_the_cut(dialect: str) -> None:
    """No text in the assistant's message, and the amount ends on it: its result goes, too."""
    assert chosen(dialect, run(dialect, 4), SpanOptions(messages=3, protect_recent=0.0)) == (1, 5)


def test_string_content() -> None:
    """Messages whose content is a string are messages like any other."""
    told: list[Json] = [{"role": role, "content": "It is so."} for role in ("user", "assistant") * 4]
    assert chosen("anthropic", told) == (1, 6)


# Amounts


@pytest.mark.parametrize(
    ("options", "stop"),
    [
        (SpanOptions(tokens=1, protect_recent=0.0), 3),
        (SpanOptions(tokens=20, protect_recent=0.0), 3),
        (SpanOptions(tokens=21, protect_recent=0.0), 5),
        (SpanOptions(tokens=10_000, protect_recent=0.0), 9),
        (SpanOptions(messages=2, protect_recent=0.0), 3),
        (SpanOptions(messages=3, protect_recent=0.0), 5),
        (SpanOptions(messages=900, protect_recent=0.0), 9),
        (SpanOptions(fraction=0.2, protect_recent=0.0), 3),
        (SpanOptions(fraction=0.25, protect_recent=0.0), 5),
        (SpanOptions(protect_recent=0.0), 7),
    ],
)
def test_the_message_that_reaches_the_amount_goes_with_its_group(options: SpanOptions, stop: int) -> None:
    """Nine messages of 10 tokens, 90 in all: half of that is reached by the fifth, which calls."""
    assert chosen("chat", run("chat", 4), options) == (1, stop)


def test_the_selection_says_what_it_holds() -> None:
    """Messages of 1, 2, 3, … tokens: 2 + 3 + 4 + 5, behind one that stays."""
    messages = run("chat", 4)
    found = select(request("chat", messages), range(1, 10), SpanOptions(messages=4, protect_recent=0.0))
    assert found == Selection(start=1, stop=5, tokens=14, n_pinned=1)
    assert isinstance(found, Selection)
    assert found.n_messages == 4


def test_counts_must_fit_the_messages() -> None:
    """One count too few is a mistake of the caller."""
    with pytest.raises(ValueError, match="8 counts for 9 messages"):
        select(request("chat", run("chat", 4)), [1] * 8)


@pytest.mark.parametrize(
    "given",
    [
        {"tokens": 0},
        {"tokens": -5},
        {"messages": 0},
        {"fraction": 0.0},
        {"fraction": 1.01},
        {"fraction": float("nan")},
        {"keep_first": -1},
        {"keep_last": -1},
        {"protect_recent": -0.1},
        {"protect_recent": 1.1},
        {"protect_recent": float("nan")},
        {"tokens": 5, "messages": 5},
        {"messages": 5, "fraction": 0.5},
    ],
)
def test_options_out_of_range_are_refused(given: dict[str, Any]) -> None:
    """By name; also when an option is changed."""
    with pytest.raises(UsageError, match=next(iter(given))):
        SpanOptions(**given)
    with pytest.raises(UsageError):
        changed(SpanOptions(), **given)


# Refusals


@pytest.mark.parametrize(
    ("messages", "options", "detail"),
    [
        ([user("chat", "Build.")], ALL, "the only message stays: first"),
        ([], ALL, "there are no messages"),
        (
            run("chat", 1),
            SpanOptions(),
            "all 3 messages stay: 1 first, 1 recent, 1 of one piece with a message that stays",
        ),
        (run("chat", 2), SpanOptions(protect_recent=1.0), "all 5 messages stay: 1 first, 4 recent"),
        (run("chat", 2), SpanOptions(keep_first=9), "all 5 messages stay: 5 first"),
        (
            [user("chat", "Build."), *calls("chat", "a"), {"role": "system", "content": "."}, *results("chat", "a")],
            ALL,
            "no group of messages from message 1 on is whole before message 2 (system)",
        ),
    ],
)
def test_nothing_to_select(messages: list[Json], options: SpanOptions, detail: str) -> None:
    """A refusal that says what stands in the way."""
    found = select(request("chat", messages), [1] * len(messages), options)
    assert found == Refusal(reason="nothing_to_select", detail=detail)


def test_a_string_input_has_nothing_to_select() -> None:
    """Responses: the whole history is one user message."""
    found = select(parse_body(b'{"model":"gpt-5","input":"Build."}'), [9])
    assert found == Refusal(reason="nothing_to_select", detail="the only message stays: first")


# Properties


@given(
    history=histories(valid=False),
    keep_first=st.integers(0, 3),
    n_recent=st.one_of(st.integers(0, 6), st.sampled_from([0.0, 0.1, 0.3, 0.5])),
    amount=st.sampled_from([{"messages": 1}, {"messages": 4}, {"tokens": 35}, {"fraction": 0.4}, {"fraction": 1.0}]),
)
@settings(max_examples=400, deadline=None)
def test_a_span_keeps_what_must_stay_and_breaks_no_group(
    history: tuple[str, list[Json]], keep_first: int, n_recent: float, amount: dict[str, Any]
) -> None:
    """On any history, broken ones too: nothing of what stays, every group whole; all that may go if all is wanted."""
    dialect, messages = history
    tail: dict[str, Any] = {"keep_last": n_recent} if isinstance(n_recent, int) else {"protect_recent": n_recent}
    found = select(
        request(dialect, messages), [10] * len(messages), SpanOptions(keep_first=keep_first, **tail, **amount)
    )
    if isinstance(found, Refusal):
        assert found.reason == "nothing_to_select"
        return
    stays = must_stay(messages, keep_first=keep_first, n_recent=n_recent)
    assert not stays & set(range(found.start, found.stop))
    assert list(wrong(messages, found.start, found.stop)) == []
    if amount == {"fraction": 1.0}:
        longer = [
            stop for stop in range(found.stop + 1, len(messages) + 1) if not any(wrong(messages, found.start, stop))
        ]
        assert all(stays & set(range(found.start, stop)) for stop in longer)


@given(history=histories(valid=True))
@settings(max_examples=200, deadline=None)
def test_a_valid_history_stays_valid(history: tuple[str, list[Json]]) -> None:
    """With a user message in the place of the span every call is answered as before."""
    dialect, messages = history
    assert check_tool_pairs(body(dialect, messages)) == []
    found = select(request(dialect, messages), [10] * len(messages), ALL)
    if isinstance(found, Selection):
        after = [*messages[: found.start], user(dialect, SUMMARY), *messages[found.stop :]]
        assert check_tool_pairs(body(dialect, after)) == []


@given(history=histories(valid=False), kind=st.sampled_from(["tokens", "messages", "fraction"]))
@settings(max_examples=100, deadline=None)
def test_a_larger_amount_never_takes_less(history: tuple[str, list[Json]], kind: str) -> None:
    """The beginning stays where it is, the end moves on or stands still."""
    dialect, messages = history
    amounts: list[float] = [0.05, 0.2, 0.5, 0.51, 1.0] if kind == "fraction" else [1, 2, 3, 11, 40, 41, 900]
    found = [
        select(request(dialect, messages), [10] * len(messages), SpanOptions(protect_recent=0.0, **{kind: amount}))  # type: ignore[arg-type]
        for amount in amounts
    ]
    spans = [one for one in found if isinstance(one, Selection)]
    assert len(spans) in (0, len(found))
    assert all(a.start == b.start and a.stop <= b.stop and a.tokens <= b.tokens for a, b in pairwise(spans))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("parallel", [1, 3])
def test_every_turn_of_a_generated_capture(dialect: Any, parallel: int) -> None:
    """From the third request on each has a span, whole and within bounds, and stays valid without it."""
    parser = BodyParser()
    n_spans = 0
    for line in capture(dialect=dialect, turns=12, parallel=parallel, thinking=True).splitlines():
        parsed = parser.parse(line)
        sent = json.loads(line)
        messages = messages_of(sent)
        found = select(parsed, [10] * len(messages))
        if isinstance(found, Refusal):
            continue
        n_spans += 1
        assert not must_stay(messages, keep_first=1, n_recent=0.3) & set(range(found.start, found.stop))
        assert list(wrong(messages, found.start, found.stop)) == []
        after = [*messages[: found.start], user(dialect, SUMMARY), *messages[found.stop :]]
        assert check_tool_pairs(body(dialect, after)) == []
    assert n_spans == 11
