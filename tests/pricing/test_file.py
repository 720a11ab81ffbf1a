"""Prices out of a file."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from cgcli.errors import ExitCode, UsageError
from cgcli.model import Usage
from cgcli.pricing.file import parse_rates, read_rates
from cgcli.pricing.rate import Rate, Tier, Unpriced

if TYPE_CHECKING:
    from pathlib import Path

OLD = b'{"claude-sonnet-4-5": {"fresh": 3, "read": 0.3, "write": 3.75, "output": 15}}'
PRICED = '"fresh": 1, "read": 1, "write": 1, "output": 1'


def of(data: bytes, model: str) -> Rate:
    """What a file with that content says of *model*."""
    found = parse_rates(data, file="r.json").of(model)
    assert isinstance(found, Rate)
    return found


def test_a_price_is_exact() -> None:
    """3 fresh, 1,000 read, 2,000 written, 400 written for an hour, 10 out, in decimals."""
    rates = parse_rates(
        b'{"m": {"fresh": "3", "read": 0.30, "write": 3.75, "write_1h": 6, "output": 15}}', file="r.json"
    )
    used = Usage(fresh=3, read=1000, write_by_ttl_s={300: 2000, 3600: 400}, output=10)
    assert rates.usd("m", used) == Decimal("0.010359")


def test_a_longer_write_needs_its_own_price() -> None:
    """`write` is for 5 minutes and for half an hour; without `write_1h` an hour's write has no price."""
    found = of(OLD, "claude-sonnet-4-5")
    assert [found.write(ttl_s) for ttl_s in (300, 1800, 3600, 43_200)] == [Decimal("3.75"), Decimal("3.75"), None, None]
    assert found.usd(Usage(fresh=1, read=0, write_by_ttl_s={3600: 9}, output=1)) is None


def test_every_price_can_be_said() -> None:
    """Writes by lifetime, tiers, a day and a source."""
    found = of(
        b'{"m": {"fresh": 2, "read": 0.1, "write": 2.5, "write_30m": 2.6, "write_1h": 3, "write_12h": 5, "output": 10,'
        b' "tiers": [{"above_tokens": 272000, "input_times": 2, "output_times": 1.5},'
        b' {"above_tokens": 500000, "input_times": "3", "output_times": 2}],'
        b' "as_of": "2026-12-01", "source": "contract 7"}}',
        "m",
    )
    assert found == Rate(
        model="m",
        fresh=Decimal(2),
        read=Decimal("0.1"),
        output=Decimal(10),
        write_by_ttl_s={300: Decimal("2.5"), 1800: Decimal("2.6"), 3600: Decimal(3), 43_200: Decimal(5)},
        tiers=(
            Tier(above_tokens=272_000, input_times=Decimal(2), output_times=Decimal("1.5")),
            Tier(above_tokens=500_000, input_times=Decimal(3), output_times=Decimal(2)),
        ),
        source="contract 7",
        as_of="2026-12-01",
    )


@pytest.mark.parametrize(
    ("model", "is_of_the_file"),
    [
        ("claude-sonnet-4-5", True),
        ("claude-sonnet-4-5-20250929", True),
        ("claude-sonnet-4-5@20250929", True),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", False),
        ("claude-opus-4-5", False),
    ],
)
def test_a_date_at_the_end_of_a_name_does_not_count(model: str, is_of_the_file: bool) -> None:  # noqa: FBT001
    """A name of the file counts as it stands there, dated or not; what it does not have is of the table."""
    found = of(OLD.replace(b"3.75", b"4"), model)
    assert (found.source, found.as_of) == (("r.json", "") if is_of_the_file else (found.source, "2026-11-30"))
    assert (found.write(300) == Decimal(4)) is is_of_the_file


@pytest.mark.parametrize("model", ["claude-sonnet-4-5-mini", "claude-sonnet", None])
def test_any_other_ending_may_be_another_model(model: str | None) -> None:
    """Neither the file nor the table has a price for it."""
    assert isinstance(parse_rates(OLD, file="r.json").of(model), Unpriced)


def test_a_file_says_where_the_rest_is_from() -> None:
    """Its own name, then the table with its day."""
    assert parse_rates(OLD, file="r.json").source == (
        "r.json; for models that it does not have: the built-in table (litellm 1.110.2, providers' pages) of 2026-11-30"
    )


def test_toml_says_the_same(tmp_path: Path) -> None:
    """A table a model; numbers keep their decimals, and a day may be one of TOML's."""
    path = tmp_path / "rates.toml"
    path.write_text(
        '["gpt-4.1"]\nfresh = 2\nread = 0.7\nwrite = 2\noutput = "8"\nas_of = 2026-12-01\n'
        "[[gpt-4_1.tiers]]\nabove_tokens = 10\ninput_times = 2\noutput_times = 1\n".replace("gpt-4_1", '"gpt-4.1"')
    )
    found = read_rates(path).of("gpt-4.1")
    assert isinstance(found, Rate)
    assert (found.read, found.as_of, found.tiers[0].above_tokens) == (Decimal("0.7"), "2026-12-01", 10)


