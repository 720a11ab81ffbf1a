"""G-FORK-COST: summariser calls are a small part of what the run costs."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from cgcli.checks.base import Finding, Rule
from cgcli.checks.forks import NO_CALLS, Calls
from cgcli.checks.rebilling import given_prices
from cgcli.checks.verdict import INDEPENDENT, settle
from cgcli.model import value
from cgcli.pricing.rate import Unpriced

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.checks.base import Context, Result
    from cgcli.checks.forks import Call
    from cgcli.checks.turn import Turn
    from cgcli.lanes import Lane

MOST_SHARE = Decimal("0.30")
"""Of the run's cost. What the source measured, call by call, for a run in which forking did not pay."""

_MOST_NAMES = 3

RULE = Rule(
    gate="G-FORK-COST",
    title="Summariser calls are a small part of what the run costs",
    checks=(
        "What all summariser calls of the file cost together, standalone ones too, as a share of what all its requests "
        "cost: from the usage that the provider recorded for each request, and the prices of --rates FILE, else of the "
        f"built-in table. It fails where the share is above a limit: {MOST_SHARE:.0%} unless another one is given. "
        "Where usage or prices of some requests are missing, it fails or passes only if it would do so whatever they "
        "are, and is unknown else. A model without a price is never free."
    ),
    why=(
        "A fork is cheap per token and has a long prompt; a standalone call is dear per token and has a short one. "
        "Which one costs less depends on the span. A fork that is aligned and read can still cost more than it saves."
    ),
    failing="run $1.20, of which 14 summariser calls $0.42: 35.0 %",
    passing="run $0.86, of which 14 summariser calls $0.08: 9.3 %",
    fix=(
        "Summarise less often and more at once. Fork where the span is a large part of the prompt, call standalone "
        "where it is a small one (at usual prices the two cost the same where the span is about a fifth of the "
        "prompt). See that forks are aligned and read: G-FORK-PREFIX, G-FORK-CACHED."
    ),
    proves_not=(
        "That the run got cheaper than it would have been with other calls, or none: that takes a paired run. What a "
        "compaction re-bills on the lane itself is not in the share."
    ),
    source="microsoft/amplifier-module-context-simple, G-FORK-COST: each call's own usage, and the run's total.",
    since="0.2.0",
)


@value
class _Billed:
    """What one call cost; None where that is not known."""

    line: int
    i_exchange: int
    usd: Decimal | None


class ForkCost:
    """The gate."""

    rule = RULE

    def start(self, context: Context) -> Run:
        """Begin on a file; *context*'s options may have `rates` (Prices) and `max_call_share` (0 to 1)."""
        return Run(context)


class Run:
    """G-FORK-COST at work."""

    def __init__(self, context: Context) -> None:
        """Nothing was billed yet."""
        self._context = context
        limit = context.options.get("max_call_share")
        self._prices = given_prices(context.options)
        self._limit = Decimal(str(limit)) if limit is not None else MOST_SHARE
        self._calls = Calls(self._bill)
        self._billed: list[_Billed] = []
        self._run_usd = Decimal(0)
        self._n_unbilled = 0
        self._dated: dict[str, None] = {}
        """Of which days the prices were, in the order in which they were needed."""
        self._unpriced: dict[str | None, None] = {}

    def see(self, turn: Turn) -> Iterator[Finding]:
        """Add what the request cost."""
        if self._context.is_independent:
            return
        usd = self._usd(turn)
        self._run_usd += usd or 0
        self._n_unbilled += usd is None
        self._billed += self._calls.see(turn)
        yield from ()

    def result(self, findings: tuple[Finding, ...], lanes: tuple[Lane, ...]) -> Result:
        """Fail where the share is above the limit, whatever is not known; pass where it is not."""
        del lanes
        billed = [*self._billed, *self._calls.rest()]
        unknown = self._unknown(billed)
        if billed and unknown is None:
            findings = (*findings, self._share(billed))
        return settle(
            RULE,
            unit="summariser calls",
            checked=len(billed),
            findings=findings,
            nothing=INDEPENDENT if self._context.is_independent else NO_CALLS,
            unknown=unknown,
        )

    def _unknown(self, billed: list[_Billed]) -> str | None:
        """Why the share cannot be held against the limit."""
        unbilled_calls = sum(call.usd is None for call in billed)
        is_above = self._calls_usd(billed) > self._limit * self._run_usd
        # A call that is not billed can only raise the share, any other request only lower it.
        if (is_above and self._n_unbilled == unbilled_calls) or (not is_above and not unbilled_calls):
            return None
        names = [model or "(not recorded)" for model in self._unpriced]
        more = ", …" if len(names) > _MOST_NAMES else ""
        unpriced = f"; no price (--rates FILE) for {', '.join(names[:_MOST_NAMES])}{more}" if names else ""
        return (
            f"usage or prices of {unbilled_calls} summariser calls and "
            f"{self._n_unbilled - unbilled_calls} other requests are missing{unpriced}"
        )

    def _share(self, billed: list[_Billed]) -> Finding:
        calls_usd = self._calls_usd(billed)
        share = calls_usd / self._run_usd if self._run_usd else Decimal(0)
        is_above = calls_usd > self._limit * self._run_usd
        rest = f"; {self._n_unbilled} requests are not billed" if self._n_unbilled else ""
        first = min(billed, key=lambda call: call.i_exchange)
        return Finding(
            message=f"summariser calls ({len(billed)}) cost ${calls_usd:.4f} of ${self._run_usd:.4f} ({share:.1%}), "
            f"measured, at prices {' and '.join(self._dated)}; the limit is {self._limit:.0%}{rest}",
            line=first.line,
            i_exchange=first.i_exchange,
            kind="call_share",
            is_note=not is_above,
        )

    @staticmethod
    def _calls_usd(billed: list[_Billed]) -> Decimal:
        return sum((call.usd for call in billed if call.usd is not None), start=Decimal(0))

    def _bill(self, call: Call) -> _Billed:
        return _Billed(line=call.turn.line, i_exchange=call.turn.i_exchange, usd=self._usd(call.turn))

    def _usd(self, turn: Turn) -> Decimal | None:
        usage = turn.exchange.usage
        if usage is None:
            return None
        rate = self._prices.of(turn.request.model)
        if isinstance(rate, Unpriced):
            self._unpriced[turn.request.model] = None
            return None
        self._dated[rate.dated] = None
        return rate.usd(usage)
