"""Money: what may be spent is asked before every sending, what was spent is counted after it."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from cgcli.model import Refusal, Usage, value
from cgcli.pricing.rate import Unpriced

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.live.bound import Bound
    from cgcli.pricing.rate import Rate

_NOTHING = Decimal(0)


@value
class Account:
    """What was spent so far. Tokens and dollars are what the providers' usage says, unless a name says otherwise."""

    max_usd: Decimal | None
    n_answered: int
    n_lost: int
    """Sent, and whether they were billed is not known: counted at the most that they can have come to."""
    n_refused: int
    """Not sent, because of the ceiling."""
    n_unpriced: int
    """Answered, and not in `usd`: no price is known."""
    n_over_bound: int
    """Billed for more than the most that was expected."""
    fresh_tokens: int
    read_tokens: int
    written_tokens: int
    output_tokens: int
    usd: Decimal
    usd_at_most: Decimal
    """With the lost ones."""


class Budget:
    """What a run may spend, and has spent."""

    def __init__(self, max_usd: Decimal | None = None) -> None:
        """Begin with nothing spent; without a ceiling everything is only counted."""
        self._max_usd = max_usd
        self._spent = _NOTHING
        self._lost = _NOTHING
        self._held = _NOTHING
        self._numbers = dict.fromkeys(("answered", "lost", "refused", "unpriced", "over_bound"), 0)
        self._tokens = dict.fromkeys(("fresh", "read", "written", "output"), 0)

    def call(self, bound: Bound, rate: Rate | Unpriced) -> Spending:
        """The money of one request that comes to *bound* at most."""
        return Spending(self, bound, rate)

    def account(self) -> Account:
        """What was spent so far."""
        return Account(
            max_usd=self._max_usd,
            **{f"n_{name}": n for name, n in self._numbers.items()},
            **{f"{name}_tokens": n for name, n in self._tokens.items()},
            usd=self._spent,
            usd_at_most=self._spent + self._lost,
        )

    def hold(self, bound: Bound) -> Refusal | None:
        """Set aside what *bound* says, or say why not."""
        if self._max_usd is not None:
            refusal = self._too_much(bound, self._max_usd)
            if refusal is not None:
                self._numbers["refused"] += 1
                return refusal
        self._held += bound.usd or _NOTHING
        return None

    def _too_much(self, bound: Bound, most: Decimal) -> Refusal | None:
        if bound.usd is None:
            return Refusal(reason="unpriced", detail=f"a ceiling of ${most:f} cannot be kept: {bound.rule}")
        left = most - self._spent - self._lost - self._held
        if bound.usd <= left:
            return None
        may, rest = f"${bound.usd:.4f} ({bound.rule})", f"${max(left, _NOTHING):.4f} of ${most:f}"
        return Refusal(reason="max_usd", detail=f"it may come to {may}, and {rest} is left")

    def release(self, bound: Bound) -> None:
        """Give back what was set aside."""
        self._held -= bound.usd or _NOTHING

    def count_lost(self, bound: Bound) -> None:
        """Count a request of which nothing is known but its bound."""
        self._numbers["lost"] += 1
        self._lost += bound.usd or _NOTHING

    def count(self, usage: Usage, bound: Bound, rate: Rate | Unpriced) -> Decimal | None:
        """Count what an answer says that it billed, in dollars too where they are known."""
        self._numbers["answered"] += 1
        for part in _parts(usage):
            self._tokens["fresh"] += part.fresh or 0
            self._tokens["read"] += part.read or 0
            self._tokens["written"] += sum((part.write_by_ttl_s or {}).values())
            self._tokens["output"] += part.output or 0
        usd = None if isinstance(rate, Unpriced) else rate.usd(usage)
        if usd is None:
            self._numbers["unpriced"] += 1
            self._lost += bound.usd or _NOTHING  # a price is known, and the usage does not say enough
            return None
        self._numbers["over_bound"] += bound.usd is not None and usd > bound.usd
        self._spent += usd
        return usd


class Spending:
    """One request's money. A request that is sent again needs it anew, unless it is certain that it was not billed."""

    def __init__(self, budget: Budget, bound: Bound, rate: Rate | Unpriced) -> None:
        """Nothing is set aside yet."""
        self._budget = budget
        self.bound = bound
        self._rate = rate
        self._is_held = False

    def refused(self) -> Refusal | None:
        """Ask before each sending: None where the request may be sent, and its money is set aside."""
        if self._is_held:
            return None
        refusal = self._budget.hold(self.bound)
        self._is_held = refusal is None
        return refusal

    def lost(self) -> None:
        """It was sent, and whether it was billed is not known: the most that it can have come to is gone."""
        self._let_go()
        self._budget.count_lost(self.bound)

    def billed(self, usage: Usage | None) -> Decimal | None:
        """It was answered: count what the answer says, in dollars; None where that is not known."""
        if usage is None:
            self.lost()
            return None
        self._let_go()
        return self._budget.count(usage, self.bound, self._rate)

    def free(self) -> None:
        """It ended without having been billed."""
        self._let_go()

    def _let_go(self) -> None:
        if self._is_held:
            self._budget.release(self.bound)
            self._is_held = False


def _parts(usage: Usage) -> Iterator[Usage]:
    """What is billed: the iterations, where the answer has them."""
    yield from usage.iterations or (usage,)
