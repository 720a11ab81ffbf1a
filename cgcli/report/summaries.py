"""What became of the summaries of a run, as a document and for a person."""

from __future__ import annotations

from collections import Counter
from enum import Enum, auto
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from cgcli.calls.build import names, resolve
from cgcli.calls.call import CallMode
from cgcli.calls.why import Why
from cgcli.compaction.summaries.state import What
from cgcli.report.figures import counted, number
from cgcli.report.safe import safe
from cgcli.tokens.ruler import Ruler

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.calls.stats import CallStats
    from cgcli.compaction.summaries.state import Event, Ticket
    from cgcli.replay.ledger import Told
    from cgcli.replay.run import Run

_MOST_SHOWN = 5


class Fate(Enum):
    """How a call ended."""

    APPLIED = auto()
    """In some lane it took its place."""
    EDITED = auto()
    """Its lane's history was edited inside the span."""
    RESTARTED = auto()
    """Its lane began anew."""
    REFUSED = auto()
    """Its answer was not taken."""
    WAITING = auto()
    """The file ended first."""


NATIVE_FIGURES = "what that would save is not in the file, so it is in no figure here"
_NATIVE_NAMES = frozenset(name for name in names() if resolve(name).is_native)
_ENDS: Mapping[What, Fate] = MappingProxyType(
    {What.APPLIED: Fate.APPLIED, What.DROPPED: Fate.EDITED, What.REFUSED: Fate.REFUSED}
)


def summaries(run: Run) -> dict[str, Any] | None:
    """The member `summaries` of `cgcli/compact/v1`; None where the policy has no such step.

    A call has one fate, however many lanes began with a copy of it: `asked` is the sum of `applied`, `dropped`,
    `refused_answers` and `waiting`.
    """
    step = run.policy.span_step
    if step is None:
        return None
    told = run.ledger.summaries
    events = [one.event for one in told]
    fates = Counter(_fates(run).values())
    asked = [event for event in events if event.what is What.ASKED]
    applied = [event for event in events if event.what is What.APPLIED]
    stats = [event.stats for event in events if event.stats is not None]
    return {
        "step": step.name,
        "call": step.call,
        "summarizer": run.summariser.name,
        "nearest": _nearest(run, events),
        "set_up": sum(event.what is What.SET_UP for event in events),
        "asked": len(asked),
        "applied": fates[Fate.APPLIED],
        "dropped": {"lane_edited": fates[Fate.EDITED], "lane_restarted": fates[Fate.RESTARTED]},
        "refused_answers": fates[Fate.REFUSED],
        "waiting": fates[Fate.WAITING],
        "refused": dict(sorted(Counter(_reason(event) for event in events if event.what is What.REFUSED).items())),
        "by_mode": dict(sorted(Counter(event.mode.value for event in asked if event.mode).items())),
        "swaps": len(applied),
        "still_above": sum(event.what is What.STILL_ABOVE for event in events),
        "irreversible": sum(not event.is_reversible for event in applied),
        "fork_fallbacks": sum(_is_fallback(one) for one in stats),
        "fork_declines": sum(_is_decline(one) for one in stats),
        "call_tokens": sum(event.call_tokens or 0 for event in asked),
        "events": [_event(one) for one in told],
        "warnings": list(_warnings(events)),
        "last_summary_call_stats": call_stats(stats[-1]) if stats else None,
    }


def _nearest(run: Run, events: Sequence[Event]) -> dict[str, Any] | None:
    """The request that came nearest to where a summary is asked for; None where one reached it.

    Counted as the step counts: by the table's factor, for a fitted one is known at the end of the file alone.
    """
    step = run.policy.span_step
    if step is None or events or not run.ledger.rows:
        return None
    rulers = {row.model: Ruler(row.model) for row in run.ledger.rows}
    asks = {model: step.when(model).ask_tokens for model in rulers}
    row = max(run.ledger.rows, key=lambda one: rulers[one.model].tokens(one.after_tokens) / asks[one.model])
    ruler = rulers[row.model]
    return {
        "model": row.model,
        "tokens": ruler.tokens(row.after_tokens),
        "basis": str(ruler),
        "ask_tokens": asks[row.model],
    }


def _fates(run: Run) -> dict[Ticket, Fate]:
    """What became of each call. In a lane that began anew nobody waits any more for what was asked before."""
    fates: dict[Ticket, Fate] = {}
    over = {turn.i_exchange for lane in run.lanes for epoch in lane.epochs[:-1] for turn in epoch.thread.turns}
    for one in run.ledger.summaries:
        ticket, what = one.event.ticket, one.event.what
        if ticket is None:
            continue
        if what is What.ASKED:
            fates[ticket] = Fate.RESTARTED if one.i_exchange in over else Fate.WAITING
        elif what in _ENDS and fates[ticket] is not Fate.APPLIED:
            fates[ticket] = _ENDS[what]
    return fates


def _is_decline(stats: CallStats) -> bool:
    return stats.reason == Why.BELOW_MIN_SPAN_RATIO


def _is_fallback(stats: CallStats) -> bool:
    """True where a fork could not be made; a call that was to be none, or the provider's, falls back to nothing."""
    may_fork = CallMode.FORK in resolve(stats.mode_requested).modes
    return may_fork and stats.mode_used is not CallMode.FORK and not _is_decline(stats)


def _warnings(events: Iterable[Event]) -> Iterator[str]:
    """What is to be said: each reason once, though each lane says it."""
    said: set[str | None] = set()
    for event in events:
        reason = event.reason if event.stats is None else event.stats.reason
        if event.warning is not None and reason not in said:
            said.add(reason)
            yield event.warning


