"""Cline's sessions: which answers were given to the messages before them, and which a compaction only left."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.errors import FormatError
from tests.readers.histories.damage import damaged, files_of, outcome
from tests.readers.histories.rebuilding import Json, answer, of_path, rebuilt
from tests.running import CORPUS, FIXTURES, NO_CORPUS

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = FIXTURES / "cline"
SESSION, COMPACTED, KEPT, GOES_ON = (
    FOLDER / f"{name}.json"
    for name in ("session.messages", "session.compaction", "kept.compaction", "goes-on.compaction")
)
BARE = FOLDER / "api_conversation_history.json"
WORDS = (
    *(
        "version",
        "updated_at",
        "agent",
        "sessionId",
        "messages",
        "system_prompt",
        "role",
        "content",
        "ts",
        "id",
        "text",
    ),
    *("modelInfo", "metrics", "inputTokens", "outputTokens", "cacheReadTokens", "metadata", "kind", "compaction"),
    *("compaction_summary", "generatedAt", "user", "assistant", "type", "tool_use", "tool_result", "input"),
)


def _saved(path: Path) -> Any:
    return json.loads(path.read_bytes())


def test_each_answer_tells_of_a_request() -> None:
    """Anthropic's messages with nothing but role and content; the prompt is the session's; the last words wait."""
    found = of_path(SESSION)
    saved = _saved(SESSION)
    assert found.capture.format_name == "cline"
    assert [len(body["messages"]) for body in found.bodies] == [1, 3, 5]
    assert {one.request.dialect for one in found.exchanges} == {"anthropic"}
    assert found.bodies[2]["messages"] == [
        {"role": one["role"], "content": one["content"]} for one in saved["messages"][:5]
    ]
    assert {(body["model"], body["system"]) for body in found.bodies} == {
        ("anthropic/claude-opus-4.1", saved["system_prompt"])
    }
    assert [one.session_id for one in found.exchanges] == ["session-9"] * 3
    first = found.exchanges[0]
    assert (first.request.tools, len(first.request.system or ())) == (None, 1)
    assert answer(first) == {"role": "assistant", "content": saved["messages"][1]["content"]}


def test_blocks_of_clines_own_stay_as_they_are() -> None:
    """A file that is named in a message is no block of the provider's, and goes through byte for byte."""
    (first, *_) = of_path(SESSION).exchanges
    assert b'"type": "file"' in bytes(first.request.raw)


def test_the_input_includes_what_was_read_and_written() -> None:
    """Disjoint counts."""
    assert of_path(SESSION).billed == [
        (100, 0, {300: 2900}, 70),
        (100, 2900, {300: 400}, 20),
        (100, 3300, {300: 500}, 35),
    ]


def test_times_are_in_milliseconds() -> None:
    """Sent when the message before the answer was made."""
    times = [(one.sent_s, one.answered_s) for one in of_path(SESSION).exchanges]
    assert times == [(1772438401.0, 1772438402.0), (1772438403.0, 1772438404.0), (1772438405.0, 1772438406.0)]


def test_lines_are_those_of_the_answers() -> None:
    """Where each of their objects begins."""
    written = SESSION.read_bytes().split(b"\n")
    assert [written[line].strip() for line in of_path(SESSION).lines] == [
        b'"id": "msg_2",',
        b'"id": "msg_4",',
        b'"id": "msg_6",',
    ]


def test_a_bare_list_says_neither_tools_nor_prompt() -> None:
    """The extension's file: no bill, no model, no time, no session."""
    found = of_path(BARE)
    assert [len(body["messages"]) for body in found.bodies] == [1, 3, 5]
    assert [set(body) for body in found.bodies] == [{"messages"}] * 3
    (first, *_) = found.exchanges
    assert (first.request.dialect, first.request.tools, first.request.system) == ("anthropic", None, None)
    assert (first.session_id, first.sent_s, first.usage) == (None, None, None)


@pytest.mark.parametrize(("path", "n_messages"), [(COMPACTED, 3), (KEPT, 2)])
def test_what_a_compaction_left_is_one_request_without_an_answer(path: Path, n_messages: int) -> None:
    """Its answers were given to what stood there before: told by their mark, or by a summary that is younger."""
    found = of_path(path)
    (only,) = found.exchanges
    assert [len(body["messages"]) for body in found.bodies] == [n_messages]
    assert (only.usage, only.answer, only.answered_s, "model" in found.bodies[0]) == (None, None, None, False)


