"""The driver: each request of a capture through one policy, in the order of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.compaction.meter import Meter
from cgcli.compaction.pipeline import Pipeline
from cgcli.compaction.state import LaneState
from cgcli.compaction.step import Stepper
from cgcli.lanes import MOST_HEADS, Relation, Threads, group
from cgcli.lanes.summary_call import asks_for_summary
from cgcli.model import changed, value
from cgcli.providers.models import lookup
from cgcli.replay.holding import Holding
from cgcli.replay.ledger import Ledger
from cgcli.tokens import counter
from cgcli.wire.strings import Style

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.compaction.policy import Policy
    from cgcli.compaction.state import HeldRule
    from cgcli.compaction.step import Outcome
    from cgcli.lanes import Lane, Placement, Thread
    from cgcli.model import Digest, Exchange, Request
    from cgcli.readers import Capture, Entry


@value
class Sent:
    """One entry of the input and what becomes of it."""

    entry: Entry
    outcome: Outcome | None
    """None where the entry is no request."""


class Run:
    """A policy over a capture. Iterate it once; then `ledger` and `lanes` are complete."""

    def __init__(self, capture: Capture, policy: Policy, *, rule: HeldRule) -> None:
        """Run *policy* over *capture*, treating the held prefix by *rule*."""
        self.capture = capture
        self.policy = policy
        self.rule = rule
        self.ledger = Ledger()
        self.threads = Threads()
        self._holding = Holding()
        self._states: dict[int, dict[Digest, LaneState]] = {}
        """Per thread and head (model, tools, system): decisions are replayed where the provider's prefix is."""
        self._steppers: dict[str, Stepper] = {}
        self._n_exchanges = 0

    def __iter__(self) -> Iterator[Sent]:
        """Every entry in order; a request's outcome is what its lane sends instead."""
        for entry in self.capture:
            outcome = self._turn(entry.exchange) if entry.exchange is not None else None
            yield Sent(entry=entry, outcome=outcome)

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes of what has been read."""
        return group(self.threads.threads, independent=self.capture.reader.independent)

    def _turn(self, exchange: Exchange) -> Outcome:
        request = exchange.request
        placement = self.threads.place(
            exchange,
            self._n_exchanges,
            alone=self.capture.reader.independent,
            is_summary_call=asks_for_summary(request),
        )
        self._n_exchanges += 1
        held = self._holding.of(placement, exchange)
        thread = placement.thread
        owner = thread.branch[0] if placement.relation is Relation.BRANCHES and thread.branch else thread
        if placement.split is not None:
            self._states[placement.split.identity] = dict(self._states[owner.identity])
        state, shared = self._before(owner, placement, request)
        state, stepped = self._stepper(request.model).step(state, request, shared, held)
        outcome = changed(stepped, thread=thread.identity)
        self._remember(thread, request, state)
        self.ledger.book(exchange, placement, held, state, outcome)
        return outcome

    def _before(self, owner: Thread, placement: Placement, request: Request) -> tuple[LaneState, int]:
        """The state to go on from, and how many leading messages of *request* it is true of."""
        states = self._states.get(owner.identity)
        if not states:
            return LaneState(), 0
        if request.static in states:
            return states[request.static], placement.sent
        return next(reversed(states.values())), placement.shared

    def _remember(self, thread: Thread, request: Request, state: LaneState) -> None:
        """Keep *state* as the thread's newest, under the head of *request*."""
        states = self._states.setdefault(thread.identity, {})
        states.pop(request.static, None)
        states[request.static] = state
        if len(states) > MOST_HEADS:
            del states[next(iter(states))]

    def _stepper(self, model: str | None) -> Stepper:
        """The policy at work with the tokenizer of *model*; thresholds and sums of a lane use the same one."""
        encoding = lookup(model).encoding
        if encoding not in self._steppers:
            count = counter(encoding).count
            style = Style.GO if self.capture.reader.go_escapes else Style.ASCII
            pipeline = Pipeline(self.policy.components, count, default_style=style)
            self._steppers[encoding] = Stepper(pipeline, Meter(count), rule=self.rule)
        return self._steppers[encoding]
