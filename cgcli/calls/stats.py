"""What is said of the last call for a summary (amplifier's `last_summary_call_stats`), and what a session adds up."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from cgcli.model import value

if TYPE_CHECKING:
    from cgcli.calls.call import CallMode, PrefixSource

DEFAULT_MIN_SPAN_RATIO = 0.22
"""amplifier's break-even for `auto`, from the prices of one model; for models that no price is known of."""


@value
class SpanMeasure:
    """How much of the parent the span is; both in the model's tokens."""

    span_tokens: int
    prefix_tokens: int
    span_ratio: float | None
    """None where the parent has no tokens."""
    min_span_ratio: float
    """A fork is made from here on, this value included."""

    @property
    def pays(self) -> bool:
        """True where a fork is to be made; without a ratio there is no opinion, and it is."""
        return self.span_ratio is None or self.span_ratio >= self.min_span_ratio


def measure(span_tokens: int, prefix_tokens: int, min_span_ratio: float) -> SpanMeasure:
    """The measure of a span of *span_tokens* in a parent of *prefix_tokens*."""
    return SpanMeasure(
        span_tokens=span_tokens,
        prefix_tokens=prefix_tokens,
        span_ratio=span_tokens / prefix_tokens if prefix_tokens > 0 else None,
        min_span_ratio=min_span_ratio,
    )


@value
class CallStats:
    """The last call; the two counters are the session's."""

    mode_requested: str
    mode_used: CallMode | None
    """None where no call was made."""
    reason: str | None
    """Why the mode used is not the one that was asked for, by its short name; None where it is."""
    detail: str | None
    """The same, for a person."""
    prefix_messages: int
    """The parent's messages at the head of a fork; else 0."""
    prefix_source: PrefixSource | None
    """Of a fork; else None."""
    prefix_views_since_send: int | None
    """Of the parent that a fork was asked from, made or not; None where there was none, or no fork was asked for."""
    fork_fallbacks: int
    fork_declines: int
    span_measure: SpanMeasure | None = None
    """None where nobody asked whether it pays."""


@value
class Session:
    """What a session's calls add up to."""

    fork_fallbacks: int = 0
    """Forks that could not be made: standalone calls in their place."""
    fork_declines: int = 0
    """Forks that could be made and would not have paid. Never among the fallbacks."""
    native_refusals: int = 0
    """Nothing was put in their place."""
    warned: frozenset[str] = frozenset()
    """The reasons that were warned of."""
    last: CallStats | None = None
    """None before the first call."""


def usable_ratio(given: object) -> tuple[float | None, str | None]:
    """The least span ratio that *given* means, and a warning where it means none.

    None and 0 switch the predicate off; more than 1 is legal and never forks.
    """
    if given is None:
        return None, None
    if isinstance(given, bool) or not isinstance(given, int | float) or isnan(given) or given < 0:
        return None, f"min_span_ratio {given!r} is no number from 0 on: every fork is made, however small its span"
    return (float(given) or None), None
