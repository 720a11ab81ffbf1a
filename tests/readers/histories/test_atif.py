"""ATIF: which steps a model took, what they were sent, and what they billed."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings

from tests.readers.histories.damage import damaged, files_of, outcome
from tests.readers.histories.rebuilding import Json, answer, jsonl, of_path, rebuilt
from tests.running import FIXTURES

FILE = FIXTURES / "atif" / "trajectory.json"
SAVED: Json = json.loads(FILE.read_bytes())
STEPS = SAVED["steps"]
WORDS = (
    *("schema_version", "ATIF-v1.7", "session_id", "agent", "model_name", "steps", "step_id", "source", "message"),
    *(
        "user",
        "system",
        "tool_calls",
        "tool_call_id",
        "function_name",
        "arguments",
        "observation",
        "results",
        "content",
    ),
    *("source_call_id", "metrics", "prompt_tokens", "completion_tokens", "extra", "llm_call_count", "timestamp"),
    *("subagent_trajectories", "tool_definitions", "is_copied_context"),
)


def _trajectory(*steps: Json, **more: Any) -> bytes:
    return jsonl([{"schema_version": "ATIF-v1.4", "session_id": "s", "agent": {}, "steps": list(steps), **more}])


def test_steps_of_the_model_tell_of_requests() -> None:
    """Not one that was copied from another trajectory, nor one that no model took; sub-agents come last."""
    found = of_path(FILE)
    assert found.capture.format_name == "atif"
    assert [[message["role"][0] for message in body["messages"]] for body in found.bodies] == [
        list("suau"),
        list("suauat"),
        list("suauataau"),
        list("u"),
    ]
    assert [one.session_id for one in found.exchanges] == ["session-4"] * 3 + ["session-4/search-1"]
    assert [body["model"] for body in found.bodies] == [
        "claude-opus-4-1",
        "claude-haiku-4-5",
        "claude-opus-4-1",
        "claude-opus-4-1",
    ]


def test_a_call_and_its_result_are_a_pair() -> None:
    """Arguments are a string in the call, as the provider has them; the content stays as it is written."""
    _, second, *_ = of_path(FILE).bodies
    assert second["messages"][2] == {"role": "assistant", "content": STEPS[2]["message"]}
    assert second["messages"][3] == {"role": "user", "content": STEPS[3]["message"]}
    assert second["messages"][4:] == [
        {
            "role": "assistant",
            "content": STEPS[4]["message"],
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {
                        "name": "bash",
                        "arguments": second["messages"][4]["tool_calls"][0]["function"]["arguments"],
                    },
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": STEPS[4]["observation"]["results"][0]["content"]},
    ]
    assert json.loads(second["messages"][4]["tool_calls"][0]["function"]["arguments"]) == {"command": "ls <quay>"}


def test_what_answers_no_call_is_said_by_the_user() -> None:
    """As agents do that work in a terminal; an empty result says nothing."""
    steps: list[Json] = [
        {"source": "user", "message": "a"},
        {"source": "agent", "message": "b", "observation": {"results": [{"content": "seen"}, {"content": None}]}},
        {"source": "agent", "message": "c"},
    ]
    found = rebuilt(_trajectory(*steps))
    assert [[message["content"] for message in body["messages"]] for body in found.bodies] == [
        ["a"],
        ["a", "b", "seen"],
    ]


def test_the_prompt_includes_what_was_read_and_written() -> None:
    """Disjoint counts; of a step of two calls only the sum is known, which is no call's."""
    assert of_path(FILE).billed == [
        (100, 0, {300: 1800}, 60),
        (100, 1800, {300: 500}, 45),
        None,
        (300, 0, {}, 12),
    ]


def test_what_was_written_has_two_names() -> None:
    """As the converters of different agents write it."""
    metrics = {"prompt_tokens": 50, "cached_tokens": 10, "completion_tokens": 4}
    asked = {"source": "user", "message": "a"}
    for key in ("cache_creation_tokens", "cache_creation_input_tokens"):
        one = {"source": "agent", "message": "b", "metrics": {**metrics, "extra": {key: 30}}}
        assert rebuilt(_trajectory(asked, one)).billed == [(10, 10, {300: 30}, 4)]
    unbilled: tuple[Json, ...] = ({}, {"prompt_tokens": 0}, {"prompt_tokens": "9"})
    for nothing in unbilled:
        assert rebuilt(_trajectory(asked, {"source": "agent", "message": "b", "metrics": nothing})).billed == [None]


def test_tools_are_recorded_where_the_agent_lists_them() -> None:
    """And the prompt where the first step is one."""
    first, *_, helper = of_path(FILE).exchanges
    assert (first.request.tools, first.request.system) == (None, ())
    assert (len(helper.request.tools or ()), helper.request.system) == (1, None)


def test_times_are_those_of_the_steps() -> None:
    """The step before, and the answer's own."""
    times = [(one.sent_s, one.answered_s) for one in of_path(FILE).exchanges]
    assert times[:2] == [(1772438404.5, 1772438405.5), (1772438405.5, 1772438406.5)]


def test_lines_count_in_a_file_with_cr_lf() -> None:
    """Each is where the step begins."""
    written = FILE.read_bytes().split(b"\r\n")
    assert [written[line].strip() for line in of_path(FILE).lines] == [
        b'"step_id": 5,',
        b'"step_id": 6,',
        b'"step_id": 9,',
        b'"step_id": 2,',
    ]


def test_the_answer_is_the_step() -> None:
    """Words and calls."""
    (first, *_) = of_path(FILE).exchanges
    (choice,) = (answer(first) or {})["choices"]
    assert choice["message"]["content"] == STEPS[4]["message"]
    assert [call["id"] for call in choice["message"]["tool_calls"]] == ["call_1"]


def test_a_step_that_cannot_be_used_is_left_out_alone() -> None:
    """It is reported; the others are read."""
    bad = {"source": "user", "message": ["no block"]}
    found = rebuilt(_trajectory({"source": "user", "message": "a"}, bad, {"source": "agent", "message": "b"}))
    assert ([len(body["messages"]) for body in found.bodies], found.reasons) == ([1], [(1, "bad_shape", False)])


@settings(max_examples=30, deadline=None)
@given(files_of(WORDS, [json.dumps(SAVED).encode()]))
def test_records_of_any_shape_are_read_or_reported(data: bytes) -> None:
    """Whatever stands under the format's keys: a request, a reason, or an error of ours."""
    found, error = outcome(data, "atif")
    assert found >= 0
    assert error is None or error.exit_code == 4


@settings(max_examples=30, deadline=None)
@given(damaged(FILE.read_bytes()))
def test_damaged_files_are_read_or_reported(data: bytes) -> None:
    """Bytes and lines changed, lost, doubled or cut: never anything but an error of ours."""
    found, error = outcome(data)
    assert error is None or (found, error.exit_code) == (0, 4)
