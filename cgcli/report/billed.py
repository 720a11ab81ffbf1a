"""A simulated bill, as it stands in documents."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from cgcli.model import Basis, Refusal

if TYPE_CHECKING:
    from cgcli.cachesim.bill import Billed

_CENT_100TH = Decimal("0.0001")
_TENTH_OF_A_CENT = Decimal("0.001")
_MILLIONTH = Decimal("0.000001")


def bill(billed: Billed | None) -> dict[str, Any] | None:
    """Tokens by what becomes of them, and dollars; with the reason where the cache is not simulated."""
    if billed is None:
        return None
    simulated = billed.simulated
    refused = simulated if isinstance(simulated, Refusal) else None
    told = simulated if not isinstance(simulated, Refusal) else None
    return {
        "basis": Basis.SIMULATED.value,
        "read_tokens": told.read_tokens if told else None,
        "read_is_recorded": told.is_recorded if told else None,
        "write_tokens": {str(ttl_s): n for ttl_s, n in sorted(told.write_by_ttl_s.items()) if n} if told else None,
        "fresh_tokens": told.fresh_tokens if told else None,
        "output_tokens": billed.output_tokens,
        "why": told.why if told else None,
        "reason": refused.reason if refused else None,
        "detail": refused.detail if refused else None,
        "usd": usd(billed.usd),
    }


def usd(amount: Decimal | None) -> str | None:
    """*amount* as a decimal number in a string: nothing is rounded on the way."""
    return f"{amount:f}" if amount is not None else None


def dollars(amount: str | None) -> str:
    """*amount* for a person: four digits after the point, more where it is smaller.

    >>> dollars("1.03125"), dollars("0.00012"), dollars(None)
    ('$1.0312', '$0.000120', 'unpriced')
    """
    if amount is None:
        return "unpriced"
    number = Decimal(amount)
    step = _MILLIONTH if number and abs(number) < _TENTH_OF_A_CENT else _CENT_100TH
    return f"{'-' if number < 0 else ''}${abs(number).quantize(step):,f}"
