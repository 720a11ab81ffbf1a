"""A sweep of job times, as it stands in documents and in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.replay.paired.totals import totals
from cgcli.report.billed import usd
from cgcli.report.dollars import priced
from cgcli.report.figures import number
from cgcli.report.replay.modes_rows import NOTHING
from cgcli.report.safe import safe
from cgcli.report.table import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.replay.paired.sweep import Swept

HEAD = ("policy", "job / gap", "job", "committed", "stale", "dropped", "realised", "write", "dollars")


def sweep_document(gap_s: float | None, swept: Iterable[Swept], labels: Sequence[str]) -> dict[str, Any]:
    """A row for each policy of *labels*, as async, and each job time."""
    found = [list(_rows(one, labels)) for one in swept]
    return {"gap_s": gap_s, "rows": [row for each in zip(*found, strict=True) for row in each]}


def _rows(one: Swept, labels: Sequence[str]) -> Iterator[dict[str, Any]]:
    for label, arm in zip(labels, one.arms, strict=True):
        sums, queue = totals(arm, one.off), arm.counters.async_queue
        yield {
            "policy": label,
            "protect": arm.options.protect.value,
            "ratio": one.ratio,
            "job_s": one.job_s,
            "jobs_queued": queue.queued,
            "jobs_committed": queue.committed,
            "queue_stale": queue.stale_discarded,
            "queue_dropped": queue.dropped,
            "saved_tokens": arm.counters.saved_tokens,
            "realized_saved_tokens": arm.counters.async_realized_saved_tokens,
            "write_tokens": sums.write_tokens if sums.n_simulated else None,
            "usd": usd(sums.usd),
        }


def cells(row: Mapping[str, Any]) -> list[str]:
    """The cells of one *row* under `HEAD`."""
    return [
        row["policy"],
        f"{row['ratio']:g}",
        f"{row['job_s']:,.1f} s",
        f"{number(row['jobs_committed'])} of {number(row['jobs_queued'])}",
        number(row["queue_stale"]),
        number(row["queue_dropped"]),
        f"{number(row['realized_saved_tokens'])} of {number(row['saved_tokens'])}",
        number(row["write_tokens"]) if row["write_tokens"] is not None else NOTHING,
        priced(row["usd"]),
    ]


def title(told: Mapping[str, Any]) -> str:
    """What the sweep is of, or why there is none."""
    if not told["gap_s"]:
        return "sweep: no time passes between two requests of a lane, so no job can take a share of it"
    return f"sweep: jobs of one call against the median gap of {told['gap_s']:,.1f} s between two requests of a lane"


def lines(told: Mapping[str, Any] | None) -> Iterator[str]:
    """The sweep *told* in a terminal; nothing where none was asked for."""
    if told is None:
        return
    yield ""
    yield title(told)
    if told["rows"]:
        yield from table(HEAD, [[safe(cell) for cell in cells(row)] for row in told["rows"]], right=range(1, 9))
