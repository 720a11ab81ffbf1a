"""Which requests are summariser calls, what stands behind an answer, and what an appended message says."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest

from cgcli.checks.appended import resent_chars, scope
from cgcli.checks.base import Context, Verdict
from cgcli.checks.echo import echoes, is_turn
from cgcli.checks.forks import Calls
from cgcli.checks.gates.fork_noboundary import ForkNoBoundary
from cgcli.checks.gates.fork_prefix import ForkPrefix
from cgcli.checks.gates.storm import Storm
from cgcli.checks.rebilling import Rebilling
from cgcli.checks.turn import Turn
from cgcli.lanes import Threads, group
from cgcli.lanes.summary_call import asks_for_summary
from cgcli.model import changed
from cgcli.readers import read
from cgcli.readers.base import Known
from tests.forking import ASK, HEAD, Json, answered, bodies, fork, history, lane, said, standalone, user

if TYPE_CHECKING:
    from cgcli.checks.base import Gate
    from cgcli.checks.forks import Call
    from cgcli.model import Item

Told = tuple[int, bool, int | None]
"""A call's line, whether it is appended, and the line of its lane's last request."""


def told(call: Call) -> Told:
    """What the tests look at."""
    return call.turn.line, call.is_appended, call.home.line if call.home is not None else None


def found(*sent: Json) -> list[Told]:
    """The calls among these bodies, in the order in which they are known."""
    threads, calls = Threads(), Calls(told)
    out: list[Told] = []
    for i, entry in enumerate(read(io.BytesIO(bodies(*sent)), file="t.jsonl")):
        assert entry.exchange is not None
        asks = asks_for_summary(entry.exchange.request)
        placement = threads.place(entry.exchange, i, alone=False, is_summary_call=asks)
        number = len(placement.thread.turns)
        out += calls.see(Turn(entry.exchange, placement, i_exchange=i, number=number, is_summary_call=asks))
    return [*out, *calls.rest()]


def items(*messages: Json, head: Json = HEAD) -> tuple[Item, ...]:
    """The items of a request with these messages."""
    key = "input" if "input" in head else "messages"
    (entry,) = read(io.BytesIO(bodies({**head, key: list(messages)})), file="t.jsonl")
    assert entry.exchange is not None
    return entry.exchange.request.messages


SENT = lane(5)


def test_a_fork_belongs_to_its_lane() -> None:
    """Appended to line 3 while line 4 is the last: the lane's last request is its home."""
    assert found(*SENT[:4], fork(SENT[2]), SENT[4]) == [(5, True, 4)]


def test_a_standalone_call_belongs_to_what_was_sent_last() -> None:
    """Its one message is nobody's."""
    assert found(*SENT[:3], standalone(SENT[2]), *SENT[3:]) == [(4, False, 3)]


def test_calls_of_two_lanes_find_their_own() -> None:
    """Two conversations, request by request in turn; each fork has the home whose messages it keeps."""
    other = [{**HEAD, "messages": [user("Fix every part."), *history(n)[1:]]} for n in range(3)]
    other = [json.loads(json.dumps(body).replace("part", "unit").replace("toolu_", "toolu_x")) for body in other]
    both = [body for two in zip(SENT, other, strict=False) for body in two]
    assert found(*both, fork(other[2]), fork(SENT[2])) == [(7, True, 6), (8, True, 5)]


def test_half_of_the_messages_make_a_fork() -> None:
    """Of four messages beside the instruction two are the lane's: appended. With one of four: standalone."""
    own = [user("One."), user("Two."), user("Three.")]
    half = {**HEAD, "messages": [*own[:2], *history(1)[1:], user(ASK)]}
    less = {**HEAD, "messages": [*own, *history(1)[1:2], user(ASK)]}
    assert found(*SENT, half) == [(6, True, 5)]
    assert found(*SENT, less) == [(6, False, 5)]


def test_a_call_without_the_wording_is_known_when_the_lane_goes_on() -> None:
    """The same messages and one: a call only because line 4 goes on from before it."""
    side = fork(SENT[2], ask="Name this session.")
    assert found(*SENT[:3], side) == []
    assert found(*SENT[:3], side, SENT[3]) == [(4, True, 3)]


