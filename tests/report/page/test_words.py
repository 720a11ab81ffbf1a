"""Plain words for the short ones of a replay."""

from __future__ import annotations

import pytest

from cgcli.cachesim.why import Why
from cgcli.report.dollars import priced
from cgcli.report.page.words import WHY, break_even, decimals, percent, signed, signed_to, usd_to


def test_every_reason_has_its_sentence() -> None:
    """Those of the simulator, and no other."""
    assert set(WHY) == set(Why)
    assert all(said.endswith(".") for said in WHY.values())


@pytest.mark.parametrize(
    ("amount", "plain", "with_sign"),
    [
        ("1234.567", "$1,234.57", "+$1,234.57"),
        ("-0.5", "-$0.50", "-$0.50"),
        ("0.0147", "$0.0147", "+$0.0147"),
        ("0", "$0.00", "$0.00"),
        (None, "unpriced", "unpriced"),
    ],
)
def test_dollars_are_written(amount: str | None, plain: str, with_sign: str) -> None:
    """In cents, or as many decimals as it takes; no price is a word."""
    assert (priced(amount), signed(amount)) == (plain, with_sign)


def test_a_column_has_its_decimals() -> None:
    """As many as its smallest amount takes, at most six, and all amounts have them."""
    assert decimals(["3.5", None, "0"]) == 2
    assert decimals(["3.5", "-0.0147"]) == 4
    assert decimals(["0.00000017"]) == 6
    assert [usd_to(amount, 4) for amount in ("3.5", "-1234.56789", None)] == ["$3.5000", "-$1,234.5679", "unpriced"]
    assert [signed_to(amount, 2) for amount in ("3.5", "-3.5", "0", "-0.001")] == ["+$3.50", "-$3.50", "$0.00", "$0.00"]


def test_shares_and_break_even() -> None:
    """One decimal; a word that is not known stands without its underscores."""
    assert percent(0.9137) == "91.4 %"
    assert break_even({"never_behind": 2, "unpriced": 1}) == "never behind in 2, unpriced in 1"
    assert [break_even(word) for word in ("not_reached", "unpriced", "of_its_own")] == [
        "not reached",
        "unpriced",
        "of its own",
    ]
