"""Gemini CLI's sessions: which messages are one answer, what was sent before it, and what was left or replaced."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.histories.damage import damaged, files_of, outcome
from tests.readers.histories.rebuilding import Json, answer, jsonl, of_path, rebuilt
from tests.running import FIXTURES

WHOLE, LOG = (FIXTURES / "gemini-cli" / name for name in ("session.json", "session.jsonl"))
SESSION = "7d2f0c1e-0000-4000-8000-000000000001"
HEAD = {"sessionId": "s", "projectHash": "p"}
BILL = {"input": 100, "output": 5, "cached": 40}
WORDS = (
    *("sessionId", "projectHash", "messages", "id", "type", "content", "text", "toolCalls", "name", "args", "result"),
    *("functionResponse", "response", "output", "tokens", "input", "cached", "model", "user", "gemini", "info"),
    *("$set", "$rewindTo", "timestamp", "functionCall", "inlineData", "thoughts"),
)


def _roles(found: list[Json]) -> list[str]:
    return ["".join(message["role"][0] for message in body["messages"]) for body in found]


def test_answers_of_the_older_file_tell_of_requests() -> None:
    """What the client says on the screen is not sent; what was broken off is an answer without a bill."""
    found = of_path(WHOLE)
    assert found.capture.format_name == "gemini-cli"
    assert _roles(found.bodies) == ["u", "uattu", "uattuau", "uattuauau"]
    assert {one.session_id for one in found.exchanges} == {SESSION}
    assert {body["model"] for body in found.bodies} == {"gemini-2.5-pro"}
    assert [one.request.dialect for one in found.exchanges] == ["openai-chat"] * 4
    assert (found.exchanges[0].request.tools, found.exchanges[0].request.system) == (None, None)


def test_counts_are_disjoint() -> None:
    """Thoughts are output, what tools were asked with is input; no bill and zeros are none."""
    assert of_path(WHOLE).billed == [(2000, 0, {}, 100), None, (712, 1900, {}, 44), None]


def test_calls_stand_with_what_they_gave() -> None:
    """A tool's output as its string, an error as what it says, a picture beside it as the user's."""
    said = of_path(WHOLE).bodies[1]["messages"]
    saved = json.loads(WHOLE.read_bytes())["messages"][2]
    calls = said[1]["tool_calls"]
    assert said[1]["content"] == saved["content"]
    assert [(call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls] == [
        ("call_1", "read_file", {"path": "quay.py"}),
        ("call_2", "read_file", {"path": "quay.py"}),
    ]
    output = saved["toolCalls"][0]["result"][0]["functionResponse"]["response"]["output"]
    assert said[2] == {"role": "tool", "tool_call_id": "call_1", "content": output}
    assert said[3]["tool_call_id"] == "call_2"
    assert json.loads(said[3]["content"]) == {"error": "no such berth"}
    assert said[4] == {
        "role": "user",
        "content": [{"inlineData": {"mimeType": "image/png", "data": "aGFyYm91cg=="}}],
    }


def test_times_and_lines_are_the_answers() -> None:
    """Sent when the message before was made; the line is where the answer's object begins."""
    found = of_path(WHOLE)
    assert [(one.sent_s, one.answered_s) for one in found.exchanges][:1] == [(1772438460.0, 1772438520.0)]
    written = WHOLE.read_bytes().split(b"\n")
    assert [written[line].strip() for line in found.lines] == [f'"id": "m{i}",'.encode() for i in (2, 3, 6, 8)]


def test_a_message_that_is_said_anew_is_one_answer() -> None:
    """On three lines: first the words, then the bill, then a call with its result; the line is the first."""
    found = of_path(LOG)
    assert found.lines == [3, 7, 9, 12, 14, 17, 19]
    assert found.billed[0] == (1000, 0, {}, 20)
    (choice,) = (answer(found.exchanges[0]) or {})["choices"]
    assert [call["id"] for call in choice["message"]["tool_calls"]] == ["call_1"]
    assert _roles(found.bodies)[:2] == ["u", "uat"]


def test_a_branch_that_was_left_has_a_session_of_its_own() -> None:
    """A rewind leaves the message it names and all after it; the others go on under the session."""
    found = of_path(LOG)
    assert [one.session_id == SESSION for one in found.exchanges] == [True, True, False, True, True, True, True]
    assert found.exchanges[2].session_id == f"{SESSION}/branch-1"
    assert _roles(found.bodies)[2:5] == ["uatau", "uatau", "uatauau"]
    assert found.bodies[2]["messages"][-1]["content"] == "No, not that one."
    assert found.bodies[3]["messages"][-1]["content"] != "No, not that one."