def test_two_side_calls_at_one_place_are_two() -> None:
    """Asked twice at the same place, then the lane goes on."""
    side = fork(SENT[2], ask="Name this session.")
    assert found(*SENT[:3], side, side, SENT[3]) == [(4, True, 3), (5, True, 3)]


def test_what_the_lane_goes_on_from_is_no_call() -> None:
    """The person's request for a summary was answered in the lane."""
    asked = fork(SENT[2], {"role": "assistant", "content": "Done."})
    on = {**asked, "messages": [*asked["messages"], {"role": "assistant", "content": "It is."}, user("Good.")]}
    assert found(*SENT[:3], asked, on) == []


def test_a_call_before_the_lane_is_cut_is_a_call() -> None:
    """A fork, then the lane with its first outputs elided."""
    cut = {**HEAD, "messages": [*history(4)[:2], {**answered(0), "content": "(cut)"}, *history(4)[3:]]}
    assert found(*SENT[:4], fork(SENT[3]), cut) == [(5, True, 4)]


@pytest.mark.parametrize("gate", [ForkPrefix(), ForkNoBoundary(), Storm()])
def test_requests_rebuilt_from_a_history_prove_nothing(gate: Gate) -> None:
    """An exact fork in a lane that only grows, but nobody recorded that it was sent so: unknown."""
    context = Context(
        file="t.jsonl",
        known=Known(tools=True, system=True, usage=True, response=True, time=True),
        is_independent=False,
        rebilled=Rebilling(),
        allowed_epochs=frozenset(),
        allow_after_compaction=False,
        options={"against": 3},
    )
    threads, run = Threads(), gate.start(context)
    for i, entry in enumerate(read(io.BytesIO(bodies(*SENT, fork(SENT[4]))), file="t.jsonl")):
        assert entry.exchange is not None
        exchange = changed(entry.exchange, source=changed(entry.exchange.source, reconstructed=True))
        asks = asks_for_summary(exchange.request)
        placement = threads.place(exchange, i, alone=False, is_summary_call=asks)
        number = len(placement.thread.turns)
        assert not list(run.see(Turn(exchange, placement, i_exchange=i, number=number, is_summary_call=asks)))
    result = run.result((), group(threads.threads, independent=False))
    assert (result.verdict, result.reason) == (
        Verdict.UNKNOWN,
        "the requests are rebuilt from a history: that they were sent so is not recorded",
    )


CALL = {"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": '{"a": 1, "b": [2]}'}}
CHAT_ANSWER = {"choices": [{"message": {"role": "assistant", "content": "So. ", "tool_calls": [CALL]}}]}
SPELLED = {**CALL, "function": {"name": "Bash", "arguments": '{"b":[2],"a":1}'}}
FUNCTION_CALL = {"type": "function_call", "call_id": "c1", "name": "Bash", "arguments": "{}"}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VhbGVk"}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmVk"}


@pytest.mark.parametrize(
    ("head", "answer", "sent", "same"),
    [
        (HEAD, {"content": said(1)["content"]}, [said(1)], True),
        (HEAD, {"content": said(1)["content"]}, [said(2)], False),
        (HEAD, {"content": [THOUGHT, *said(1)["content"]]}, [said(1)], False),
        (HEAD, {"content": [{"type": "text", "text": "Done. \n"}]}, [{"role": "assistant", "content": "Done."}], True),
        (
            HEAD,
            {"content": [{"type": "text", "text": "a", "citations": None}]},
            [{"role": "assistant", "content": [{"type": "text", "text": "a", "cache_control": {}}]}],
            True,
        ),
        (
            {"model": "gpt-4.1"},
            CHAT_ANSWER,
            [{"role": "assistant", "content": "So.", "tool_calls": [SPELLED]}],
            True,
        ),
        ({"model": "gpt-4.1"}, CHAT_ANSWER, [{"role": "assistant", "content": "So."}], False),
        (
            {"model": "gpt-5", "input": []},
            {"output": [REASONING, {**FUNCTION_CALL, "id": "fc_1", "status": "completed"}]},
            [{key: item for key, item in REASONING.items() if key != "id"}, FUNCTION_CALL],
            True,
        ),
        ({"model": "gpt-5", "input": []}, {"output": [FUNCTION_CALL]}, [REASONING, FUNCTION_CALL], False),
    ],
)
def test_an_echo_says_what_was_answered(head: Json, answer: Json, sent: list[Json], same: bool) -> None:  # noqa: FBT001
    """Spelling, white space at the ends, ids that clients drop and cache marks do not count; all else does."""
    assert echoes(json.dumps(answer).encode(), items(*sent, head=head)) is same


