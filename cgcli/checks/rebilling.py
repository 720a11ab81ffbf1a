"""What a break re-bills, in tokens and in dollars."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from cgcli.checks.base import Asked, Cost
from cgcli.checks.turn import static_items
from cgcli.dialects.settings import settings
from cgcli.model import Section
from cgcli.prefix.marked import CLAUDE_KEY, Walk, step
from cgcli.pricing.rate import MILLION, Unpriced
from cgcli.pricing.table import TTL_S, Prices, default_prices
from cgcli.providers.models import lookup
from cgcli.tokens import counter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.checks.turn import Turn
    from cgcli.model import Digest, Item, Request
    from cgcli.prefix.divergence import Divergence, Side
    from cgcli.pricing.rate import Rate
    from cgcli.providers.models import ModelFacts

_OPENAI_DEFAULT = "30m"
"""OpenAI guide, prompt caching: what `prompt_cache_options.ttl` is where it is left out."""


def given_prices(options: Mapping[str, object]) -> Prices:
    """The prices that a run was told as its option `rates`, else the table's."""
    rates = options.get("rates")
    return rates if isinstance(rates, Prices) else default_prices()


def asked(turn: Turn) -> Asked:
    """What *turn*'s request asks as a whole, and how long its input was."""
    usage = turn.exchange.usage
    return Asked(ttl=_of_request(turn.request), input_tokens=usage.input if usage is not None else None)


class Rebilling:
    """Counts what stands behind a break and was sent before; loads a vocabulary only when first asked."""

    def __init__(self, prices: Prices | None = None) -> None:
        """Count nothing yet; without *prices* those of the table hold."""
        self._prices = prices
        self._known: dict[tuple[str, Digest], int] = {}

    def __call__(self, turn: Turn) -> Cost | None:
        """The tokens behind *turn*'s break that the provider could have read, had it not broken.

        Those are the items from the break up to the last one that the request before had too: what is new on this turn
        would have been written in any case.
        """
        found = turn.breaks
        if found is None or turn.before is None:
            return None
        return self.between(turn.before, turn.request, found, asked=asked(turn))

    def between(self, before: Side, after: Side, found: Divergence, *, asked: Asked | None = None) -> Cost:
        """The same for any two requests, where *after* breaks with *before* at *found*.

        In dollars: each token at the price of writing it for the longest lifetime that a mark on it or behind it asks
        for (without one, the shortest that the provider has), less the price of reading it.
        """
        facts = lookup(after.model)
        again, behind = _behind(before, after, found)
        by_ttl: dict[str | None, int] = {}
        for item, ttl in zip(again, _lifetimes(again, behind, (asked or Asked()).ttl), strict=True):
            by_ttl[ttl] = by_ttl.get(ttl, 0) + self._tokens(facts.encoding, item)
        tokens = {ttl: round(n * float(facts.factor)) for ttl, n in by_ttl.items()}
        times = "" if facts.factor == 1 else f" x {float(facts.factor):.2f}"
        return Cost(
            tokens=sum(tokens.values()),
            basis=f"{facts.basis}: {facts.encoding}{times}",
            usd=self._usd(tokens, after, facts, asked),
        )

    def _usd(
        self, by_ttl: Mapping[str | None, int], after: Side, facts: ModelFacts, asked: Asked | None
    ) -> Decimal | None:
        rate = (self._prices or default_prices()).of(after.model)
        if isinstance(rate, Unpriced):
            return None
        if rate.tiers:
            recorded = asked.input_tokens if asked is not None else None
            rate = rate.at(recorded if recorded is not None else self._input(after, facts))
        total = Decimal(0)
        for ttl, tokens in by_ttl.items():
            write = rate.write(TTL_S[ttl] if ttl is not None else _shortest(rate, after.dialect))
            if write is None:
                return None
            total += tokens * (write - rate.read)
        return total / MILLION

    def _input(self, request: Side, facts: ModelFacts) -> int:
        items = (*static_items(request), *request.messages)
        return round(sum(self._tokens(facts.encoding, item) for item in items) * float(facts.factor))

    def _tokens(self, encoding: str, item: Item) -> int:
        key = encoding, item.rendered
        if key not in self._known:
            self._known[key] = counter(encoding).count(item.wire.decode("utf-8", "replace"))
        return self._known[key]


def _behind(before: Side, request: Side, found: Divergence) -> tuple[list[Item], Sequence[Item]]:
    """What is sent again, and what stands behind that."""
    items: list[Item] = []
    for section, now in ((Section.TOOLS, request.tools or ()), (Section.SYSTEM, request.system or ())):
        if _reaches(found.section, section):
            items += now[found.i_item if found.section is section else 0 :]
    sent = {item.rendered for item in before.messages}
    first = found.i_item if found.section is Section.MESSAGES else 0
    last = max((i for i, item in enumerate(request.messages) if item.rendered in sent), default=first - 1)
    if found.section is Section.MESSAGES:
        last = max(last, min(first, len(request.messages) - 1))
    return [*items, *request.messages[first : last + 1]], request.messages[last + 1 :]


def _reaches(broken: Section, section: Section) -> bool:
    order = list(Section)
    return order.index(section) >= order.index(broken)


def _lifetimes(again: Sequence[Item], behind: Sequence[Item], of_request: str | None) -> list[str | None]:
    """For each item of *again* the lifetime that it is written for, as written; None where nothing asks for one.

    An entry reaches from the beginning to its mark, so a mark speaks for all that stands before it, too.
    """
    longest = of_request
    for item in reversed(behind):
        longest = _longer(longest, item)
    found = []
    for item in reversed(again):
        longest = _longer(longest, item)
        found.append(longest)
    return found[::-1]


def _longer(so_far: str | None, item: Item) -> str | None:
    if not item.has(b'"ttl"'):
        return so_far
    given = [mark.ttl for mark in step(Walk(), item, 0).marks if mark.ttl in TTL_S]
    return max((ttl for ttl in (so_far, *given) if ttl is not None), key=TTL_S.__getitem__, default=None)


def _of_request(request: Request) -> str | None:
    """The lifetime that an automatic mark (Anthropic), or the cache options (OpenAI), ask for."""
    said = settings(request).get(CLAUDE_KEY if request.dialect == "anthropic" else "prompt_cache_options")
    ttl: Any = said.get("ttl") if isinstance(said, dict) else None
    return ttl if isinstance(ttl, str) and ttl in TTL_S else None


def _shortest(rate: Rate, dialect: str) -> int:
    """The lifetime, in seconds, that is written for where nothing is asked."""
    default = TTL_S[_OPENAI_DEFAULT]
    if dialect != "anthropic" and default in rate.write_by_ttl_s:
        return default
    return min(rate.write_by_ttl_s, default=0)