def test_a_compression_begins_anew_and_answers_nothing() -> None:
    """The summary and the client's own word for it are sent with what follows."""
    found = of_path(LOG)
    assert _roles(found.bodies)[5:] == ["uau", "uauau"]
    first = found.bodies[5]["messages"]
    assert first[0]["content"][0]["text"].startswith("<state_snapshot>")
    assert first[1]["content"] == "Got it. Thanks!"
    assert found.billed[5:] == [(700, 0, {}, 18), (110, 690, {}, 16)]
    assert found.lanes() == [[[1, 2], [4, 5], [6, 7]], [[3]]]


def test_an_unknown_rewind_leaves_all() -> None:
    """As the client does."""
    rows: list[Json] = [
        {"id": "1", "type": "user", "content": "a"},
        {"id": "2", "type": "gemini", "content": "b", "tokens": BILL},
        {"$rewindTo": "9"},
        {"id": "3", "type": "user", "content": "c"},
        {"id": "4", "type": "gemini", "content": "d", "tokens": BILL},
    ]
    found = rebuilt(jsonl([HEAD, *rows]))
    assert [[message["content"] for message in body["messages"]] for body in found.bodies] == [["a"], ["c"]]
    assert [one.session_id for one in found.exchanges] == ["s/branch-1", "s"]


def test_records_that_follow_each_other_are_one_answer_unless_each_is_billed() -> None:
    """Words and calls of one answer may be recorded apart; two bills are two answers."""
    asked = {"id": "1", "type": "user", "content": "a"}
    words = {"id": "2", "type": "gemini", "content": "b", "model": "m"}
    call = {"id": "3", "type": "gemini", "content": "c", "toolCalls": [{"id": "x", "name": "f"}], "tokens": BILL}
    joined = rebuilt(jsonl([HEAD, asked, words, call]))
    assert joined.billed == [(60, 40, {}, 5)]
    (choice,) = (answer(joined.exchanges[0]) or {})["choices"]
    assert (choice["message"]["content"], len(choice["message"]["tool_calls"])) == ("bc", 1)
    assert len(rebuilt(jsonl([HEAD, asked, {**words, "tokens": BILL}, call])).exchanges) == 2


def test_results_that_a_user_brings_answer_calls_without_one() -> None:
    """Where the answer has the result already, it is not sent twice."""
    output = {"functionResponse": {"id": "x", "name": "f", "response": {"output": "o"}}}
    asked = {"id": "1", "type": "user", "content": [{"text": "a"}]}
    brought = {"id": "3", "type": "user", "content": [output]}
    last = {"id": "4", "type": "gemini", "content": "", "tokens": BILL}
    for call in ({"id": "x", "name": "f"}, {"id": "x", "name": "f", "result": [output]}):
        called = {"id": "2", "type": "gemini", "content": "", "tokens": BILL, "toolCalls": [call]}
        found = rebuilt(jsonl([HEAD, asked, called, brought, last]))
        assert _roles(found.bodies) == ["u", "uat"]
        assert found.bodies[1]["messages"][2] == {"role": "tool", "tool_call_id": "x", "content": "o"}


def test_a_message_that_cannot_be_used_is_left_out_alone() -> None:
    """It is reported with its line."""
    rows = [{"id": "1", "type": "user", "content": "a"}, {"id": "2", "type": "user", "content": [7]}]
    found = rebuilt(jsonl([HEAD, *rows, {"id": "3", "type": "gemini", "content": "b", "tokens": BILL}]))
    assert (_roles(found.bodies), found.reasons) == (["u"], [(3, "bad_shape", False)])


@settings(max_examples=30, deadline=None)
@given(files_of(WORDS, LOG.read_bytes().splitlines()))
def test_records_of_any_shape_are_read_or_reported(data: bytes) -> None:
    """Whatever stands under the format's keys: a request, a reason, or an error of ours."""
    found, error = outcome(data, "gemini-cli")
    assert found >= 0
    assert error is None or error.exit_code == 4


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([WHOLE, LOG]).flatmap(lambda path: damaged(path.read_bytes())))
def test_damaged_files_are_read_or_reported(data: bytes) -> None:
    """Bytes and lines changed, lost, doubled or cut: never anything but an error of ours."""
    found, error = outcome(data)
    assert error is None or (found, error.exit_code) == (0, 4)
