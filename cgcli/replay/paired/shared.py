"""What all policies of a replay go by: one ruler a model, one table of prices, one kind of cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim.simulator import Simulator
from cgcli.replay.paired.billing import OwnBilling
from cgcli.replay.paired.regret import Fragments
from cgcli.tokens import counter
from cgcli.tokens.meter import Meter
from cgcli.tokens.ruler import Ruler

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.cachesim.options import CacheOptions
    from cgcli.pricing.rate import Rate, Unpriced
    from cgcli.pricing.table import Prices


class Shared:
    """Each distinct text is counted once for all policies; nothing else passes from one to another."""

    def __init__(self, prices: Prices, cache: CacheOptions, rulers: Mapping[str | None, Ruler]) -> None:
        """*rulers* are those that were fitted to recorded usage; a model without one gets the table's."""
        self.prices = prices
        self.cache = cache
        self.rulers = dict(rulers)
        self._rates: dict[str | None, Rate | Unpriced] = {}
        self.meters: dict[str, Meter] = {}
        """By encoding."""
        self.fragments = Fragments()
        self.billing = OwnBilling(prices, self.ruler)
        for ruler in self.rulers.values():
            self._share(ruler)
        self._simulator = Simulator(self.ruler, options=cache)

    def simulator(self) -> Simulator:
        """A simulated cache that holds nothing; all measure each request once."""
        return self._simulator.beside()

    def rate(self, model: str | None) -> Rate | Unpriced:
        """What *model* costs; looked up once."""
        known = self._rates.get(model)
        if known is None:
            known = self._rates[model] = self.prices.of(model)
        return known

    def ruler(self, model: str | None) -> Ruler:
        """The one ruler of *model*."""
        known = self.rulers.get(model)
        if known is None:
            known = self.rulers[model] = Ruler(model)
            self._share(known)
        return known

    def meter(self, encoding: str) -> Meter:
        """The one meter of *encoding*."""
        known = self.meters.get(encoding)
        if known is None:
            known = self.meters[encoding] = Meter(counter(encoding).count)
        return known

    def _share(self, ruler: Ruler) -> None:
        ruler.meter = self.meter(ruler.encoding)
