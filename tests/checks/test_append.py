"""G-APPEND."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from cgcli.checks.base import Verdict
from cgcli.checks.run import Allowed
from tests import oracle
from tests.checks.gated import Json, body, failures, fixture, lines, notes, result, said, turn, user
from tests.running import CORPUS, FIXTURES, NO_CORPUS

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.checks.base import Finding

GO = user("Go.")
PLACEHOLDER = "[older output left out]"
SWE_AGENT = "derived-cg-capture/sweagent__SWE-agent__eplay__marshmallow-code__marshmallow-1867__functi.jsonl"


def broke(findings: list[Finding]) -> list[tuple[int, str | None, str | None]]:
    """Line, path and change of each break."""
    return [(finding.line, finding.path, finding.change) for finding in findings]


@pytest.mark.parametrize(
    ("name", "verdict", "checked", "reason"),
    [
        ("failing", Verdict.FAIL, 4, None),
        ("passing", Verdict.PASS, 2, None),
        ("vacuous", Verdict.VACUOUS, 0, "no request follows another one of its conversation"),
    ],
)
def test_fixtures(name: str, verdict: Verdict, checked: int, reason: str | None) -> None:
    """Each fixture gets the verdict that it is named after."""
    found = result(fixture("G-APPEND", name), "append")
    assert (found.verdict, found.checked, found.reason) == (verdict, checked, reason)
    assert found.unit == "pairs of requests"


def test_an_agent_that_elides_breaks_at_each_old_output() -> None:
    """All but the newest output are replaced: messages 2, 4, 6 and 8 break, each at its first byte of text."""
    path = fixture("G-APPEND", "failing")
    found = failures(result(path, "append"))
    assert broke(found) == [(n + 1, f"messages.{2 * n}.content.0.content", "edited") for n in (1, 2, 3, 4)]
    for finding in found:
        text = path.read_bytes().splitlines()[finding.line - 1]
        assert finding.byte is not None
        newest = text.rindex(PLACEHOLDER.encode())
        assert (finding.byte, finding.culprit) == (newest, "an output that was elided")
        assert finding.now == PLACEHOLDER


def test_spellings_are_told_apart() -> None:
    """Key order in a schema breaks; escapes, a string for a list and a moved mark are three different notes."""
    path = fixture("G-APPEND", "spellings")
    found = result(path, "append")
    (broken,) = failures(found)
    assert (broken.line, broken.kind, broken.change, broken.culprit) == (
        2,
        "tools_changed",
        "key_order",
        "a reordered map",
    )
    assert broken.path == "tools.0.input_schema.properties.limit"
    assert broken.message.endswith("0 blocks shared; it means the same")
    assert broken.byte == path.read_bytes().splitlines()[1].index(b'"limit":') + len(b'"limit":')
    assert [(note.line, note.path, note.kind) for note in notes(found)] == [
        (3, "messages.0", "escapes_or_white_space"),
        (4, "messages.0", "string_or_list"),
        (5, "messages.2", "mark_moved"),
    ]


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_a_public_capture_that_elides() -> None:
    """A SWE-agent run breaks at message 3, 5, 7, … from its sixth request on, one step further each turn."""
    assert CORPUS is not None
    found = failures(result(CORPUS / SWE_AGENT, "append"))
    assert [(finding.line, finding.path) for finding in found] == [
        (6, "messages.3.content"),
        (7, "messages.5.content"),
        (8, "messages.7.content"),
        (9, "messages.9.content"),
        (10, "messages.11.content"),
        (11, "messages.13.content"),
        (12, "messages.15.content"),
        (13, "messages.17.content"),
    ]


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_public_breaks_are_those_that_the_oracle_finds() -> None:
    """Reading the same capture with the standard library, the same requests do not contain the one before."""
    assert CORPUS is not None
    bodies = oracle.bodies((CORPUS / SWE_AGENT).read_bytes())
    broken = [bodies[i][0] for i in range(1, len(bodies)) if not oracle.is_append(bodies[i - 1][1], bodies[i][1])]
    assert [finding.line for finding in failures(result(CORPUS / SWE_AGENT, "append"))] == broken


def test_a_compaction_call_of_its_own_breaks_nothing_and_is_told() -> None:
    """It keeps one tool of 17 and swaps a system block: it shares no block with the conversation that it is about."""
    path = fixture("G-APPEND", "compaction-call")
    found = result(path, "append")
    assert (found.verdict, found.checked, failures(found)) == (Verdict.PASS, 3, [])
    (note,) = notes(found)
    assert (note.line, note.kind) == (4, "tools_changed")
    assert note.message == "compaction call shares 0 blocks with line 3: tools_changed"
    assert note.byte == path.read_bytes().splitlines()[3].index(b'"tools":[') + len(b'"tools":[')


def test_seven_lanes_hold_but_for_the_restart_and_the_call_is_told() -> None:
    """14 of 15 pairs of the main line hold; the other is the restart behind the compaction call.

    The call keeps the first of 17 tools, so it shares that one block with the last request of the main line.
    """
    path = FIXTURES / "claude-trace" / "seven-lanes.jsonl"
    found = result(path, "append")
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    tools = [len((record["request"]["body"] or {}).get("tools", ())) for record in records]
    call = tools.index(1) + 1
    last = max(i + 1 for i, n in enumerate(tools[:call]) if n == 17)
    assert (found.verdict, found.checked) == (Verdict.FAIL, 15)
    (restart,) = failures(found)
    assert (restart.line, restart.kind) == (60, "restart")
    assert restart.message == f"lane L4 begins anew at turn 14: no message of line {last} is left"
    (note,) = (note for note in notes(found) if note.kind != "mark_moved")
    assert (note.line, note.message) == (call, f"compaction call shares 1 blocks with line {last}: tools_changed")


def test_a_restart_after_the_compaction_call_may_be_declared() -> None:
    """Declared, the restart is a note, and all 15 pairs are checked."""
    path = FIXTURES / "claude-trace" / "seven-lanes.jsonl"
    found = result(path, "append", allowed=Allowed(after_compaction=True))
    assert (found.verdict, found.checked) == (Verdict.PASS, 15)
    assert [note.line for note in notes(found) if note.kind == "restart"] == [60]


def conversation(text: str, session: str | None) -> list[bytes]:
    """Two requests that begin with *text*, in envelopes that name the *session*, or none."""
    first = body(user(text))
    second = body(user(text), *turn(1))
    named = {"session_id": session} if session is not None else {}
    return [json.dumps({**named, "request": {"body": one}}).encode() for one in (first, second)]


@pytest.mark.parametrize(
    ("sessions", "verdict", "checked"),
    [(("s", "s"), Verdict.FAIL, 3), (("s", "t"), Verdict.PASS, 2), ((None, None), Verdict.PASS, 2)],
)
def test_a_new_beginning_is_a_break_in_one_session(
    sessions: tuple[str | None, str | None], verdict: Verdict, checked: int
) -> None:
    """In one recorded session it counts; in two, or where none is recorded, it is another conversation or a note."""
    lines = [*conversation("One.", sessions[0]), *conversation("Two.", sessions[1])]
    found = result(b"\n".join(lines) + b"\n", "append")
    assert (found.verdict, found.checked) == (verdict, checked)
    assert [one.line for one in failures(found)] == ([3] if verdict is Verdict.FAIL else [])


def elided(*messages: Json) -> Json:
    """A body in which the first output is the placeholder."""
    return body(messages[0], messages[1], turn(1, PLACEHOLDER)[1], *messages[3:])


TWO = (GO, *turn(1, "one"), *turn(2, "two"))
LONG = (GO, *turn(1, "a" * 40 + "b" * 40), *turn(2, "two"))


@pytest.mark.parametrize(
    ("before", "after", "path", "change"),
    [
        (TWO, (GO, *turn(1, "One"), *turn(2, "two"), *turn(3)), "messages.2.content.0.content", "edited"),
        (TWO, (GO, user("Note."), *turn(1, "one"), *turn(2, "two")), "messages.1", "inserted"),
        (TWO, (GO, *turn(2, "two"), *turn(3)), "messages.1", "removed"),
        (TWO, (GO, *turn(2, "two"), *turn(1, "one"), *turn(3)), "messages.1", "reordered"),
        (LONG, (GO, *turn(1, "a" * 40), *turn(2, "two"), *turn(3)), "messages.2.content.0.content", "truncated"),
    ],
)
def test_changes_of_the_messages(before: tuple[Json, ...], after: tuple[Json, ...], path: str, change: str) -> None:
    """What happened to the list of messages, or in one of them, is named."""
    found = failures(result(lines([body(*before), body(*after)]), "append"))
    assert broke(found) == [(2, path, change)]


def test_another_way_from_an_earlier_request_is_no_break() -> None:
    """Another last message after the same answer branches off: the request before it stays what it was."""
    made = lines([body(*TWO, said("Done."), user("one")), body(*TWO, said("Done."), user("two"))])
    assert result(made, "append").verdict is Verdict.VACUOUS


@pytest.mark.parametrize(
    "after",
    [TWO, TWO[:3], (*TWO, said("Done.")), (*TWO, *turn(3), *turn(4))],
    ids=["again", "shorter", "answered", "longer"],
)
def test_what_contains_or_begins_the_request_before_is_no_break(after: tuple[Json, ...]) -> None:
    """A retry, a step back and what only adds messages are read from the cache."""
    assert failures(result(lines([body(*TWO), body(*after)]), "append")) == []


def test_a_side_call_is_compared_with_what_it_was_appended_to() -> None:
    """A fork drops the tools and breaks; the main line that goes on from before it does not."""
    fork = body(*TWO, user("Summarise this conversation."), tools=None)
    found = result(lines([body(*TWO), fork, body(*TWO, *turn(3))]), "append")
    assert [(finding.line, finding.kind) for finding in failures(found)] == [(2, "tools_changed")]
    assert found.checked == 2


def test_the_way_back_from_a_broken_call_is_no_break() -> None:
    """A call of a view that was never sent breaks; the lane, which has all that it sent itself, does not."""
    call = elided(*TWO, user("Write a summary of this conversation."))
    made = lines([body(*TWO), call, body(*TWO, *turn(3))])
    assert broke(failures(result(made, "append"))) == [(2, "messages.2.content.0.content", "edited")]
    edited = lines([body(*TWO), call, elided(*TWO, *turn(3))])
    assert [finding.line for finding in failures(result(edited, "append"))] == [2, 3]
    plain = changed_call(call)
    assert [
        finding.line for finding in failures(result(lines([body(*TWO), plain, body(*TWO, *turn(3))]), "tools"))
    ] == [2]


def changed_call(call: Json) -> Json:
    """The same call without tools."""
    return {key: member for key, member in call.items() if key != "tools"}


def test_a_batch_is_vacuous() -> None:
    """Independent requests have no turns, however much they differ."""
    found = result(FIXTURES / "anthropic-batch" / "input.jsonl", "append")
    assert (found.verdict, found.reason) == (
        Verdict.VACUOUS,
        "the requests are independent: no turn follows another",
    )


def test_declared_epochs_are_notes() -> None:
    """A break at a turn that was named passes, at any other one it fails."""
    made = lines([body(*TWO), elided(*TWO, *turn(3))])
    assert result(made, "append", allowed=Allowed(epochs=frozenset({2}))).verdict is Verdict.PASS
    assert result(made, "append", allowed=Allowed(epochs=frozenset({3}))).verdict is Verdict.FAIL


@pytest.mark.parametrize("between", [[], [body(user("Name the task."), tools=None)]], ids=["next", "later"])
def test_a_declared_compaction_allows_the_next_turn_of_its_lane(between: list[Json]) -> None:
    """What follows the call may break, also where another lane's request stands between; without it, it may not."""
    call = body(*TWO, user("Write a summary of this conversation."))
    after = elided(*TWO, *turn(3))
    allowed = Allowed(after_compaction=True)
    assert result(lines([body(*TWO), call, *between, after]), "append", allowed=allowed).verdict is Verdict.PASS
    assert result(lines([body(*TWO), call, *between, after]), "append").verdict is Verdict.FAIL
    assert result(lines([body(*TWO), *between, after]), "append", allowed=allowed).verdict is Verdict.FAIL


