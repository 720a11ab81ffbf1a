"""A history of which each event is a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.readers import open_capture
from tests.readers.histories.rebuilding import Json, of_path
from tests.running import FIXTURES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from cgcli.model import Exchange
    from cgcli.readers import Entry

EVENTS = FIXTURES / "openhands" / "events.jsonl"
SYSTEM = {"id": 0, "source": "agent", "action": "system", "args": {"content": "s", "tools": []}}


def _said(i: int | None, source: str, content: str) -> Json:
    return {"id": i, "source": source, "action": "message", "args": {"content": content}}


def _talk(n: int, word: str = "m") -> list[Json]:
    """*n* messages, of the user and the agent by turns."""
    return [_said(i, "agent" if i % 2 else "user", f"{word}{i}") for i in range(n)]


def _save(folder: Path, contents: Mapping[str, object]) -> None:
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content if isinstance(content, str) else json.dumps(content))


def _entries(name: object) -> list[Entry]:
    with open_capture(str(name)) as capture:
        return list(capture)


def _found(name: object) -> list[Exchange]:
    return [entry.exchange for entry in _entries(name) if entry.exchange is not None]


def _said_in(exchange: Exchange) -> list[str]:
    return [message["content"] for message in json.loads(bytes(exchange.request.raw))["messages"]]


def _places(folder: Path, found: list[Exchange]) -> list[tuple[str, int]]:
    return [(one.source.file.removeprefix(f"{folder}/"), one.source.line) for one in found]


@pytest.mark.parametrize(("before", "line"), [("", 1), ("\n\n", 3)])
def test_a_folder_of_events_is_one_history(tmp_path: Path, before: str, line: int) -> None:
    """What the same events in one file are; each request says the file of its answer."""
    events = EVENTS.read_text().splitlines()
    _save(tmp_path, {f"{json.loads(event)['id']}.json": before + event for event in events})
    found, whole = _found(tmp_path), of_path(EVENTS)
    assert [json.loads(bytes(one.request.raw)) for one in found] == whole.bodies
    assert [(one.usage, one.sent_s, one.answered_s) for one in found] == [
        (one.usage, one.sent_s, one.answered_s) for one in whole.exchanges
    ]
    assert _places(tmp_path, found) == [(f"{json.loads(events[i - 1])['id']}.json", line) for i in whole.lines]


@pytest.mark.parametrize(
    "spelled",
    [lambda i: f"{i}.json", lambda i: f"event-{i:05d}-{(i * 7919) % 65536:04x}.json", lambda i: f"{999 - i}.json"],
    ids=["plain", "padded", "ids before names"],
)
def test_events_come_in_the_order_of_their_numbers(tmp_path: Path, spelled: Callable[[int], str]) -> None:
    """10 after 9, not after 1."""
    _save(tmp_path, {spelled(i): event for i, event in enumerate(_talk(12))})
    assert _said_in(_found(tmp_path)[-1]) == [f"m{i}" for i in range(11)]


def test_events_without_ids_come_by_the_numbers_in_their_names(tmp_path: Path) -> None:
    """There is nothing else to tell by."""
    _save(tmp_path, {f"{i}.json": {**event, "id": None} for i, event in enumerate(_talk(12))})
    found = _found(tmp_path)
    assert _said_in(found[-1]) == [f"m{i}" for i in range(11)]
    assert _places(tmp_path, found) == [(f"{i}.json", 1) for i in range(1, 12, 2)]


def test_a_pattern_is_read_as_its_folder_is(tmp_path: Path) -> None:
    """With what it leaves out left out."""
    _save(tmp_path, {f"s/events/{i}.json": event for i, event in enumerate(_talk(12))})
    assert _said_in(_found(tmp_path / "s/events/*.json")[-1]) == [f"m{i}" for i in range(11)]
    assert [len(_said_in(one)) for one in _found(tmp_path / "s/events/[0-3].json")] == [1, 3]


def test_each_folder_is_a_session(tmp_path: Path) -> None:
    """Named by its path, and its delegates below it; nothing of one stands in another."""
    delegate = {"id": 4, "source": "agent", "action": "delegate", "args": {"inputs": {}}}
    inner = [_said(5, "user", "task"), _said(6, "agent", "done")]
    for name in ("one", "two"):
        events = [SYSTEM, *({**event, "id": event["id"] + 1} for event in _talk(3, name)), delegate, *inner]
        _save(tmp_path, {f"{name}/events/{event['id']}.json": event for event in events})
    found = _found(tmp_path)
    assert [one.session_id for one in found] == [
        f"{tmp_path}/{name}/events{below}" for name in ("one", "two") for below in ("", "", "/delegate-1")
    ]
    assert [_said_in(one) for one in found[3:]] == [["s", "two0"], ["s", "two0", "two1", "two2"], ["task"]]


def test_a_damaged_event_is_reported_with_its_file(tmp_path: Path) -> None:
    """Whether the JSON is cut, empty or of the wrong kind; the others are read."""
    wrong = {"id": 3, "source": "agent", "action": "run", "tool_call_metadata": {}}
    wrong["tool_call_metadata"] = {"model_response": {"choices": [{"message": {"role": "assistant", "content": 7}}]}}
    damaged = {"3.json": wrong, "4.json": '{"id": 4, "source": "us', "5.json": ""}
    _save(tmp_path, {**{f"{i}.json": event for i, event in enumerate(_talk(8))}, **damaged})
    entries = _entries(tmp_path)
    passed = [entry.passed for entry in entries if entry.passed is not None]
    assert [(one.reason, one.usable) for one in passed] == [
        ("unreadable", False),
        ("unreadable", False),
        ("bad_shape", False),
    ]
    assert [one.detail.split(": ")[0] for one in passed] == [
        f"{tmp_path}/4.json:1:21",
        f"{tmp_path}/5.json",
        f"{tmp_path}/3.json:1",
    ]
    assert [_said_in(entry.exchange) for entry in entries if entry.exchange is not None] == [
        ["m0"],
        ["m0", "m1", "m2", "m6"],
    ]


def test_other_files_of_the_folder_are_read_one_by_one(tmp_path: Path) -> None:
    """A capture and another history stay what they are; what is neither is passed."""
    body = {"model": "m", "messages": [{"role": "user", "content": "go"}]}
    run = {"history": _talk(4, "r"), "instance_id": "run"}
    others = {"a.jsonl": body, "notes.md": "{} is a pair of braces", "metadata.json": {"title": "t"}, "z.json": run}
    _save(tmp_path, {**{f"{i}.json": event for i, event in enumerate(_talk(4))}, **others})
    entries = _entries(tmp_path)
    found = [entry.exchange for entry in entries if entry.exchange is not None]
    assert _places(tmp_path, found) == [
        ("1.json", 1),
        ("3.json", 1),
        ("a.jsonl", 1),
        ("z.json", 1),
        ("z.json", 1),
    ]
    assert [one.session_id for one in found] == [str(tmp_path)] * 2 + [None] + ["run"] * 2
    passed = [entry.passed for entry in entries if entry.passed is not None]
    assert [(one.reason, one.usable) for one in passed] == [("not_a_capture", True)] * 2


def test_files_of_several_events_stay_apart(tmp_path: Path) -> None:
    """Each is a history of its own."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(event) + "\n" for event in _talk(4, name)))
    assert [_said_in(one) for one in _found(tmp_path)] == [
        ["a0"],
        ["a0", "a1", "a2"],
        ["b0"],
        ["b0", "b1", "b2"],
    ]


