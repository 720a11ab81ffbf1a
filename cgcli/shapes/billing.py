"""What history costs in each later turn, and after how many of them a summary has paid for itself."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING

from cgcli.model import Refusal
from cgcli.pricing.rate import MILLION, Rate

if TYPE_CHECKING:
    from cgcli.cachesim.bill import Billed
    from cgcli.pricing.rate import Unpriced

MOST_TURNS = 10_000
"""What takes longer to be saved never is."""


def turn_usd(tokens: int, unchanged: Billed, rate: Rate | Unpriced) -> Decimal | None:
    """What *tokens* of history cost in each later turn: read where the lane's requests are cached, else fresh.

    *unchanged* is the lane's next request: it says which of the two. None where there is no price.
    """
    simulated = unchanged.simulated
    if isinstance(simulated, Refusal) or not isinstance(rate, Rate):
        return None
    at = rate.at(tokens)
    is_cached = simulated.read_tokens + simulated.written_tokens >= simulated.fresh_tokens
    return tokens * (at.read if is_cached else at.fresh) / MILLION


def break_even_turns(extra_usd: Decimal | None, saved_usd: Decimal | None) -> int | None:
    """After how many more turns that save *saved_usd* each *extra_usd*, paid once, is saved; 0: nothing extra was paid.

    None where a price is missing, nothing is saved, or it takes more than `MOST_TURNS`.
    """
    if extra_usd is None or saved_usd is None:
        return None
    if extra_usd <= 0:
        return 0
    if saved_usd <= 0:
        return None
    turns = int((extra_usd / saved_usd).to_integral_value(rounding=ROUND_CEILING))
    return turns if turns <= MOST_TURNS else None