def test_another_lanes_compaction_allows_nothing() -> None:
    """A call that was appended to one conversation does not excuse a break in another one."""
    other = (user("Name the cranes."), *turn(8), *turn(9))
    call = body(*other, user("Write a summary of this conversation."))
    made = lines([body(*TWO), body(*other), call, elided(*TWO, *turn(3))])
    assert result(made, "append", allowed=Allowed(after_compaction=True)).verdict is Verdict.FAIL


def test_a_log_of_500_turns_with_one_byte_changed(tmp_path: Path) -> None:
    """From turn 400 on one byte of the third output is another: found there, at its path and byte, and nowhere else."""
    path = tmp_path / "log.jsonl"
    head = '{"model":"gpt-4.1","messages":['
    told = ['{"role":"user","content":"Go."}']
    changed_at = 0
    with path.open("wb") as file:
        for n in range(1, 501):
            call = {"id": f"c{n}", "type": "function", "function": {"name": "sh", "arguments": "{}"}}
            output = {"role": "tool", "tool_call_id": f"c{n}", "content": f"output {n} " + "x" * 1000}
            told += [json.dumps({"role": "assistant", "content": None, "tool_calls": [call]}), json.dumps(output)]
            if n == 400:
                before = head + ",".join(told)
                told[6] = told[6].replace("x" * 1000, "x" * 500 + "y" + "x" * 499)
                after = head + ",".join(told)
                changed_at = next(i for i, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1])
            file.write((head + ",".join(told) + "]}\n").encode())
    found = result(path, "append")
    (broken,) = failures(found)
    assert found.checked == 499
    assert (broken.line, broken.path, broken.byte) == (400, "messages.6.content", changed_at)
    assert (broken.change, broken.now) == ("edited", "x" * 24 + "y" + "x" * 55)
