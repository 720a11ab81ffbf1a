"""JUnit XML of `cg check`, held against the public schema."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from lxml import etree

from cgcli.checks.base import Verdict
from cgcli.report.junit import document
from tests.report.reported import (
    MISSING,
    SHOWN,
    SHOWN_IDS,
    checked,
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

SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).parent / "schemas" / "junit-10.xsd"))


def _valid(made: dict[str, Any]) -> Any:
    """The tree of the XML of *made*, which the schema takes."""
    tree = etree.fromstring(document(made))
    SCHEMA.assertValid(tree)
    return tree


@pytest.mark.parametrize("name", SHOWN, ids=SHOWN_IDS)
def test_the_xml_of_a_fixture(name: str, snapshot: SnapshotAssertion) -> None:
    """It is valid, and what was looked at and found right."""
    made = of_fixture(name)
    _valid(made)

    assert document(made) == as_file(snapshot, "xml")


def test_the_schema_refuses_what_is_no_junit() -> None:
    """The check can fail: a suite without its counts is not valid."""
    tree = _valid(of_fixture(SHOWN[0]))
    del tree[0].attrib["tests"]

    assert not SCHEMA.validate(tree)


@pytest.mark.parametrize(
    ("verdict", "child", "counts"),
    [
        (Verdict.PASS, None, ("0", "0")),
        (Verdict.FAIL, "failure", ("1", "0")),
        (Verdict.VACUOUS, "skipped", ("0", "1")),
        (Verdict.UNKNOWN, "skipped", ("0", "1")),
    ],
)
def test_a_verdict_is_told_as_junit_tells_it(verdict: Verdict, child: str | None, counts: tuple[str, str]) -> None:
    """A gate is a test case of its file: failed, skipped with its reason, or passed."""
    findings = [finding(kind="odd")] if verdict is Verdict.FAIL else []
    (suite,) = _valid(said(verdict, *findings, reason="because"))
    (case,) = suite.iter("testcase")

    assert (suite.get("name"), suite.get("tests"), suite.get("errors")) == ("a.jsonl", "1", "0")
    assert (suite.get("failures"), suite.get("skipped")) == counts
    assert (case.get("name"), case.get("classname")) == ("G-APPEND", "a.jsonl")
    assert [one.tag for one in case] == ([child] if child else [])
    if child == "skipped":
        assert (case[0].get("type"), case[0].get("message")) == (verdict.value, "because")
    if child == "failure":
        assert (case[0].get("type"), case[0].get("message")) == (
            "odd",
            "A lane grows only at its end: 1 finding in 7 pairs of requests",
        )
        assert case[0].text.splitlines()[-1] == "next: cg explain G-APPEND"


def test_notes_of_a_gate_that_passes_are_its_output() -> None:
    """Counted by their kind."""
    (suite,) = _valid(said(Verdict.PASS, finding(is_note=True), finding(is_note=True, kind="mark_moved")))

    assert suite.findtext("testcase/system-out") == "2 notes: 1 mark_moved, 1 messages_changed"


def test_a_file_that_cannot_be_read_is_an_error() -> None:
    """A suite of its own, counted at the top."""
    tree = _valid(report(checked(request(("user", "a"))), unread=[MISSING]))

    assert [tree.get(count) for count in ("tests", "failures", "errors")] == ["2", "0", "1"]
    error = tree[1].find("testcase/error")
    assert (error.get("message"), error.text) == ("gone.jsonl: no such file", "try: check the path; `-` reads stdin")


def test_hostile_text_is_text() -> None:
    """What XML cannot hold is shown, and what means something to it is escaped: no element comes of it."""
    tree = _valid(of_hostile())

    assert {one.tag for one in tree.iter()} == {
        "testsuites",
        "testsuite",
        "properties",
        "property",
        "testcase",
        "failure",
        "error",
    }
    assert tree[0].get("name") == "a,b:c%\\n::error::x[y](z){0}<b>`|\\x1b.jsonl"
    assert "a\\x1b[31m\\x00\\x9b]]><script>alert(1)</script><!--&amp;\\u202e\\ufffe" in tree.findtext(".//failure")
