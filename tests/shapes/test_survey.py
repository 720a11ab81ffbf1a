"""Which lane and turn are compared."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from cgcli.calls.call import CallMode, CallOptions
from cgcli.errors import UsageError
from cgcli.readers import open_bytes, read
from cgcli.replay.survey import Survey, survey, turns_of
from cgcli.shapes.targets import targets
from tests.calls.asking import asking, built
from tests.captures import capture
from tests.running import FIXTURES

if TYPE_CHECKING:
    from pathlib import Path


def of(path: Path) -> Survey:
    """The survey of a file."""
    with open_bytes(str(path)) as stream:
        return survey(read(stream, file=path.name))


def chosen(
    found: Survey, lane: str | None = None, at: int | None = None, *, every: bool = False
) -> list[tuple[str, int, int]]:
    """Lane, turn and number of the request in the file, of each target."""
    return [(one.lane, one.turn, one.i_exchange) for one in targets(found, lane=lane, at=at, every=every)]


AGENT = of(FIXTURES / "context-guru" / "agent.jsonl")


def test_the_last_turn_that_another_follows_is_the_default() -> None:
    """Of fourteen the thirteenth, in the main lane and not in the side calls."""
    assert chosen(AGENT) == [("L1", 13, 15)]


def test_a_turn_is_named_from_one_on() -> None:
    """Within its lane: side calls between do not count."""
    assert chosen(AGENT, "l1", 1) == [("L1", 1, 0)]
    assert chosen(AGENT, "L2", 2) == [("L2", 2, 6)]
    assert [turn for _, turn, _ in chosen(AGENT, every=True)] == list(range(1, 15))


@pytest.mark.parametrize(
    ("lane", "at", "message", "hint"),
    [
        ("L9", None, "there is no lane 'L9'", "known: L1, L2"),
        ("L1", 15, "lane L1 has turns 1 to 14, not 15", "--at 14"),
    ],
)
def test_what_is_not_there_is_told(lane: str, at: int | None, message: str, hint: str) -> None:
    """With what there is."""
    with pytest.raises(UsageError) as caught:
        chosen(AGENT, lane, at)

    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_the_longest_history_is_the_default() -> None:
    """Not the lane with most requests, nor its last restart, which may be too short for any span."""
    found = of(FIXTURES / "claude-trace" / "seven-lanes.jsonl")

    assert chosen(found) == [("L4", 12, 47)]


def test_calls_for_a_summary_are_no_turns() -> None:
    """A lane with a fork and a standalone call between its requests has the turns that it has without them."""
    lines = capture(turns=6).splitlines()
    calls = [
        built(mode, asking(lines[4], 1, 3, options=CallOptions())).body for mode in (CallMode.FORK, CallMode.STANDALONE)
    ]
    found = survey(read(io.BytesIO(b"\n".join([*lines[:5], *calls, *lines[5:]])), file="c.jsonl"))

    assert [(lane.label.value, len(turns_of(lane))) for lane in found.lanes] == [
        ("main", 7),
        ("compaction", 0),
        ("compaction", 0),
    ]
    assert chosen(found) == [("L1", 6, 7)]
    with pytest.raises(UsageError, match="lane L2 has no turn"):
        chosen(found, "L2")


def test_requests_of_a_batch_are_lanes_of_one_turn() -> None:
    """The first of the longest ones is the default."""
    found = of(FIXTURES / "anthropic-batch" / "input.jsonl")

    assert [len(turns_of(lane)) for lane in found.lanes] == [1] * len(found.lanes)
    assert chosen(found) == [("L1", 1, 0)]


def test_an_estimate_is_fitted_to_recorded_usage() -> None:
    """Where the file has it; elsewhere the table's factor stays."""
    trace = of(FIXTURES / "claude-trace" / "cold.jsonl").rulers["claude-sonnet-4-20250514"]
    plain = AGENT.rulers["claude-sonnet-4-5-20250929"]

    assert (trace.is_fitted, trace.n_fitted, plain.is_fitted) == (True, 5, False)
