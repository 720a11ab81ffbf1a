"""G-FORK-PREFIX."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.checks.base import Context, Verdict
from cgcli.checks.gates.fork_prefix import ForkPrefix
from cgcli.checks.rebilling import Rebilling
from cgcli.checks.run import Allowed, check
from cgcli.readers import read
from cgcli.readers.base import Known
from tests.forking import (
    ASK,
    HEAD,
    Json,
    answered,
    bodies,
    fork,
    history,
    lane,
    pair,
    run,
    run_fixture,
    said,
    standalone,
    user,
)

if TYPE_CHECKING:
    from cgcli.checks.base import Result

GATE = ForkPrefix()
SENT = lane(4)
NO_HEAD = "the file records no tools or no system prompt: a change in them would not be seen"


def judged(*found: Json) -> Result:
    """The gate over a file of these bodies."""
    return run(GATE, bodies(*found))


def said_of(result: Result) -> list[tuple[Any, ...]]:
    """Line, kind, change, path, byte and whether it is a note, of each finding."""
    return [(f.line, f.kind, f.change, f.path, f.byte, f.is_note) for f in result.findings]


def test_the_failing_fixture_names_both_forks() -> None:
    """A fork without tools shares 0 blocks; one of a view that was never sent breaks at the elided output."""
    result = run_fixture(GATE, "failing")
    assert (result.verdict, result.checked, result.unit) == (Verdict.FAIL, 2, "forks")
    assert said_of(result) == [
        (5, "tools_changed", "removed", "tools.0", None, False),
        (7, "messages_changed", "edited", "messages.2.content.0.content", 2436, False),
    ]
    assert result.findings[0].message == (
        "tools_changed (removed) at tools.0 against the request at line 4, 0 blocks shared"
    )
    assert [f.cost is not None and f.cost.tokens > 500 for f in result.findings] == [True, True]


def test_the_passing_fixture_is_exact() -> None:
    """Line 5 is line 4's bytes and one message."""
    result = run_fixture(GATE, "passing")
    assert (result.verdict, result.checked, result.reason) == (Verdict.PASS, 1, None)
    assert said_of(result) == [(5, "exact", None, "messages.7", None, True)]
    assert result.findings[0].message == "exact: appended to the request at line 4, offset 0, the same bytes"


def test_the_vacuous_fixture_has_a_standalone_call() -> None:
    """A call with a system prompt and messages of its own is noted, not judged."""
    result = run_fixture(GATE, "vacuous")
    assert (result.verdict, result.checked) == (Verdict.VACUOUS, 0)
    assert result.reason == "every summariser call is standalone: none keeps its lane's messages"
    assert [(f.line, f.message, f.is_note) for f in result.findings] == [(5, "standalone: shares 0 blocks", True)]


def test_no_call_at_all_is_vacuous() -> None:
    """A lane that only grows has nothing to judge."""
    result = judged(*SENT)
    assert (result.verdict, result.checked, result.findings) == (Verdict.VACUOUS, 0, ())
    assert result.reason == "no request asks for a summary, and none was appended to a lane that goes on without it"


def test_a_standalone_call_with_its_lanes_head_shares_that() -> None:
    """Tools and system prompt of the lane (3 + 1 blocks), messages of its own: standalone, and the blocks are said."""
    own = {**HEAD, "messages": [user("You see a log. " + ASK)]}
    result = judged(*SENT, own)
    assert (result.verdict, [f.message for f in result.findings]) == (
        Verdict.VACUOUS,
        ["standalone: shares 4 blocks"],
    )


