"""SWE-agent's trajectories with the messages of each step: what was asked, and what stands in the list already."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.histories.damage import damaged, files_of, outcome
from tests.readers.histories.rebuilding import Json, answer, jsonl, of_path, rebuilt
from tests.running import CORPUS, FIXTURES, NO_CORPUS

if TYPE_CHECKING:
    from pathlib import Path

QUERY, MESSAGES = (FIXTURES / "swe-agent" / f"{name}.traj" for name in ("query", "messages"))
WORDS = (
    *("trajectory", "history", "info", "query", "messages", "response", "replay_config", "agent", "model", "name"),
    *(
        "role",
        "content",
        "assistant",
        "tool",
        "system",
        "user",
        "tool_calls",
        "tool_call_ids",
        "problem_statement",
        "id",
    ),
)
SYSTEM, TASK = {"role": "system", "content": "s"}, {"role": "user", "content": "t"}


def _saved(path: Path) -> Json:
    loaded: Json = json.loads(path.read_bytes())
    return loaded


def _file(*steps: Json, history: list[Json] | None = None, **more: Any) -> bytes:
    return jsonl([{"trajectory": list(steps), "history": history or [], "info": {}, **more}])


def test_a_query_is_sent_as_it_stands() -> None:
    """Each step's list in order, its own keys left out, the call it answers named, the mark where it was."""
    found = of_path(QUERY)
    steps = _saved(QUERY)["trajectory"]
    assert found.capture.format_name == "swe-agent"
    assert [len(body["messages"]) for body in found.bodies] == [2, 4, 6, 8]
    assert [one.source.reconstructed for one in found.exchanges] == [False] * 4
    last, asked = found.bodies[3]["messages"], steps[3]["query"]
    assert [message["content"] for message in last] == [message["content"] for message in asked]
    assert last[3]["content"] == "Old environment output: (12 lines omitted)"
    assert last[7] == {
        "role": "tool",
        "content": [{"type": "text", "text": steps[2]["observation"], "cache_control": {"type": "ephemeral"}}],
        "tool_call_id": "call_2",
    }
    assert {key for message in last for key in message} == {"role", "content", "tool_calls", "tool_call_id"}


def test_the_run_is_told_by_its_settings() -> None:
    """Model and session out of `replay_config`, an object or a string; what stands in for a model is none."""
    assert {body["model"] for body in of_path(QUERY).bodies} == {"claude-sonnet-4-20250514"}
    assert {one.session_id for one in of_path(QUERY).exchanges} == {"quay__quay-17"}
    assert ["model" in body for body in of_path(MESSAGES).bodies] == [False] * 3
    assert {one.session_id for one in of_path(MESSAGES).exchanges} == {"quay__quay-18"}


def test_tools_are_not_recorded() -> None:
    """The prompt is a message of the list; of tools there is nothing, which is not the same as none."""
    (first, *_) = of_path(QUERY).exchanges
    assert (first.request.tools, first.request.system) == (None, ())
    (bare,) = rebuilt(_file({"response": "a", "query": [TASK]})).exchanges
    assert (bare.request.tools, bare.request.system) == (None, None)


def test_messages_end_with_the_steps_own_answer() -> None:
    """The older list is saved when the step is done: the request is what stands before the answer in it."""
    found = of_path(MESSAGES)
    steps = _saved(MESSAGES)["trajectory"]
    assert [len(step["messages"]) for step in steps] == [4, 6, 8]
    assert [len(body["messages"]) for body in found.bodies] == [2, 4, 6]
    for exchange, step in zip(found.exchanges, steps, strict=True):
        (choice,) = (answer(exchange) or {})["choices"]
        assert choice["message"]["content"] == step["response"]
        assert choice["message"]["tool_calls"] == step["messages"][-2]["tool_calls"]


def test_messages_that_end_with_another_answer_are_whole() -> None:
    """Where the last answer in the list is not the step's, the list is what was asked."""
    before = {"role": "assistant", "content": "before"}
    found = rebuilt(_file({"response": "now", "messages": [SYSTEM, TASK, before, TASK]}))
    assert [len(body["messages"]) for body in found.bodies] == [4]


def test_the_answer_is_looked_for_in_the_next_list_and_in_the_history() -> None:
    """With its calls; the words alone are not the answer of an agent that calls tools."""
    found = of_path(QUERY)
    history = _saved(QUERY)["history"]
    for i, exchange in enumerate(found.exchanges):
        (choice,) = (answer(exchange) or {})["choices"]
        said = history[2 + 2 * i]
        assert choice["message"] == {key: said[key] for key in ("role", "content", "tool_calls")}
    call = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    calling = {"role": "assistant", "content": "x", "tool_calls": call}
    (lost,) = rebuilt(_file({"response": "a", "query": [TASK]}, history=[calling])).exchanges
    (plain,) = rebuilt(_file({"response": "a", "query": [TASK]})).exchanges
    assert answer(lost) is None
    assert answer(plain) == {"choices": [{"index": 0, "message": {"role": "assistant", "content": "a"}}]}


def test_a_step_that_asked_nothing_is_no_fault() -> None:
    """The last one, where the run was broken off."""
    assert of_path(QUERY).reasons == [(1, "no_messages", True)]
    assert of_path(MESSAGES).reasons == []


def test_lines_are_those_of_the_steps() -> None:
    """In a file over many lines, and in one of a single line."""
    written = MESSAGES.read_bytes().split(b"\n")
    lines = of_path(MESSAGES).lines
    assert [b'"action": ' in written[line] for line in lines] == [True] * 3
    assert [written[line - 1].strip() for line in lines] == [b"{"] * 3
    assert of_path(QUERY).lines == [1, 1, 1, 1]


def test_a_message_that_cannot_be_used_costs_its_step_alone() -> None:
    """It is reported with its step; the others are read."""
    found = rebuilt(_file({"response": "a", "query": [TASK, {"role": 7}]}, {"response": "b", "query": [TASK]}))
    assert (len(found.exchanges), found.reasons) == (1, [(1, "bad_shape", False)])


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_the_public_file_is_read_as_it_was_sent() -> None:
    """Thirteen steps whose lists have the answer and its output at their end; one session, no model."""
    assert CORPUS is not None
    (path,) = (CORPUS / "swe-agent-traj").glob("*function_calling.traj")
    found = of_path(path)
    steps = _saved(path)["trajectory"]
    assert [len(step["messages"]) for step in steps] == list(range(4, 29, 2))
    assert [len(body["messages"]) for body in found.bodies] == list(range(2, 27, 2))
    assert found.lanes() == [[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]]]
    assert {one.session_id for one in found.exchanges} == {"marshmallow-code__marshmallow-1867"}
    assert all(
        (answer(one) or {})["choices"][0]["message"]["content"] == step["response"]
        for one, step in zip(found.exchanges, steps, strict=True)
    )
    assert (found.reasons, found.billed) == ([], [None] * 13)


@settings(max_examples=30, deadline=None)
@given(files_of(WORDS, QUERY.read_bytes().splitlines()))
def test_records_of_any_shape_are_read_or_reported(data: bytes) -> None:
    """Whatever stands under the format's keys: a request, a reason, or an error of ours."""
    found, error = outcome(data, "swe-agent")
    assert found >= 0
    assert error is None or error.exit_code == 4


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([QUERY, MESSAGES]).flatmap(lambda path: damaged(path.read_bytes())))
def test_damaged_files_are_read_or_reported(data: bytes) -> None:
    """Bytes and lines changed, lost, doubled or cut: never anything but an error of ours."""
    found, error = outcome(data)
    assert error is None or (found, error.exit_code) == (0, 4)
