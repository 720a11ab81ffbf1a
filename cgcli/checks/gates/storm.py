"""G-STORM: compaction makes requests smaller, and nothing is sent again and again."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from cgcli.checks.base import Finding, Rule
from cgcli.checks.forks import REBUILT, WithoutCalls
from cgcli.checks.verdict import INDEPENDENT, settle
from cgcli.lanes import Relation
from cgcli.model import changed, value
from cgcli.prefix.keys import full_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.checks.base import Context, Result
    from cgcli.checks.turn import Turn
    from cgcli.lanes import Lane

LEAST_IN_A_ROW = 3
"""Requests in a row, as in the source: fewer are bad luck."""
LEAST_FREED_PERCENT = 5
"""A request that is not smaller by so much than the one before it did not profit from its edit."""

RULE = Rule(
    gate="G-STORM",
    title="Compaction makes requests smaller, and nothing is sent again and again",
    checks=(
        f"In each lane: {LEAST_IN_A_ROW} or more requests in a row that each rewrite what was sent before, and of "
        f"which none is at least {LEAST_FREED_PERCENT} % smaller, in bytes of the body, than the one before it. Also "
        f"{LEAST_IN_A_ROW} or more repeats in a row of the very same request. Summariser calls in between do not count "
        "as requests of the lane."
    ),
    why=(
        "Each rewrite re-bills everything behind it. One that comes every turn and leaves the request as large as it "
        "was costs the cache and gains nothing; the trigger that set it off stands as before."
    ),
    failing="turn 7  81,904 bytes, edits message 1\nturn 8  82,310 bytes, edits message 1\nturn 9  82,288 bytes, …",
    passing="turn 7  81,904 bytes, edits message 1\nturn 8  41,020 bytes, edits message 1\nturn 9  43,377 bytes, …",
    fix=(
        "See what stands in every request and can never be removed: a pasted file, a large system prompt, a result "
        "above the trigger. Let compaction set in only where it frees enough (a least amount, a pause between two), "
        "cut to well below the trigger, and stop after a few that free nothing. Wait longer between retries."
    ),
    proves_not=(
        "That a compaction that frees something pays: see what it re-bills in G-APPEND. A request that keeps less than "
        "half of what the one before it had behind their common beginning is not seen as a rewrite of it, but as the "
        "start of another conversation."
    ),
    source=(
        "microsoft/amplifier-module-context-simple, the storm of sessions with 969 compactions in 988 requests: three "
        "events or more that escalate and stay above the target."
    ),
    since="0.2.0",
)


class _Kind(StrEnum):
    REWRITES = "rewrites"
    REPEATS = "repeats"


@value
class _Streak:
    """Requests in a row that do the same useless thing."""

    kind: _Kind
    line: int
    i_exchange: int
    n: int
    first_bytes: int
    """The size of the request before the first one of them."""
    last_bytes: int
    last_line: int


class Storm:
    """The gate."""

    rule = RULE

    def start(self, context: Context) -> Run:
        """Begin on a file."""
        return Run(context)


class Run:
    """G-STORM at work."""

    def __init__(self, context: Context) -> None:
        """Nothing was sent yet."""
        self._context = context
        self._lanes = WithoutCalls()
        self._sizes: dict[int, int] = {}
        self._streaks: dict[int, _Streak] = {}
        self._storms: dict[int, _Streak] = {}
        self._checked = 0
        self._unknown: str | None = None

    def see(self, turn: Turn) -> Iterator[Finding]:
        """Compare the request's size and place with those of the one before it."""
        yield from ()
        if self._context.is_independent or turn.is_summary_call:
            return
        if turn.exchange.source.reconstructed:
            self._unknown = REBUILT
        was_bytes, streak = self._sizes.get(turn.thread), self._streaks.get(turn.thread)
        now_bytes = self._sizes[turn.thread] = len(turn.request.raw)
        keeps = self._lanes.keeps(turn.request, turn.placement)
        if was_bytes is None:
            return
        self._checked += 1
        kind = _kind(turn, was_bytes, now_bytes, keeps=keeps)
        if kind is None:
            self._streaks.pop(turn.thread, None)
            return
        if streak is None or streak.kind is not kind:
            streak = _Streak(
                kind=kind,
                line=turn.line,
                i_exchange=turn.i_exchange,
                n=0,
                first_bytes=was_bytes,
                last_bytes=now_bytes,
                last_line=turn.line,
            )
        streak = changed(streak, n=streak.n + 1, last_bytes=now_bytes, last_line=turn.line)
        self._streaks[turn.thread] = streak
        if streak.n >= LEAST_IN_A_ROW:
            self._storms[streak.i_exchange] = streak

    def result(self, findings: tuple[Finding, ...], lanes: tuple[Lane, ...]) -> Result:
        """Fail on any storm."""
        del lanes
        return settle(
            RULE,
            unit="pairs of requests",
            checked=self._checked,
            findings=(*findings, *map(_finding, self._storms.values())),
            nothing=INDEPENDENT
            if self._context.is_independent
            else "no request follows another one of its conversation",
            unknown=self._unknown,
        )


def _kind(turn: Turn, was_bytes: int, now_bytes: int, *, keeps: bool) -> _Kind | None:
    """The useless thing that *turn* does; None where it does none, as where it *keeps* what was sent before it."""
    relation = turn.placement.relation
    if relation is Relation.EDITS and not keeps:
        is_smaller = 100 * now_bytes <= (100 - LEAST_FREED_PERCENT) * was_bytes
        return None if is_smaller else _Kind.REWRITES
    before = turn.before
    if relation is Relation.EXTENDS and before is not None and before.states[-1:] == turn.request.states[-1:]:
        return _Kind.REPEATS if full_key(before) == full_key(turn.request) else None
    return None


def _finding(streak: _Streak) -> Finding:
    if streak.kind is _Kind.REPEATS:
        message = f"the same request is sent again {streak.n} times in a row, up to line {streak.last_line}"
    else:
        message = (
            f"{streak.n} requests in a row rewrite what was sent before and get no smaller, up to line "
            f"{streak.last_line}: {streak.first_bytes:,} bytes before them, {streak.last_bytes:,} in the last"
        )
    return Finding(message=message, line=streak.line, i_exchange=streak.i_exchange, kind=streak.kind.value)