@pytest.mark.parametrize(
    ("changed", "kind", "path"),
    [
        ({"tools": []}, "tools_changed", "tools.0"),
        ({"tools": HEAD["tools"][:1]}, "tools_changed", "tools.1"),
        ({"system": "You summarise."}, "system_changed", "system"),
        ({"model": "claude-haiku-4-5"}, "model_changed", "model"),
        ({"thinking": {"type": "disabled"}}, "params_changed", "thinking"),
        ({"tool_choice": {"type": "none"}}, "params_changed", "tool_choice"),
        ({"output_config": {"effort": "low"}}, "params_changed", "output_config.effort"),
        ({"speed": "fast"}, "params_changed", "speed"),
    ],
)
def test_a_fork_that_loses_a_part_of_its_parent_fails(changed: Json, kind: str, path: str) -> None:
    """Tools, system, model and every parameter of the invalidation table are compared."""
    result = judged(*SENT, fork(SENT[-1], **changed))
    assert (result.verdict, result.checked) == (Verdict.FAIL, 1)
    assert [(f.line, f.kind) for f in result.findings] == [(5, kind)]
    assert str(result.findings[0].path).startswith(path)


@pytest.mark.parametrize("changed", [{"max_tokens": 900}, {"temperature": 0}, {"stream": True}])
def test_what_no_cache_depends_on_may_differ(changed: Json) -> None:
    """Another output limit, temperature or transport leaves the prefix as it is."""
    assert judged(*SENT, fork(SENT[-1], **changed)).verdict is Verdict.PASS


def test_a_moved_mark_is_the_same_prefix_in_other_bytes() -> None:
    """The fork carries a cache mark on the parent's last block that the parent did not: equal as rendered."""
    messages = history(3)
    block = messages[-1]["content"][0]
    marked = {**messages[-1], "content": [{**block, "cache_control": {"type": "ephemeral"}}]}
    result = judged(*SENT, fork({**HEAD, "messages": [*messages[:-1], marked]}))
    assert result.verdict is Verdict.PASS
    assert result.findings[0].message == (
        "exact: appended to the request at line 4, offset 0, other bytes that read the same"
    )


def test_the_offset_counts_requests_of_the_lane() -> None:
    """Appended to the request before the last one: offset 1; another conversation in between does not count."""
    other = {**HEAD, "messages": [user("Something else.")]}
    result = judged(*SENT[:3], other, SENT[3], fork(SENT[2]), fork(SENT[3]), fork(SENT[0]))
    assert [f.message.split(", ")[:2] for f in result.findings] == [
        ["exact: appended to the request at line 3", "offset 1"],
        ["exact: appended to the request at line 5", "offset 0"],
        ["exact: appended to the request at line 1", "offset 3"],
    ]
    assert (result.verdict, result.checked) == (Verdict.PASS, 3)


def test_a_call_without_the_wording_counts_where_the_lane_goes_on_without_it() -> None:
    """One user message more, and then the lane goes on from before it: a fork, and here one with another model."""
    side = {**fork(SENT[2], ask="Name this session."), "model": "claude-haiku-4-5"}
    result = judged(*SENT[:3], side, SENT[3])
    assert (result.verdict, [(f.line, f.kind) for f in result.findings]) == (Verdict.FAIL, [(4, "model_changed")])


def test_a_user_message_that_the_lane_goes_on_from_is_no_call() -> None:
    """The person asks for a summary in the conversation and it goes on with the answer: a turn, not a fork."""
    asked = fork(SENT[2], {"role": "assistant", "content": "Done."})
    on = {**asked, "messages": [*asked["messages"], {"role": "assistant", "content": "A summary."}, user("Good.")]}
    assert judged(*SENT[:3], asked, on).verdict is Verdict.VACUOUS