@pytest.mark.parametrize(
    ("messages", "is_one"),
    [
        ([said(1), answered(1)], True),
        ([said(1)], True),
        ([said(1), answered(2)], False),
        ([answered(1)], False),
        ([said(1), user("And?")], False),
        ([said(1), answered(1), said(2)], False),
    ],
)
def test_a_turn_is_an_answer_and_its_results(messages: list[Json], is_one: bool) -> None:  # noqa: FBT001
    """The assistant's message, then nothing but results of its own calls."""
    assert is_turn(items(*messages)) is is_one


def test_resent_text_counts_once_and_short_texts_never() -> None:
    """A text of 148 characters that stands in two messages and twice in the instruction: 148. `ok` counts nothing."""
    long_text = answered(3)["content"][0]["content"]
    before = items(user("ok"), said(3), answered(3), user(long_text))
    assert len(long_text) == 148
    (appended,) = items(user(f"ok {long_text} and {long_text} ok" + "." * 20))
    assert resent_chars(before, appended) == 148


def test_a_short_instruction_repeats_nothing() -> None:
    """Up to 300 characters in all, an excerpt is allowed to be all there is."""
    before = items(user("x" * 250))
    (appended,) = items(user("Up to: " + "x" * 250))
    assert resent_chars(before, appended) == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Summarise the first 3 messages, up to: {1}", (3, 3)),
        ("Summarise the first 2 messages, up to: {1}", (2, 3)),
        ("Summarise the first 3 messages.", None),
        ("Summarise, up to: {1}", None),
        ("Summarise the first 900 messages, up to: {0}", (900, 1)),
    ],
)
def test_a_scope_needs_a_number_and_an_excerpt(text: str, expected: tuple[int, int] | None) -> None:
    """Message 1 and 3 are quoted by their first 300 characters; system messages do not count."""
    long_texts = ["opening " * 60, "closing " * 60]
    before = items(user(long_texts[0]), said(0), user(long_texts[1]))
    (appended,) = items(user(text.format(*(one[:300] for one in long_texts))))
    named = scope(before, appended)
    assert (None if named is None else (named.n_said, named.n_meant)) == expected


def test_a_text_inside_a_longer_one_that_is_repeated_does_not_count_again() -> None:
    """A quoted output of 148 characters, and a message of 44 that is a piece of it: 148."""
    long_text = answered(3)["content"][0]["content"]
    before = items(user(long_text[8:52]), said(3), answered(3))
    (appended,) = items(user(f"Up to here: {long_text}" + "." * 200))
    assert (len(long_text), len(long_text[8:52])) == (148, 44)
    assert resent_chars(before, appended) == 148


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Summarise messages 2 to 3, up to: {1}", (2, 3, 3)),
        ("Summarise messages 1 to 2 (2 messages), up to: {1}", (1, 2, 3)),
        ("Summarise messages 2 to 3; not the first 1 message. Up to: {1}", (2, 3, 3)),
        ("Summarise messages 4 to 4, up to:\n---\nok\n---", (4, 4, 4)),
        ("Summarise messages 4 to 4, and say ok.", None),
        ("Summarise messages 2 to 2, up to:\n---\nok\n---", None),
    ],
)
def test_a_scope_may_begin_behind_the_first_message(text: str, expected: tuple[int, int, int] | None) -> None:
    """The first numbers count; a short text is an excerpt only of the message that is named, on lines of its own."""
    long_texts = ["opening " * 60, "closing " * 60]
    before = items(user(long_texts[0]), said(0), user(long_texts[1]), user("ok"))
    (appended,) = items(user(text.format(*(one[:300] for one in long_texts))))
    named = scope(before, appended)
    assert (None if named is None else (named.i_first, named.n_said, named.n_meant)) == expected
