"""The rule by which tokens become dollars; every bill is written out by hand."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.model import Usage
from cgcli.pricing.rate import Rate, Tier, lifetime
from cgcli.pricing.table import default_prices


def used(
    fresh: int | None, read: int | None = 0, writes: dict[int, int] | None = None, output: int | None = 0
) -> Usage:
    """One request's usage; writes by lifetime in seconds."""
    return Usage(fresh=fresh, read=read, write_by_ttl_s=writes or {}, output=output)


def rate(model: str) -> Rate:
    """The table's price of *model*."""
    found = default_prices().of(model)
    assert isinstance(found, Rate)
    return found


@pytest.mark.parametrize(
    ("model", "usage", "usd"),
    [
        # 100 x 3 + 10,000 x 0.30 + 2,000 x 3.75 + 1,000 x 6 + 500 x 15, per million.
        ("claude-sonnet-4-5", used(100, 10_000, {300: 2_000, 3600: 1_000}, 500), "0.0243"),
        # 1,000,000 tokens read: 0.1, 0.05 and 0.025 of the fresh price.
        ("claude-opus-5", used(0, 1_000_000), "0.5"),
        ("claude-opus-5-5", used(0, 1_000_000), "0.2"),
        ("claude-fable-5-1", used(0, 1_000_000), "0.25"),
        # 100,000 tokens in all: not above. One more: all tokens, the answer's too, times five.
        ("claude-haiku-5-5", used(60_000, 30_000, {300: 10_000}, 1_000), "0.00805"),
        ("claude-haiku-5-5", used(60_001, 30_000, {300: 10_000}, 1_000), "0.0402505"),
        # 272,000 in all, then one more: input times two, output times one and a half.
        ("gpt-5.6-sol", used(72_000, 200_000, {}, 1_000), "0.388"),
        ("gpt-5.6-sol", used(72_001, 200_000, {}, 1_000), "0.766008"),
        ("gpt-6-astra", used(0, 0, {1800: 300_000}, 0), "7.5"),
        # Written for half an hour at 1.25 and for twelve hours at 2.5 times fresh.
        ("gpt-6.1-sol", used(0, 0, {1800: 100_000, 43_200: 100_000}, 0), "0.75"),
        # Writing is free of charge beside the input itself.
        ("gpt-4.1", used(1_000, 2_000, {1800: 3_000}, 100), "0.0098"),
        ("gpt-5.5", used(300_000, 0, {}, 1_000_000), "48"),
        ("gemini-2.5-pro", used(200_001, 0, {}, 100), "0.5015025"),
        ("grok-4.7", used(0, 200_001, {}, 100), "0.201201"),
    ],
)
def test_a_bill(model: str, usage: Usage, usd: str) -> None:
    """Each token at its own price, in decimals."""
    assert rate(model).usd(usage) == Decimal(usd)


@pytest.mark.parametrize(
    ("model", "ttl_s", "ratio"),
    [
        ("claude-sonnet-4-5", 300, "12.5"),
        ("claude-opus-5", 300, "12.5"),
        ("claude-opus-5-5", 300, "25"),
        ("claude-sonnet-5-5", 300, "25"),
        ("claude-fable-5-1", 300, "50"),
        ("claude-fable-5-1", 3600, "80"),
        ("claude-haiku-4-5", 3600, "20"),
        ("gpt-6-sol", 1800, "12.5"),
        ("gpt-6.1-sol", 1800, "25"),
        ("gpt-6.1-sol", 43_200, "50"),
        ("gpt-4.1", 1800, "4"),
        ("gpt-4o", 1800, "2"),
    ],
)
def test_what_a_write_costs_in_reads(model: str, ttl_s: int, ratio: str) -> None:
    """How often a prefix can be read for the price of writing it once."""
    found = rate(model)
    write = found.write(ttl_s)
    assert write is not None
    assert write / found.read == Decimal(ratio)


