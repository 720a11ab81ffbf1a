"""Prices, and what a cache says, for bills that are worked out by hand."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from cgcli.cachesim.simulated import Simulated
from cgcli.model import Refusal
from cgcli.pricing.rate import Rate, Tier, Unpriced

if TYPE_CHECKING:
    from collections.abc import Mapping

CLAUDE = Rate(
    model="claude",
    fresh=Decimal(3),
    read=Decimal("0.30"),
    output=Decimal(15),
    write_by_ttl_s={300: Decimal("3.75"), 3600: Decimal(6)},
)
TIERED = Rate(
    model="tiered",
    fresh=Decimal(2),
    read=Decimal("0.20"),
    output=Decimal(10),
    tiers=(Tier(above_tokens=100_000, input_times=Decimal(2), output_times=Decimal("1.5")),),
)
NO_PRICE = Unpriced(model="m", reason="nobody knows")
NOT_SIMULATED = Refusal(reason="no_cache_model", detail="it is not")


def told(read: int = 0, fresh: int = 0, written: Mapping[int, int] | None = None) -> Simulated:
    """What a cache says."""
    return Simulated(read_tokens=read, fresh_tokens=fresh, write_by_ttl_s=written or {})
