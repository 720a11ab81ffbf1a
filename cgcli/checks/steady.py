"""A section that must read the same all along a lane: how G-TOOLS and G-SYSTEM go through a file."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

from cgcli.checks.allowing import Allowing
from cgcli.checks.base import Finding, Verdict
from cgcli.checks.rebilling import asked
from cgcli.checks.verdict import INDEPENDENT, settle
from cgcli.lanes import Relation
from cgcli.lanes.snapshot import snapshot
from cgcli.model import Section, changed, value
from cgcli.prefix.divergence import divergence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cgcli.checks.base import Asked, Context, Cost, Result, Rule
    from cgcli.checks.turn import Turn
    from cgcli.lanes import Epoch, Lane
    from cgcli.lanes.snapshot import Snapshot
    from cgcli.model import Item, Request
    from cgcli.prefix.divergence import Divergence, Side

_LEADING = 8
"""Of so many messages it is kept where they stand: a system prompt that is a message is one of the first."""


class Part(Protocol):
    """The section, as a gate looks at it."""

    name: str
    """As in `no request has NAME`."""

    def of(self, side: Side) -> tuple[Item, ...] | None:
        """Its items; None where they are not recorded."""

    def change(self, before: Side, after: Side) -> Divergence | None:
        """Where it reads otherwise in *after*; None where it reads the same."""

    def told(self, before: Side, after: Side, found: Divergence) -> str:
        """What changed, in words; transcript text in it is hostile."""


@value
class _Place:
    """Where a request stands, and where its items stand in it."""

    line: int
    i_exchange: int
    starts: Mapping[Section, Sequence[int]]


@value
class _Start:
    """The first request of a thread."""

    request: Snapshot
    place: _Place
    asked: Asked


class SteadyRun:
    """Compares the section of each request with that of the request before it, and of each epoch with the one before.

    Epochs are compared where the file records sessions. Elsewhere they are epochs of one lane *because* their model,
    tools and system prompt are the same.
    """

    def __init__(self, context: Context, rule: Rule, part: Part, *, is_recorded: bool) -> None:
        """Begin on a file; *rule* is the gate's, *part* its section, which the format may not record."""
        self._context = context
        self._rule = rule
        self._part = part
        self._is_recorded = is_recorded
        self._allowing = Allowing(context)
        self._checked = 0
        self._n_unrecorded = 0
        self._starts: dict[int, _Start] = {}

    def see(self, turn: Turn) -> Iterator[Finding]:
        """Compare the request with the one before it in its thread."""
        if self._context.is_independent:
            return
        self._allowing.see(turn)
        if turn.exchange.session_id is not None and turn.thread not in self._starts:
            self._starts[turn.thread] = _start(turn)
        if turn.before is None or turn.placement.relation is Relation.BRANCHES:
            return
        found = self._compared(turn.before, turn.request)
        if found is None:
            return
        first = turn.breaks
        yield self._finding(
            _place(turn.request, turn.line, turn.i_exchange),
            (turn.before, turn.request, found),
            first=first,
            cost=self._context.rebilled(turn) if first is not None and first.path == found.path else None,
            is_allowed=self._allowing.allows(turn),
        )

    def result(self, findings: tuple[Finding, ...], lanes: tuple[Lane, ...]) -> Result:
        """Compare the epochs of each lane; fail on any change that was not allowed."""
        between = tuple(finding for lane in lanes for finding in self._between(lane))
        nothing = f"no request with {self._part.name} follows another one of its conversation"
        found = settle(
            self._rule,
            unit="pairs of requests",
            checked=self._checked,
            findings=(*findings, *between),
            nothing=INDEPENDENT if self._context.is_independent else nothing,
        )
        if found.verdict is Verdict.FAIL or not self._n_unrecorded:
            return found
        return changed(found, verdict=Verdict.UNKNOWN, reason=f"the file does not record {self._part.name}")

    def _compared(self, before: Side, after: Side) -> Divergence | None:
        """Where the section changed; what neither has, or either does not record, is not compared."""
        a, b = self._part.of(before), self._part.of(after)
        if a is None or b is None or not self._is_recorded:
            self._n_unrecorded += 1
            return None
        if not a and not b:
            return None
        self._checked += 1
        return self._part.change(before, after)

    def _between(self, lane: Lane) -> Iterator[Finding]:
        number = 1
        for before, after in pairwise(lane.epochs):
            number += len(before.thread.turns)
            yield from self._epoch(before, after, number)

    def _epoch(self, before: Epoch, after: Epoch, number: int) -> Iterator[Finding]:
        """Compare the first request of an epoch, turn *number* of its lane, with the last one of the epoch before."""
        start, last = self._starts.get(after.thread.identity), before.thread.last
        if start is None or last is None:
            return
        found = self._compared(last, start.request)
        if found is None:
            return
        first = divergence(last, start.request)
        is_first = first is not None and first.path == found.path
        yield self._finding(
            start.place,
            (last, start.request, found),
            first=first,
            cost=self._context.rebilled.between(last, start.request, found, asked=start.asked) if is_first else None,
            is_allowed=self._allowing.allows_between(
                number=number,
                since=last.i_exchange,
                until=start.place.i_exchange,
                thread=before.thread.identity,
                session_id=after.thread.turns[0].session_id,
            ),
        )

    def _finding(
        self,
        place: _Place,
        pair: tuple[Side, Side, Divergence],
        *,
        first: Divergence | None,
        cost: Cost | None,
        is_allowed: bool,
    ) -> Finding:
        """The change of *pair*; *first* is what broke first, which re-bills all that stands behind it."""
        found = pair[2]
        behind = first is not None and first.path != found.path
        starts = place.starts[found.section]
        return Finding(
            message=self._part.told(*pair)
            + (f"; re-billed already by {first.kind.value} at {first.path}" if first is not None and behind else ""),
            line=place.line,
            i_exchange=place.i_exchange,
            path=found.path,
            byte=starts[found.i_item] + found.byte if found.byte is not None and found.i_item < len(starts) else None,
            kind=found.kind.value,
            change=found.change.value,
            culprit=found.culprit,
            was=found.was,
            now=found.now,
            cost=cost,
            is_note=is_allowed,
        )


def _start(turn: Turn) -> _Start:
    return _Start(
        request=snapshot(turn.exchange, turn.i_exchange),
        place=_place(turn.request, turn.line, turn.i_exchange),
        asked=asked(turn),
    )


def _place(request: Request, line: int, i_exchange: int) -> _Place:
    return _Place(
        line=line,
        i_exchange=i_exchange,
        starts={
            Section.TOOLS: request.tools_starts,
            Section.SYSTEM: request.system_starts,
            Section.MESSAGES: request.starts[:_LEADING],
        },
    )
