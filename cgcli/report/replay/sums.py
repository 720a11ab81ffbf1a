"""The sums of a policy, as they stand in documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.report.billed import usd

if TYPE_CHECKING:
    from cgcli.replay.paired.totals import Totals


def sums(one: Totals) -> dict[str, Any]:
    """Sums, with names as they stand in the document."""
    return {
        "requests": one.n_requests,
        "requests_changed": one.n_changed,
        "fired": one.n_fired,
        "epochs_reset": one.n_resets,
        "removed_gross_tokens": one.removed_gross_tokens,
        "removed_unique_tokens": one.removed_unique_tokens,
        "simulated_requests": one.n_simulated,
        "input_tokens": one.input_tokens,
        "read_tokens": one.read_tokens,
        "write_tokens": one.write_tokens,
        "fresh_tokens": one.fresh_tokens,
        "output_tokens": one.output_tokens,
        "hit_rate": round(one.hit_rate, 6) if one.hit_rate is not None else None,
        "own_calls": one.n_own_calls,
        "own_usd": usd(one.own_usd),
        "priced_requests": one.n_priced,
        "usd": usd(one.usd),
        "off_difference_usd": usd(one.off_difference_usd),
        "break_even": one.break_even.value,
        "break_even_turns": one.break_even_turns,
        "irreversible": one.n_irreversible,
        "refetches": one.n_refetches,
        "cites": one.n_cites,
        "regret_tokens": one.regret_tokens,
    }
