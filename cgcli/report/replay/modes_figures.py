"""The figures of the table of modes: what does not apply to a mode is None, so that no two kinds share a cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.replay.modes.options import Mode
from cgcli.report.billed import usd

if TYPE_CHECKING:
    from cgcli.replay.modes.counters import Counters
    from cgcli.replay.paired.totals import Totals

_MILLION = 1_000_000


def figures(counters: Counters, totals: Totals, *, own_write_tokens: int) -> dict[str, Any]:
    """The table's column of one policy in one mode. Times are modelled; tokens are for the model.

    *own_write_tokens* is what the policy's own calls wrote to the cache that the requests read.
    """
    told, is_observe = counters.document(), counters.mode == Mode.OBSERVE
    return {
        "added_ms_per_request": told["added_ms_avg"],
        **_where(_enforced(counters), applies=not is_observe),
        **_where(_projected(counters), applies=is_observe),
        **_cache(totals),
        "output_tokens": totals.output_tokens or None,
        "billed_usd": _billed(totals),
        "own_calls": counters.llm_calls,
        "own_usd": usd(totals.own_usd),
        "own_write_tokens": own_write_tokens if totals.n_simulated else None,
        "off_path_ms": _off_path_ms(counters),
        "breakpoints_per_request": told["breakpoints_per_request"],
        **_where(_queue(counters), applies=counters.mode == Mode.ASYNC),
    }


def _where(found: dict[str, Any], *, applies: bool) -> dict[str, Any]:
    """What was *found*, or None for each of it."""
    return found if applies else dict.fromkeys(found)


def _enforced(counters: Counters) -> dict[str, Any]:
    return {
        "enforced_saved_tokens": counters.saved_tokens,
        "enforced_savings_share": _share(counters.saved_tokens, counters.tokens_before),
    }


def _projected(counters: Counters) -> dict[str, Any]:
    n = counters.observe_hypothetical_requests
    return {
        "copies": n,
        "projected_saved_tokens": counters.potential_saved_tokens,
        "projected_savings_share": _share(counters.potential_saved_tokens, counters.actual_baseline_tokens),
        "projected_added_ms_per_request": counters.potential_overhead_ms_total / n if n else None,
    }


def _cache(totals: Totals) -> dict[str, Any]:
    """Of what was sent, simulated; None where nothing is."""
    is_simulated = bool(totals.n_simulated)
    read, write = totals.read_tokens, totals.write_tokens
    return {
        "read_tokens": read if is_simulated else None,
        "write_tokens": write if is_simulated else None,
        "write_per_million_read": round(write * _MILLION / read) if read else None,
        "hit_rate": round(totals.hit_rate, 6) if totals.hit_rate is not None else None,
        "fresh_tokens": totals.fresh_tokens if is_simulated else None,
    }


def _billed(totals: Totals) -> str | None:
    """What the requests cost without the policy's own calls."""
    if totals.usd is None or totals.own_usd is None:
        return None
    return usd(totals.usd - totals.own_usd)


def _off_path_ms(counters: Counters) -> float | None:
    """What ran beside the requests took: deferred compactions, or copies."""
    if counters.mode == Mode.ASYNC:
        return counters.async_deferred_ms_total
    return counters.potential_overhead_ms_total if counters.mode == Mode.OBSERVE else None


def _queue(counters: Counters) -> dict[str, Any]:
    queue = counters.async_queue
    return {
        "jobs_queued": queue.queued,
        "jobs_committed": queue.committed,
        "queue_dropped": queue.dropped,
        "queue_stale": queue.stale_discarded,
        "realized_saved_tokens": counters.async_realized_saved_tokens,
        "protected_turns": counters.async_tail_protected_turns,
        "protected_committed_turns": counters.async_tail_protected_committed_turns,
        "unprotected_turns": counters.async_tail_unprotected_turns,
        "rewritten_turns": counters.async_tail_rewritten_turns,
    }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 6) if whole else 0.0
