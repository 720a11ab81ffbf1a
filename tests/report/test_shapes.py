"""The document of `cg diff-modes`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.docs import keys
from tests.docs.pages import DOCS
from tests.report.shaped import CASES, HOSTILE, hostile, shaped
from tests.snapshots import as_file

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion


@pytest.mark.parametrize("name", ["fork-pays", "openai", "no-span"])
def test_the_document_of_a_comparison(name: str, snapshot: SnapshotAssertion) -> None:
    """It is, byte for byte, what was looked at and found right."""
    assert json.dumps(shaped(name), indent=1).encode() == as_file(snapshot, "json")


def test_what_native_compaction_has_not_is_null() -> None:
    """Stash, replay and a saving of ours are neither false nor zero there."""
    report = shaped("pause")
    by_mode = {one["mode"]: one for one in report["comparisons"][0]["shapes"]}
    names = ("reversible", "stashed", "replayed")
    savings = ("saved_tokens", "break_even_turns")

    for mode in ("native-threshold", "native-on-demand"):
        assert [by_mode[mode][name] for name in (*names, *savings)] == [False, None, None, None, None]
        assert by_mode[mode]["summary"] == {
            "tokens": 1000,
            "is_assumed": True,
            "basis": "simulated",
            "reason": "no_block",
            "detail": "only the provider itself can answer this call",
        }
    for mode in ("standalone", "fork"):
        assert [by_mode[mode][name] for name in names] == [True, True, True]
        assert by_mode[mode]["saved_tokens"] > 10_000


def test_every_figure_has_its_basis() -> None:
    """Each bill is simulated, tokens say how they were counted, and a price has its day."""
    one = shaped("fork-pays")["comparisons"][0]
    bills = [one["unchanged"], *(shape[key] for shape in one["shapes"] for key in ("predicted",) if shape[key])]

    assert {bill["basis"] for bill in bills} == {"simulated"}
    assert one["tokens_basis"] == "estimated: o200k_base x 1.24"
    assert (one["rate"]["as_of"], one["call_rate"]["as_of"]) == ("2026-11-30", "2026-11-30")


def test_parts_of_a_total_add_up() -> None:
    """Two passes less the parent are the call, and with the next request the total, to the last digit."""
    from decimal import Decimal  # noqa: PLC0415 - only here

    shapes = shaped("pause")["comparisons"][0]["shapes"]
    paused = next(one for one in shapes if one["mode"] == "native-threshold")
    first, second, parent, after = (
        Decimal(bill["usd"])
        for bill in (paused["predicted"], paused["second_pass"], paused["replaces"], paused["next"]["predicted"])
    )

    assert first + second - parent == Decimal(paused["call_usd"])
    assert first + second - parent + after == Decimal(paused["total_usd"])


def test_wins_are_counted_over_all_turns() -> None:
    """Five turns: two without a span, two of a small one, one where the fork costs least."""
    report = shaped("every")

    assert report["wins"] == {"fork": 1, "none": 2, "standalone": 2}
    assert [one["cheapest"] for one in report["comparisons"]] == [None, None, "standalone", "standalone", "fork"]


def test_hostile_text_stays_as_it_is_in_the_document(tmp_path: Path) -> None:
    """JSON escapes it, and who reads it gets the very characters back."""
    report = hostile(tmp_path)

    assert json.loads(json.dumps(report))["comparisons"][0]["model"] == HOSTILE
    assert not any(ord(sign) < 0x20 for sign in json.dumps(report))


def test_every_key_is_documented() -> None:
    """The page has each key that is printed, of every kind of comparison; the docs' tests hold the other way."""
    schema = "cgcli/diff-modes/v1"
    told = keys.documented((DOCS / "reference" / "json-output.md").read_text(encoding="utf-8"))[schema]
    printed = {key for name in CASES for key in keys.printed(shaped(name), told)}

    assert sorted(printed - told) == []
    assert sorted(key for key in told - printed if not key.startswith("live")) == []
