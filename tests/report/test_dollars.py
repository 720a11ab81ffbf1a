"""Dollars as people read them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from cgcli.report.dollars import dollars


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        ("0", "$0.00"),
        ("1", "$1.00"),
        ("1234.567", "$1,234.57"),
        ("0.1", "$0.10"),
        ("0.0999", "$0.0999"),
        ("0.01234", "$0.0123"),
        ("0.00245295", "$0.0025"),
        ("0.0000172", "$0.000017"),
        ("0.000000001", "$0.0000000010"),
        ("1E-7", "$0.00000010"),
        ("-0.5", "-$0.50"),
    ],
)
def test_an_amount_is_shown(amount: str, shown: str) -> None:
    """In cents from ten cents on; below that with four decimals, or two digits, so that nothing small looks free."""
    assert dollars(Decimal(amount)) == shown
