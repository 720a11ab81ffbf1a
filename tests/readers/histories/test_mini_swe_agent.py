"""mini-swe-agent's trajectories: with bills, bare, and of the Responses API."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.errors import FormatError
from tests.readers.histories.damage import damaged, files_of, outcome
from tests.readers.histories.rebuilding import answer, jsonl, of_path, rebuilt
from tests.running import CORPUS, FIXTURES, NO_CORPUS

RUN, BARE, RESPONSES = (FIXTURES / "mini-swe-agent" / f"{name}.traj.json" for name in ("run", "bare", "responses"))
WORDS = (
    *("info", "messages", "trajectory_format", "mini-swe-agent-1", "config", "model", "model_name", "role", "content"),
    *("extra", "response", "usage", "prompt_tokens", "timestamp", "object", "output", "assistant", "user", "exit"),
)


def test_answers_tell_of_requests_and_bills() -> None:
    """Up to each answer; the note of the end is not sent, and no key that is the agent's own."""
    found = of_path(RUN)
    assert found.capture.format_name == "mini-swe-agent"
    assert [len(body["messages"]) for body in found.bodies] == [2, 4, 6]
    assert {key for body in found.bodies for message in body["messages"] for key in message} == {"role", "content"}
    assert {body["model"] for body in found.bodies} == {"anthropic/claude-sonnet-4-20250514"}
    assert found.billed == [(100, 0, {300: 1100}, 40), (20, 1100, {300: 380}, 52), (20, 1480, {300: 400}, 31)]
    assert (found.exchanges[0].request.tools, found.exchanges[0].request.system) == (None, ())
    assert {one.request.dialect for one in found.exchanges} == {"openai-chat"}


def test_times_are_those_of_what_was_sent_last_and_of_the_answer() -> None:
    """The first request has nothing dated in it."""
    times = [(one.sent_s, one.answered_s) for one in of_path(RUN).exchanges]
    assert times == [
        (None, 1772438405.5),
        (1772438407.5, 1772438425.5),
        (1772438427.5, 1772438445.5),
    ]


def test_an_answer_is_the_message_as_it_was_given() -> None:
    """Without what is null, as it is sent again."""
    (first, *_) = of_path(RUN).exchanges
    said = json.loads(RUN.read_bytes())["messages"][2]
    assert answer(first) == {"choices": [{"index": 0, "message": {"role": "assistant", "content": said["content"]}}]}


def test_the_oldest_shape_is_a_bare_list() -> None:
    """No bill, no model; the line is the answer's."""
    found = of_path(BARE)
    assert found.capture.format_name == "mini-swe-agent"
    assert [[message["role"][0] for message in body["messages"]] for body in found.bodies] == [list("su"), list("suau")]
    assert ["model" in body for body in found.bodies] == [False, False]
    written = BARE.read_bytes().split(b"\n")
    assert [b'"role": "assistant"' in written[line] for line in found.lines] == [True, True]


def test_whole_answers_of_the_responses_api_are_items() -> None:
    """The model's items and the tools' outputs stand in the input, without what the agent noted."""
    found = of_path(RESPONSES)
    assert {one.request.dialect for one in found.exchanges} == {"openai-responses"}
    assert [len(body["input"]) for body in found.bodies] == [2, 4]
    assert found.bodies[1]["input"][2:] == [
        {"type": "function_call", "call_id": "call_0", "name": "bash", "arguments": '{"command":"ls"}'},
        {"type": "function_call_output", "call_id": "call_0", "output": "src"},
    ]
    assert found.billed == [(700, 0, {}, 20), (150, 640, {}, 20)]
    assert (answer(found.exchanges[1]) or {})["output"][0]["call_id"] == "call_1"


def test_an_answer_to_nothing_tells_of_no_request() -> None:
    """Nothing was sent before it that the file has."""
    said = {"role": "assistant", "content": "a"}
    found = rebuilt(jsonl([{"info": {}, "messages": [said], "trajectory_format": "mini-swe-agent-1"}]))
    assert (found.exchanges, found.reasons) == ([], [])


def test_a_list_of_other_messages_is_not_taken_for_one() -> None:
    """Without a system prompt first, with other keys, or with no answer in it."""
    system, user = {"role": "system", "content": "s"}, {"role": "user", "content": "u"}
    given_answer = {"role": "assistant", "content": "a"}
    for messages in ([user, given_answer, user], [system, user, user], [system, user, {**given_answer, "id": 1}]):
        _, error = outcome(json.dumps(messages).encode())
        assert isinstance(error, FormatError)


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_the_public_file_is_rebuilt() -> None:
    """Ten answers in a bare list of 22 messages."""
    assert CORPUS is not None
    (path,) = (CORPUS / "mini-swe-agent-traj").iterdir()
    found = of_path(path)
    assert [len(body["messages"]) for body in found.bodies] == [2, 4, 6, 8, 10, 12, 14, 16, 18, 20]
    assert found.lanes() == [[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]]
    assert (found.lines[0], found.lines[-1], found.billed) == (10, 82, [None] * 10)


@settings(max_examples=30, deadline=None)
@given(files_of(WORDS, [json.dumps(json.loads(RUN.read_bytes())).encode()]))
def test_records_of_any_shape_are_read_or_reported(data: bytes) -> None:
    """Whatever stands under the format's keys: a request, a reason, or an error of ours."""
    found, error = outcome(data, "mini-swe-agent")
    assert found >= 0
    assert error is None or error.exit_code == 4


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([RUN, BARE, RESPONSES]).flatmap(lambda path: damaged(path.read_bytes())))
def test_damaged_files_are_read_or_reported(data: bytes) -> None:
    """Bytes and lines changed, lost, doubled or cut: never anything but an error of ours."""
    found, error = outcome(data)
    assert error is None or (found, error.exit_code) == (0, 4)
