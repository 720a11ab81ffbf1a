"""The text of `cg check`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from cgcli.checks.base import Verdict
from cgcli.report.check_text import lines
from cgcli.report.grouped import of_unit
from tests.report.reported import SHOWN, SHOWN_IDS, checked, finding, of_fixture, of_hostile, report, request, said
from tests.snapshots import as_file

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion


@pytest.mark.parametrize("name", SHOWN, ids=SHOWN_IDS)
def test_the_text_of_a_fixture(name: str, snapshot: SnapshotAssertion) -> None:
    """It is what was looked at and found right."""
    assert "\n".join(lines(of_fixture(name))).encode() == as_file(snapshot, "txt")


def test_a_failure_says_what_to_ask_next_and_ends_with_the_verdict() -> None:
    """The last line is the verdict of all, the last of a gate the next command; dollars say where they are from."""
    shown = list(lines(of_fixture("lanes/eliding.jsonl")))

    assert shown[-1] == "FAIL: 1 fail in 1 file; failed: G-APPEND; exit 3"
    assert shown[-3] == (
        "dollars from the built-in table (litellm 1.110.2, providers' pages) of 2026-11-30; "
        "--json has each model's prices"
    )
    assert shown[-5] == "  next    cg explain G-APPEND"


def test_a_batch_is_never_said_to_break() -> None:
    """Its lines are independent: how much they share is told, and no turn."""
    shown = "\n".join(lines(of_fixture("anthropic-batch/input.jsonl")))

    assert "common prefix across lines: 1 block (0 tools, 1 system, 0 messages), 509 bytes; tokens not counted" in shown
    assert not re.search(r"turn \d", shown)


def test_only_the_first_kinds_of_findings_are_shown() -> None:
    """Five, then how many more there are and where all of them stand."""
    shown = list(lines(said(Verdict.FAIL, *(finding(kind=f"kind-{n}") for n in range(7)))))

    assert [line for line in shown if "kind-" in line] == [f"      kind-{n}" for n in range(5)]
    assert "  and 2 more kinds of finding: --json has them all" in shown


@pytest.mark.parametrize("verdict", [Verdict.VACUOUS, Verdict.UNKNOWN])
def test_an_undecided_gate_says_why(verdict: Verdict) -> None:
    """The reason stands in its row."""
    shown = list(lines(said(verdict, reason="the file says too little")))

    assert f"G-APPEND  {verdict.value:7}  7 pairs of requests  the file says too little" in shown


def test_skipped_records_are_listed() -> None:
    """Each with its line, the first few of many."""
    content = request(("user", "a")) + b'{"a": 1}\n' * 0 + b"{\n" * 9
    shown = list(lines(report(checked(content))))

    assert "9 unusable records, not checked:" in shown
    assert sum(line.startswith("  line ") for line in shown) == 5
    assert "  and 4 more: --json has them all" in shown


def test_hostile_text_cannot_leave_its_line() -> None:
    """No line has a control, bidirectional or zero-width character, and none begins as the file or the text wants."""
    shown = list(lines(of_hostile()))

    assert not any(
        re.search(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]", line) for line in shown
    )
    assert not any(line.lstrip().startswith("::") for line in shown)
    assert any("a\\x1b[31m\\x00\\x9b]]><script>" in line for line in shown)


@pytest.mark.parametrize(
    ("n", "unit", "shown"),
    [
        (1, "pairs of requests", "1 pair of requests"),
        (1, "requests with marks", "1 request with marks"),
        (1, "summariser calls", "1 summariser call"),
        (1, "signed thinking blocks", "1 signed thinking block"),
        (1, "forks", "1 fork"),
        (2, "tool calls", "2 tool calls"),
        (1200, "markers", "1,200 markers"),
    ],
)
def test_a_unit_is_a_singular_for_one(n: int, unit: str, shown: str) -> None:
    """Wherever its noun stands."""
    assert of_unit(n, unit) == shown
