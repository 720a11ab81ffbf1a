"""Which summaries may take the place of what they stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import Refusal
from cgcli.summarisers.guarding import forges

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.summarisers.protocol import Summary


def accept(
    summary: Summary, *, span_tokens: int, count: Callable[[str], int], needs_block: bool = False
) -> Summary | Refusal:
    """*summary*, or why it may not stand for a span of *span_tokens*; *count* counts a text as the span was counted.

    In this order: the fault of the answer itself, `empty`, `forged_marker`, `not_smaller` (equality refuses). A
    provider's own block goes back as it came, and may be opaque: no text in it is judged, but one that is readable must
    be smaller. With *needs_block*, for a native call, an answer without one is refused as `no_block`.
    """
    if summary.fault is not None:
        return summary.fault
    if summary.block is not None:
        return _smaller(summary, span_tokens, count)
    if needs_block:
        return Refusal(reason="no_block", detail="only the provider itself can answer this call")
    if not summary.text.strip():
        return Refusal(reason="empty", detail="the summary has no text")
    if forges(summary.text):
        return Refusal(reason="forged_marker", detail="the summary has a marker, or a heading, that only cg may write")
    return _smaller(summary, span_tokens, count)


def _smaller(summary: Summary, span_tokens: int, count: Callable[[str], int]) -> Summary | Refusal:
    tokens = count(summary.text)
    if tokens < span_tokens:
        return summary
    return Refusal(
        reason="not_smaller", detail=f"the summary has {tokens:,} tokens, and what it stands for {span_tokens:,}"
    )
