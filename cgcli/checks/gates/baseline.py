"""G-BASELINE: the lanes of a file read as those of the baseline do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.checks.base import Finding, Rule
from cgcli.checks.lock import Collecting, Lock, Move, compare
from cgcli.checks.verdict import settle, without_head

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.checks.base import Context, Result
    from cgcli.checks.lock import Collected, Moved
    from cgcli.checks.turn import Turn
    from cgcli.lanes import Lane

RULE = Rule(
    gate="G-BASELINE",
    title="The lanes of the file read as those of the baseline do",
    checks=(
        "Each lane of the baseline is in the file, with the same model, tools, system prompt and parameters, and the "
        "same messages at the end of each request. A lane that only grew passes; a lane that the baseline does not "
        "have is a note. Each epoch of a lane is looked at by itself; it is known by its label and its first message, "
        "not by its number. A request that was only sent again counts once."
    ),
    why=(
        "A new version of an agent that words its system prompt otherwise, or edits what it used to append, finds none "
        "of what is cached, in every conversation at once. Within one file of the new version nothing breaks, so that "
        "only a comparison shows it."
    ),
    failing="cg.lock  main lane: 3 tools, 1 system block, 14 requests\nfile     main lane: the second tool differs",
    passing="cg.lock  main lane: 3 tools, 1 system block, 14 requests\nfile     main lane: as it was, 2 requests more",
    fix=(
        "Look whether the change is meant. Where it is, write the baseline again with --write-baseline cg.lock and "
        "commit it with the change: the difference of the file shows a reviewer what moved."
    ),
    proves_not="That the prefix holds within a conversation: G-APPEND says that.",
    source="Snapshot tests; the hashes of prompts and tools that agents' repositories pin by hand.",
    since="0.2.0",
)
NO_BASELINE = "no baseline was given: --baseline cg.lock"
_MOST = 5


class Baseline:
    """The gate."""

    rule = RULE

    def start(self, context: Context) -> Run:
        """Begin on a file."""
        return Run(context)


class Run:
    """G-BASELINE at work; collects nothing where there is no baseline."""

    def __init__(self, context: Context) -> None:
        """Compare with the lock in the options, if there is one.

        Raises:
            TypeError: what stands there is no `Lock`.
        """
        self._context = context
        given = context.options.get("baseline")
        if given is not None and not isinstance(given, Lock):
            raise TypeError("options['baseline'] is no Lock")
        self._lock = given
        self._collecting = Collecting()

    def see(self, turn: Turn) -> Iterator[Finding]:
        """Collect the digests of the next request; what moved is known at the end."""
        if self._lock is not None:
            self._collecting.see(turn)
        return iter(())

    def result(self, findings: tuple[Finding, ...], lanes: tuple[Lane, ...]) -> Result:
        """Fail on all that moved, but for lanes that grew and lanes that are new."""
        if self._lock is None:
            return settle(RULE, unit="lanes", checked=0, findings=findings, nothing=NO_BASELINE)
        collected = self._collecting.finish(lanes)
        moved = compare(self._lock, collected.lock)
        return settle(
            RULE,
            unit="lanes",
            checked=len(self._lock.lanes),
            findings=(*findings, *(_finding(one, self._lock, collected) for one in moved)),
            nothing="the baseline has no lane",
            unknown=without_head(self._context),
        )


def _finding(moved: Moved, lock: Lock, collected: Collected) -> Finding:
    if moved.now is None:
        lane = lock.lanes[moved.was or 0]
        return Finding(
            message=f"a {lane.label} lane that the baseline has (requests: {len(lane.requests)}) is not in the file",
            line=1,
            i_exchange=0,
            kind=moved.kind.value,
        )
    places = collected.places[moved.now]
    place = places[min(moved.i_request, len(places) - 1)]
    named = f"{collected.names[moved.now]} ({collected.lock.lanes[moved.now].label})"
    return Finding(
        message=f"{named}: {_told(moved, lock, collected)}",
        line=place.line,
        i_exchange=place.i_exchange,
        kind=moved.kind.value,
        is_note=moved.kind is Move.NEW,
    )


def _told(moved: Moved, lock: Lock, collected: Collected) -> str:
    """What moved, in words."""
    if moved.kind is Move.NEW:
        return "the baseline does not have this lane"
    if moved.kind is Move.SHORTER:
        return f"{moved.i_request} of the {len(lock.lanes[moved.was or 0].requests)} requests of the baseline"
    if moved.kind is Move.MESSAGES:
        return f"{moved.kind.value}: diverges from the baseline at request {moved.i_request + 1}"
    from_there = f" from request {moved.i_request + 1} on" if moved.i_request else ""
    details = _details(moved, collected)
    return f"{moved.kind.value} since the baseline{from_there}{': ' if details else ''}{details}"


def _details(moved: Moved, collected: Collected) -> str:
    """What was edited, removed and added, with the names of tools that the file still has."""
    parts = []
    for change in ("edited", "removed", "added", "reordered"):
        what = [_named(moved.kind, name, collected) for done, name in moved.details if done == change]
        if what:
            more = f" and {len(what) - _MOST} more" if len(what) > _MOST else ""
            parts.append(" ".join((change, ", ".join(what[:_MOST]) + more)).strip())
    return "; ".join(parts)


def _named(kind: Move, name: str, collected: Collected) -> str:
    if kind is Move.TOOLS and name:
        known = collected.tools.get(name)
        return known if known is not None else f"a tool whose name has the digest {name}"
    return f"block {name}" if kind is Move.SYSTEM else name
