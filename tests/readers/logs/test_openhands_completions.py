"""OpenHands' logs of single calls: the body that was sent, and nothing of the client's own."""

from __future__ import annotations

import json

from hypothesis import given, settings

from cgcli.readers.opening import open_capture
from tests.readers.histories.damage import damaged, files_of, outcome
from tests.readers.histories.rebuilding import Json, answer, jsonl, of_path, rebuilt
from tests.running import FIXTURES

FOLDER = FIXTURES / "openhands-completions"
FILE = FOLDER / "claude-1.json"
SAVED: Json = json.loads(FILE.read_bytes())
WORDS = (
    *("messages", "response", "kwargs", "args", "timestamp", "cost", "role", "content", "user", "assistant", "tools"),
    *("choices", "message", "usage", "prompt_tokens", "completion_tokens", "model", "temperature", "tool_calls"),
)


def test_messages_and_parameters_are_the_body() -> None:
    """Byte for byte as they stand, marks too; keys, headers and the client's options are left out."""
    found = of_path(FILE)
    (body,) = found.bodies
    (one,) = found.exchanges
    assert found.capture.format_name == "openhands-completions"
    assert body == {
        "model": "claude-sonnet-4",
        "tools": SAVED["kwargs"]["tools"],
        "temperature": 0.0,
        "messages": SAVED["messages"],
    }
    assert b"sk-invented" not in bytes(one.request.raw)
    assert (one.source.reconstructed, one.request.dialect, len(one.request.tools or ())) == (False, "openai-chat", 1)


def test_the_answer_and_its_bill_are_those_of_the_response() -> None:
    """In LiteLLM's words; the time is the answer's, when it was sent is not recorded."""
    found = of_path(FILE)
    (one,) = found.exchanges
    assert answer(one) == SAVED["response"]
    assert found.billed == [(100, 1900, {300: 500}, 15)]
    assert (one.sent_s, one.answered_s) == (None, 1772438401.25)


def test_a_call_without_tools_had_none() -> None:
    """The arguments are all there: what is not among them was not sent."""
    (one,) = rebuilt(jsonl([{**SAVED, "kwargs": {}}])).exchanges
    assert one.request.tools == ()


def test_a_folder_of_them_is_a_conversation() -> None:
    """In the order of their names, which end with the time."""
    with open_capture(str(FOLDER)) as capture:
        found = [entry.exchange for entry in capture if entry.exchange is not None]
    assert [len(one.request.messages) for one in found] == [2, 4]
    assert [one.source.reconstructed for one in found] == [False, False]


def test_another_record_is_no_fault() -> None:
    """It is counted."""
    assert rebuilt(jsonl([SAVED, {"cost": 1}])).reasons == [(2, "no_body", True)]


@settings(max_examples=30, deadline=None)
@given(files_of(WORDS, [FILE.read_bytes()]))
def test_records_of_any_shape_are_read_or_reported(data: bytes) -> None:
    """Whatever stands under the format's keys: a request, a reason, or an error of ours."""
    found, error = outcome(data, "openhands-completions")
    assert found >= 0
    assert error is None or error.exit_code == 4


@settings(max_examples=30, deadline=None)
@given(damaged(FILE.read_bytes()))
def test_damaged_files_are_read_or_reported(data: bytes) -> None:
    """Bytes and lines changed, lost, doubled or cut: never anything but an error of ours."""
    found, error = outcome(data)
    assert error is None or (found, error.exit_code) == (0, 4)
