"""The most that a request can come to, before it is sent."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from cgcli.model import Usage, value
from cgcli.pricing.rate import Unpriced
from cgcli.wire.spans import Document, Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from cgcli.pricing.rate import Rate

HIDDEN_TOKENS = 2000
"""What a provider may add to a request: its system prompt for tools (Claude docs, pricing: 804 at most) and, for a
compaction of its own, the instruction."""
MOST_OUTPUT_TOKENS = 128_000
"""Assumed where the body sets no limit: the largest output of the models in the price table."""
_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


@value
class Bound:
    """The most that a request, or several together, can come to."""

    input_tokens: int
    output_tokens: int
    usd: Decimal | None
    """None where no price is known."""
    rule: str
    """How it was found, in a line; why there is no price."""


def bound_of(body: bytes, rate: Rate | Unpriced, *, input_tokens: int | None = None, n_passes: int = 1) -> Bound:
    """The most that *body* can come to at *rate*.

    *input_tokens* is the caller's own upper bound; without one, no token is shorter than a byte of the body. That does
    not hold for what the body only names: images and documents by URL or file id. *n_passes*: how often the provider
    may read it all in one request (a compaction at a threshold: twice).
    """
    n_input = (input_tokens if input_tokens is not None else len(body)) + HIDDEN_TOKENS
    limit = output_limit(body)
    n_output = limit if limit is not None else MOST_OUTPUT_TOKENS
    how = "given" if input_tokens is not None else "a token for every byte"
    rule = f"input: {how}, and {HIDDEN_TOKENS:,} hidden; output: "
    rule += "the body's own limit" if limit is not None else f"no limit in the body, {MOST_OUTPUT_TOKENS:,} assumed"
    usd = None
    if isinstance(rate, Unpriced):
        rule = f"no price for {rate.model or 'a model that is not named'}: {rate.reason}"
    else:
        one = _dearest(rate, n_input, n_output)
        usd = one * n_passes if one is not None else None
    return Bound(input_tokens=n_input * n_passes, output_tokens=n_output * n_passes, usd=usd, rule=rule)


def together(bounds: Iterable[Bound]) -> Bound:
    """What several requests come to at most; without a price where one of them has none."""
    all_of_them = list(bounds)
    prices = [bound.usd for bound in all_of_them]
    unpriced = [bound.rule for bound in all_of_them if bound.usd is None]
    return Bound(
        input_tokens=sum(bound.input_tokens for bound in all_of_them),
        output_tokens=sum(bound.output_tokens for bound in all_of_them),
        usd=sum((usd for usd in prices if usd is not None), start=Decimal(0)) if not unpriced else None,
        rule=unpriced[0] if unpriced else f"{len(all_of_them)} requests",
    )


def _dearest(rate: Rate, n_input: int, n_output: int) -> Decimal | None:
    """The price if all of the input were fresh, or written for whichever time costs most; a read costs less."""
    writes: list[dict[int, int]] = [{}, *({ttl_s: n_input} for ttl_s in rate.write_by_ttl_s)]
    prices = [
        rate.usd(Usage(fresh=0 if write else n_input, read=0, write_by_ttl_s=write, output=n_output))
        for write in writes
    ]
    known = [usd for usd in prices if usd is not None]
    return max(known) if len(known) == len(prices) else None


def output_limit(body: bytes) -> int | None:
    """The tokens that *body* lets the answer have; None where it does not say."""
    members = top_level(body)
    found = [n for name in _LIMITS if isinstance(n := members.get(name), int) and not isinstance(n, bool)]
    return max(found) if found else None


def model_of(body: bytes) -> str | None:
    """The model that *body* names."""
    model = top_level(body).get("model")
    return model if isinstance(model, str) else None


def top_level(body: bytes) -> Mapping[str, Any]:
    """The numbers and strings that stand at the top of *body*; nothing where it is no JSON object."""
    try:
        members = Document(body).root().members()
        return {name: node.value() for name, node in members.items() if node.kind in ("number", "string")}
    except Malformed:
        return {}
