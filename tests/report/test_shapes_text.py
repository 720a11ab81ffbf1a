"""The text of `cg diff-modes`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from cgcli.report.shapes_text import lines
from tests.report.shaped import CASES, hostile, shaped
from tests.snapshots import as_file

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

MOST_CHARS = 140


@pytest.mark.parametrize("name", CASES)
def test_the_text_of_a_comparison(name: str, snapshot: SnapshotAssertion) -> None:
    """It is what was looked at and found right."""
    assert "\n".join(lines(shaped(name))).encode() == as_file(snapshot, "txt")


@pytest.mark.parametrize("name", CASES)
def test_no_line_is_too_wide(name: str) -> None:
    """A terminal of 140 columns shows every line."""
    assert max(map(len, lines(shaped(name)))) <= MOST_CHARS


def test_a_table_says_when_a_fork_costs_more() -> None:
    """With the share from which on it would not, and what `auto` makes of it."""
    report = shaped("every")
    report["comparisons"] = report["comparisons"][3:4]
    shown = " ".join("\n".join(lines(report)).split())

    assert (
        "a fork costs no more than a standalone call where the span is 0.185 of the parent or more; it is 0.138, so a "
        "fork costs more"
    ) in shown
    assert "auto comes to standalone: below_min_span_ratio" in shown


def test_native_is_conspicuous() -> None:
    """In its own column, beside the table, and for a whole lane."""
    one, every = (lines(shaped(name)) for name in ("pause", "native-every"))

    assert any(re.fullmatch(r"  reversible +yes +yes +NO +NO", line) for line in one)
    assert any(re.fullmatch(r"  stashed +yes +yes +n/a +n/a", line) for line in one)
    assert any(re.fullmatch(r"  replayed +yes +yes +n/a +n/a", line) for line in one)
    assert any(re.fullmatch(r"  saved a turn, tokens +[\d,]+ +[\d,]+ +n/a +n/a", line) for line in one)
    assert any(re.fullmatch(r"  break-even turns +[\d,]+ +[\d,]+ +n/a +n/a", line) for line in one)
    assert any("IRREVERSIBLE" in line for line in one)
    assert "IRREVERSIBLE: native-on-demand, native-threshold" in every


def test_a_shape_without_a_price_is_named() -> None:
    """Beside the cheapest of the others, for one turn and for a lane."""
    report = shaped("every")
    for one in report["comparisons"]:
        one["without_price"] = ["fork"]
    shown = lines(report)
    report["comparisons"] = report["comparisons"][3:4]

    assert "not compared, for not all of its costs are known: fork in 3 turns" in shown
    assert "         not compared, for not all of its costs are known: fork" in lines(report)


def test_what_was_given_is_given_again() -> None:
    """The commands at the end are for the same span and shapes; what is usual is not said."""
    report = shaped("fork-pays")
    report["options"] |= {"span_messages": 4, "keep_last": 0, "model": "a b", "pause": True, "calls": ["fork", "auto"]}
    said = "--call fork,auto --span-messages 4 --keep-last 0 --model 'a b' --pause"

    assert lines(report)[-2:] == [
        f"next     cg diff-modes agent.jsonl --lane L1 --every {said}",
        f"next     cg diff-modes agent.jsonl --lane L1 --at 13 {said} --show",
    ]
    assert lines(shaped("fork-pays"))[-2:] == [
        "next     cg diff-modes agent.jsonl --lane L1 --every",
        "next     cg diff-modes agent.jsonl --lane L1 --at 13 --show",
    ]


def test_hostile_text_cannot_leave_its_line(tmp_path: Path) -> None:
    """No line has a control or bidirectional character."""
    shown = lines(hostile(tmp_path))

    assert not any(re.search(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]", line) for line in shown)
    assert any("a\\x1b[31m\\x9b\\u202e]]><script>" in line for line in shown)