def test_every_byte_is_counted_once(tmp_path: Path) -> None:
    """The size that is told is that of the files."""
    _save(tmp_path, {f"{i}.json": event for i, event in enumerate(_talk(12))})
    with open_capture(str(tmp_path)) as capture:
        assert list(capture)
        assert (capture.format_name, capture.layout.value) == ("openhands", "several files")
        assert capture.tally.n_bytes == sum(path.stat().st_size for path in tmp_path.iterdir())


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(9)), st.sets(st.integers(0, 8), max_size=4))
def test_any_names_give_the_history_of_the_ids(
    tmp_path_factory: pytest.TempPathFactory, names: list[int], missing: set[int]
) -> None:
    """Whatever the files are called and whichever events are lost."""
    kept = [event for event in _talk(9) if event["id"] not in missing]
    folder = tmp_path_factory.mktemp("events")
    _save(folder, {f"{names[event['id']]}.json": event for event in kept})
    told = [event["args"]["content"] for event in kept]
    expected = [told[:i] for i, event in enumerate(kept) if i and event["source"] == "agent"]
    assert [_said_in(one) for one in _found(folder)] == expected


def _billed(i: int, prompt_tokens: int) -> Json:
    totals = {"prompt_tokens": prompt_tokens, "completion_tokens": i}
    return {**_said(i, "agent", f"m{i}"), "llm_metrics": {"accumulated_token_usage": totals}}


@pytest.mark.parametrize(
    ("lost", "fresh"),
    [
        (None, [10, 20, 30, 40]),
        (3, [10, None, 40]),
        (4, [10, 20, None, 40]),
        (0, [None, 30, 40]),
    ],
)
def test_totals_say_nothing_across_a_lost_event(tmp_path: Path, lost: int | None, fresh: list[int | None]) -> None:
    """What was billed in between is not known; a history that begins late has billed before."""
    answers = {1: _billed(1, 10), 3: _billed(3, 30), 5: _billed(5, 60), 7: _billed(7, 100)}
    _save(tmp_path, {f"{i}.json": answers.get(i, _said(i, "user", f"m{i}")) for i in range(8) if i != lost})
    if lost == 0:
        (tmp_path / "1.json").unlink()
    found = _found(tmp_path)
    assert [one.usage and one.usage.fresh for one in found] == fresh
