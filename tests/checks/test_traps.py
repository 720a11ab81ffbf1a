"""Faults of fork mode that were found in runs of agents, each as a saved file that a gate must not be taken in by.

Numbered as in the notes on microsoft/amplifier-module-context-simple. Left out, each with its reason:

T4, a module's own view may be one that was superseded before it was sent: a saved file holds only what was sent, so on
disk this is T1. T13, a fork scopes by instruction where a standalone call scopes by construction: whether the summary
kept to its span is a matter of its text, which no gate reads; that the span which is named is the one that is quoted
is T14.
"""

from __future__ import annotations

import json

import pytest

from cgcli.checks.base import Verdict
from cgcli.checks.gates.fork_cached import ForkCached
from cgcli.checks.gates.fork_cost import ForkCost
from cgcli.checks.gates.fork_prefix import ForkPrefix
from cgcli.checks.gates.tool_pairs import ToolPairs
from cgcli.pricing.file import parse_rates
from tests.forking import (
    ASK,
    HEAD,
    TOOLS,
    Json,
    answered,
    bodies,
    fork,
    history,
    lane,
    output,
    pair,
    run,
    said,
    standalone,
    usage,
    user,
)

PREFIX = ForkPrefix()
SENT = lane(5)
RATES = parse_rates(b'{"claude-sonnet-4-5": {"fresh": 3, "read": 0.3, "write": 3.75, "output": 15}}', file="rates.json")


def with_message(body: Json, i: int, message: Json) -> Json:
    """*body* with another message at *i*."""
    return {**body, "messages": [*body["messages"][:i], message, *body["messages"][i + 1 :]]}


def test_t1_a_fork_of_an_array_that_was_never_sent_fails() -> None:
    """A view that was fetched again, with an output cut, was sent by nobody: it fails at that output, byte and all."""
    cut = {"role": "user", "content": [{**answered(1)["content"][0], "content": "part 1: (cut)"}]}
    call = fork(with_message(SENT[4], 4, cut))
    result = run(PREFIX, bodies(*SENT, call))
    assert (result.verdict, result.checked) == (Verdict.FAIL, 1)
    (found,) = result.findings
    assert (found.line, found.kind, found.path) == (6, "messages_changed", "messages.4.content.0.content")
    assert found.byte == json.dumps(call).index("part 1: (cut)") + len("part 1: ")


def test_t2_two_forks_alike_in_mode_are_told_apart() -> None:
    """Both would report `fork`: one is at offset 0, one at offset 2, each with the line of its parent."""
    result = run(PREFIX, bodies(*SENT, fork(SENT[4]), fork(SENT[2])))
    assert [f.message for f in result.findings] == [
        "exact: appended to the request at line 5, offset 0, the same bytes",
        "exact: appended to the request at line 3, offset 2, the same bytes",
    ]


def test_t3_an_older_array_that_was_sent_beats_a_newer_one_that_was_not() -> None:
    """Appended to the request before the last it passes; to the newest view, which was not sent yet, it fails."""
    unsent = {**HEAD, "messages": history(7)}
    assert run(PREFIX, bodies(*SENT, fork(SENT[3]))).verdict is Verdict.PASS
    result = run(PREFIX, bodies(*SENT, fork(unsent)))
    assert (result.verdict, result.findings[0].path) == (Verdict.FAIL, "messages.9")


def test_t5_a_fork_that_is_aligned_and_read_can_still_be_too_dear() -> None:
    """Nine tenths of its long prompt are read, and it is more than half of what the run costs."""
    records = [pair(body, used=usage(read=9000, write=300)) for body in SENT[:2]]
    records.append(pair(fork(SENT[1]), used=usage(read=90_000, write=9_000, out=900)))
    data = bodies(*records)
    assert run(PREFIX, data).verdict is Verdict.PASS
    assert run(ForkCached(), data).verdict is Verdict.PASS
    assert run(ForkCost(), data, {"rates": RATES}).verdict is Verdict.FAIL


def test_t6_forks_that_were_refused_are_no_forks() -> None:
    """One fork and three standalone calls: one is checked, the three are counted by name."""
    calls = [standalone(SENT[i]) for i in (1, 2, 3)]
    result = run(PREFIX, bodies(SENT[0], SENT[1], calls[0], SENT[2], calls[1], SENT[3], calls[2], fork(SENT[3])))
    assert (result.verdict, result.checked) == (Verdict.PASS, 1)
    assert [f.kind for f in result.findings] == ["standalone", "standalone", "standalone", "exact"]


