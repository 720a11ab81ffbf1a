"""The table of prices: which row a name means, and what stands in it."""

from __future__ import annotations

from decimal import Decimal
from hashlib import sha256

import pytest

from cgcli.model import Usage
from cgcli.pricing.rate import Rate, Unpriced
from cgcli.pricing.table import DATA, default_prices
from cgcli.providers.windows import WINDOWS

PRICES = default_prices()
# Fresh, read, output, then written for 5m, 30m, 1h, 12h; "" where it is not sold.
ROWS = """
claude-fable-5-1   10    0.25   50    12.5   -      20    -
claude-mythos-5-1  10    0.25   50    12.5   -      20    -
claude-fable-5     10    1      50    12.5   -      20    -
claude-opus-5-5    4     0.2    20    5      -      8     -
claude-opus-5      5     0.5    25    6.25   -      10    -
claude-opus-4-8    5     0.5    25    6.25   -      10    -
claude-opus-4-7    5     0.5    25    6.25   -      10    -
claude-opus-4-6    5     0.5    25    6.25   -      10    -
claude-opus-4-5    5     0.5    25    6.25   -      10    -
claude-opus-4-1    15    1.5    75    18.75  -      30    -
claude-sonnet-5-5  2     0.1    10    2.5    -      4     -
claude-sonnet-5    2     0.2    10    2.5    -      4     -
claude-sonnet-4-6  3     0.3    15    3.75   -      6     -
claude-sonnet-4-5  3     0.3    15    3.75   -      6     -
claude-haiku-5-5   0.1   0.01   0.5   0.125  -      0.2   -
claude-haiku-4-5   1     0.1    5     1.25   -      2     -
gpt-6-astra        10    1      50    -      12.5   -     25
gpt-6-sol          2     0.2    10    -      2.5    -     5
gpt-6.1-sol        2     0.1    10    -      2.5    -     5
gpt-6.1-terra      1     0.05   5     -      1.25   -     2.5
gpt-6-luna         0.1   0.01   0.5   -      0.125  -     0.25
gpt-5.6-sol        4     0.4    20    -      5      -     10
gpt-5.6-terra      2     0.2    12    -      2.5    -     5
gpt-5.6-luna       0.2   0.02   1.2   -      0.25   -     0.5
gpt-5.5            5     0.5    30    -      -      -     -
gpt-5.4            2.5   0.25   15    -      -      -     -
gpt-5.1            1.25  0.125  10    -      -      -     -
gpt-5              1.25  0.125  10    -      -      -     -
gpt-4.1            2     0.5    8     -      -      -     -
gpt-4o             2.5   1.25   10    -      -      -     -
gemini-3.8-flash   0.75  0.075  3.75  -      -      -     -
gemini-2.5-pro     1.25  0.125  10    -      -      -     -
deepseek-v4-flash  0.3   0.006  1.2   -      -      -     -
deepseek-v4-pro    1.32  0.044  3.96  -      -      -     -
grok-4.7           2     0.5    6     -      -      -     -
grok-4.5           2     0.3    6     -      -      -     -
"""
LIFETIMES_S = (300, 1800, 3600, 43_200)


def named(model: str) -> str | None:
    """The row that *model* means; None where it is unpriced."""
    found = PRICES.of(model)
    return found.model if isinstance(found, Rate) else None


@pytest.mark.parametrize("row", ROWS.split("\n")[1:-1], ids=lambda row: row.split()[0])
def test_a_price_is_that_of_its_day(row: str) -> None:
    """The list prices of 2026-11-30; a change of the table changes this test."""
    model, fresh, read, output, *writes = row.split()
    found = PRICES.of(model)
    assert isinstance(found, Rate)
    assert (found.model, found.as_of) == (model, "2026-11-30")
    assert (found.fresh, found.read, found.output) == (Decimal(fresh), Decimal(read), Decimal(output))
    assert dict(found.write_by_ttl_s) == {
        ttl_s: Decimal(price) for ttl_s, price in zip(LIFETIMES_S, writes, strict=True) if price != "-"
    }


def test_the_table_is_pinned() -> None:
    """Who edits a price sets the day anew, and this digest."""
    assert PRICES.as_of == "2026-11-30"
    assert sha256(DATA.read_bytes()).hexdigest() == "57c2c2536ff660e7c54af2ddf593155e42371f504512b09de0cefc395793e2e4"


def test_the_table_is_read_once() -> None:
    """Every caller has the same one."""
    assert default_prices() is PRICES


@pytest.mark.parametrize("model", PRICES.rows)
def test_every_row_makes_sense(model: str) -> None:
    """Found under its own name, with a source, a day and a window; read for no more than fresh, written for no less."""
    found = PRICES.of(model)
    assert isinstance(found, Rate)
    assert found.model == model
    assert found.source
    assert found.as_of
    assert model in WINDOWS
    assert 0 < found.read <= found.fresh < found.output
    assert all(price >= found.fresh for price in found.write_by_ttl_s.values())
    tiers = [tier.above_tokens for tier in found.tiers]
    assert tiers == sorted(set(tiers))


