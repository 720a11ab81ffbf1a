"""OpenHands' events: which are the model's answers, what was sent before each, and what each billed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.errors import FormatError
from tests.readers.histories.damage import damaged, files_of, outcome
from tests.readers.histories.rebuilding import Json, answer, jsonl, of_path, rebuilt
from tests.running import CORPUS, FIXTURES, NO_CORPUS

OUTPUT, EVENTS = (FIXTURES / "openhands" / f"{name}.jsonl" for name in ("output", "events"))
OLD, NEW = (json.loads(line) for line in OUTPUT.read_bytes().splitlines())
WORDS = (
    *("history", "instance_id", "metadata", "llm_config", "model", "metrics", "token_usages", "id", "timestamp"),
    *("source", "agent", "user", "action", "observation", "args", "extras", "content", "thought", "message", "run"),
    *("tool_call_metadata", "model_response", "choices", "tool_call_id", "usage", "condensation", "summary"),
    *("forgotten_event_ids", "summary_offset", "llm_metrics", "accumulated_token_usage", "prompt_tokens", "delegate"),
)


def _roles(found: list[Json]) -> list[str]:
    return ["".join(message["role"][0] for message in body["messages"]) for body in found]


def _said(i: int, source: str, content: str) -> Json:
    return {"id": i, "source": source, "action": "message", "args": {"content": content}}


def test_a_run_is_a_lane() -> None:
    """By the id of its instance, or the number of its issue; each on its line."""
    found = of_path(OUTPUT)
    assert found.capture.format_name == "openhands"
    assert [one.session_id for one in found.exchanges] == ["issue-5"] * 3 + ["quay__quay-21"] * 4
    assert found.lines == [1, 1, 1, 2, 2, 2, 2]
    assert found.lanes() == [[[1, 2, 3]], [[4, 5], [6, 7]]]


def test_calls_of_an_old_run_are_words_in_a_fence() -> None:
    """As its prompt asks for; outputs come as the user's, with how they ended. The words were not recorded."""
    found = of_path(OUTPUT)
    task, bash, code = (OLD["history"][i][0] for i in range(3))
    assert _roles(found.bodies)[:3] == ["u", "uau", "uauau"]
    assert [message["content"] for message in found.bodies[2]["messages"]] == [
        task["content"],
        f"{bash['thought']}\n<execute_bash>\nls quay\n</execute_bash>",
        "OBSERVATION:\nberths.py\n[Command -1 finished with exit code 0]",
        f"{code['thought']}\n<execute_ipython>\nprint(berths)\n</execute_ipython>",
        "OBSERVATION:\n[]",
    ]
    first = found.exchanges[0]
    assert (first.answer, first.usage, first.sent_s) == (None, None, None)
    assert (first.request.tools, first.request.system) == (None, None)


def test_whole_answers_are_taken_as_they_are() -> None:
    """With both calls of one answer, their results, the tools and the prompt of the first event."""
    found = of_path(OUTPUT)
    second = found.bodies[4]
    response = NEW["history"][3]["tool_call_metadata"]["model_response"]["choices"][0]["message"]
    assert _roles(found.bodies)[3:] == ["su", "suatt", "suu", "suuat"]
    assert second["messages"][2] == response
    assert [message.get("tool_call_id") for message in second["messages"][3:]] == ["c1", "c2"]
    assert second["tools"] == NEW["history"][0]["args"]["tools"]
    assert {body.get("model") for body in found.bodies[3:]} == {"anthropic/claude-sonnet-4-20250514"}
    one = found.exchanges[3]
    assert (len(one.request.tools or ()), one.request.system) == (1, ())
    assert answer(one) == {"choices": [{"index": 0, "message": response}]}


def test_an_answer_bills_what_it_says_or_what_the_run_lists() -> None:
    """By the id of the answer where it says nothing itself."""
    assert of_path(OUTPUT).billed[3:] == [
        (100, 0, {300: 3900}, 50),
        (100, 3900, {300: 600}, 21),
        (100, 0, {300: 1400}, 30),
        (50, 1400, {300: 250}, 9),
    ]


