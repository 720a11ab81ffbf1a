"""From which span on a fork pays, from bills that are written down here and worked out by hand."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.cachesim.bill import billed
from cgcli.cachesim.break_even import min_span_ratio
from cgcli.pricing.rate import Rate, Tier, Unpriced
from tests.cachesim.bills import CLAUDE, NO_PRICE, told

GPT = Rate(model="gpt", fresh=Decimal(4), read=Decimal("0.40"), output=Decimal(20), write_by_ttl_s={1800: Decimal(5)})


def test_break_even_where_the_span_is_fresh() -> None:
    """A fork for $0.0465, a standalone call of a span of 10,000 tokens for $0.0462: 100 tokens more cost as much."""
    fork = billed(told(100_000, 500), CLAUDE, output_tokens=1000)
    standalone = billed(told(0, 10_400), CLAUDE, output_tokens=1000)

    assert (fork.usd, standalone.usd) == (Decimal("0.0465"), Decimal("0.0462"))
    assert min_span_ratio(fork, standalone, CLAUDE, span_tokens=10_000, parent_tokens=100_000) == pytest.approx(0.101)


def test_break_even_where_the_span_is_written() -> None:
    """Where a standalone call's message is written to the cache, a token of the span costs $5, not $4 a million."""
    fork = billed(told(17_000, 0, {1800: 300}), GPT, output_tokens=500)
    standalone = billed(told(0, 0, {1800: 8000}), GPT, output_tokens=500)

    # (0.0068 + 0.0015 + 0.01) - (0.04 + 0.01) = -0.0317, at 0.000005 a token: 6,340 tokens less than the 7,900.
    assert min_span_ratio(fork, standalone, GPT, span_tokens=7900, parent_tokens=17_000) == pytest.approx(1560 / 17_000)


HAIKU = Rate(
    model="haiku",
    fresh=Decimal("0.10"),
    read=Decimal("0.01"),
    output=Decimal("0.50"),
    write_by_ttl_s={300: Decimal("0.125")},
    tiers=(Tier(above_tokens=100_000, input_times=Decimal(5), output_times=Decimal(5)),),
)


@pytest.mark.parametrize("span_tokens", [80_000, 105_000])
def test_break_even_at_a_step_is_the_same_from_either_side_of_it(span_tokens: int) -> None:
    """A fork of 250,000 tokens costs $0.0133: below 100,001 tokens no call does, from there on each one does."""
    fork = billed(told(250_000, 500), HAIKU, output_tokens=200)
    standalone = billed(told(0, span_tokens + 300), HAIKU, output_tokens=200)
    ratio = min_span_ratio(fork, standalone, HAIKU, span_tokens=span_tokens, parent_tokens=250_000)

    # 0.0125 + 0.00025 + 0.0005; at most 0.01 + 0.0001 below the step, and 0.0500005 + 0.0005 behind it.
    assert fork.usd == Decimal("0.01325")
    assert ratio == pytest.approx((100_001 - 300) / 250_000)


def test_break_even_is_looked_for_in_the_tier_where_it_is() -> None:
    """A small fork is reached long before the step, although the span at hand stands behind it."""
    fork = billed(told(50_000, 500), HAIKU, output_tokens=200)
    standalone = billed(told(0, 150_000), HAIKU, output_tokens=200)
    ratio = min_span_ratio(fork, standalone, HAIKU, span_tokens=150_000, parent_tokens=200_000)

    # 0.0005 + 0.00005 for input, at 0.0000001 a token.
    assert ratio == pytest.approx(5500 / 200_000)


TIMES = st.sampled_from(["0.5", "1", "2", "5"])


@given(
    fork_fresh=st.integers(0, 400),
    beside=st.integers(0, 20),
    span=st.integers(1, 60),
    parent=st.integers(1, 120),
    answered=st.integers(0, 9),
    tiers=st.lists(st.tuples(st.integers(1, 150), TIMES, TIMES), max_size=3, unique_by=lambda tier: tier[0]),
)
def test_break_even_is_the_one_that_trying_every_span_finds(
    fork_fresh: int, beside: int, span: int, parent: int, answered: int, tiers: list[tuple[int, str, str]]
) -> None:
    """The smallest span from which on, up to the whole parent, a fork costs no more."""
    steps = sorted(tiers)
    rate = Rate(
        model="m",
        fresh=Decimal(2),
        read=Decimal(1),
        output=Decimal(3),
        tiers=tuple(Tier(above_tokens=n, input_times=Decimal(i), output_times=Decimal(o)) for n, i, o in steps),
    )

    def cost(n_input: int) -> Fraction:
        times = [(Fraction(i), Fraction(o)) for n, i, o in steps if n_input > n]
        of_input, of_output = times[-1] if times else (Fraction(1), Fraction(1))
        return (n_input * 2 * of_input + answered * 3 * of_output) / 1_000_000

    fork = billed(told(1, fork_fresh), rate, output_tokens=answered)
    standalone = billed(told(0, span + beside), rate, output_tokens=answered)
    ratio = min_span_ratio(fork, standalone, rate, span_tokens=span, parent_tokens=parent)
    assert fork.usd is not None
    pays = [cost(beside + n) >= Fraction(fork.usd) for n in range(parent + 1)]
    least = max((n + 1 for n, does in enumerate(pays) if not does), default=0)

    assert ratio is not None
    assert max(0, ceil(round(ratio * parent, 6))) == least if least <= parent else ratio > 1


def test_a_fork_may_be_cheaper_whatever_the_span() -> None:
    """Below 0: a standalone call would cost more with no span at all."""
    fork = billed(told(1000), CLAUDE, output_tokens=10)
    standalone = billed(told(0, 2000), CLAUDE, output_tokens=10)
    ratio = min_span_ratio(fork, standalone, CLAUDE, span_tokens=500, parent_tokens=1000)

    assert ratio == pytest.approx(-1.4)


@pytest.mark.parametrize("lacking", ["fork", "standalone", "price", "parent", "free"])
def test_no_break_even_without_both_prices(lacking: str) -> None:
    """None, never zero."""
    bill = billed(told(0, 100), CLAUDE, output_tokens=1)
    bare = billed(told(0, 100), NO_PRICE, output_tokens=1)
    free: Rate | Unpriced = Rate(model="free", fresh=Decimal(0), read=Decimal(0), output=Decimal(0))
    found = min_span_ratio(
        bare if lacking == "fork" else bill,
        None if lacking == "standalone" else bill,
        NO_PRICE if lacking == "price" else free if lacking == "free" else CLAUDE,
        span_tokens=10,
        parent_tokens=0 if lacking == "parent" else 100,
    )

    assert found is None
