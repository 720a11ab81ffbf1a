"""What probably changed at a place where a prefix broke."""

from __future__ import annotations

import json

import pytest

from cgcli.prefix.culprit import culprit
from cgcli.prefix.difference import Change, Difference, first_difference

FILL = "Plan the berths of the harbour with care. "


def guess(was: str, now: str) -> str | None:
    """The culprit where one text became the other."""
    one = first_difference(json.dumps(was).encode(), json.dumps(now).encode())
    assert one is not None
    return culprit(one)


@pytest.mark.parametrize("before", ["", "On ", FILL], ids=["at the start", "near it", "far behind"])
@pytest.mark.parametrize("behind", ["", " " + FILL], ids=["at the end", "before more"])
@pytest.mark.parametrize(
    ("was", "now", "what"),
    [
        ("0b0e8f6a-1111-4222-8333-944445555666", "7c1d2e3f-1111-4222-8333-944445555667", "a uuid"),
        ("2026-03-02", "2026-03-03", "a date"),
        ("3/2/2026", "3/3/2026", "a date"),
        ("14:05:59", "14:06:01", "a time"),
        ("9f86d081884c", "9f86d0818900", "a hash or an id"),
        ("toolu_01ABCDEFGHJK", "toolu_01ABCDEFGHJL", "a hash or an id"),
        ("/var/run-a/out.txt", "/var/run-b/out.txt", "a path"),
        ("C:\\runs\\one\\out", "C:\\runs\\two\\out", "a path"),
        ("turn 17", "turn 18", "a counter"),
        ("17 of 20", "18 of 20", "a counter"),
        ("twelve boats", "eleven boats", None),
    ],
)
def test_shapes(before: str, behind: str, was: str, now: str, what: str | None) -> None:
    """The same kind of thing on both sides, wherever in the text it stands."""
    assert guess(before + was + behind, before + now + behind) == what


@pytest.mark.parametrize(
    "placeholder",
    [
        "Old environment output: (12 lines omitted)",
        "[Old tool result content cleared]",
        "<<cg:0123456789abcdef>>",
        "[older output left out]",
        "[pruned]",
        "(tool output masked)",
    ],
)
def test_an_output_that_was_elided(placeholder: str) -> None:
    """A placeholder came where none stood; where it stood before too, it is not the culprit."""
    assert guess("berth 7 is late\n" * 20, placeholder) == "an output that was elided"
    assert guess(f"{placeholder} one", f"{placeholder} two") is None


@pytest.mark.parametrize(
    ("change", "what"),
    [(Change.KEY_ORDER, "a reordered map"), (Change.REORDERED, "a reordered list"), (Change.REMOVED, None)],
)
def test_orders(change: Change, what: str | None) -> None:
    """A change of order is its own culprit."""
    assert culprit(Difference(change=change, path=(), byte=0, was="b, a", now="a, b")) == what


def test_a_date_elsewhere_is_no_culprit() -> None:
    """Only what stands at the difference counts."""
    assert guess("2026-03-02: the quick crane lifts", "2026-03-02: the slow crane lifts") is None
