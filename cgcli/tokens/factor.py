"""From counted tokens to a model's tokens, where its tokenizer is not public."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import Basis, Count

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cgcli.providers.models import ModelFacts

MIN_FACTOR = 0.2
MAX_FACTOR = 10.0
"""A fitted factor outside of these says that the pairs do not belong together, not what a token is."""


def estimate(raw_tokens: int, facts: ModelFacts, calibration: float | None = None) -> Count:
    """What *raw_tokens*, counted in the model's encoding, are for the model.

    *calibration* (see `fit`) takes the place of the documented factor. The basis is `counted` only where the
    encoding is the model's own and nothing was fitted.
    """
    if calibration is None:
        return Count(tokens=round(raw_tokens * facts.factor), basis=facts.basis)
    return Count(tokens=round(raw_tokens * calibration), basis=Basis.ESTIMATED)


def fit(pairs: Iterable[tuple[int, int]]) -> float | None:
    """The factor that makes the counted sum the recorded sum; None where that cannot be told.

    Each pair is (counted tokens, recorded input tokens) of one request; pairs with a zero are left out.
    Sums, not a mean of ratios: a big request says more about the tokenizer than a small one.

    >>> fit([(100, 125), (300, 375), (0, 12)])
    1.25
    """
    usable = [(counted, recorded) for counted, recorded in pairs if counted > 0 and recorded > 0]
    if not usable:
        return None
    factor = sum(recorded for _, recorded in usable) / sum(counted for counted, _ in usable)
    return factor if MIN_FACTOR <= factor <= MAX_FACTOR else None
