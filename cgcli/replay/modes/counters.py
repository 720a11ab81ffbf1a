"""What is counted of the operating modes: one record, every field told here.

The names are context-guru's (`/stats`, docs/results/operating-modes.md), with the meaning that its review gave them.
Enforced, hypothetical and simulated figures share no field. Two laws hold, and `broken_laws` says where they do not.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

OBSERVE_NOTICE = "observe: requests went out untouched; potential_* and projected_* are what the policy would have done"
OBSERVE_LLM_NOTICE = "observe: llm_* is real spend of measuring, not of compacting what was sent"


@dataclass(slots=True)
class Queue:
    """Jobs by what became of them."""

    offered: int = 0
    """Turns that had a job to offer; in observe that is every one."""
    queued: int = 0
    """Of these, taken in."""
    dropped: int = 0
    """Not taken in: the queue was full."""
    deduplicated: int = 0
    """Not taken in: one of the same lane and generation was."""
    suppressed_barren: int = 0
    """Not offered to the queue: the lane's last jobs found nothing."""
    processed: int = 0
    """Of `queued`, ended while their lane was on their turn."""
    committed: int = 0
    """Of `processed`, with something to commit."""
    barren: int = 0
    """Of `processed`, with nothing."""
    measured: int = 0
    """Of `processed`, those of observe, which commits nothing."""
    stale_discarded: int = 0
    """Of `queued`, ended after their lane had gone on: what they found is thrown away."""
    errors: int = 0
    """Of `queued`, failed: the requests went on as they were."""
    abandoned: int = 0
    """Of `queued`, not ended when the last request and the time to stop were over."""
    pending: int = 0
    """Of `queued`, waiting or at work; 0 at the end."""

    def broken_laws(self) -> list[str]:
        """The laws that do not hold; none, ever."""
        laws = {
            "offered = queued + dropped + deduplicated + suppressed_barren": self.offered
            == self.queued + self.dropped + self.deduplicated + self.suppressed_barren,
            "queued = processed + stale_discarded + errors + abandoned + pending": self.queued
            == self.processed + self.stale_discarded + self.errors + self.abandoned + self.pending,
            "processed = committed + barren + measured": self.processed == self.committed + self.barren + self.measured,
        }
        return [law for law, holds in laws.items() if not holds]


@dataclass(slots=True)
class Counters:
    """One policy in one mode over one file. Tokens are for the model."""

    mode: str
    """`sync`, `observe` or `async`."""
    requests: int = 0
    """Requests that were sent compacted or could have been: 0 in observe, which enforces nothing."""
    tokens_before: int = 0
    """Of them, before compaction."""
    tokens_after: int = 0
    """Of them, as sent."""
    saved_tokens: int = 0
    """`tokens_before` less `tokens_after`: what was enforced."""
    sync_enforced: int = 0
    """Requests for which the whole policy ran before they were sent."""
    async_enforced: int = 0
    """Requests that went out with what earlier turns had decided, and what needs no model."""
    added_ms_total: float = 0.0
    """What the requests waited for, in all. In observe this is real, and 0."""
    llm_calls: int = 0
    """The policy's own calls, on the path or off it: real spend in every mode."""
    llm_input_tokens: int = 0
    llm_output_tokens: int = 0
    async_queue: Queue = field(default_factory=Queue)
    async_deferred_runs: int = 0
    """Compactions that ran off the path; they count neither as enforced nor as hypothetical."""
    async_deferred_ms_total: float = 0.0
    """What they took, in all."""
    async_realized_saved_tokens: int = 0
    """Of `saved_tokens`, by decisions that a committed job wrote, and by nothing else."""
    async_tail_protected_turns: int = 0
    """Turns that kept their breakpoints out of a span that a job was to replace."""
    async_tail_protected_committed_turns: int = 0
    """Of these, whose job was committed later."""
    async_tail_unprotected_turns: int = 0
    """Turns that were not deferred, because the caller's own mark stood in the span and was not to be taken out."""
    async_tail_rewritten_turns: int = 0
    """Turns whose tail had been written to the cache by the turn before, and was replaced all the same."""
    async_lanes_evicted: int = 0
    """Lanes that were given up to make room."""
    frozen_replayed_turns: int = 0
    """Requests in which a decision of an earlier turn stood."""
    frozen_replayed_tokens: int = 0
    """What these decisions took out of them."""
    frozen_lost_turns: int = 0
    """Requests in which one that had stood in the lane's last request did not stand any more. What is made anew in each
    request, as marks are, is not frozen and not lost."""
    breakpoints: int = 0
    """Cache breakpoints in the requests that were sent, the caller's with them."""
    observe_hypothetical_requests: int = 0
    """Requests of which a copy was compacted."""
    observe_queue: Queue = field(default_factory=Queue)
    observe_notice: str | None = None
    observe_llm_notice: str | None = None
    actual_baseline_tokens: int = 0
    """Of the requests that a copy was made of, as they were sent."""
    projected_optimized_tokens: int = 0
    """Of the copies."""
    potential_saved_tokens: int = 0
    """`actual_baseline_tokens` less `projected_optimized_tokens`."""
    potential_components: dict[str, int] = field(default_factory=dict)
    """Changes that were made in copies, by component."""
    potential_overhead_ms_total: float = 0.0
    """What the requests would have waited for, had the copies been sent."""

    def document(self) -> dict[str, Any]:
        """Every field, and the averages and shares that follow from them."""
        told = asdict(self)
        n_sent = self.requests or self.observe_queue.offered
        return {
            **told,
            "added_ms_avg": self.added_ms_total / n_sent if n_sent else 0.0,
            "savings_pct": _percent(self.saved_tokens, self.tokens_before),
            "potential_savings_pct": _percent(self.potential_saved_tokens, self.actual_baseline_tokens),
            "potential_overhead_ms_avg": (
                self.potential_overhead_ms_total / self.observe_hypothetical_requests
                if self.observe_hypothetical_requests
                else 0.0
            ),
            "breakpoints_per_request": self.breakpoints / n_sent if n_sent else 0.0,
        }


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
