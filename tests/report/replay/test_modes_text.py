"""The operating modes in a terminal: which clock, which turns, and what to run next."""

from __future__ import annotations

from typing import Any

import pytest

from cgcli.report.replay.modes_text import lines, turn_lines
from cgcli.report.replay.next_command import Again, next_command
from tests.report.page.moded import made

GIVEN = Again(replay=("--mode", "sync,async"), compact=())


def file(clock: dict[str, Any] | None = None, sweep: dict[str, Any] | None = None) -> dict[str, Any]:
    """A file under one policy in three modes, by *clock*."""
    return made(sweep=sweep, **({"clock": clock} if clock is not None else {}))


@pytest.mark.parametrize(
    ("clock", "told"),
    [
        ({"kind": "file", "gap_s": None, "requests_without_time": 0}, "jobs land by the clock above"),
        ({"kind": "gap", "gap_s": 9.0, "requests_without_time": 3}, "jobs land by the clock above"),
        (
            {"kind": "file", "gap_s": None, "requests_without_time": 1},
            "30 s from one request to the next where the file has no time (--clock SECONDS models another gap)",
        ),
    ],
)
def test_by_which_clock_jobs_land(clock: dict[str, Any], told: str) -> None:
    """That thirty seconds are taken is said where they are."""
    assert list(lines(file(clock)))[-1] == f"calls to a model: constant:12s, modelled; {told}"


def test_sentences_stand_under_their_table() -> None:
    """Each behind the name of its mode."""
    told = list(lines(file()))

    assert told[1].split() == ["mask", "known", "sync", "observe", "async"]
    assert told[-4:-1] == [f"{name}: what follows from mask {name}" for name in ("sync", "observe", "async")]


def test_without_modes_nothing_is_said() -> None:
    """Neither a table nor turns."""
    plain = {**file(), "modes": []}

    assert list(lines(plain)) == []
    assert list(turn_lines(plain)) == []


@pytest.mark.parametrize(
    ("sweep", "command"),
    [
        (None, "--mode sync,async --sweep"),
        ({"gap_s": None, "rows": []}, "--mode sync,async --turns --html replay.html"),
    ],
)
def test_after_the_modes_their_job_times_are_swept(sweep: dict[str, Any] | None, command: str) -> None:
    """And after that every turn is looked at; no mode is written out as a product."""
    assert list(next_command({"files": [file(sweep=sweep)]}, GIVEN)) == [f"next    cg replay capture.jsonl {command}"]


def test_without_async_there_is_nothing_to_sweep() -> None:
    """Every turn is what there is to look at."""
    one = file()
    one["modes"] = one["modes"][:2]

    assert list(next_command({"files": [one]}, GIVEN)) == [
        "next    cg replay capture.jsonl --mode sync,async --turns --html replay.html"
    ]
