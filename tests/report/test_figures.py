"""Numbers as people read them, and the ruler that makes tokens of counts."""

from __future__ import annotations

import pytest

from cgcli.model import Basis
from cgcli.replay.ledger import Row
from cgcli.report.figures import change, counted, number, rulers, size


def _row(model: str | None, before: int, recorded: int | None = None) -> Row:
    return Row(
        model=model,
        before_tokens=before,
        after_tokens=before,
        is_cold=False,
        input_break=None,
        output_break=None,
        recorded_input_tokens=recorded,
    )


@pytest.mark.parametrize(("n", "shown"), [(0, "0"), (999, "999"), (1000, "1,000"), (-1234567, "-1,234,567")])
def test_thousands_are_separated(n: int, shown: str) -> None:
    """By commas."""
    assert number(n) == shown


@pytest.mark.parametrize(("n", "shown"), [(0, "0 lanes"), (1, "1 lane"), (2, "2 lanes"), (1234, "1,234 lanes")])
def test_one_is_singular(n: int, shown: str) -> None:
    """All else is plural."""
    assert counted(n, "lane") == shown


@pytest.mark.parametrize(
    ("n_bytes", "shown"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1024, "1.0 KB"),
        (1536, "1.5 KB"),
        (5 << 20, "5.0 MB"),
        (3 << 40, "3.0 TB"),
        (1 << 60, "1048576.0 TB"),
    ],
)
def test_sizes_have_the_unit_that_fits(n_bytes: int, shown: str) -> None:
    """1024 of one are one of the next, up to TB."""
    assert size(n_bytes) == shown


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (0, 0, "0.0 %"),
        (0, 5, "0.0 %"),
        (100, 100, "0.0 %"),
        (100, 50, "-50.0 %"),
        (100, 125, "+25.0 %"),
        (10_000, 9_996, "0.0 %"),
        (10_000, 9_995, "-0.1 %"),
        (3, 2, "-33.3 %"),
    ],
)
def test_a_change_is_signed_unless_it_rounds_to_nothing(before: int, after: int, shown: str) -> None:
    """In percent of what was before, never `-0.0`."""
    assert change(before, after) == shown


def test_an_own_tokenizer_is_counted_and_never_fitted() -> None:
    """Recorded usage does not bend an exact count."""
    ruler = rulers([_row("gpt-4.1", 100, 150)])["gpt-4.1"]
    assert (ruler.factor, ruler.basis, ruler.is_fitted, str(ruler)) == (1, Basis.COUNTED, False, "counted: o200k_base")
    assert ruler.tokens(100) == 100


def test_a_documented_factor_stands_where_nothing_is_recorded() -> None:
    """1.24 for this family; 1 for a model that is not known, and said to be an estimate."""
    found = rulers([_row("claude-sonnet-4-5", 100), _row(None, 100), _row("other", 100)])
    assert str(found["claude-sonnet-4-5"]) == "estimated: o200k_base x 1.24"
    assert found["claude-sonnet-4-5"].tokens(100) == 124
    assert str(found[None]) == str(found["other"]) == "estimated: o200k_base"


def test_a_fitted_factor_is_that_of_the_sums() -> None:
    """Per model, over the requests that recorded something."""
    rows = [_row("claude-opus-4-5", 100, 130), _row("claude-opus-4-5", 300, 390), _row("claude-opus-4-5", 900)]
    found = rulers([*rows, _row("claude-haiku-4-5", 10)])
    assert str(found["claude-opus-4-5"]) == "estimated: o200k_base x 1.300, fitted to the usage of 2 requests"
    assert found["claude-opus-4-5"].tokens(1000) == 1300
    assert not found["claude-haiku-4-5"].is_fitted


def test_what_cannot_be_the_same_request_is_not_fitted() -> None:
    """A factor of 50 says that the usage is another request's."""
    ruler = rulers([_row("claude-opus-4-5", 100, 5000)])["claude-opus-4-5"]
    assert (ruler.is_fitted, ruler.factor) == (False, 1.24)
