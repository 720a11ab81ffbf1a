"""What a request costs that reads and writes what the simulated cache says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import Basis, Refusal, Usage, value
from cgcli.pricing.rate import Rate

if TYPE_CHECKING:
    from decimal import Decimal

    from cgcli.cachesim.simulated import Simulated
    from cgcli.pricing.rate import Unpriced


@value
class Billed:
    """One request as the simulated cache bills it."""

    simulated: Simulated | Refusal
    output_tokens: int
    usd: Decimal | None
    """None where it is unpriced, or the cache is not simulated for the model."""


def billed(simulated: Simulated | Refusal, rate: Rate | Unpriced, *, output_tokens: int) -> Billed:
    """The bill of a request that reads and writes what *simulated* says, and is answered *output_tokens*."""
    usd = None
    if not isinstance(simulated, Refusal) and isinstance(rate, Rate):
        usd = rate.usd(usage(simulated, output_tokens=output_tokens))
    return Billed(simulated=simulated, output_tokens=output_tokens, usd=usd)


def usage(simulated: Simulated, *, output_tokens: int) -> Usage:
    """What *simulated* would be as the provider's own usage."""
    return Usage(
        fresh=simulated.fresh_tokens,
        read=simulated.read_tokens,
        write_by_ttl_s=simulated.write_by_ttl_s,
        output=output_tokens,
        basis=Basis.SIMULATED,
    )
