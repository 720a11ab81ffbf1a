"""The tables of docs/reference/prices.md, from the tables of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.pricing.rate import lifetime
from cgcli.pricing.table import default_prices
from cgcli.providers.windows import WINDOWS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

    from cgcli.pricing.rate import Rate

PRICE_HEAD = ("model", "fresh", "read", "written", "output", "above a size", "source")
WINDOW_HEAD = ("model", "window", "longest answer")


def price_rows() -> Iterator[tuple[str, ...]]:
    """A row for each model: dollars per million tokens."""
    for name, row in default_prices().rows.items():
        rate = row.rate
        writes = ", ".join(f"{_plain(price)} for {lifetime(ttl)}" for ttl, price in rate.write_by_ttl_s.items())
        yield (
            f"`{name}`",
            _plain(rate.fresh),
            _plain(rate.read),
            writes or "as fresh",
            _plain(rate.output),
            _tiers(rate),
            rate.source,
        )


def window_rows() -> Iterator[tuple[str, ...]]:
    """A row for each model: tokens."""
    for name, window in WINDOWS.items():
        yield f"`{name}`", f"{window.context_tokens:,}", f"{window.output_tokens:,}"


def provenance() -> Iterator[str]:
    """Whose the prices are, of which day, and what regions add."""
    prices = default_prices()
    regions = ", ".join(f"`{region}.` x {times.normalize():f}" for region, times in prices.regions.items())
    yield f"Prices of {prices.as_of}, {len(prices.rows)} models. Regions of Bedrock: {regions}."


def _tiers(rate: Rate) -> str:
    return "; ".join(
        f"{tier.above_tokens:,}: input x {tier.input_times.normalize():f}, output x {tier.output_times.normalize():f}"
        for tier in rate.tiers
    )


def _plain(number: Decimal) -> str:
    whole, _, rest = f"{number:f}".partition(".")
    rest = rest.rstrip("0")
    return f"{whole}.{rest:0<2}" if rest else whole
