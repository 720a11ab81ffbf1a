"""What `claude -p --output-format stream-json` prints: what was sent is rebuilt from events."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.histories.rebuilt import Json, billed, fixture, is_sound, passed, requests, said
from tests.running import CORPUS, NO_CORPUS

FOLDER = "claude-stream-json"
SHAPES = ["lines.jsonl", "array.json", "objects.json"]
RUN = [
    ("run-1", []),
    ("run-1/call_2", ["user: Listen at the buoy."]),
    ("run-1/call_2", ["user: Listen at the buoy.", "assistant: !call_s", "user: ?call_s: a bell"]),
    ("run-1", ["assistant: Two things. | !call_1 | !call_2", "user: ?call_1: rung | ?call_2: A bell."]),
]


@pytest.mark.parametrize("name", SHAPES)
def test_requests_are_the_same_however_the_events_stand(name: str) -> None:
    """One event a line, an array, objects one after another: an answer for each id, a lane for each sub-agent."""
    found = requests(fixture(f"stream-json/{name}"))
    assert [(request["session_id"], said(request)) for request in found] == RUN
    assert billed(found) == (24, 1_500, 1_410, 86)


@pytest.mark.parametrize(
    ("name", "lines"),
    [("lines.jsonl", [2, 7, 9, 11]), ("array.json", [13, 117, 160, 199]), ("objects.json", [12, 116, 159, 198])],
)
def test_requests_stand_at_the_line_of_their_answer(name: str, lines: list[int]) -> None:
    """The line on which the first event of the answer begins."""
    assert [request["line"] for request in requests(fixture(f"stream-json/{name}"))] == lines


def test_names_of_tools_are_no_tools() -> None:
    """The first event lists names; tools and system are not recorded, and the result's totals are not counted."""
    found = requests(fixture("stream-json/lines.jsonl"))
    assert {tuple(request["unrecorded"]) for request in found} == {("tools", "system")}
    assert [list(request["body"]) for request in found] == [["model", "messages"]] * 4
    assert [request["answer"]["content"][0]["type"] for request in found] == ["text", "tool_use", "text", "text"]
    assert not any("sent_s" in request for request in found)


def test_a_compaction_begins_anew() -> None:
    """With the summary, in the same lane; an error in an answer's place is none."""
    data = fixture("stream-json/compacted.jsonl")
    assert [(request["session_id"], said(request)) for request in requests(data)] == [
        ("run-1", ["user: Log the tides."]),
        ("run-1", ["user: Summary: tides are logged. | Log the winds."]),
    ]
    assert passed(data) == [(3, "synthetic", True)]


def test_a_recording_has_its_prompt_once() -> None:
    """Sent before a session is named, under another name, and echoed: it is the first message of the session."""
    found = requests(fixture("stream-json/recording.json"))
    assert [(request["session_id"], said(request)) for request in found] == [
        ("run-1", ["user: Light the beacon."]),
        ("run-1", ["user: Light the beacon.", "assistant: !call_1", "user: ?call_1: lit"]),
    ]
    assert [request["line"] for request in found] == [68, 117]


def test_runs_one_after_another_are_lanes_of_their_own() -> None:
    """Events of the user that name no session belong to the one that runs; an echo under a known id is left out."""
    events: list[Json] = []
    for run in ("a", "b"):
        events += [
            {"type": "system", "subtype": "init", "session_id": run},
            {"type": "user", "message": {"content": f"go {run}"}, "uuid": f"u-{run}"},
            {"type": "user", "message": {"content": f"go {run}"}, "uuid": f"u-{run}", "isReplay": True},
            {"type": "assistant", "message": {"content": f"done {run}"}, "session_id": run},
        ]
    found = requests("\n".join(json.dumps(event) for event in events).encode())
    assert [(request["session_id"], said(request)) for request in found] == [
        ("a", ["user: go a"]),
        ("b", ["user: go b"]),
    ]


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
@pytest.mark.parametrize(
    ("name", "lane", "n_messages", "usage"),
    [
        (
            "anthropics__test__fixtures__sample-turns.json",
            "sample-session-id",
            [0, 2, 4, 6],
            (630, 315, 0, 265),
        ),
        (
            "pydantic__cassettes__test_claude_agent_sdk__tool_use_conversation.json",
            "ca03765b-a7e1-483b-9629-448c7aba5e7a",
            [1, 3],
            (4, 17_653, 1_215, 1),
        ),
    ],
)
def test_real_runs(name: str, lane: str, n_messages: list[int], usage: tuple[int, int, int, int]) -> None:
    """Messages of each request and the sums of usage, counted beforehand by hand."""
    assert CORPUS is not None
    found = requests(CORPUS / FOLDER / name)
    assert {request["session_id"] for request in found} == {lane}
    assert [len(request["body"]["messages"]) for request in found] == n_messages
    assert billed(found) == usage


_VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1.5, 10**30, "", "a", "\ud800", [], {}, [1], ["b"], [[]], [{}], {"a": [None]}, {"type": 1}]
)
_IDS = st.sampled_from(["a", "b"])
_MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "id": _IDS | _VALUES,
        "model": st.sampled_from(["m", "<synthetic>"]) | _VALUES,
        "usage": st.dictionaries(st.sampled_from(["input_tokens", "output_tokens"]), _VALUES) | _VALUES,
        "content": st.lists(st.dictionaries(st.sampled_from(["type", "id", "text", "content"]), _VALUES), max_size=3)
        | _VALUES,
    },
)
_EVENTS = st.fixed_dictionaries(
    {"type": st.sampled_from(["system", "assistant", "user", "result"]) | _VALUES},
    optional={
        "message": _MESSAGES | _VALUES,
        "messages": st.lists(st.fixed_dictionaries({"direction": _VALUES, "message": _MESSAGES | _VALUES}), max_size=2),
        "session_id": _IDS | _VALUES,
        "parent_tool_use_id": _IDS | _VALUES,
        "uuid": _IDS | _VALUES,
        "subtype": st.just("compact_boundary") | _VALUES,
    },
)


@given(st.lists(_EVENTS, max_size=10), st.sampled_from([None, 1]))
@settings(max_examples=30, deadline=None)
def test_whatever_stands_in_the_events_is_no_crash(events: list[Json], indent: int | None) -> None:
    """Any value under any key: an error of `cg`'s own, or requests that can be read."""
    first = {"type": "user", "session_id": "a", "message": {"content": "hi"}}
    assert is_sound("\n".join(json.dumps(event, indent=indent) for event in [first, *events]).encode())


@given(st.sampled_from([*SHAPES, "compacted.jsonl", "recording.json"]), st.data())
@settings(max_examples=30, deadline=None)
def test_whatever_happens_to_a_file_is_no_crash(name: str, data: st.DataObject) -> None:
    """Bytes changed, a stretch left out, the end cut off."""
    changed = bytearray(fixture(f"stream-json/{name}"))
    for at in data.draw(st.lists(st.integers(0, len(changed) - 1), max_size=4)):
        changed[at] = data.draw(st.integers(0, 255))
    start, stop = sorted(data.draw(st.tuples(st.integers(0, len(changed)), st.integers(0, len(changed)))))
    assert is_sound(bytes(changed[:start] + changed[stop : data.draw(st.integers(stop, len(changed)))]))