def test_a_condensation_begins_anew_with_its_summary() -> None:
    """What it forgets is gone, and the result whose call is forgotten goes with it."""
    third = of_path(OUTPUT).bodies[5]
    assert third["messages"][2]["content"] == NEW["history"][10]["args"]["summary"]
    assert "tool" not in {message["role"] for message in third["messages"]}


def test_a_later_summary_takes_the_place_of_the_one_before() -> None:
    """Events that are named one by one are forgotten too."""
    condensed = {"source": "agent", "action": "condensation"}
    first = {"forgotten_event_ids": [2], "summary": "first", "summary_offset": 1}
    second = {"forgotten_event_ids": [3], "summary": "second", "summary_offset": 1}
    events = [_said(1, "user", "a"), _said(2, "agent", "b"), {"id": 9, **condensed, "args": first}]
    events += [_said(10, "agent", "c"), {"id": 11, **condensed, "args": second}, _said(12, "agent", "d")]
    found = rebuilt(jsonl(events))
    contents = [[message["content"] for message in body["messages"]] for body in found.bodies]
    assert contents == [["a"], ["a", "first"], ["a", "second", "c"]]


def test_totals_are_never_summed() -> None:
    """By difference, from the start of the file on; nothing where they fall, or where others billed in between."""
    assert of_path(EVENTS).billed == [
        (100, 0, {300: 900}, 20),
        (100, 900, {300: 200}, 25),
        None,
        (200, 700, {}, 20),
        (200, 800, {}, 12),
        None,
        None,
    ]


def test_events_are_taken_by_their_ids() -> None:
    """Files of single events come in the order of their names; a delegate is sent its own messages alone."""
    found = of_path(EVENTS)
    assert _roles(found.bodies) == ["u", "uau", "uauau", "uauauau", "uauauaua", "u", "uauauauaau"]
    assert [one.session_id for one in found.exchanges] == [None] * 5 + ["session/delegate-1", None]
    assert found.lines == [9, 11, 13, 2, 3, 5, 7]
    (choice,) = (answer(found.exchanges[0]) or {})["choices"]
    assert choice["message"] == {"role": "assistant", "content": found.bodies[1]["messages"][1]["content"]}


def test_answers_that_lack_a_total_leave_the_next_one_unknown() -> None:
    """A difference over two answers is of neither."""

    def billed(i: int, prompt: int | None) -> Json:
        figures = {"prompt_tokens": prompt, "completion_tokens": i} if prompt is not None else {}
        return {**_said(i, "agent", "x"), "llm_metrics": {"accumulated_token_usage": figures}}

    events = [_said(0, "user", "a"), billed(1, 10), billed(2, None), billed(3, 40), billed(4, 55)]
    assert rebuilt(jsonl(events)).billed == [(10, 0, {}, 1), None, None, (15, 0, {}, 1)]


@pytest.mark.parametrize(
    ("event", "role"),
    [
        ({"source": "user", "action": "run", "args": {"command": "ls"}}, "u"),
        ({"source": "environment", "observation": "agent_state_changed", "content": "x", "extras": {}}, ""),
        ({"source": "user", "action": "recall", "args": {"query": "x"}}, ""),
        ({"source": "environment", "action": "change_agent_state", "args": {"agent_state": "x"}}, ""),
        ({"source": "agent", "observation": "recall", "content": "x", "extras": {}}, ""),
        ({"source": "agent", "observation": "think", "content": "x", "extras": {}}, "u"),
        ({"source": "agent", "action": "browse", "args": {"url": "u", "thought": "t"}}, "a"),
    ],
)
def test_events_are_messages_or_say_nothing(event: Json, role: str) -> None:
    """What the file has word for word is sent, under whose role it came; states and look-ups are not."""
    events = [_said(0, "user", "a"), {"id": 1, **event}, _said(2, "agent", "b")]
    assert _roles(rebuilt(jsonl(events)).bodies)[-1] == "u" + role


def test_a_trajectory_as_it_is_downloaded_is_read() -> None:
    """One object with the events, or an array of them."""
    events = [_said(0, "user", "a"), _said(1, "agent", "b")]
    for content in (json.dumps({"trajectory": events}), json.dumps(events, indent=1)):
        assert _roles(rebuilt(content.encode()).bodies) == ["u"]


