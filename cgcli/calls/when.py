"""When a summary is wanted: one arithmetic for ours and for the provider's own compaction."""

from __future__ import annotations

from cgcli.errors import UsageError
from cgcli.model import value
from cgcli.providers.windows import window

ASSUMED_WINDOW_TOKENS = 200_000
"""For a model whose window no table has (amplifier's fallback)."""
OUTPUT_SHARE = 0.5
"""Of the longest answer, kept free in the window (amplifier's `output_reserve_fraction`)."""
SAFETY_TOKENS = 4096
"""Kept free beside that (amplifier's margin)."""
ASK_AT = 0.60
"""Of the budget; amplifier's `summary_trigger`."""
APPLY_AT = 0.92
"""Of the budget; amplifier's `compact_threshold`."""
TARGET = 0.50
"""Of the budget; amplifier's `target_usage`."""


@value
class When:
    """The thresholds for one model, in its own tokens."""

    window_tokens: int
    """The model's context window."""
    is_assumed: bool
    """The window is the one that is assumed for models that no table has."""
    budget_tokens: int
    """What a request may have."""
    ask_tokens: int
    """From here on a summary is asked for."""
    apply_tokens: int
    """From here on it is put in its place; where the provider compacts by itself, its trigger."""
    target_tokens: int
    """What a request is to have afterwards."""


def when(
    model: str | None,
    *,
    budget_tokens: int | None = None,
    ask_at: float = ASK_AT,
    apply_at: float = APPLY_AT,
    target: float = TARGET,
) -> When:
    """The thresholds for *model*: shares of the budget, which is its window less half an answer and a margin.

    *budget_tokens* takes the place of that budget.

    Raises:
        UsageError: a share is not above 0 and up to 1, a summary would be applied before it is asked for or leave a
            request at the threshold, or the budget is below 1.
    """
    for name, share in (("ask_at", ask_at), ("apply_at", apply_at), ("target", target)):
        if not 0 < share <= 1:
            raise UsageError(f"{name} is {share!r}, but must be above 0 and at most 1", hint=f"{name} = 0.5")
    if ask_at > apply_at:
        raise UsageError(f"ask_at ({ask_at:g}) is above apply_at ({apply_at:g})", hint="ask before you apply")
    if target >= apply_at:
        raise UsageError(f"target ({target:g}) is not below apply_at ({apply_at:g})", hint="target = 0.5")
    if budget_tokens is not None and budget_tokens < 1:
        raise UsageError(f"budget_tokens is {budget_tokens}, but must be 1 or more", hint="budget_tokens = 100000")
    found = window(model)
    window_tokens = found.context_tokens if found is not None else ASSUMED_WINDOW_TOKENS
    output_tokens = found.output_tokens if found is not None else 0
    budget = budget_tokens
    if budget is None:
        budget = window_tokens - int(output_tokens * OUTPUT_SHARE) - SAFETY_TOKENS
    return When(
        window_tokens=window_tokens,
        is_assumed=found is None,
        budget_tokens=budget,
        ask_tokens=int(budget * ask_at),
        apply_tokens=int(budget * apply_at),
        target_tokens=int(budget * target),
    )
