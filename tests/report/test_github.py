"""Workflow annotations and the job summary of `cg check`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from cgcli.checks.base import Verdict
from cgcli.report.github import SUMMARY_BYTES, code, summary, workflow_commands
from tests.report.reported import (
    HOSTILE,
    MISSING,
    SHOWN,
    SHOWN_IDS,
    checked,
    cost,
    finding,
    of_fixture,
    of_hostile,
    report,
    request,
    said,
)
from tests.snapshots import as_file

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

HEAD = re.compile(r"::\w+ file=[^,]+(,line=\d+)?")
COMMAND = re.compile(r"::(\w+) file=([^,:]*)(?:,line=(\d+))?,title=([^,:]*)::.*")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@pytest.mark.parametrize("name", SHOWN, ids=SHOWN_IDS)
def test_the_annotations_and_the_summary_of_a_fixture(name: str, snapshot: SnapshotAssertion) -> None:
    """They are what was looked at and found right."""
    made = of_fixture(name)
    shown = "\n".join([*workflow_commands(made), "", summary(made)])

    assert shown.encode() == as_file(snapshot, "txt")


def test_a_finding_is_an_error_at_its_line() -> None:
    """One command, its message on several lines; percent signs do not escape."""
    made = said(Verdict.FAIL, finding(message="100% more, at: x", path=None, kind=None, change=None))

    assert list(workflow_commands(made)) == [
        "::error file=a.jsonl,line=1,title=G-APPEND::L1 turn 1, line 1: 100%25 more, at: x"
    ]


@pytest.mark.parametrize(
    ("verdict", "strict", "command"),
    [
        (Verdict.VACUOUS, False, "::notice file=a.jsonl,title=G-APPEND::vacuous: because"),
        (Verdict.UNKNOWN, False, "::warning file=a.jsonl,title=G-APPEND::unknown: because"),
        (Verdict.VACUOUS, True, "::error file=a.jsonl,title=G-APPEND::vacuous: because"),
        (Verdict.UNKNOWN, True, "::error file=a.jsonl,title=G-APPEND::unknown: because"),
    ],
)
def test_an_undecided_gate_is_told(verdict: Verdict, strict: bool, command: str) -> None:  # noqa: FBT001 - a parameter of the test
    """As an error where it makes the exit code."""
    assert list(workflow_commands(said(verdict, reason="because", strict=strict))) == [command]


def test_errors_come_before_the_rest() -> None:
    """GitHub shows the first ten of a kind: what was not read, then findings, then skipped records."""
    broken = said(Verdict.FAIL, finding())
    made = report(checked(request(("user", "a")) + b"{"), unread=[MISSING])
    made["files"] += broken["files"]

    assert [found[0] for line in workflow_commands(made) if (found := HEAD.match(line))] == [
        "::error file=gone.jsonl",
        "::error file=a.jsonl,line=1",
        "::notice file=a.jsonl",
        "::warning file=a.jsonl,line=2",
    ]


def test_hostile_text_stays_in_its_command() -> None:
    """Each command is one line, and neither its properties nor its message bring a further one."""
    lines = list(workflow_commands(of_hostile()))
    shown = "a%2Cb%3Ac%25\\n%3A%3Aerror%3A%3Ax[y](z){0}<b>`|\\x1b.jsonl"

    assert not any(CONTROL.search(line) for line in lines)
    assert [found.groups() for line in lines if (found := COMMAND.fullmatch(line))] == [
        ("error", shown, None, "not checked"),
        ("error", shown, "2", "G-APPEND"),
        ("warning", shown, "3", "not checked"),
    ]
    assert "%250A" in lines[0]


def test_the_summary_has_a_row_for_each_gate() -> None:
    """With the numbers, why a gate is undecided, and what to ask next."""
    made = said(
        Verdict.FAIL, finding(cost=cost(12, usd="0.5")), finding(cost=cost(3, usd="0.25")), finding(is_note=True)
    )
    shown = summary(made)

    assert "| G-APPEND | **FAIL** | 7 pairs of requests | 2 | 1 |  |" in shown
    assert "and on 1 more turns, re-bills 15 tokens (counted: o200k_base), &#126;&#36;0.75" in shown
    assert "`cg explain G-APPEND` tells what to do." in shown
    assert "| <code>no reason</code> |" in summary(said(Verdict.UNKNOWN, reason="no reason"))


def test_hostile_text_is_code_in_the_summary() -> None:
    """Rendered as Markdown it brings no link, picture, mention, script or row of a table."""
    shown = summary(of_hostile())
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(shown)

    assert not re.search(r"<(?:a|img|script|b)\b|<!--", page)
    assert "@all" not in re.sub(r"<code>.*?</code>", "", page)
    assert [line.count("|") for line in shown.splitlines() if line.startswith("| G-")] == [7]


def test_code_gives_back_the_text() -> None:
    """Rendered, it shows the characters that it was given, control characters escaped."""
    page = MarkdownIt("commonmark", {"html": True}).renderInline(code("a|b`<i>*_[x](y) \x1b"))

    assert page == "<code>a|b`&lt;i&gt;*_[x](y) \\x1b</code>"


def test_a_long_summary_says_what_is_left_out() -> None:
    """GitHub would refuse it whole."""
    made = said(Verdict.FAIL, *(finding(kind=f"k{n}", message=HOSTILE * 9) for n in range(10)))
    made["files"] *= 200
    shown = summary(made)

    assert len(shown.encode()) < SUMMARY_BYTES
    assert shown.endswith("The rest is left out: it is longer than a summary may be.\n\n")
