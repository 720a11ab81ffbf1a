"""From which share of its parent on a span costs a fork no more than a standalone call."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from cgcli.cachesim.bill import usage
from cgcli.model import Refusal, value
from cgcli.pricing.rate import MILLION, Rate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.cachesim.bill import Billed
    from cgcli.cachesim.simulated import Simulated
    from cgcli.pricing.rate import Unpriced


def min_span_ratio(
    fork: Billed | None, standalone: Billed | None, rate: Rate | Unpriced, *, span_tokens: int, parent_tokens: int
) -> float | None:
    """The share of the parent from which on, up to all of it, a span costs a fork no more than a standalone call.

    A fork costs the same whatever the span; of a standalone call, which *rate* is for, only the span changes. What a
    token of that costs is what its user message costs here (written where the provider writes it, else fresh), at the
    price of the tier that so large a call comes into. Both token counts are by one ruler. None where one of the two has
    no price. Below 0: a fork is always cheaper; above 1: never.
    """
    if fork is None or standalone is None or fork.usd is None or standalone.usd is None or not parent_tokens:
        return None
    if isinstance(standalone.simulated, Refusal) or not isinstance(rate, Rate):
        return None
    beside = standalone.simulated.input_tokens - span_tokens
    pieces = _pieces(standalone.simulated, rate, output_tokens=standalone.output_tokens)
    least = _least_input(fork.usd, pieces, beside + parent_tokens)
    return float((least - beside) / parent_tokens) if least is not None else None


@value
class _Piece:
    """What a call costs by its input, as a line; from a number of input tokens on, up to the next piece."""

    first_tokens: int | None
    """None: from the smallest one on."""
    usd: Decimal
    """Where the line stands at no input."""
    token_usd: Decimal

    def at(self, input_tokens: int) -> Decimal:
        """The cost of a call with so much input."""
        return self.usd + input_tokens * self.token_usd

    def reaches(self, usd: Decimal) -> Decimal | None:
        """With how much input the line is at *usd*; None for a level one."""
        return (usd - self.usd) / self.token_usd if self.token_usd else None


def _pieces(simulated: Simulated, rate: Rate, *, output_tokens: int) -> list[_Piece]:
    """The cost of a call like *simulated*, were its user message shorter or longer: one piece a price tier."""
    ttl_s = max((ttl_s for ttl_s, tokens in simulated.write_by_ttl_s.items() if tokens), default=None)
    told = usage(simulated, output_tokens=output_tokens)
    pieces = []
    for first_tokens in (None, *(tier.above_tokens + 1 for tier in rate.tiers)):
        flat = rate.at(first_tokens or 0)
        price, usd = flat.fresh if ttl_s is None else flat.write(ttl_s), flat.usd(told)
        if price is not None and usd is not None:
            token_usd = price / MILLION
            pieces.append(
                _Piece(first_tokens=first_tokens, usd=usd - simulated.input_tokens * token_usd, token_usd=token_usd)
            )
    return pieces


def _least_input(usd: Decimal, pieces: Sequence[_Piece], most_tokens: int) -> Decimal | None:
    """From how much input on, up to *most_tokens*, a call costs *usd* or more; what is beyond that where none does.

    Between two pieces there is a step, and the first number behind it may be the answer. None: not by any input, or
    by every one because it is free.
    """
    within = [piece for piece in pieces if piece.first_tokens is None or piece.first_tokens <= most_tokens]
    stop, least = most_tokens, None
    for piece in reversed(within):
        if piece.at(stop) < usd:
            break
        least = piece.reaches(usd)
        if piece.first_tokens is None:
            return least
        if least is not None and least > piece.first_tokens:
            return least
        least, stop = Decimal(piece.first_tokens), piece.first_tokens - 1
    return least if least is not None else _beyond(usd, pieces[len(within) - 1 :])


def _beyond(usd: Decimal, pieces: Sequence[_Piece]) -> Decimal | None:
    """The same where the first of *pieces* does not come to *usd* in the span's own parent."""
    for i, piece in enumerate(pieces):
        first = Decimal(piece.first_tokens) if i and piece.first_tokens is not None else None
        if first is not None and piece.at(int(first)) >= usd:
            return first
        least = piece.reaches(usd)
        after = pieces[i + 1].first_tokens if i + 1 < len(pieces) else None
        if least is not None and (after is None or least < after):
            return least
    return None
