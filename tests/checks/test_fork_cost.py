"""G-FORK-COST, and the rates that it is given."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from cgcli.checks.base import Verdict
from cgcli.checks.gates.fork_cost import ForkCost
from cgcli.checks.rates import parse_rates, read_rates
from cgcli.errors import ExitCode, UsageError
from cgcli.model import Usage
from tests.forking import Json, bodies, fork, lane, pair, run, run_fixture, standalone, usage

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.checks.base import Result

GATE = ForkCost()
SENT = lane(3)
PRICES: Json = {"fresh": 3, "read": 0.3, "write": 3.75, "output": 15}
RATES = parse_rates(json.dumps({"claude-sonnet-4-5": PRICES, "claude-sonnet-4": PRICES}).encode(), file="rates.json")


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
            "summariser calls (1) cost $0.0128 of $0.0251 (51.1%), measured; the limit is 30%",
        )
    ]


def test_the_passing_fixture_spends_little() -> None:
    """A fork that is read in a longer run: 9.4 %."""
    result = run_fixture(GATE, "passing", {"rates": RATES})
    assert (result.verdict, result.checked) == (Verdict.PASS, 1)
    assert [(f.line, f.is_note, f.message) for f in result.findings] == [
        (4, True, "summariser calls (1) cost $0.0032 of $0.0339 (9.4%), measured; the limit is 30%")
    ]


def test_the_vacuous_fixture_has_no_call() -> None:
    """Rates or not: without a summariser call there is nothing to check."""
    for options in ({"rates": RATES}, {}):
        result = run_fixture(GATE, "vacuous", options)
        assert (result.verdict, result.checked, result.findings) == (Verdict.VACUOUS, 0, ())


def test_without_rates_it_is_unknown() -> None:
    """Usage alone is no cost."""
    result = run(GATE, bodies(costing(SENT[0], "0.9"), costing(fork(SENT[0]), "0.1")))
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, "no prices are given: --rates FILE")


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


def test_a_price_is_exact() -> None:
    """3 fresh, 1,000 read, 2,000 written, 400 written for an hour, 10 out, in decimals."""
    rates = parse_rates(
        b'{"m": {"fresh": "3", "read": 0.30, "write": 3.75, "write_1h": 6, "output": 15}}', file="r.json"
    )
    used = Usage(fresh=3, read=1000, write_by_ttl_s={300: 2000, 3600: 400}, output=10)
    assert rates.usd("m", used) == Decimal("0.010359")


def test_an_hours_write_needs_its_own_price() -> None:
    """Without `write_1h` such a write has no price, so neither has the request."""
    used = Usage(fresh=1, read=0, write_by_ttl_s={3600: 9}, output=1)
    assert RATES.usd("claude-sonnet-4-5", used) is None


@pytest.mark.parametrize(
    ("model", "is_priced"),
    [
        ("claude-sonnet-4-5", True),
        ("claude-sonnet-4-5-20250929", True),
        ("claude-sonnet-4-5@20250929", True),
        ("claude-sonnet-4-5-mini", False),
        ("claude-sonnet", False),
        (None, False),
    ],
)
def test_a_date_at_the_end_of_a_name_does_not_count(model: str | None, is_priced: bool) -> None:  # noqa: FBT001
    """A dated name has its family's price; any other ending may be another model."""
    used = Usage(fresh=1, read=0, write_by_ttl_s={}, output=0)
    assert RATES.usd(model, used) == (Decimal("0.000003") if is_priced else None)


def test_toml_says_the_same(tmp_path: Path) -> None:
    """A table a model; numbers keep their decimals."""
    path = tmp_path / "rates.toml"
    path.write_text('["gpt-4.1"]\nfresh = 2\nread = 0.5\nwrite = 2\noutput = "8"\n')
    used = Usage(fresh=1_000_000, read=1_000_000, write_by_ttl_s={}, output=1_000_000)
    assert read_rates(path).usd("gpt-4.1", used) == Decimal("10.5")


@pytest.mark.parametrize(
    ("file", "data", "message"),
    [
        ("r.json", b"", "r.json: the rates are no JSON: Expecting value: line 1 column 1 (char 0)"),
        ("r.json", b"\xff", "r.json: the rates are no JSON: 'utf-8' codec can't decode byte 0xff in position 0"),
        ("r.toml", b"a = ", "r.toml: the rates are no TOML: Invalid value"),
        ("r.json", b"[1]", "r.json: the rates are no table of models"),
        ("r.json", b"{}", "r.json: the rates are no table of models"),
        ("r.json", b'{"m": 3}', "r.json: m: the prices are no table"),
        ("r.json", b'{"m": {}, "m": {}}', "r.json: the rates are no JSON: a key stands twice"),
        ("r.json", b'{"m": {"fresh": 1}}', "r.json: m: the price 'read' is missing"),
        ("r.json", b'{"m": {"frehs": 1}}', "r.json: m: unknown price 'frehs'"),
        ("r.json", b'{"m": {"fresh": -1, "read": 0, "write": 0, "output": 0}}', "r.json: m.fresh: Decimal('-1')"),
        ("r.json", b'{"m": {"fresh": NaN, "read": 0, "write": 0, "output": 0}}', "r.json: m.fresh: nan is no price"),
        ("r.json", b'{"m": {"fresh": "a", "read": 0, "write": 0, "output": 0}}', "r.json: m.fresh: 'a' is no price"),
        ("r.json", b'{"m": {"fresh": true, "read": 0, "write": 0, "output": 0}}', "r.json: m.fresh: True is no"),
    ],
)
def test_what_is_no_table_of_prices_is_refused(file: str, data: bytes, message: str) -> None:
    """Each fault is said with the file and the key, and ends in the exit code for usage."""
    with pytest.raises(UsageError) as refused:
        parse_rates(data, file=file)
    assert str(refused.value).startswith(message)
    assert refused.value.hint
    assert refused.value.exit_code is ExitCode.USAGE


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """A path that is not there is a usage error, with the path."""
    with pytest.raises(UsageError, match=r"none\.json: the rates cannot be read: No such file or directory"):
        read_rates(tmp_path / "none.json")
