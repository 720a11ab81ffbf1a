"""One limit: a request that reaches it asks for a summary, which takes its place as soon as it is there."""

from __future__ import annotations

from cgcli.calls.when import ASSUMED_WINDOW_TOKENS, When
from cgcli.compaction.components.parameters import check_count
from cgcli.errors import UsageError
from cgcli.model import value
from cgcli.providers.windows import window

AT_ONCE = 0
"""The threshold for applying: any request reaches it."""


@value
class Held:
    """What a model's window holds."""

    tokens: int
    is_assumed: bool
    """No table has the model."""


def held_by(model: str | None) -> Held:
    """The window of *model*."""
    found = window(model)
    if found is None:
        return Held(tokens=ASSUMED_WINDOW_TOKENS, is_assumed=True)
    return Held(tokens=found.context_tokens, is_assumed=False)


def at_limit(held: Held, *, budget_tokens: int, from_tokens: int) -> When:
    """A request of *from_tokens* or more asks; there is no amount to come down to."""
    return When(
        window_tokens=held.tokens,
        is_assumed=held.is_assumed,
        budget_tokens=budget_tokens,
        ask_tokens=from_tokens,
        apply_tokens=AT_ONCE,
        target_tokens=0,
    )


def check_budget(step: str, given: int | None) -> None:
    """Refuse all but whole numbers from 1 up, and none at all.

    Raises:
        UsageError: names the step and what is allowed.
    """
    check_count(step, "budget_tokens", given)
    if given == 0:
        raise UsageError(f"{step}: budget_tokens is 0, but must be 1 or more", hint="budget_tokens = 100000")