def test_an_event_that_cannot_be_used_is_left_out_alone() -> None:
    """It is reported; the others are read."""
    bad: Any = {
        "id": 1,
        "source": "agent",
        "action": "run",
        "tool_call_metadata": {"model_response": {"choices": [{}]}},
    }
    bad["tool_call_metadata"]["model_response"]["choices"][0]["message"] = {"role": "assistant", "content": 7}
    found = rebuilt(jsonl([_said(0, "user", "a"), bad, _said(2, "agent", "b")]))
    assert (_roles(found.bodies), found.reasons) == (["u"], [(2, "bad_shape", False)])


@pytest.mark.parametrize("form", ["run", "events"])
def test_totals_say_nothing_across_an_event_that_cannot_be_used(form: str) -> None:
    """It may have been an answer, which billed too; ids that jump say nothing where every event was read."""

    def billed(i: int, prompt_tokens: int, content: Any = "x") -> Json:
        message = {"choices": [{"message": {"role": "assistant", "content": content}}]}
        totals = {"prompt_tokens": prompt_tokens, "completion_tokens": i}
        told = {"tool_call_metadata": {"model_response": message}, "llm_metrics": {"accumulated_token_usage": totals}}
        return {"id": i, "source": "agent", "action": "run", "args": {}, **told}

    def fresh(events: list[Json]) -> list[int | None]:
        found = rebuilt(
            json.dumps({"history": events, "instance_id": "r"}).encode() if form == "run" else jsonl(events)
        )
        return [one.usage.fresh if one.usage is not None else None for one in found.exchanges]

    assert fresh([_said(0, "user", "a"), billed(1, 10), billed(2, 30, 7), billed(3, 60), billed(4, 100)]) == [
        10,
        None,
        40,
    ]
    assert fresh([_said(0, "user", "a"), billed(1, 10), billed(3, 60), billed(9, 100)]) == [10, 50, 40]


def test_events_of_the_newer_sdk_are_named_and_refused() -> None:
    """They have an object for an action, and words under other keys."""
    head = {"id": "a", "timestamp": "2026-03-02T08:00:00", "source": "agent"}
    acted = {"kind": "ActionEvent", **head, "action": {"kind": "FinishAction", "message": "done"}}
    said = {"kind": "MessageEvent", **head, "llm_message": {"role": "user", "content": []}}
    for events in ([acted], [said, acted]):
        with pytest.raises(FormatError, match="event of OpenHands' agent SDK"):
            rebuilt(jsonl(events))


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_the_public_file_is_rebuilt() -> None:
    """Two runs with 4 and 22 answers: as many as the costs that each lists."""
    assert CORPUS is not None
    (path,) = (CORPUS / "openhands").iterdir()
    found = of_path(path)
    costs = [len(json.loads(line)["metrics"]["costs"]) for line in path.read_bytes().splitlines()]
    assert costs == [4, 22]
    assert [len(body["messages"]) for body in found.bodies] == [*range(1, 8, 2), *range(1, 44, 2)]
    assert found.lanes() == [[[1, 2, 3, 4]], [list(range(5, 27))]]
    assert [one.session_id for one in found.exchanges] == ["issue-5"] * 4 + ["issue-1"] * 22
    assert (found.reasons, found.billed) == ([], [None] * 26)


@settings(max_examples=30, deadline=None)
@given(files_of(WORDS, [*OUTPUT.read_bytes().splitlines(), *EVENTS.read_bytes().splitlines()]))
def test_records_of_any_shape_are_read_or_reported(data: bytes) -> None:
    """Whatever stands under the format's keys: a request, a reason, or an error of ours."""
    found, error = outcome(data, "openhands")
    assert found >= 0
    assert error is None or error.exit_code == 4


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([OUTPUT, EVENTS]).flatmap(lambda path: damaged(path.read_bytes())))
def test_damaged_files_are_read_or_reported(data: bytes) -> None:
    """Bytes and lines changed, lost, doubled or cut: never anything but an error of ours."""
    found, error = outcome(data)
    assert error is None or (found, error.exit_code) == (0, 4)
