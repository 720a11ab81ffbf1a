"""G-FORK-NOBOUNDARY: forking adds no compaction points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.checks.base import Finding, Rule
from cgcli.checks.forks import ALL_STANDALONE, NO_CALLS, REBUILT, Calls, Epochs
from cgcli.checks.verdict import INDEPENDENT, settle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.checks.base import Context, Result
    from cgcli.checks.forks import Call
    from cgcli.checks.turn import Turn
    from cgcli.lanes import Lane

RULE = Rule(
    gate="G-FORK-NOBOUNDARY",
    title="Forking adds no compaction points",
    checks=(
        "How often a lane of the file begins anew (a restart under the same model, tools and system prompt, or an edit "
        "of what it sent before), against the same number of a paired run without forks: --against FILE. Without a "
        "paired run the verdict is unknown; without a fork there is nothing to check."
    ),
    why=(
        "A boundary re-bills the lane from the edit on, and costs far more than the call that made the summary. A fork "
        "carries the whole conversation and one message more: where that crowds the window, the lane is cut more often."
    ),
    failing="with forks 12 compaction points, paired run without 9",
    passing="with forks 9 compaction points, paired run without 9",
    fix=(
        "Keep room for the fork's own message below the point at which compaction sets in (8,000 tokens are usual), "
        "and trigger the call earlier."
    ),
    proves_not="Anything about one pair of runs of an agent that samples: compare several.",
    source="microsoft/amplifier-module-context-simple, G-FORK-NOBOUNDARY: boundaries(fork) <= boundaries(control).",
    since="0.2.0",
)


class ForkNoBoundary:
    """The gate."""

    rule = RULE

    def start(self, context: Context) -> Run:
        """Begin on a file; *context*'s options may have `against`: what `count_epochs` says of the paired run."""
        return Run(context)


class Run:
    """G-FORK-NOBOUNDARY at work."""

    def __init__(self, context: Context) -> None:
        """Nothing was counted yet."""
        self._context = context
        against = context.options.get("against")
        self._against = against if isinstance(against, int) else None
        self._calls = Calls(_is_fork)
        self._epochs = Epochs()
        self._are_forks: list[bool] = []
        self._rebuilt: str | None = None

    def see(self, turn: Turn) -> Iterator[Finding]:
        """Count the request, if a lane begins anew with it."""
        if self._context.is_independent:
            return
        if turn.exchange.source.reconstructed:
            self._rebuilt = REBUILT
        self._are_forks += self._calls.see(turn)
        self._epochs.see(turn.exchange, turn.placement, turn.i_exchange, is_call=turn.is_summary_call)
        yield from ()

    def result(self, findings: tuple[Finding, ...], lanes: tuple[Lane, ...]) -> Result:
        """Fail at the first compaction point that the paired run does not have."""
        self._are_forks += self._calls.rest()
        n_forks = sum(self._are_forks)
        places = self._epochs.places(lanes) if not self._context.is_independent else []
        if n_forks and self._against is not None and not self._rebuilt and len(places) > self._against:
            first = places[self._against]
            message = f"compaction points: {len(places)} with forks, {self._against} in the paired run"
            found = Finding(message=message, line=first.line, i_exchange=first.i_exchange, kind="more_epochs")
            findings = (*findings, found)
        unknown = None
        if self._against is None:
            unknown = f"compaction points: {len(places)}; there is no paired run to compare with: --against FILE"
        return settle(
            RULE,
            unit="forks",
            checked=n_forks,
            findings=findings,
            nothing=INDEPENDENT if self._context.is_independent else (ALL_STANDALONE if self._are_forks else NO_CALLS),
            unknown=self._rebuilt or unknown,
        )


def _is_fork(call: Call) -> bool:
    return call.is_appended