def test_t7_a_refusal_and_a_decline_are_the_same_bytes_and_neither_is_judged() -> None:
    """A session of standalone calls alone, whatever the reason for each: vacuous, no pass and no failure."""
    result = run(PREFIX, bodies(*SENT, standalone(SENT[3]), standalone(SENT[4])))
    assert (result.verdict, result.checked) == (Verdict.VACUOUS, 0)


def test_t8_usage_goes_with_its_request_not_with_its_place() -> None:
    """A call that is answered after the lane's next request has its own usage in either order of the two records."""
    call = pair(fork(SENT[2]), at_s=20, used=usage(read=900, fresh=100))
    on = pair(SENT[3], at_s=25, used=usage(read=0, fresh=1000))
    before = [pair(body, at_s=5.0 * i, used=usage(write=500)) for i, body in enumerate(SENT[:3])]
    for order in ([call, on], [on, call]):
        result = run(ForkCached(), bodies(*before, *order))
        assert [f.message for f in result.findings] == ["read 900 of 1,000 prompt tokens (90.0 %), measured"]


@pytest.mark.parametrize(
    ("body", "lost", "path"),
    [
        (HEAD, "thinking", "thinking"),
        ({**HEAD, "output_config": {"effort": "low"}}, "output_config", "output_config.effort"),
        (
            {"model": "gpt-5", "reasoning_effort": "high", "tools": [], "parallel_tool_calls": False},
            "reasoning_effort",
            "reasoning_effort",
        ),
    ],
)
def test_t9_thinking_and_effort_must_be_the_parents(body: Json, lost: str, path: str) -> None:
    """The messages are the same bytes; the setting is left out, and the cache is keyed on it."""
    parent = {**body, "messages": [{"role": "user", "content": "Build."}]}
    call = {key: item for key, item in fork(parent).items() if key != lost}
    result = run(PREFIX, bodies(parent, call))
    assert [(f.kind, f.path) for f in result.findings] == [("params_changed", path)]


