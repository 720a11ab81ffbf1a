"""What a token is worth on one turn: the prices, whether the provider caches, and how full the model's window is."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from cgcli.dialects.settings import settings
from cgcli.pricing.rate import Unpriced
from cgcli.providers.cache_rules import MARKED, family
from cgcli.providers.models import lookup
from cgcli.providers.windows import window

if TYPE_CHECKING:
    from decimal import Decimal

    from cgcli.compaction.state import Held
    from cgcli.model import Request
    from cgcli.pricing.rate import Rate
    from cgcli.pricing.table import Prices


class Market:
    """One request's; what nobody asks for is never found out."""

    def __init__(self, request: Request, held: Held, prices: Prices) -> None:
        """See *request*, whose prefix is *held*, at *prices*."""
        self._request = request
        self._prices = prices
        self.is_cold = held.is_cold
        """The cache has lapsed by the recorded times; where they do not tell, it counts as warm."""
        self.n_sent = held.n_messages
        """How many leading messages were sent before, as far as is known."""

    def rate_of(self, model: str) -> Rate | Unpriced:
        """The prices of *model*."""
        return self._prices.of(model)

    @cached_property
    def rate(self) -> Rate | Unpriced:
        """The prices of the request's own model."""
        return self._prices.of(self._request.model)

    @property
    def dialect(self) -> str:
        """The request's."""
        return self._request.dialect

    @cached_property
    def caches(self) -> bool:
        """True where the provider caches the request: by its marks with Claude, else by a price for reading.

        A model without a price, such as a local one, counts as one without a cache.
        """
        request = self._request
        if family(request.dialect, request.model) in MARKED:
            return self._is_marked
        return not isinstance(self.rate, Unpriced) and self.rate.read < self.rate.fresh

    @property
    def _is_marked(self) -> bool:
        request = self._request
        items = (*reversed(request.messages), *(request.system or ()), *(request.tools or ()))
        if any(part.mark is not None for item in items for part in item.parts):
            return True
        return settings(request).get("cache_control") is not None  # the automatic mark

    def saved_usd(self) -> tuple[Decimal, Decimal] | None:
        """Per million tokens: what one that is not sent saves now, and on each later request; None without prices.

        Without a cache the price of fresh input both times. With one the price of a read; where it has lapsed, and all
        is written anew, that of a write, now.
        """
        rate = self.rate
        if isinstance(rate, Unpriced):
            return None
        if not self.caches:
            return rate.fresh, rate.fresh
        return self._written(rate) if self.is_cold else rate.read, rate.read

    def _written(self, rate: Rate) -> Decimal:
        return min(rate.write_by_ttl_s.values()) if rate.write_by_ttl_s else rate.fresh

    @cached_property
    def factor(self) -> float:
        """The model's tokens for each counted one."""
        return float(lookup(self._request.model).factor)

    def fullness(self, counted_tokens: int) -> float | None:
        """The share of the model's window that so many counted tokens take; None for a window that is not known."""
        found = window(self._request.model)
        return counted_tokens * self.factor / found.context_tokens if found is not None else None

    @cached_property
    def n_turns(self) -> int:
        """How often the assistant has spoken."""
        return sum(item.role == "assistant" for item in self._request.messages)
