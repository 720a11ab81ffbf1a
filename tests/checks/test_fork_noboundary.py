"""G-FORK-NOBOUNDARY, and the number that it compares with."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from cgcli.checks.base import Verdict
from cgcli.checks.forks import count_epochs
from cgcli.checks.gates.fork_noboundary import ForkNoBoundary
from cgcli.readers import open_bytes, read
from tests.forking import GATES, HEAD, Json, answered, bodies, fork, history, lane, run, run_fixture, said, user
from tests.running import FIXTURES

if TYPE_CHECKING:
    from pathlib import Path

GATE = ForkNoBoundary()


def counted(*found: Json) -> int:
    """Compaction points of these bodies."""
    return count_epochs(read(io.BytesIO(bodies(*found)), file="t.jsonl"))


def of_file(path: Path) -> int:
    """Compaction points of a file."""
    with open_bytes(str(path)) as stream:
        return count_epochs(read(stream, file=str(path)))


def test_the_failing_fixture_has_one_more_than_its_pair() -> None:
    """Cut at lines 5 and 7, the paired run once: the second cut is the one too many."""
    paired = of_file(GATES / "G-FORK-NOBOUNDARY" / "passing.jsonl")
    result = run_fixture(GATE, "failing", {"against": paired})
    assert (paired, result.verdict, result.checked, result.unit) == (1, Verdict.FAIL, 1, "forks")
    assert [(f.line, f.kind, f.message) for f in result.findings] == [
        (7, "more_epochs", "compaction points: 2 with forks, 1 in the paired run")
    ]


@pytest.mark.parametrize("against", [1, 2])
def test_the_passing_fixture_has_no_more(against: int) -> None:
    """One cut, against one or two."""
    result = run_fixture(GATE, "passing", {"against": against})
    assert (result.verdict, result.checked, result.findings) == (Verdict.PASS, 1, ())


def test_the_vacuous_fixture_has_no_fork() -> None:
    """Without a fork there is nothing to compare, with a paired run or without."""
    for options in ({"against": 0}, {}):
        assert run_fixture(GATE, "vacuous", options).verdict is Verdict.VACUOUS


def test_without_a_paired_run_it_is_unknown() -> None:
    """The number alone says nothing."""
    result = run_fixture(GATE, "passing")
    assert (result.verdict, result.reason) == (
        Verdict.UNKNOWN,
        "compaction points: 1; there is no paired run to compare with: --against FILE",
    )


def test_a_paired_run_without_any_compaction_point_is_compared_with() -> None:
    """Zero is a number: one cut is one too many."""
    assert run_fixture(GATE, "passing", {"against": 0}).verdict is Verdict.FAIL


def test_a_restart_counts_once() -> None:
    """The seven lanes have a main line in two epochs: one compaction point, and none of its 47 side calls is one."""
    assert of_file(FIXTURES / "claude-trace" / "seven-lanes.jsonl") == 1


@pytest.mark.parametrize(
    ("name", "n"),
    [("fork-summary", 0), ("eliding", 4), ("sliding-window", 4), ("rewind", 1), ("retries", 0)],
)
def test_each_edit_counts(name: str, n: int) -> None:
    """The lanes that break four times count four; a fork, a retry and the way back from a fork count nothing."""
    assert of_file(FIXTURES / "lanes" / f"{name}.jsonl") == n


def test_a_fork_behind_an_answer_is_no_restart() -> None:
    """The lane's next request is the fork without its last message: it goes on, in a thread of its own."""
    sent = lane(6)
    assert counted(*sent[:3], fork(sent[2], said(2), answered(2)), *sent[3:]) == 0


def test_a_fork_of_a_view_that_was_never_sent_is_no_edit() -> None:
    """The call itself edits the lane's messages, and the next request has them again: neither is a compaction."""
    sent = lane(6)
    other = {**HEAD, "messages": [user("Build every part."), *history(3)[1:6], answered(7)]}
    assert counted(*sent[:4], fork(other), *sent[4:]) == 0


def test_a_batch_has_no_epochs() -> None:
    """Independent requests never begin anew."""
    rows = [{"custom_id": str(i), "params": body} for i, body in enumerate(lane(3))]
    assert counted(*rows) == 0
    assert run(GATE, bodies(*rows), {"against": 0}).verdict is Verdict.VACUOUS