def _reason(event: Event) -> str:
    return event.reason or "unknown"


def _event(told: Told) -> dict[str, Any]:
    event = told.event
    return {
        "line": told.line,
        "what": event.what.value,
        "asked_at_line": event.ticket.line if event.ticket is not None else None,
        "messages": [event.start, event.stop] if event.start is not None else None,
        "mode": event.mode.value if event.mode is not None else None,
        "reason": event.reason,
        "detail": event.detail or None,
        "span_tokens": event.span_tokens,
        "call_tokens": event.call_tokens,
        "left_out_messages": event.n_left_out if event.what is What.ASKED else None,
        "summary_tokens": event.summary_tokens,
        "reversible": event.is_reversible if event.what in (What.APPLIED, What.SET_UP) else None,
    }


def call_stats(stats: CallStats) -> dict[str, Any]:
    """Amplifier's `last_summary_call_stats`, every field."""
    measure = stats.span_measure
    return {
        "mode_requested": stats.mode_requested,
        "mode_used": stats.mode_used,
        "reason": stats.reason,
        "prefix_messages": stats.prefix_messages,
        "prefix_source": stats.prefix_source,
        "prefix_views_since_send": stats.prefix_views_since_send,
        "fork_fallbacks": stats.fork_fallbacks,
        "fork_declines": stats.fork_declines,
        "span_measure": None
        if measure is None
        else {
            "span_tokens": measure.span_tokens,
            "prefix_tokens": measure.prefix_tokens,
            "span_ratio": measure.span_ratio,
            "min_span_ratio": measure.min_span_ratio,
        },
    }


def lines(told: Mapping[str, Any] | None) -> Iterator[str]:
    """The summaries of a `cgcli/compact/v1` document, for a person."""
    if told is None:
        return
    modes = ", ".join(f"{n} {mode}" for mode, n in told["by_mode"].items())
    yield (
        f"summaries ({told['step']}, {safe(told['summarizer'])}): {counted(told['asked'], 'call')}"
        f"{f' ({modes})' if modes else ''}, {number(told['applied'])} applied, {number(told['waiting'])} waiting, "
        f"{number(sum(told['dropped'].values()))} dropped, {number(told['refused_answers'])} refused; calls have "
        f"{number(told['call_tokens'])} tokens, counted"
    )
    if told["nearest"] is not None:
        yield from _below(told["nearest"])
    if told["set_up"]:
        yield f"  in {counted(told['set_up'], 'lane')} the provider is to compact by itself: {NATIVE_FIGURES}"
    if told["still_above"]:
        yield f"  in {counted(told['still_above'], 'lane')} a request was at the threshold with a summary in its place"
    n_trimmed = sum(bool(event["left_out_messages"]) for event in told["events"])
    if n_trimmed:
        yield f"  {counted(n_trimmed, 'call')} left out the oldest messages of the span: they would not have fitted"
    yield from _refused(told["events"])
    applied = [event for event in told["events"] if event["what"] == What.APPLIED]
    for event in applied[:_MOST_SHOWN]:
        start, stop = event["messages"]
        yield (
            f"  line {event['line']}: messages {start} to {stop - 1}, {number(event['span_tokens'])} tokens, became "
            f"{number(event['summary_tokens'])} ({event['mode']})"
        )
    if len(applied) > _MOST_SHOWN:
        yield f"  and {len(applied) - _MOST_SHOWN} more: --json has them all"
    if told["fork_fallbacks"] + told["fork_declines"]:
        yield (
            f"  forks that became standalone calls: {counted(told['fork_fallbacks'], 'fallback')}, "
            f"{counted(told['fork_declines'], 'decline')}"
        )


def _below(nearest: Mapping[str, Any]) -> Iterator[str]:
    model = safe(nearest["model"] or "no model")
    yield (
        f"  none was asked for: that is from {number(nearest['ask_tokens'])} tokens on, and the request that came "
        f"nearest has {number(nearest['tokens'])} ({model}, {nearest['basis']}); --budget lowers that"
    )


def _refused(events: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What was not asked, and which answers were not taken: the calls of the first line have the latter in them."""
    refused = [event for event in events if event["what"] == What.REFUSED]
    for is_answer, words in ((False, "not asked"), (True, "refused")):
        mine = [event for event in refused if (event["asked_at_line"] is not None) == is_answer]
        for reason, n in sorted(Counter(event["reason"] or "unknown" for event in mine).items()):
            yield f"  {words} {counted(n, 'time')}: {reason}{_detail(mine, reason)}"


def n_irreversible(told: Mapping[str, Any]) -> int:
    """The spans that cannot be given back, and the lanes in which the provider drops what it likes."""
    spans: int = told["irreversible"]
    lanes: int = told["set_up"]
    return spans + lanes


def irreversible(told: Mapping[str, Any] | None) -> Iterator[str]:
    """What of it cannot be given back, in the words of the account."""
    if told is None:
        return
    if told["irreversible"]:
        spans = counted(told["irreversible"], "span")
        by = (
            "without an original in the stash (marker_mode)"
            if told["call"] not in _NATIVE_NAMES
            else ("compacted by the provider; nothing of ours brings them back")
        )
        yield f"IRREVERSIBLE: {spans} {by}"
    if told["set_up"]:
        yield (
            f"IRREVERSIBLE: in {counted(told['set_up'], 'lane')} the provider compacts by itself; nothing of ours "
            "brings back what it drops"
        )


def _detail(events: Sequence[Mapping[str, Any]], reason: str) -> str:
    detail = next((event["detail"] for event in events if event["reason"] == reason and event["detail"]), None)
    return f" ({safe(detail)})" if detail else ""