@pytest.mark.parametrize(
    ("file", "data", "message"),
    [
        ("r.json", b"", "r.json: the rates are no JSON: Expecting value: line 1 column 1 (char 0)"),
        ("r.json", b"\xff", "r.json: the rates are no JSON: 'utf-8' codec can't decode byte 0xff in position 0"),
        ("r.toml", b"a = ", "r.toml: the rates are no TOML: Invalid value"),
        ("r.json", b"[" * 100_000, "r.json: the rates are nested too deeply"),
        ("r.json", b"[1]", "r.json: the rates are no table of models"),
        ("r.json", b"{}", "r.json: the rates are no table of models"),
        ("r.json", b'{"m": 3}', "r.json: m: the prices are no table"),
        ("r.json", b'{"m": {}, "m": {}}', "r.json: the rates are no JSON: a key stands twice"),
        ("r.json", b'{"m": {"fresh": 1}}', "r.json: m: the price 'read' is missing"),
        ("r.json", b'{"m": {"frehs": 1}}', "r.json: m: unknown price 'frehs'"),
        ("r.json", b'{"m": {"fresh": -1, "read": 0, "write": 0, "output": 0}}', "r.json: m.fresh: -1 is no price"),
        ("r.json", b'{"m": {"fresh": NaN, "read": 0, "write": 0, "output": 0}}', "r.json: m.fresh: nan is no price"),
        ("r.json", b'{"m": {"fresh": "a", "read": 0, "write": 0, "output": 0}}', "r.json: m.fresh: 'a' is no price"),
        ("r.json", b'{"m": {"fresh": true, "read": 0, "write": 0, "output": 0}}', "r.json: m.fresh: True is no"),
        ("r.json", b'{"m": {"fresh": 1e99, "read": 0, "write": 0, "output": 0}}', "r.json: m.fresh: 1E+99 is no price"),
        (
            "r.json",
            b'{"m": {"fresh": 1e-99, "read": 0, "write": 0, "output": 0}}',
            "r.json: m.fresh: 1E-99 is no price",
        ),
        ("r.json", f'{{"m": {{{PRICED}, "tiers": 3}}}}'.encode(), "r.json: m.tiers: 3 is no list of tiers"),
        (
            "r.json",
            f'{{"m": {{{PRICED}, "tiers": [{{"above_tokens": 3}}]}}}}'.encode(),
            "r.json: m.tiers[0]: a tier has above_tokens, input_times, output_times",
        ),
        ("r.json", f'{{"m": {{{PRICED}, "as_of": 3}}}}'.encode(), "r.json: m.as_of: 3 is no text"),
        ("r.json", f'{{"m": {{{PRICED}, "source": "a\\nb"}}}}'.encode(), "r.json: m.source: 'a\\nb' is no text"),
    ],
)
def test_what_is_no_table_of_prices_is_refused(file: str, data: bytes, message: str) -> None:
    """Each fault is said in a line with the file and the key, and ends in the exit code for usage."""
    with pytest.raises(UsageError) as refused:
        parse_rates(data, file=file)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)
    assert refused.value.hint
    assert refused.value.exit_code is ExitCode.USAGE


@pytest.mark.parametrize(
    ("tiers", "message"),
    [
        ([1.5], "m.tiers[0].above_tokens: 1.5 is no whole number above the tier before's"),
        ([9, 9], "m.tiers[1].above_tokens: 9 is no whole number above the tier before's"),
        (["x"], "m.tiers[0].above_tokens: 'x' is no number of tokens"),
        ([-1], "m.tiers[0].above_tokens: -1 is no number of tokens"),
    ],
)
def test_tiers_must_ascend_in_numbers(tiers: list[object], message: str) -> None:
    """The one that is wrong is said by its place."""
    rows = [{"above_tokens": above, "input_times": 2, "output_times": 1.5} for above in tiers]
    data = json.dumps({"m": {**json.loads(f"{{{PRICED}}}"), "tiers": rows}}).encode()
    with pytest.raises(UsageError) as refused:
        parse_rates(data, file="r.json")
    assert str(refused.value) == f"r.json: {message}"
    assert refused.value.hint


def test_a_factor_is_a_number() -> None:
    """Like a price, it is not below zero."""
    data = f'{{"m": {{{PRICED}, "tiers": [{{"above_tokens": 1, "input_times": -1, "output_times": 1}}]}}}}'
    with pytest.raises(UsageError, match=r"m\.tiers\[0\]\.input_times: -1 is no factor"):
        parse_rates(data.encode(), file="r.json")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """A path that is not there is a usage error, with the path."""
    with pytest.raises(UsageError, match=r"none\.json: the rates cannot be read: No such file or directory"):
        read_rates(tmp_path / "none.json")
