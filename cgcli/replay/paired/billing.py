"""What a policy's own call costs: as its answer says it was billed, else by the simulated cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim.bill import billed
from cgcli.model import Basis, Refusal, changed

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.cachesim.simulator import Simulator
    from cgcli.model import Request, Usage
    from cgcli.pricing.table import Prices
    from cgcli.replay.paired.turns import OwnCall
    from cgcli.summarisers.protocol import Summary
    from cgcli.tokens.ruler import Ruler

_OWN_NUMBER = -1
"""How a policy's own calls are named to the simulated cache."""


class OwnBilling:
    """Bills the calls of all policies alike."""

    def __init__(self, prices: Prices, ruler: Callable[[str | None], Ruler]) -> None:
        """By *prices*; *ruler* gives the ruler of a model."""
        self._prices = prices
        self._ruler = ruler

    def of(
        self,
        told: OwnCall,
        request: Request,
        answer: Summary | Refusal,
        simulator: Simulator,
        *,
        sent_s: float | None,
    ) -> OwnCall:
        """*told* with the bill of *request*, which was answered so; *simulator* holds it from now on.

        What nobody answered was not sent, and costs nothing.
        """
        if isinstance(answer, Refusal):
            return changed(told, refused=answer.reason)
        simulated = simulator.send(request, number=_OWN_NUMBER, sent_s=sent_s, readable_s=sent_s)
        if answer.usage is not None and answer.usage.basis is Basis.MEASURED:
            return self._measured(told, answer.usage)
        ruler = self._ruler(request.model)
        output = ruler.tokens(ruler.count(answer.text))
        bill = billed(simulated, self._prices.of(request.model), output_tokens=output)
        if isinstance(simulated, Refusal):
            return changed(told, output_tokens=output, usd=bill.usd)
        return changed(
            told,
            read_tokens=simulated.read_tokens,
            write_tokens=simulated.written_tokens,
            fresh_tokens=simulated.fresh_tokens,
            output_tokens=output,
            usd=bill.usd,
        )

    def _measured(self, told: OwnCall, usage: Usage) -> OwnCall:
        return changed(
            told,
            basis=Basis.MEASURED,
            read_tokens=usage.read or 0,
            write_tokens=sum((usage.write_by_ttl_s or {}).values()),
            fresh_tokens=usage.fresh or 0,
            output_tokens=usage.output or 0,
            usd=self._prices.usd(told.model, usage),
        )