@pytest.mark.parametrize("edits", [True, False])
def test_t10_what_was_injected_behind_the_view_counts(edits: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """A hook edits the last output or adds a message; the fork of the view without that is not what was sent."""
    last = SENT[4]["messages"][-1]["content"][0]
    reminder = "<system-reminder>be brief</system-reminder>"
    edited = {"role": "user", "content": [{**last, "content": output(3) + reminder}]}
    wire = with_message(SENT[4], 8, edited) if edits else fork(SENT[4], ask=reminder)
    result = run(PREFIX, bodies(*SENT[:4], wire, fork(SENT[4])))
    assert (result.verdict, result.findings[0].line) == (Verdict.FAIL, 6)
    assert result.findings[0].change == "truncated"
    good = run(PREFIX, bodies(*SENT[:4], wire, fork(wire)))
    assert good.verdict is Verdict.PASS


def test_t11_a_second_system_block_fails() -> None:
    """A summariser prompt beside the lane's own, where the provider lifts both to the top."""
    call = fork(SENT[4], system=[*HEAD["system"], {"type": "text", "text": "You summarise."}])
    result = run(PREFIX, bodies(*SENT, call))
    assert [(f.kind, f.change, f.path) for f in result.findings] == [("system_changed", "inserted", "system.1")]


def test_t11_a_system_message_among_the_appended_fails() -> None:
    """In a body that has its system prompts as messages: the instruction in two, one of them the system's."""
    parent = {"model": "gpt-4.1", "messages": [{"role": "system", "content": "An agent."}, *history(0)]}
    call = fork(parent, {"role": "system", "content": "You summarise."})
    result = run(PREFIX, bodies(parent, call))
    assert [(f.kind, f.path, f.message) for f in result.findings] == [
        (
            "system_added",
            "messages.2",
            "what follows the request at line 1 is not one message but 2: system, user",
        )
    ]


def test_t12_the_span_must_not_be_sent_again() -> None:
    """The instruction repeats four outputs of 148 characters each and fails; one that quotes one of them passes."""
    assert [len(output(i)) for i in range(4)] == [148] * 4
    again = ASK + "\n\n" + "\n\n".join(f"[tool_result]: {output(i)}" for i in range(4))
    result = run(PREFIX, bodies(*SENT, fork(SENT[4], ask=again)))
    assert (result.verdict, [(f.kind, f.is_note) for f in result.findings]) == (
        Verdict.FAIL,
        [("exact", True), ("span_resent", False)],
    )
    assert result.findings[1].message == "the appended message repeats 592 characters of what stands before it"
    quoted = f"{ASK} Up to here:\n---\n{output(1)}\n---\n" + "Keep names, numbers and paths. " * 20
    assert run(PREFIX, bodies(*SENT, fork(SENT[4], ask=quoted))).verdict is Verdict.PASS


@pytest.mark.parametrize(("n_said", "kinds"), [(5, ["exact"]), (4, ["exact", "scope"])])
def test_t14_the_number_and_the_excerpt_must_mean_the_same_span(n_said: int, kinds: list[str]) -> None:
    """The excerpt is of message 5; `the first 4 messages` is off by an earlier summary, and is noted."""
    ask = f"{ASK} Cover only the first {n_said} messages following the system prompt, up to:\n---\n{output(1)}\n---"
    result = run(PREFIX, bodies(*SENT, fork(SENT[4], ask=ask)))
    assert (result.verdict, [f.kind for f in result.findings]) == (Verdict.PASS, kinds)
    if "scope" in kinds:
        assert result.findings[1].message == "the instruction says messages 1 to 4, its excerpt is of number 5"


def test_t15_partly_answered_parallel_calls_are_seen() -> None:
    """Two calls as content blocks and one result: the last message is no assistant's, yet a call is open."""
    both = {"role": "assistant", "content": [said(8)["content"][1], said(9)["content"][1]]}
    open_calls = {**HEAD, "messages": [*history(1), both, answered(8)]}
    result = run(ToolPairs(), bodies(SENT[1], open_calls, fork(open_calls)))
    assert result.verdict is Verdict.FAIL
    # The fork is exact all the same: it is what was sent.
    assert run(PREFIX, bodies(SENT[1], open_calls, fork(open_calls))).verdict is Verdict.PASS


def test_t16_how_old_the_parent_is_is_said() -> None:
    """Appended to the first request at the end of the lane, 900 s later: offset 4, and the cache has lapsed."""
    records = [pair(body, at_s=10.0 * i) for i, body in enumerate(SENT)]
    result = run(PREFIX, bodies(*records, pair(fork(SENT[0]), at_s=900)))
    assert result.verdict is Verdict.PASS
    assert result.findings[0].message == (
        "exact: appended to the request at line 1, offset 4, the same bytes, 900 s later, "
        "its cache has lapsed unless it was used since"
    )


def test_t17_a_truncated_copy_in_the_prefix_fails() -> None:
    """Every message of the span is there and answers the same call; one output is a beginning of itself."""
    short = {"role": "user", "content": [{**answered(2)["content"][0], "content": output(2)[:40]}]}
    result = run(PREFIX, bodies(*SENT, fork(with_message(SENT[4], 6, short))))
    assert [(f.kind, f.change, f.path) for f in result.findings] == [
        ("messages_changed", "truncated", "messages.6.content.0.content")
    ]


def test_t18_a_clock_beside_the_messages_counts_for_nothing() -> None:
    """Records with other times and ids in their metadata: the same prefix, and twice the same answer."""
    dated = [{**body, "metadata": {"user_id": f"at {i}"}} for i, body in enumerate([*SENT, fork(SENT[4])])]
    records = [{"body": body, "model": body["model"], "ts": 1767600000000 + i} for i, body in enumerate(dated)]
    first, second = (run(PREFIX, bodies(*records)) for _ in range(2))
    assert first.verdict is Verdict.PASS
    assert first == second


def test_t18_a_clock_in_a_message_is_found_as_one() -> None:
    """A time in the first message that moves makes the fork another request, and the culprit is named."""
    at = [{**user("Build. Now: 2026-03-02T08:07:41Z")}, {**user("Build. Now: 2026-03-02T08:09:12Z")}]
    parent, moved = ({**HEAD, "messages": [first, *history(3)[1:]]} for first in at)
    result = run(PREFIX, bodies(parent, fork(moved)))
    assert [(f.kind, f.path, f.culprit) for f in result.findings] == [
        ("messages_changed", "messages.0.content.0.text", "a time")
    ]


@pytest.mark.parametrize("tools", [[], None])
def test_tools_that_are_empty_are_not_the_parents(tools: list[Json] | None) -> None:
    """A fork that sends `tools: []` or leaves them out loses the parent's three."""
    call = fork(SENT[4], tools=tools) if tools is not None else fork({k: v for k, v in SENT[4].items() if k != "tools"})
    result = run(PREFIX, bodies(*SENT, call))
    assert len(TOOLS) == 3
    assert [(f.kind, f.change) for f in result.findings] == [("tools_changed", "removed")]
