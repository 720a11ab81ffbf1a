"""G-FORK-COST, and the rates that it is given."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from cgcli.checks.base import Verdict
from cgcli.checks.gates.fork_cost import ForkCost
from cgcli.pricing.file import parse_rates
from tests.forking import Json, bodies, fork, lane, pair, run, run_fixture, standalone, usage

if TYPE_CHECKING:
    from cgcli.checks.base import Result

GATE = ForkCost()
SENT = lane(3)
PRICES: Json = {"fresh": 3, "read": 0.3, "write": 3.75, "output": 15}
RATES = parse_rates(json.dumps({"claude-sonnet-4-5": PRICES, "claude-sonnet-4": PRICES}).encode(), file="r.json")


def judged(*records: Json, **options: object) -> Result:
    """The gate over these records, with rates unless *options* have others."""
    return run(GATE, bodies(*records), {"rates": RATES, **options})


def costing(body: Json, usd: str) -> Json:
    """A pair whose usage costs *usd*: output alone, at $15 a million."""
    return pair(body, used=usage(fresh=0, out=int(Decimal(usd) * 1_000_000 / 15)))


def test_the_failing_fixture_spends_half_on_its_call() -> None:
    """Written out by hand from the recorded usage: 0.0128 of 0.0251."""
    result = run_fixture(GATE, "failing", {"rates": RATES})
    assert (result.verdict, result.checked, result.unit) == (Verdict.FAIL, 1, "summariser calls")
    assert [(f.line, f.kind, f.is_note, f.message) for f in result.findings] == [
        (
            4,
            "call_share",
            False,
            "summariser calls (1) cost $0.0128 of $0.0251 (51.1%), measured, at prices from r.json; the limit is 30%",
        )
    ]


def test_the_passing_fixture_spends_little() -> None:
    """A fork that is read in a longer run: 9.4 %; without a file of rates the table has its model's prices."""
    result = run_fixture(GATE, "passing")
    assert (result.verdict, result.checked) == (Verdict.PASS, 1)
    assert [(f.line, f.is_note, f.message) for f in result.findings] == [
        (
            4,
            True,
            "summariser calls (1) cost $0.0032 of $0.0339 (9.4%), measured, at prices of 2026-11-30; the limit is 30%",
        )
    ]


def test_the_vacuous_fixture_has_no_call() -> None:
    """Rates or not: without a summariser call there is nothing to check."""
    for options in ({"rates": RATES}, {}):
        result = run_fixture(GATE, "vacuous", options)
        assert (result.verdict, result.checked, result.findings) == (Verdict.VACUOUS, 0, ())


@pytest.mark.parametrize(
    ("model", "named"),
    [
        ("gpt-6.2-sol", "gpt-6.2-sol"),
        ("claude-fable-5-2", "claude-fable-5-2"),
        ("claude-sonnet-4-5-mini", "claude-sonnet-4-5-mini"),
        (None, "(not recorded)"),
    ],
)
def test_a_model_that_no_table_has_is_unknown_and_named(model: str | None, named: str) -> None:
    """A newer, a smaller or an unnamed model has no price: its calls may cost anything, and are never free."""
    call = {key: item for key, item in fork(SENT[0], model=model).items() if item is not None}
    result = judged(costing(SENT[0], "0.9"), costing(call, "0.1"))
    assert (result.verdict, result.reason) == (
        Verdict.UNKNOWN,
        f"usage or prices of 1 summariser calls and 0 other requests are missing; no price (--rates FILE) for {named}",
    )


def test_a_file_of_rates_comes_before_the_table() -> None:
    """At half of the table's price of output the run costs half, and both sources are said where both are used."""
    cheap = parse_rates(json.dumps({"claude-sonnet-4-5": {**PRICES, "output": 7.5}}).encode(), file="cheap.json")
    records = [costing(SENT[0], "0.9"), costing({**fork(SENT[0]), "model": "claude-opus-4-5"}, "0.3")]
    (found,) = run(GATE, bodies(*records), {"rates": cheap}).findings
    # 0.9 at half the price; 20,000 tokens of Opus at $25.
    assert found.message == (
        "summariser calls (1) cost $0.5000 of $0.9500 (52.6%), measured, "
        "at prices from cheap.json and of 2026-11-30; the limit is 30%"
    )


@pytest.mark.parametrize(
    ("call_usd", "limit", "verdict"),
    [
        ("0.90", None, Verdict.PASS),
        ("0.915", None, Verdict.FAIL),
        ("0.90", Decimal("0.2"), Verdict.FAIL),
        ("1.80", "0.6", Verdict.PASS),
    ],
)
def test_the_limit_is_inclusive_and_can_be_given(call_usd: str, limit: object, verdict: Verdict) -> None:
    """Exactly 30 % of a run of $3.00 passes; another limit is taken as it is."""
    rest = costing(SENT[0], str(3 - Decimal(call_usd)))
    options = {} if limit is None else {"max_call_share": limit}
    assert judged(rest, costing(fork(SENT[0]), call_usd), **options).verdict is verdict


def test_standalone_calls_count_too() -> None:
    """Two calls of either kind add up: 0.2 + 0.2 of 1.0 is above 30 %."""
    records = [costing(SENT[0], "0.6"), costing(fork(SENT[0]), "0.2"), costing(standalone(SENT[0]), "0.2")]
    result = judged(*records)
    assert (result.verdict, result.checked) == (Verdict.FAIL, 2)


@pytest.mark.parametrize(
    ("records", "verdict"),
    [
        # The call alone is unbilled: its share can be anything.
        ([costing(SENT[0], "0.9"), pair(fork(SENT[0]))], Verdict.UNKNOWN),
        # Another request is unbilled: the share can only be lower than 10 %.
        ([costing(SENT[0], "0.9"), costing(fork(SENT[0]), "0.1"), pair(SENT[1])], Verdict.PASS),
        # ... or lower than 60 %: perhaps below the limit.
        ([costing(SENT[0], "0.4"), costing(fork(SENT[0]), "0.6"), pair(SENT[1])], Verdict.UNKNOWN),
        # One call is unbilled, the other one is above the limit already.
        ([costing(SENT[0], "0.4"), costing(fork(SENT[0]), "0.6"), pair(fork(SENT[0]))], Verdict.FAIL),
    ],
)
def test_what_is_not_billed_counts_for_the_worst(records: list[Json], verdict: Verdict) -> None:
    """A verdict stands only where nothing that is missing could change it."""
    result = judged(*records)
    assert result.verdict is verdict
    if verdict is Verdict.UNKNOWN:
        assert "are missing" in str(result.reason)


def test_a_model_without_a_price_is_not_free() -> None:
    """The call's model is not in the table: unknown, never a pass at $0."""
    assert judged(costing(SENT[0], "0.9"), costing(fork(SENT[0], model="other"), "0.1")).verdict is Verdict.UNKNOWN
