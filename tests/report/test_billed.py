"""Bills in documents, and dollars for a person."""

from __future__ import annotations

from decimal import Decimal

import pytest

from cgcli.cachesim.bill import Billed
from cgcli.cachesim.simulated import Simulated
from cgcli.model import Refusal
from cgcli.report.billed import bill, dollars, usd


def test_a_bill_tells_what_became_of_every_token() -> None:
    """What is written by lifetime, and without those that nothing was written for."""
    simulated = Simulated(
        read_tokens=5, fresh_tokens=7, write_by_ttl_s={3600: 2, 300: 9, 1800: 0}, is_recorded=True, why="expired"
    )

    assert bill(Billed(simulated=simulated, output_tokens=3, usd=Decimal("0.000100"))) == {
        "basis": "simulated",
        "read_tokens": 5,
        "read_is_recorded": True,
        "write_tokens": {"300": 9, "3600": 2},
        "fresh_tokens": 7,
        "output_tokens": 3,
        "why": "expired",
        "reason": None,
        "detail": None,
        "usd": "0.000100",
    }


def test_a_cache_that_is_not_simulated_has_a_reason_and_no_figure() -> None:
    """None is never zero."""
    refused = Billed(simulated=Refusal(reason="no_cache_model", detail="why"), output_tokens=3, usd=None)
    told = bill(refused)

    assert told is not None
    assert {key for key, one in told.items() if one is None} == {
        "read_tokens",
        "read_is_recorded",
        "write_tokens",
        "fresh_tokens",
        "why",
        "usd",
    }
    assert (told["reason"], told["detail"], told["output_tokens"]) == ("no_cache_model", "why", 3)
    assert bill(None) is None


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        (None, "unpriced"),
        ("0", "$0.0000"),
        ("0.0009", "$0.000900"),
        ("0.001", "$0.0010"),
        ("1234.56785", "$1,234.5678"),
        ("-0.25", "-$0.2500"),
    ],
)
def test_dollars_have_four_digits_or_as_many_as_it_takes(amount: str | None, shown: str) -> None:
    """So that parts can be seen to add up."""
    assert dollars(amount) == shown


def test_dollars_in_a_document_are_not_rounded() -> None:
    """Nor written with an exponent."""
    assert usd(Decimal("1E-9")) == "0.000000001"
    assert usd(None) is None
