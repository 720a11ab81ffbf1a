"""Counted tokens become a model's tokens, labelled by how that is known."""

from __future__ import annotations

import pytest

from cgcli.model import Basis, Count
from cgcli.providers.models import lookup
from cgcli.tokens import estimate, fit


@pytest.mark.parametrize(
    ("model", "calibration", "tokens", "basis"),
    [
        ("claude-sonnet-4-6", None, 1240, Basis.ESTIMATED),
        ("claude-opus-5-5", None, 1600, Basis.ESTIMATED),
        ("claude-opus-5-5", 1.127, 1127, Basis.ESTIMATED),
        ("gpt-5.6-sol", None, 1000, Basis.COUNTED),
        ("gpt-5.6-sol", 1.05, 1050, Basis.ESTIMATED),
        ("gpt-6-sol", None, 1000, Basis.ESTIMATED),
        (None, None, 1000, Basis.ESTIMATED),
    ],
)
def test_estimate_scales_and_says_how(model: str | None, calibration: float | None, tokens: int, basis: Basis) -> None:
    """A fitted factor replaces the documented one; only an exact encoding without a fit is `counted`."""
    assert estimate(1000, lookup(model), calibration) == Count(tokens=tokens, basis=basis)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([], None),
        ([(0, 100), (100, 0)], None),
        ([(100, 124)], 1.24),
        ([(100, 200), (900, 900)], 1.1),
        ([(100, 125), (0, 7), (100, -1)], 1.25),
        ([(1000, 199)], None),
        ([(1000, 200)], 0.2),
        ([(10, 100)], 10.0),
        ([(10, 101)], None),
    ],
    ids=["none", "unusable", "one", "sums", "some-unusable", "too-small", "smallest", "largest", "too-large"],
)
def test_fit_is_the_ratio_of_the_sums(pairs: list[tuple[int, int]], expected: float | None) -> None:
    """Recorded over counted, of usable pairs; None where there is none or the result is absurd."""
    assert fit(iter(pairs)) == expected