def test_what_was_answered_after_a_compaction_is_a_request() -> None:
    """With the summary first; what was left is no request of its own then."""
    found = of_path(GOES_ON)
    assert [len(body["messages"]) for body in found.bodies] == [4]
    assert found.bodies[0]["messages"][0]["content"][0]["text"].startswith("Context summary:")
    assert found.billed == [(900, 0, {}, 12)]


def test_a_turn_without_figures_bills_nothing_that_is_known() -> None:
    """Zeros are a turn that was given up; the extension's own sums cannot be taken apart."""
    session = _saved(SESSION)
    session["messages"][1]["metrics"] = {"inputTokens": 0, "outputTokens": 0}
    session["messages"][3]["metrics"] = {"tokens": {"prompt": 10, "completion": 2, "cached": 5}, "cost": 0.1}
    assert rebuilt(json.dumps(session).encode()).billed == [None, None, (100, 3300, {300: 500}, 35)]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("session.json", "Cline session without its messages"),
        ("ui_messages.json", "Cline's log for the screen"),
    ],
)
def test_files_beside_it_are_named(name: str, message: str) -> None:
    """With the file that has the messages."""
    _, error = outcome((FOLDER / name).read_bytes())
    assert isinstance(error, FormatError)
    assert message in str(error)
    assert error.hint is not None


def test_a_message_that_cannot_be_used_is_left_out_alone() -> None:
    """It is reported with its line; what comes after it is read."""
    session = _saved(SESSION)
    session["messages"][2] = {"role": "user", "content": 7}
    found = rebuilt(json.dumps(session).encode())
    assert ([len(body["messages"]) for body in found.bodies], found.reasons) == ([1, 2, 4], [(1, "bad_shape", False)])


def _corpus(pattern: str) -> Path:
    assert CORPUS is not None
    (path,) = (CORPUS / "cline-session").glob(pattern)
    return path


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_the_public_session_adds_up_to_what_its_compaction_says() -> None:
    """Sixteen answers; input, output and read are those of `usageBefore` in the file of the compaction."""
    found = of_path(_corpus("*session.messages.json"))
    before: Json = _saved(_corpus("*basic.compaction.json"))["messages"][0]["metadata"]["usageBefore"]
    usages = [one.usage for one in found.exchanges if one.usage is not None]
    assert [len(body["messages"]) for body in found.bodies] == list(range(1, 32, 2))
    assert (sum(one.input or 0 for one in usages), sum(one.read or 0 for one in usages)) == (630_254, 534_435)
    assert sum(one.output or 0 for one in usages) == 4395
    assert (before["inputTokens"], before["cacheReadTokens"], before["outputTokens"]) == (630_254, 534_435, 4395)
    assert (found.lanes(), found.lines[0], found.lines[-1]) == ([[list(range(1, 17))]], 23, 723)


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
@pytest.mark.parametrize(("pattern", "n_messages"), [("*agentic.compaction.json", 3), ("*basic.compaction.json", 10)])
def test_what_the_public_compactions_left_is_one_request_each(pattern: str, n_messages: int) -> None:
    """None of their answers is given anew, and none is billed twice."""
    found = of_path(_corpus(pattern))
    assert ([len(body["messages"]) for body in found.bodies], found.billed) == ([n_messages], [None])
    assert found.exchanges[0].session_id == "1784094124598_rruoq"


@settings(max_examples=30, deadline=None)
@given(files_of(WORDS, [json.dumps(json.loads(GOES_ON.read_bytes())).encode()]))
def test_records_of_any_shape_are_read_or_reported(data: bytes) -> None:
    """Whatever stands under the format's keys: a request, a reason, or an error of ours."""
    found, error = outcome(data, "cline")
    assert found >= 0
    assert error is None or error.exit_code == 4


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([SESSION, COMPACTED, KEPT, GOES_ON, BARE]).flatmap(lambda path: damaged(path.read_bytes())))
def test_damaged_files_are_read_or_reported(data: bytes) -> None:
    """Bytes and lines changed, lost, doubled or cut: never anything but an error of ours."""
    found, error = outcome(data)
    assert error is None or (found, error.exit_code) == (0, 4)
