"""The sentences under the table of modes, made from counts alone: nothing is credited to what did not happen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.report.figures import counted, number
from cgcli.report.listed import listed
from cgcli.report.replay.modes_columns import column

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

NOT_MEASURED = (
    "its cache and dollars are those of requests that were sent untouched; what the projected savings would do to the "
    "cache is not known, and nothing is ever expanded"
)


def said(one: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What is to be said of *one* policy in one mode, beside its *others*, the first of which it is held against."""
    if one["mode"] == "async":
        yield jobs(one["counters"])
    if one["mode"] == "observe":
        yield NOT_MEASURED
        if one["counters"]["llm_calls"]:
            yield f"its {counted(one['counters']['llm_calls'], 'call')} to a model are real spend of measuring"
        yield from _not_copied(one["counters"])
        return
    for other in others[:1]:
        yield from _lower_writes(one, other)


def jobs(counters: Mapping[str, Any]) -> str:
    """What became of the jobs of `async`."""
    queue = counters["async_queue"]
    told = (
        f"{number(queue['committed'])} of {counted(queue['queued'], 'job')} committed, "
        f"{number(queue['stale_discarded'])} stale, {number(queue['dropped'])} dropped, "
        f"{counted(counters['async_tail_unprotected_turns'], 'turn')} unprotected, "
        f"{number(counters['async_realized_saved_tokens'])} of {number(counters['saved_tokens'])} saved tokens realised"
    )
    if queue["committed"]:
        return told
    paid = f", and paid for {counted(counters['llm_calls'], 'call')}" if counters["llm_calls"] else ""
    return f"{told}: async did nothing here{paid}"


def _not_copied(counters: Mapping[str, Any]) -> Iterator[str]:
    dropped = counters["observe_queue"]["dropped"]
    if dropped:
        yield f"{counted(dropped, 'request')} had no copy made, the queue was full: the projection is without them"


def _lower_writes(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    """That a write figure is lower for reasons that are no merit, where there are such."""
    mine, its = one["table"], other["table"]
    lower = [
        name
        for key, name in (("write_tokens", "writes"), ("write_per_million_read", "writes per million read"))
        if mine[key] is not None and its[key] is not None and mine[key] < its[key]
    ]
    beside = list(_beside(mine, its)) if lower else []
    if beside:
        yield f"lower {listed(lower)} than {column(other)}, with {listed(beside)}: not credited to any mechanism"


def _beside(mine: Mapping[str, Any], its: Mapping[str, Any]) -> Iterator[str]:
    """What makes less be written without any compaction."""
    marks, its_marks = mine["breakpoints_per_request"], its["breakpoints_per_request"]
    if marks < its_marks:
        yield f"fewer breakpoints ({marks:.2f} a request against {its_marks:.2f})"
    for key, said in (("fresh_tokens", "fresh"), ("own_write_tokens", "written by its own calls")):
        more = mine[key] - its[key]
        if more > 0:
            yield f"{counted(more, 'token')} more {said}"
