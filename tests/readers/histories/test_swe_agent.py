"""SWE-agent's trajectories with nothing but a history."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from tests.readers.histories.damage import damaged, files_of, outcome
from tests.readers.histories.rebuilding import answer, jsonl, of_path, rebuilt
from tests.running import CORPUS, FIXTURES, NO_CORPUS

HISTORY = FIXTURES / "swe-agent" / "history.traj"
WORDS = (
    *("trajectory", "history", "info", "response", "replay_config", "agent", "model", "name", "is_demo", "main"),
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


def test_each_answer_of_the_run_tells_of_a_request() -> None:
    """A demonstration's answer is sent, and was never given here; everything is rebuilt."""
    found = of_path(HISTORY)
    history = json.loads(HISTORY.read_bytes())["history"]
    assert found.capture.format_name == "swe-agent-history"
    assert [len(body["messages"]) for body in found.bodies] == [4, 6, 8]
    assert [one.source.reconstructed for one in found.exchanges] == [True] * 3
    assert found.bodies[1]["messages"] == [{"role": m["role"], "content": m["content"]} for m in history[:6]]
    assert [(answer(one) or {})["choices"][0]["message"]["content"] for one in found.exchanges] == [
        history[i]["content"] for i in (4, 6, 8)
    ]
    assert (found.exchanges[0].request.tools, found.exchanges[0].request.system) == (None, ())
    written = HISTORY.read_bytes().split(b"\n")
    assert [b'"role": "assistant"' in written[line] for line in found.lines] == [True] * 3


def test_agents_of_one_run_are_sent_their_own_messages() -> None:
    """Each is a lane of its own, and what one was told stands in no request of the other."""
    said = [("main", "user", "a"), ("main", "assistant", "b"), ("helper", "user", "c"), ("helper", "assistant", "d")]
    said += [("main", "user", "e"), ("main", "assistant", "f")]
    history = [{"agent": agent, "role": role, "content": words} for agent, role, words in said]
    config = json.dumps({"problem_statement": {"id": "task"}})
    found = rebuilt(jsonl([{"trajectory": [{}], "history": history, "info": {}, "replay_config": config}]))
    assert [[message["content"] for message in body["messages"]] for body in found.bodies] == [
        ["a"],
        ["c"],
        ["a", "b", "e"],
    ]
    assert [one.session_id for one in found.exchanges] == ["task", "task/helper", "task"]


def test_a_trajectory_without_messages_is_refused() -> None:
    """Neither in its steps nor as a history."""
    _, error = outcome(jsonl([{"trajectory": [], "info": {}, "history": []}]))
    assert "SWE-agent trajectory: it has no messages" in str(error)


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
@pytest.mark.parametrize(
    ("pattern", "n_requests"),
    [("*i_got_id_demo.traj", 21), ("*xml_sys-env*.traj", 12)],
)
def test_public_files_are_rebuilt(pattern: str, n_requests: int) -> None:
    """As many requests as steps; each has two messages more than the one before."""
    assert CORPUS is not None
    (path,) = (CORPUS / "swe-agent-traj").glob(pattern)
    found = of_path(path)
    assert [len(body["messages"]) for body in found.bodies] == list(range(2, 2 + 2 * n_requests, 2))
    assert found.lanes() == [[list(range(1, n_requests + 1))]]
    assert (found.reasons, found.billed) == ([], [None] * n_requests)


@settings(max_examples=30, deadline=None)
@given(files_of(WORDS, [b'{"trajectory":[{}],"history":[{"role":"user","content":"a"}]}']))
def test_records_of_any_shape_are_read_or_reported(data: bytes) -> None:
    """Whatever stands under the format's keys: a request, a reason, or an error of ours."""
    found, error = outcome(data, "swe-agent-history")
    assert found >= 0
    assert error is None or error.exit_code == 4


@settings(max_examples=30, deadline=None)
@given(damaged(HISTORY.read_bytes()))
def test_damaged_files_are_read_or_reported(data: bytes) -> None:
    """Bytes and lines changed, lost, doubled or cut: never anything but an error of ours."""
    found, error = outcome(data)
    assert error is None or (found, error.exit_code) == (0, 4)
