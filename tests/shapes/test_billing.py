"""What is paid back, and when, from bills that are written down here and worked out by hand."""

from __future__ import annotations

from decimal import Decimal

import pytest

from cgcli.cachesim.bill import billed
from cgcli.shapes.billing import MOST_TURNS, break_even_turns, turn_usd
from tests.cachesim.bills import CLAUDE, NO_PRICE, NOT_SIMULATED, TIERED, told


def test_history_costs_what_it_is_read_for_where_the_lane_is_cached() -> None:
    """$0.30 a million where most of the next request is read or written, $3 where it is fresh, None where unknown."""
    cached, cold = billed(told(90, 10), CLAUDE, output_tokens=0), billed(told(10, 90), CLAUDE, output_tokens=0)
    unknown = billed(NOT_SIMULATED, CLAUDE, output_tokens=0)

    assert turn_usd(1_000_000, cached, CLAUDE) == Decimal("0.30")
    assert turn_usd(1_000_000, cold, CLAUDE) == Decimal(3)
    assert turn_usd(1_000_000, unknown, CLAUDE) is None
    assert turn_usd(1_000_000, cold, NO_PRICE) is None


def test_history_above_a_tier_costs_its_price() -> None:
    """What a summary brings below a tier is paid at the lower price then."""
    cached = billed(told(90), TIERED, output_tokens=0)

    assert turn_usd(100_000, cached, TIERED) == Decimal("0.02")
    assert turn_usd(200_000, cached, TIERED) == Decimal("0.08")


@pytest.mark.parametrize(
    ("extra", "saved", "turns"),
    [
        ("1.0692", "0.0235384", 46),  # 45.42 turns: the 46th has paid it back
        ("0.5", "0.25", 2),
        ("0", "0.25", 0),
        ("-0.1", "0.25", 0),
        ("-0.1", "-0.25", 0),
        ("0.5", "0", None),
        ("0.5", "-0.1", None),
        ("10000", "1", MOST_TURNS),
        ("10001", "1", None),
    ],
)
def test_turns_until_it_is_paid_back(extra: str, saved: str, turns: int | None) -> None:
    """Rounded up: a part of a turn does not pay."""
    assert break_even_turns(Decimal(extra), Decimal(saved)) == turns


def test_turns_are_not_known_without_prices() -> None:
    """On either side."""
    assert break_even_turns(None, Decimal(1)) is None
    assert break_even_turns(Decimal(1), None) is None