def test_steps_of_a_request_cost_what_they_cost_together() -> None:
    """A compaction is only in the steps: zero at the top is not free, and a top without it is not the whole."""
    step = used(1_000, 100_000, {300: 2_000}, 3_000)  # 0.003 + 0.03 + 0.0075 + 0.045
    compaction = Usage(fresh=0, read=0, write_by_ttl_s={}, output=0, iterations=(step,))
    both = Usage(fresh=1_000, read=0, write_by_ttl_s={}, output=100, iterations=(step, used(1_000, 0, {}, 100)))
    assert rate("claude-sonnet-4-5").usd(compaction) == Decimal("0.0855")
    assert rate("claude-sonnet-4-5").usd(both) == Decimal("0.09")


def test_each_step_has_a_tier_of_its_own() -> None:
    """Two steps of 60,000 tokens are no request of 120,000."""
    steps = Usage(fresh=0, read=0, write_by_ttl_s={}, output=0, iterations=(used(60_000), used(60_000)))
    assert rate("claude-haiku-5-5").usd(steps) == Decimal("0.012")


@pytest.mark.parametrize(
    "usage",
    [
        used(None),
        used(1, output=None),
        used(1, writes={1800: 1}),
        used(0),
        Usage(fresh=1, read=0, write_by_ttl_s={}, output=1, iterations=(used(1), used(None))),
    ],
    ids=["input", "output", "lifetime", "nothing", "a step"],
)
def test_what_is_missing_is_not_free(usage: Usage) -> None:
    """A count or a price that is not known leaves the whole without a price; so does a usage of nothing at all."""
    assert rate("claude-sonnet-4-5").usd(usage) is None


def test_what_was_read_is_nothing_where_it_is_not_recorded() -> None:
    """Providers leave out what is zero."""
    usage = Usage(fresh=1_000, read=None, write_by_ttl_s=None, output=0)
    assert rate("claude-sonnet-4-5").usd(usage) == Decimal("0.003")


def test_a_rule_says_all_prices() -> None:
    """In one line, with the day, the tiers and the source."""
    assert rate("claude-sonnet-4-5").rule == (
        "claude-sonnet-4-5 of 2026-11-30: $3 fresh, $0.30 read, $3.75 written for 5m, $6 written for 1h, $15 output "
        "per million tokens (litellm 1.110.2; Claude docs, pricing)"
    )
    assert rate("gpt-5.4").rule == (
        "gpt-5.4 of 2026-11-30: $2.50 fresh, $0.25 read, written as fresh, $15 output per million tokens; "
        "above 272,000 tokens of input all input x 2, output x 1.5 (litellm 1.110.2; OpenAI guide, prompt caching)"
    )
    own = Rate(model="m", fresh=Decimal(10), read=Decimal("0.125"), output=Decimal("0.0"), source="rates.json")
    assert own.rule == "m from rates.json: $10 fresh, $0.125 read, written as fresh, $0 output per million tokens"


@pytest.mark.parametrize(("ttl_s", "said"), [(300, "5m"), (1800, "30m"), (3600, "1h"), (43_200, "12h")])
def test_a_lifetime_is_said_as_providers_say_it(ttl_s: int, said: str) -> None:
    """Whole hours as hours."""
    assert lifetime(ttl_s) == said


TOKENS = st.integers(min_value=0, max_value=2_000_000)


@given(TOKENS, TOKENS, TOKENS, TOKENS)
def test_a_bill_is_the_sum_over_kinds(fresh: int, read: int, written: int, output: int) -> None:
    """With two tiers, computed apart in whole numbers: prices 7, 1, 9 and 20; 3 and 4 times, then 5 and 6 times."""
    tiers = (
        Tier(above_tokens=1_000, input_times=Decimal(3), output_times=Decimal(4)),
        Tier(above_tokens=500_000, input_times=Decimal(5), output_times=Decimal(6)),
    )
    own = Rate(
        model="m", fresh=Decimal(7), read=Decimal(1), output=Decimal(20), write_by_ttl_s={300: Decimal(9)}, tiers=tiers
    )
    size = fresh + read + written
    times, out = (1, 1) if size <= 1_000 else (3, 4) if size <= 500_000 else (5, 6)
    millionths = (7 * fresh + read + 9 * written) * times + 20 * output * out
    expected = Decimal(millionths) / 1_000_000 if size + output else None
    assert own.usd(used(fresh, read, {300: written}, output)) == expected
