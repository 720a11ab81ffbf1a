"""One model's prices, and the rule by which a request's tokens become dollars."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from msgspec import field

from cgcli.model import changed, value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.model import Usage

MILLION = Decimal(1_000_000)
_MINUTE_S, _HOUR_S = 60, 3600


@value
class Tier:
    """Other prices for requests whose whole input is above a number of tokens: all of their tokens."""

    above_tokens: int
    input_times: Decimal
    """Times the prices of fresh, read and written tokens."""
    output_times: Decimal


@value
class Rate:
    """The prices of one model, in US dollars per million tokens."""

    model: str
    """As the table calls it."""
    fresh: Decimal
    """Input that is neither read from a cache nor written to one."""
    read: Decimal
    output: Decimal
    write_by_ttl_s: Mapping[int, Decimal] = field(default_factory=dict)
    """By the lifetime that is asked for, in seconds; empty where writing costs no more than fresh input."""
    tiers: tuple[Tier, ...] = ()
    """Ascending."""
    source: str = ""
    as_of: str = ""
    """The day of the price, as `2026-11-30`; empty where a file does not say."""

    def usd(self, usage: Usage) -> Decimal | None:
        """What *usage*, one request's, costs; None where a count, or a price that it needs, is missing.

        A usage with `iterations` costs what they cost together, because a provider's own compaction is only there; each
        of them is a call of its own, with a size of its own. A usage of no token at all is not recorded, and not free.
        """
        if usage.iterations:
            each = [self.usd(one) for one in usage.iterations]
            return None if None in each else sum((usd for usd in each if usd is not None), start=Decimal(0))
        if usage.fresh is None or usage.output is None or not (usage.input or usage.output):
            return None
        rate = self.at(usage.input or 0)
        total = usage.fresh * rate.fresh + (usage.read or 0) * rate.read + usage.output * rate.output
        for ttl_s, tokens in (usage.write_by_ttl_s or {}).items():
            price = rate.write(ttl_s)
            if price is None:
                return None
            total += tokens * price
        return total / MILLION

    def at(self, input_tokens: int) -> Rate:
        """The prices for a request with so many tokens of input, read and written ones with them; without tiers."""
        tier = next((tier for tier in reversed(self.tiers) if input_tokens > tier.above_tokens), None)
        if tier is None:
            return changed(self, tiers=()) if self.tiers else self
        return changed(
            self,
            fresh=self.fresh * tier.input_times,
            read=self.read * tier.input_times,
            output=self.output * tier.output_times,
            write_by_ttl_s={ttl_s: price * tier.input_times for ttl_s, price in self.write_by_ttl_s.items()},
            tiers=(),
        )

    def write(self, ttl_s: int) -> Decimal | None:
        """The price of a token that is written to live *ttl_s*, per million; None where that is not known."""
        return self.write_by_ttl_s.get(ttl_s) if self.write_by_ttl_s else self.fresh

    @property
    def dated(self) -> str:
        """Of which day, or else from where, as it follows `prices`: `of 2026-11-30`, `from rates.json`."""
        return f"of {self.as_of}" if self.as_of else f"from {self.source}"

    @property
    def rule(self) -> str:
        """The prices in a line: `claude-sonnet-4-5 of 2026-11-30: $3 fresh, $0.30 read, …`."""
        writes = [
            f"{_shown(price)} written for {lifetime(ttl_s)}" for ttl_s, price in sorted(self.write_by_ttl_s.items())
        ]
        prices = ", ".join(
            (
                f"{_shown(self.fresh)} fresh",
                f"{_shown(self.read)} read",
                *(writes or ["written as fresh"]),
                f"{_shown(self.output)} output",
            )
        )
        tiers = "".join(
            f"; above {tier.above_tokens:,} tokens of input all input x {tier.input_times.normalize():f}, "
            f"output x {tier.output_times.normalize():f}"
            for tier in self.tiers
        )
        source = f" ({self.source})" if self.as_of and self.source else ""
        return f"{self.model} {self.dated}: {prices} per million tokens{tiers}{source}"


@value
class Unpriced:
    """No price is known: a state of its own, never zero."""

    model: str | None
    reason: str
    """One line."""


def lifetime(ttl_s: int) -> str:
    """Seconds as providers write them.

    >>> lifetime(300), lifetime(43200)
    ('5m', '12h')
    """
    return f"{ttl_s // _HOUR_S}h" if ttl_s % _HOUR_S == 0 else f"{ttl_s // _MINUTE_S}m"


def _shown(price: Decimal) -> str:
    """A price with all of its digits, and cents where it has any."""
    whole, _, rest = f"{price:f}".partition(".")
    rest = rest.rstrip("0")
    return f"${whole}.{rest:0<2}" if rest else f"${whole}"
