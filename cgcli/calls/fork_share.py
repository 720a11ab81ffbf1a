"""What share of its parent a span must have for a fork to pay, by the simulated cache and the prices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim.bill import billed
from cgcli.cachesim.break_even import min_span_ratio
from cgcli.cachesim.simulator import Simulator
from cgcli.model import Refusal
from cgcli.readers.single import BodyParser
from cgcli.tokens.ruler import Ruler

if TYPE_CHECKING:
    from cgcli.calls.call import Asking, Call
    from cgcli.pricing.table import Prices


def least_share(asking: Asking, fork: Call, standalone: Call, prices: Prices) -> float | None:
    """From which share on *fork* costs no more than *standalone*, sent right behind the parent; below 0 is told as 0.

    The parent's own marks decide what the fork reads: without any, or below the provider's minimum, it reads nothing.
    Answers are taken to be as long either way. None where the cache is not simulated for the model, or it is unpriced.
    """
    parser = BodyParser()
    parent = asking.parent.request
    rulers = {parent.model: asking.ruler if asking.ruler is not None else Ruler(parent.model)}
    simulator = Simulator(lambda model: rulers.setdefault(model, Ruler(model)))
    if isinstance(simulator.send(parent, number=0, sent_s=None), Refusal):
        return None
    rate, ruler = prices.of(parent.model), rulers[parent.model]
    bills = [
        billed(simulator.what_if(parser.parse(call.body), sent_s=None), rate, output_tokens=0)
        for call in (fork, standalone)
    ]
    found = min_span_ratio(
        bills[0],
        bills[1],
        rate,
        span_tokens=ruler.tokens(asking.selection.tokens),
        parent_tokens=ruler.tokens(ruler.measure(parent).total),
    )
    return max(0.0, found) if found is not None else None