@pytest.mark.parametrize(
    ("model", "row"),
    [
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("openrouter/anthropic/claude-sonnet-4.5:thinking", "claude-sonnet-4-5"),
        ("vertex_ai/claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
        ("databricks/databricks-claude-3-7-sonnet", "claude-sonnet-3-7"),
        ("databricks-claude-opus-4-1", "claude-opus-4-1"),
        ("Claude-Sonnet-4-6[1m]", "claude-sonnet-4-6"),
        ("claude-3-5-haiku-20241022", "claude-haiku-3-5"),
        ("claude-sonnet-4-20250514", "claude-sonnet-4"),
        ("claude-opus-4-20250514", "claude-opus-4"),
        ("anthropic:claude-opus-4-1-20250805", "claude-opus-4-1"),
        ("openai/gpt-5.6-sol", "gpt-5.6-sol"),
        (" gpt-5.6\n", "gpt-5.6"),
        ("azure/gpt-4.1-2025-04-14", "gpt-4.1"),
        ("gpt-4.1-mini-2025-04-14", "gpt-4.1-mini"),
        ("gpt-4o-2024-11-20", "gpt-4o"),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-05-13"),
        ("gemini/gemini-2.5-pro", "gemini-2.5-pro"),
        ("x-ai/grok-4.5", "grok-4.5"),
        ("xai/grok-4.5-latest", "grok-4.5"),
        ("openrouter/deepseek/deepseek-v4-pro", "deepseek-v4-pro"),
    ],
)
def test_a_name_means_its_row(model: str, row: str) -> None:
    """Platforms, dates, regions and spellings do not count."""
    assert named(model) == row


@pytest.mark.parametrize(
    "model",
    [
        "gpt-6.2-sol",
        "gpt-6.2-astra",
        "gpt-6",
        "gpt-6-sol-mini",
        "gpt-5.6-sol-pro",
        "gpt-5.5-mini",
        "gpt-4.1-turbo",
        "gpt-4o-audio-preview",
        "my-gpt-4o",
        "claude-fable-5-2",
        "claude-mythos-5-2",
        "claude-mythos-preview",
        "claude-opus-5-5-1",
        "claude-opus-6",
        "claude-opus-5-fast",
        "claude-opus-latest",
        "claude-opus-4-10",
        "claude-sonnet-4-5-mini",
        "claude-sonnet-45",
        "claude-2.1",
        "claude",
        "grok-4.1-fast",
        "deepseek-v4",
        "ft:gpt-4o-mini-2024-07-18:org::id",
        "fireworks_ai/accounts/fireworks/models/deepseek-v4-pro",
        "qwen3-coder",
        "meta-llama/Llama-4-Scout",
        "unknown",
        "<synthetic>",
        "",
        "gpt-5" * 200,
    ],
)
def test_another_model_never_has_its_price(model: str) -> None:
    """A newer, smaller, tuned or faster one, or one that others serve, is unpriced, and says why."""
    found = PRICES.of(model)
    assert isinstance(found, Unpriced)
    assert found.model == model
    assert found.reason


def test_no_model_is_unpriced() -> None:
    """And not of a default."""
    assert PRICES.of(None) == Unpriced(model=None, reason="the request does not say which model it is for")
    assert PRICES.usd(None, Usage(fresh=1, read=0, write_by_ttl_s={}, output=1)) is None


@pytest.mark.parametrize(
    ("model", "fresh", "write"),
    [
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "3.3", "4.125"),
        ("bedrock/eu.anthropic.claude-opus-5-5", "4.4", "5.5"),
        ("us-gov.anthropic.claude-opus-5", "6", "7.5"),
        ("arn:aws:bedrock:us-east-1:123456789012:inference-profile/jp.anthropic.claude-sonnet-5", "2.2", "2.75"),
        ("global.anthropic.claude-sonnet-4-5-20250929-v1:0", "3", "3.75"),
        ("anthropic.claude-sonnet-4-5-20250929-v1:0", "3", "3.75"),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", "3", "3.75"),
    ],
)
def test_a_region_of_bedrock_costs_more(model: str, fresh: str, write: str) -> None:
    """A tenth from Claude 4.5 on, a fifth for the government; the source says so."""
    found = PRICES.of(model)
    assert isinstance(found, Rate)
    assert (found.fresh, found.write(300)) == (Decimal(fresh), Decimal(write))
    assert ("region" in found.source) is (fresh != "3")


def test_a_bill_of_a_model() -> None:
    """The price of the model that the name means, times its tokens."""
    assert PRICES.usd("openai/gpt-5-mini", Usage(fresh=1_000, read=0, write_by_ttl_s={}, output=100)) == Decimal(
        "0.00045"
    )
