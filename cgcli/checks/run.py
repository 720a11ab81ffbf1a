"""Run gates over a capture: one pass, each turn shown to every gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from cgcli.checks.base import Context, Result, Verdict
from cgcli.checks.common import CommonPrefix
from cgcli.checks.rebilling import Rebilling, given_prices
from cgcli.checks.turn import Turn
from cgcli.checks.verdict import REBUILT, without_head
from cgcli.lanes import Relation, Threads, group
from cgcli.lanes.summary_call import asks_for_summary
from cgcli.model import changed, unique, value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.checks.base import Finding, Gate
    from cgcli.checks.common import Common
    from cgcli.lanes import Lane, Placement
    from cgcli.lanes.snapshot import Snapshot
    from cgcli.model import Exchange
    from cgcli.pricing.table import Prices
    from cgcli.readers import Capture, Entry


@value
class Allowed:
    """Where a lane may begin anew without failing a gate."""

    epochs: frozenset[int] = frozenset()
    after_compaction: bool = False


@unique
class Checked:
    """What the gates say of one file."""

    capture: Capture
    """As it was read."""
    n_requests: int
    lanes: tuple[Lane, ...]
    results: tuple[Result, ...]
    skipped: tuple[tuple[int, str, str], ...]
    """(line, reason, detail) of records that are not usable."""
    common: Common | None = None
    """What all requests begin with, where they are independent and the file records tools and system prompt."""
    prices: Prices
    """By which breaks and calls were priced."""
    models: tuple[str | None, ...]
    """That the requests are for, as they name them, in the order in which they come."""

    @property
    def worst(self) -> Verdict:
        """`fail` if any gate failed, else `pass` if any passed, else what the others say."""
        verdicts = {result.verdict for result in self.results}
        order = (Verdict.FAIL, Verdict.PASS, Verdict.UNKNOWN, Verdict.VACUOUS)
        return next((verdict for verdict in order if verdict in verdicts), Verdict.VACUOUS)


class Observer(Protocol):
    """What looks at the turns too, and gives no verdict: a baseline in the making."""

    def see(self, turn: Turn) -> None:
        """Take the next request."""


class Checking:
    """Gates at work: shown one request after the other, then asked for what they say."""

    def __init__(
        self,
        capture: Capture,
        gates: Sequence[Gate],
        allowed: Allowed,
        options: Mapping[str, object],
        *,
        observers: Sequence[Observer] = (),
    ) -> None:
        """Judge requests of *capture*, or what is sent instead of them, by *gates*; *observers* see each turn too."""
        self._capture = capture
        self._gates = gates
        self._observers = observers
        self._prices = given_prices(options)
        self._context = Context(
            file=capture.file,
            known=capture.known,
            is_independent=capture.is_independent,
            rebilled=Rebilling(self._prices),
            allowed_epochs=allowed.epochs,
            allow_after_compaction=allowed.after_compaction,
            options=options,
        )
        judging = [gate for gate in gates if not capture.is_reconstructed or gate.rule.holds_for_histories]
        self._runs = [(gate, gate.start(self._context)) for gate in judging]
        self._found: dict[str, list[Finding]] = {gate.rule.gate: [] for gate in judging}
        self._threads = Threads()
        self._spoken: dict[int, Snapshot] = {}
        self._common = CommonPrefix()
        self._skipped: list[tuple[int, str, str]] = []
        self._models: dict[str | None, None] = {}
        self._n_requests = 0

    def see(self, exchange: Exchange) -> None:
        """Take the next request."""
        context = self._context
        self._models[exchange.request.model] = None
        turn = _turn(exchange, self._n_requests, self._threads, self._spoken, alone=context.is_independent)
        self._n_requests += 1
        if context.is_independent and without_head(context) is None:
            self._common.see(exchange.request)
        for gate, run in self._runs:
            self._found[gate.rule.gate] += run.see(turn)
        for observer in self._observers:
            observer.see(turn)

    def skip(self, entry: Entry) -> None:
        """Take note of a record that is no request."""
        if entry.passed is not None and not entry.passed.usable:
            self._skipped.append((entry.line, entry.passed.reason, entry.passed.detail))

    def checked(self) -> Checked:
        """What the gates say of all that was seen."""
        lanes = group(self._threads.threads, independent=self._context.is_independent)
        judged = {gate.rule.gate: run.result(tuple(self._found[gate.rule.gate]), lanes) for gate, run in self._runs}
        return Checked(
            capture=self._capture,
            n_requests=self._n_requests,
            lanes=lanes,
            results=tuple(judged.get(gate.rule.gate) or _not_judged(gate) for gate in self._gates),
            skipped=tuple(self._skipped),
            common=self._common.result(),
            prices=self._prices,
            models=tuple(self._models),
        )


def check(
    capture: Capture,
    gates: Sequence[Gate],
    allowed: Allowed,
    options: Mapping[str, object],
    *,
    observers: Sequence[Observer] = (),
) -> Checked:
    """Show every request of *capture* to every one of *gates*, and to *observers*."""
    checking = Checking(capture, gates, allowed, options, observers=observers)
    for entry in capture:
        if entry.exchange is None:
            checking.skip(entry)
        else:
            checking.see(entry.exchange)
    return checking.checked()


def _not_judged(gate: Gate) -> Result:
    return Result(gate=gate.rule.gate, verdict=Verdict.UNKNOWN, checked=0, unit="requests as sent", reason=REBUILT)


def _turn(exchange: Exchange, i_exchange: int, threads: Threads, spoken: dict[int, Snapshot], *, alone: bool) -> Turn:
    """The request at its place in a thread."""
    asks = asks_for_summary(exchange.request)
    placed = threads.place(exchange, i_exchange, alone=alone, is_summary_call=asks)
    return Turn(
        exchange,
        placed if asks else _past_calls(placed, spoken),
        i_exchange=i_exchange,
        number=len(placed.thread.turns),
        is_summary_call=asks,
    )


def _past_calls(placement: Placement, spoken: dict[int, Snapshot]) -> Placement:
    """Compare the way back from a broken summariser call with what the lane itself sent last, as kept in *spoken*."""
    own = spoken.get(placement.thread.identity)
    if placement.thread.last is not None:
        spoken[placement.thread.identity] = placement.thread.last
    return changed(placement, before=own) if placement.relation is Relation.EDITS and own is not None else placement
