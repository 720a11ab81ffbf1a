"""The prices of all models: a dated table in the package, which a file of the user's may stand before."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import field

from cgcli.model import changed, unique, value
from cgcli.pricing.rate import Rate, Tier, Unpriced
from cgcli.providers.model_names import named

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cgcli.model import Usage
    from cgcli.providers.model_names import Named

DATA = Path(__file__).with_name("data") / "prices.toml"
TTL_S = {"5m": 300, "30m": 1800, "1h": 3600, "12h": 43_200}
"""The lifetimes that providers write for, in seconds."""
_DATED = re.compile(r"[-@]\d{4}-?\d{2}-?\d{2}")


@value
class Listed:
    """A row of the table."""

    rate: Rate
    host: str | None = None
    """The one platform that has these prices, where others serve the model too; None: every platform."""
    is_regional: bool = False
    """Bedrock asks more for it in a region."""


@unique
class Prices:
    """What each model costs."""

    rows: Mapping[str, Listed]
    """By the model's name without platform and date."""
    regions: Mapping[str, Decimal]
    """How many times as much Bedrock asks in each."""
    as_of: str
    """The day of the prices, `2026-11-30`; empty where a file does not say."""
    source: str
    """Where they are from, in a line."""
    own: Mapping[str, Rate] = field(default_factory=dict)
    """What a file says, by names as it has them; comes before the table."""

    def of(self, model: str | None) -> Rate | Unpriced:
        """The price of *model*, as requests, platforms and proxies write its name; never that of another one."""
        if not model:
            return Unpriced(model=model, reason="the request does not say which model it is for")
        own = self._own(model)
        if own is not None:
            return own
        found = named(model)
        row = next((self.rows[name] for name in found.names if name in self.rows), None)
        if row is None:
            return Unpriced(model=model, reason="no table has it; --rates FILE takes prices")
        if row.host is not None and found.platform and found.platform[-1] != row.host:
            return Unpriced(model=model, reason="served by others than its maker, at prices of their own")
        return self._in_region(row, found)

    def usd(self, model: str | None, usage: Usage) -> Decimal | None:
        """What *usage*, one request's for *model*, costs; None where a count or a price is missing."""
        rate = self.of(model)
        return None if isinstance(rate, Unpriced) else rate.usd(usage)

    def _own(self, model: str) -> Rate | None:
        """What the file says under the model's name, or under the name without the date that it ends in."""
        rate = self.own.get(model)
        if rate is None and (dated := _DATED.search(model)) is not None and dated.end() == len(model):
            rate = self.own.get(model[: dated.start()])
        return rate

    def _in_region(self, row: Listed, found: Named) -> Rate:
        region = found.platform[-2] if found.platform[-1:] == ("anthropic",) and len(found.platform) > 1 else ""
        times = self.regions.get(region) if row.is_regional else None
        if times is None:
            return row.rate
        rate = row.rate
        return changed(
            rate,
            fresh=rate.fresh * times,
            read=rate.read * times,
            output=rate.output * times,
            write_by_ttl_s={ttl_s: price * times for ttl_s, price in rate.write_by_ttl_s.items()},
            source=f"{rate.source}; Bedrock, region {region}, x {times}",
        )


@cache
def default_prices() -> Prices:
    """The table in the package; read when it is first asked for."""
    import tomllib  # noqa: PLC0415 - only where prices are asked for

    table = tomllib.loads(DATA.read_text(encoding="utf-8"), parse_float=Decimal)
    return Prices(
        rows=dict(_rows(table)),
        regions={region: Decimal(times) for region, times in table["regions"].items()},
        as_of=table["as_of"],
        source=table["source"],
    )


def _rows(table: Mapping[str, Any]) -> Iterator[tuple[str, Listed]]:
    for group in table["prices"]:
        tiers = tuple(
            Tier(
                above_tokens=tier["above_tokens"],
                input_times=Decimal(tier["input_times"]),
                output_times=Decimal(tier["output_times"]),
            )
            for tier in group.get("tiers", ())
        )
        for model, prices in group["models"].items():
            rate = Rate(
                model=model,
                fresh=Decimal(prices["fresh"]),
                read=Decimal(prices["read"]),
                output=Decimal(prices["output"]),
                write_by_ttl_s={
                    ttl_s: Decimal(prices[f"write_{ttl}"]) for ttl, ttl_s in TTL_S.items() if f"write_{ttl}" in prices
                },
                tiers=tiers,
                source=group["source"],
                as_of=group.get("as_of", table["as_of"]),
            )
            yield model, Listed(rate=rate, host=group.get("host"), is_regional=group.get("regional", False))
