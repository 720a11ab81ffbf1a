"""The lanes of the saved files, as literals; and against a plain second way of finding them."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests import oracle
from tests.captures import capture
from tests.lanes.placing import Drawn, Placed, of_file
from tests.running import FIXTURES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.captures import Dialect

FIRST = ("new", 0, 0)


def _growing(n_requests: int) -> Placed:
    """A line of requests that each have two messages more."""
    return [FIRST, *(("extends", 0, 2 * i + 1) for i in range(n_requests - 1))]


def _one_lane(n_requests: int) -> Drawn:
    return [("main", [("main", list(range(1, n_requests + 1)))])]


SAVED: dict[str, tuple[Placed, Drawn]] = {
    "dated-system": (_growing(4), _one_lane(4)),
    "eliding": (
        [*_growing(3), ("edits", 0, 2), ("edits", 0, 4), ("edits", 0, 6), ("edits", 0, 8)],
        _one_lane(7),
    ),
    "fork-summary": (
        [*_growing(4), ("extends", 0, 7), ("returns", 0, 7), ("extends", 0, 9)],
        [("main", [("main", [1, 2, 3, 4, 6, 7])]), ("compaction", [("compaction", [5])])],
    ),
    "mixed-content": (_growing(4), _one_lane(4)),
    "nonce-first": (_growing(4), _one_lane(4)),
    "reordered-tools": (_growing(5), _one_lane(5)),
    "retries": (
        [FIRST, *(("extends", 0, shared) for shared in (1, 3, 3, 3, 5, 7, 7))],
        _one_lane(8),
    ),
    "rewind": (
        [*_growing(5), ("branches", 1, 5), ("extends", 1, 7)],
        [("main", [("main", [1, 2, 3, 4, 5]), ("restart", [6, 7])])],
    ),
    "sliding-window": ([*_growing(3), *[("edits", 0, 1)] * 4], _one_lane(7)),
    "tools-last": (_growing(4), _one_lane(4)),
    "two-conversations": (
        [
            FIRST,
            ("new", 1, 0),
            *(
                (relation, thread, shared)
                for shared in (1, 3, 5)
                for relation, thread in (("extends", 0), ("extends", 1))
            ),
        ],
        [("main", [("main", [1, 3, 5, 7])]), ("main", [("main", [2, 4, 6, 8])])],
    ),
}


@pytest.mark.parametrize("name", sorted(path.stem for path in (FIXTURES / "lanes").iterdir()))
def test_a_saved_lane_shape_is_told_request_by_request(name: str) -> None:
    """Relation, thread and shared messages of each request, and the lanes at the end."""
    assert of_file(FIXTURES / "lanes" / f"{name}.jsonl") == SAVED[name]


def test_the_day_of_an_agent_is_seven_lanes() -> None:
    """16 of 64 requests are the main line, in two epochs around a compaction call; 47 are side calls of five kinds."""
    _, lanes = of_file(FIXTURES / "claude-trace" / "seven-lanes.jsonl")
    assert [(label, sum(len(numbers) for _, numbers in epochs)) for label, epochs in lanes] == [
        ("side", 10),
        ("side", 10),
        ("side", 9),
        ("main", 16),
        ("side", 9),
        ("side", 9),
        ("compaction", 1),
    ]
    main, call = lanes[3][1], lanes[6][1]
    assert [(label, len(numbers)) for label, numbers in main] == [("main", 13), ("restart", 3)]
    assert call == [("compaction", [55])]
    assert main[0][1][-1] < 55 < main[1][1][0]


@pytest.mark.parametrize("name", ["cold", "odd"])
def test_pauses_errors_and_retries_stay_one_lane(name: str) -> None:
    """A pause, an overloaded answer with its retry, and an orphan part no lane."""
    assert of_file(FIXTURES / "claude-trace" / f"{name}.jsonl")[1] == _one_lane(5)


@pytest.mark.parametrize(("file", "n_requests"), [("openai-batch/input.jsonl", 6), ("anthropic-batch/input.jsonl", 4)])
def test_requests_of_a_batch_are_a_lane_each(file: str, n_requests: int) -> None:
    """However much they share, batch requests never join."""
    placed, lanes = of_file(FIXTURES / file)
    assert placed == [("new", i, 0) for i in range(n_requests)]
    assert lanes == [("main", [("main", [i + 1])]) for i in range(n_requests)]


def _told() -> list[tuple[str, int, int]]:
    """(file, requests, lanes) of each fixture that is read whole, from the table in its README."""
    text = (FIXTURES / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`]+)` \| `[^`]+` \| (\d+) \| (\d+) \|.*\| read whole \|$", text, re.MULTILINE)
    return [(file, int(n_requests), int(n_lanes)) for file, n_requests, n_lanes in rows]


@pytest.mark.parametrize(("file", "n_requests", "n_lanes"), _told())
def test_every_fixture_has_the_lanes_that_its_table_tells(file: str, n_requests: int, n_lanes: int) -> None:
    """The number of requests and of lanes; each request is in exactly one lane."""
    _, lanes = of_file(FIXTURES / file)
    numbers = [number for _, epochs in lanes for _, held in epochs for number in held]
    assert len(lanes) == n_lanes
    assert sorted(numbers) == list(range(1, n_requests + 1))


def test_the_table_of_fixtures_was_read() -> None:
    """At least forty fixtures are read whole."""
    assert len(_told()) >= 40


@pytest.mark.parametrize("dialect", ["anthropic", "chat", "responses"])
def test_interleaved_conversations_are_told_apart(dialect: Dialect, tmp_path: Path) -> None:
    """Five conversations of one agent, request by request in turn, are five lanes: those that share a first message."""
    path = tmp_path / "five.jsonl"
    path.write_bytes(capture(dialect=dialect, turns=5, side_lanes=4, seed=7))
    expected = oracle.lanes_by_first_message(oracle.bodies(path.read_bytes()))
    _, lanes = of_file(path)
    assert [numbers for _, [(_, numbers)] in lanes] == expected
    assert len(lanes) == 5
    assert all(len(numbers) == 6 for numbers in expected)


@pytest.mark.parametrize("file", ["context-guru/agent.jsonl", "claude-trace/seven-lanes.jsonl", "lanes/rewind.jsonl"])
def test_within_a_thread_each_request_starts_with_the_one_before(file: str) -> None:
    """Of the requests that extend one, each has all messages of the one before, compared without marks and spelling."""
    bodies = [body for _, body in oracle.bodies((FIXTURES / file).read_bytes())]
    _, lanes = of_file(FIXTURES / file)
    for _, epochs in lanes:
        for _, numbers in epochs:
            for before, after in pairwise(numbers):
                told, later = oracle.rendered_messages(bodies[before - 1]), oracle.rendered_messages(bodies[after - 1])
                assert later[: len(told)] == told
