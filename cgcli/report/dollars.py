"""US dollars as people read them."""

from __future__ import annotations

from decimal import Decimal

UNPRICED = "unpriced"
_CENT = Decimal("0.01")
_SMALL = Decimal("0.1")
_DECIMALS = 4
"""Of an amount that is less than ten cents; more where it would have only one digit."""


def dollars(amount: Decimal) -> str:
    """*amount* in cents; one below ten cents with as many decimals as it takes to show it.

    >>> dollars(Decimal("1234.567")), dollars(Decimal("0.00245295")), dollars(Decimal("0.0000172"))
    ('$1,234.57', '$0.0025', '$0.000017')
    """
    size = abs(amount)
    step = _CENT if size >= _SMALL or not size else Decimal(1).scaleb(min(-_DECIMALS, size.adjusted() - 1))
    sign = "-" if amount < 0 else ""
    return f"{sign}${size.quantize(step):,f}"


def priced(amount: str | None) -> str:
    """*amount*, a decimal number as it stands in documents, in dollars; or that there is no price.

    >>> priced("0.5"), priced(None)
    ('$0.50', 'unpriced')
    """
    return UNPRICED if amount is None else dollars(Decimal(amount))
