"""Bills of single requests, worked out by hand."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from cgcli.cachesim.bill import billed
from tests.cachesim.bills import CLAUDE, NO_PRICE, NOT_SIMULATED, TIERED, told

if TYPE_CHECKING:
    from cgcli.cachesim.simulated import Simulated
    from cgcli.model import Refusal
    from cgcli.pricing.rate import Rate, Unpriced


def test_a_request_costs_what_its_tokens_cost() -> None:
    """Read, fresh, written for 5m, for 1h, answered: 0.03 + 0.0015 + 0.00375 + 0.012 + 0.015."""
    found = billed(told(100_000, 500, {300: 1000, 3600: 2000}), CLAUDE, output_tokens=1000)

    assert found.usd == Decimal("0.06225")


def test_above_a_tier_all_tokens_cost_more() -> None:
    """100,001 tokens of input at twice $2, and 1,000 of output at 1.5 times $10."""
    assert billed(told(0, 100_001), TIERED, output_tokens=1000).usd == Decimal("0.415004")
    assert billed(told(0, 100_000), TIERED, output_tokens=1000).usd == Decimal("0.21")


@pytest.mark.parametrize(("simulated", "rate"), [(NOT_SIMULATED, CLAUDE), (told(5), NO_PRICE)])
def test_what_is_not_known_has_no_price(simulated: Simulated | Refusal, rate: Rate | Unpriced) -> None:
    """Neither without a simulated cache nor without a price is it zero."""
    assert billed(simulated, rate, output_tokens=9).usd is None
