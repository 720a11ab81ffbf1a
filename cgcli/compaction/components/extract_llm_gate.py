"""Does a call about one output pay? Its price against what it is likely to save on this request and later ones.

    saving = size x ratio x (v + reuses x v_repeat)
    cost   = (prompt + min(size, 5000) + context) x fresh + max(200, answer) x output

Source: context-guru, components/offload/extract_econ.go at da73fed. Two things are reckoned as they are here: tokens
are the models' own, on both sides; and the model writes the shorter text itself where the proxy's writes a filter of
200 tokens, so an answer that is to be longer costs more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import Usage, value
from cgcli.pricing.rate import MILLION, Unpriced
from cgcli.providers.models import lookup

if TYPE_CHECKING:
    from decimal import Decimal

    from cgcli.compaction.extraction import Facts
    from cgcli.compaction.market import Market

SHOWN_TOKENS = 5000
"""As much of an output as the model is shown."""
_LEAST_ANSWER_TOKENS = 200
_PRIOR_RATIO = 0.12
"""Which share of an output goes, before anything is known of the lane (measured by context-guru: 0.10 to 0.12)."""
_PRIOR_TOKENS = 8000
"""What that is worth against what the lane shows."""
_MOST_RATIO = 0.60
_SAMPLE_TOKENS = 1500
"""With less the lane shows nothing."""
_REUSES_SEEN, _REUSES, _REUSES_LATE = 6, 4, 3
"""On how many later requests the output is left out, too: of one that was sent before, of a new one, and late."""
_LATE_TURNS = 20
_PRESSED, _GROWING_PRESSED = 0.60, 0.25
"""The share of the window from which on it presses, and from which on where the lane grows fast."""
_FAST_GROWTH = 0.10
"""Of the request, since the one before."""


@value
class Stakes:
    """What is at stake with one call."""

    saving_usd: Decimal
    cost_usd: Decimal


def stakes(
    market: Market,
    model: str,
    *,
    tokens: int,
    asked_tokens: int,
    saved_tokens: int,
    is_repeat: bool,
    call: tuple[int, int],
) -> Stakes | None:
    """The stakes of asking *model* about an output of *tokens*; None where one of the two models has no price.

    The lane's calls were about *asked_tokens* so far and saved *saved_tokens*; *call* are the tokens of the question
    and of the answer that is wanted. All are counted.
    """
    worth, rate = market.saved_usd(), market.rate_of(model)
    if worth is None or isinstance(rate, Unpriced):
        return None
    now, later = worth
    gone = round(tokens * market.factor * ratio(asked_tokens, saved_tokens))
    factor = float(lookup(model).factor)
    asked, answered = call
    cost = rate.usd(
        Usage(
            fresh=round(asked * factor),
            read=0,
            write_by_ttl_s={},
            output=round(max(_LEAST_ANSWER_TOKENS, answered) * factor),
        )
    )
    if cost is None:
        return None
    reused = reuses(is_repeat=is_repeat, n_turns=market.n_turns)
    return Stakes(saving_usd=gone * (now + reused * later) / MILLION, cost_usd=cost)


def ratio(asked_tokens: int, saved_tokens: int) -> float:
    """Which share of an output is likely to go: what the lane's calls saved, drawn towards 0.12, at most 0.60.

    >>> [round(ratio(*lane), 3) for lane in ((0, 0), (1000, 900), (8000, 4000), (8000, 0), (10**9, 10**9))]
    [0.12, 0.12, 0.31, 0.06, 0.6]
    """
    if asked_tokens < _SAMPLE_TOKENS:
        return _PRIOR_RATIO
    return min(_MOST_RATIO, (saved_tokens + _PRIOR_RATIO * _PRIOR_TOKENS) / (asked_tokens + _PRIOR_TOKENS))


def reuses(*, is_repeat: bool, n_turns: int) -> int:
    """On how many later requests what is left out now is left out again, after *n_turns* of the assistant."""
    if is_repeat:
        return _REUSES_SEEN
    return _REUSES_LATE if n_turns >= _LATE_TURNS else _REUSES


def presses(facts: Facts) -> bool:
    """True where the model's window is nearly full, or is filling fast; and where it is not known."""
    fullness = facts.market.fullness(facts.request_tokens)
    if fullness is None or fullness > _PRESSED:
        return True
    before = facts.lane_tokens
    growth = (facts.request_tokens - before) / facts.request_tokens if 0 < before < facts.request_tokens else 0
    return fullness > _GROWING_PRESSED and growth > _FAST_GROWTH
