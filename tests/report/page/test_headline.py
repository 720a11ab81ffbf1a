"""The answer in plain words."""

from __future__ import annotations

from typing import Any

from cgcli.report.page.headline import Headline, headline
from tests.report.page.made import totals

OFF = totals(usd="2.00")


def _policy(usd: str | None, **fields: Any) -> dict[str, Any]:
    return totals(usd=usd, requests_changed=2, **fields)


def test_the_cheapest_without_regret() -> None:
    """Its dollars, what it saves, and that nothing was needed."""
    said = headline({"off": OFF, "mask": _policy("1.50"), "safe": _policy("1.75")}, ["mask"])

    assert said == Headline(
        verdict="mask is cheapest: $1.50, $0.50 (25.0 %) less than off.",
        points=(
            "Nothing that mask dropped was needed by a later turn of the recording.",
            "mask is beaten by no other policy in both dollars and regret.",
        ),
    )


def test_the_cheapest_that_dropped_what_was_needed() -> None:
    """How often, and which is the cheapest of the others."""
    needed = _policy("1.50", refetches=1, cites=2, regret_tokens=459, irreversible=3)
    said = headline({"off": OFF, "mask": needed, "safe": _policy("1.75"), "house": _policy("1.90")}, ["mask", "safe"])

    assert said.points == (
        "What mask dropped was needed later: fetched again 1 time, cited 2 times, 459 tokens in all.",
        "3 drops of mask cannot be restored.",
        "The cheapest that dropped nothing needed is safe: $1.75, $0.25 less than off.",
        "mask and safe are beaten by no other policy in both dollars and regret.",
    )
    once = headline({"off": OFF, "mask": needed | {"cites": 0}}, None)
    assert once.points[0] == "What mask dropped was needed later: fetched again 1 time, 459 tokens in all."
    alone = headline({"off": OFF, "mask": needed}, None)
    assert alone.points[-1] == "No policy that is cheaper than off got by without that."


def test_nothing_is_cheaper_than_nothing() -> None:
    """A policy that costs more is not praised, and one that costs the same is named."""
    said = headline({"off": OFF, "mask": _policy("2.00"), "house": _policy("2.50")}, None)

    assert said == Headline(verdict="No policy is cheaper than doing nothing: $2.00. mask costs the same.", points=())


def test_own_calls_are_part_of_the_costs() -> None:
    """Their number and their dollars."""
    said = headline({"off": OFF, "agent": _policy("1.00", own_calls=2, own_usd="0.25")}, None)

    assert said.points[1] == "$0.25 of what agent costs is for 2 model calls of its own."


def test_without_prices_no_policy_is_cheapest() -> None:
    """The state is told, and what is sent."""
    off, mask = totals(usd=None), totals(usd=None, input_tokens=30_000, requests_changed=2)
    said = headline({"off": off, "mask": mask}, ["off", "mask"])

    assert said == Headline(
        verdict="No dollars: a model of this file is unpriced.",
        points=(
            "mask sends the fewest input tokens: 10,500 fewer than off.",
            "Nothing that mask dropped was needed by a later turn of the recording.",
        ),
    )


def test_one_policy_without_a_price() -> None:
    """The others are compared, and it is named."""
    said = headline({"off": OFF, "mask": _policy("1.50"), "agent": _policy(None)}, None)

    assert said.verdict.startswith("mask is cheapest")
    assert said.points[-1] == "agent has no dollars: it is unpriced."


def test_what_the_dollars_leave_out_is_told() -> None:
    """Requests that could not be simulated, and those without a price."""
    off = OFF | {"simulated_requests": 2, "priced_requests": 1}

    assert headline({"off": off, "mask": _policy("1.50")}, None).points[-2:] == (
        "1 request of 3 could not be simulated.",
        "1 request unpriced: in no dollars.",
    )


def test_off_alone() -> None:
    """There is nothing to compare it with."""
    assert headline({"off": OFF}, ["off"]) == Headline(
        verdict="Only off was replayed: $2.00 for 3 requests.", points=()
    )