@pytest.mark.parametrize("answers", [True, False])
def test_a_fork_behind_the_answer_needs_the_answer(answers: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """Parent, its answer, the answer's results, the instruction: `extends` where it is recorded, else unknown."""
    content = said(3)["content"] if answers else None
    records = [pair(body, at_s=10.0 * i) for i, body in enumerate(SENT[:3])]
    records += [pair(SENT[3], at_s=30, content=content), pair(fork(SENT[3], said(3), answered(3)), at_s=40)]
    result = run(GATE, bodies(*records))
    line = "appended to the request at line 4, offset 0, 10 s later"
    if answers:
        assert (result.verdict, result.reason) == (Verdict.PASS, None)
        assert result.findings[0].message == f"extends: {line}"
    else:
        assert result.verdict is Verdict.UNKNOWN
        assert result.reason == "the fork at line 5 stands behind an answer that the file does not record"
        assert result.findings[0].message == f"answer_not_recorded: {line}"


def test_a_fork_behind_another_answer_fails() -> None:
    """What stands between is not what the parent was answered."""
    records = [pair(body) for body in SENT[:3]]
    records += [pair(SENT[3], content=said(7)["content"]), pair(fork(SENT[3], said(3), answered(3)))]
    result = run(GATE, bodies(*records))
    assert said_of(result) == [(5, "answer_changed", "edited", "messages.7", None, False)]


def test_results_of_other_calls_do_not_extend() -> None:
    """A result whose call the answer does not have is no result of it."""
    records = [pair(SENT[3], content=said(3)["content"]), pair(fork(SENT[3], said(3), answered(9)))]
    result = run(GATE, bodies(*records))
    assert (result.verdict, result.findings[0].kind) == (Verdict.FAIL, "messages_changed")


def test_two_appended_messages_fail() -> None:
    """A reminder and the instruction as two user messages: the first of them is named."""
    result = judged(*SENT, fork(SENT[3], user("A reminder.")))
    assert (result.verdict, result.checked) == (Verdict.FAIL, 1)
    assert [(f.kind, f.change, f.path, f.message) for f in result.findings] == [
        (
            "messages_changed",
            "inserted",
            "messages.7",
            "what follows the request at line 4 is not one message but 2: user, user",
        )
    ]


def test_a_truncated_prefix_was_never_sent() -> None:
    """The first 6 messages of the parent, which end inside its last turn: a beginning that was not sent alone."""
    cut = {**HEAD, "messages": history(3)[:6]}
    result = judged(SENT[0], SENT[3], fork(cut))
    assert said_of(result) == [(3, "messages_changed", "truncated", "messages.6", None, False)]
    assert result.findings[0].message == (
        "its first 6 messages are a beginning of the request at line 2 and were never sent alone"
    )


def test_the_first_request_of_a_file_cannot_be_a_fork() -> None:
    """Nothing was sent before it: it keeps nothing of a lane."""
    result = judged(fork(SENT[3]))
    assert (result.verdict, [f.message for f in result.findings]) == (
        Verdict.VACUOUS,
        ["standalone: shares 0 blocks"],
    )


def test_independent_requests_are_not_judged() -> None:
    """A batch has no lane to fork from."""
    rows = [
        {"custom_id": str(i), "params": body} for i, body in enumerate([SENT[2], fork(SENT[2]), standalone(SENT[2])])
    ]
    result = run(GATE, bodies(*rows))
    assert (result.verdict, result.reason) == (
        Verdict.VACUOUS,
        "the requests are independent: no turn follows another",
    )


@pytest.mark.parametrize(("tools", "system"), [(False, True), (True, False)])
def test_a_file_without_tools_or_system_is_unknown(tools: bool, system: bool) -> None:  # noqa: FBT001
    """An exact fork in a file that does not record them is no pass."""
    known = Known(tools=tools, system=system, usage=False, response=False, time=False)
    assert settled(known).verdict is Verdict.UNKNOWN
    assert settled(known).reason == NO_HEAD


def settled(known: Known) -> Result:
    """An exact fork, in a file of which *known* is recorded."""

    class _Recording:
        rule = GATE.rule

        def start(self, context: Context) -> Any:
            return GATE.start(
                Context(
                    file=context.file,
                    known=known,
                    is_independent=False,
                    rebilled=Rebilling(),
                    allowed_epochs=frozenset(),
                    allow_after_compaction=False,
                    options={},
                )
            )

    capture = read(io.BytesIO(bodies(*SENT, fork(SENT[-1]))), file="t.jsonl")
    return check(capture, (_Recording(),), Allowed(), {}).results[0]
