"""A file of a replay under one policy in three modes, made up."""

from __future__ import annotations

from typing import Any

from tests.report.page.made import arm, file

NAMES = ("mask sync", "mask observe", "mask async")
_NONE = (
    *("enforced_saved_tokens", "enforced_savings_share", "copies", "projected_saved_tokens"),
    *("projected_savings_share", "projected_added_ms_per_request", "off_path_ms", "output_tokens"),
    *("jobs_queued", "jobs_committed", "queue_dropped", "queue_stale", "realized_saved_tokens", "protected_turns"),
    *("protected_committed_turns", "unprotected_turns", "rewritten_turns"),
)


def mode(label: str, jobs: tuple[str | None, ...] = (None, None, None), **table: Any) -> dict[str, Any]:
    """A policy in a mode: three turns whose jobs became *jobs*, the last of them protected where there is one."""
    policy, _, name = label.partition(" ")
    figures = dict.fromkeys(_NONE) | {"added_ms_per_request": 1599.44, "read_tokens": 25_500, "write_tokens": 14_970}
    figures |= {"write_per_million_read": 587_059, "hit_rate": 0.6296, "fresh_tokens": 30, "billed_usd": "0.12"}
    figures |= {"own_calls": 0, "own_usd": "0", "own_write_tokens": 0, "breakpoints_per_request": 2.0}
    queue = {"offered": 1_234, "queued": 3}
    return {
        "policy": policy,
        "label": label,
        "mode": name,
        "protect": None,
        "options": {"latency": "constant:12s"},
        "counters": {"mode": name, "requests": 3, "added_ms_avg": 1599.444, "notice": None, "async_queue": queue},
        "table": {**figures, **table},
        "said": [f"what follows from {label}"],
        "turns": [
            {"breakpoints": i, "job": job, "protected": job is not None and i == 2, "input_tokens": 12_000 + 1_500 * i}
            for i, job in enumerate(jobs)
        ],
    }


def made(**fields: Any) -> dict[str, Any]:
    """A file under one policy in three modes."""
    told = [
        mode("mask sync", enforced_saved_tokens=500, enforced_savings_share=0.0125),
        mode("mask observe", copies=3, projected_saved_tokens=500, projected_savings_share=0.0125),
        mode("mask async", jobs=("queued", None, "suppressed_barren"), jobs_committed=1, jobs_queued=3),
    ]
    return file([arm("off"), *(arm(name) for name in NAMES)], modes=told, **fields)


def swept(*rows: dict[str, Any], gap_s: float | None = 20.0) -> dict[str, Any]:
    """A sweep with *rows*."""
    return {"gap_s": gap_s, "rows": list(rows)}


ROW = {
    "policy": "mask async",
    "ratio": 0.5,
    "job_s": 10.0,
    "jobs_queued": 3,
    "jobs_committed": 2,
    "queue_stale": 1,
    "queue_dropped": 4,
    "saved_tokens": 5_000,
    "realized_saved_tokens": 4_000,
    "write_tokens": 14_970,
    "usd": "0.12",
}
