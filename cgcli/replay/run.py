"""The driver: each request of a capture through one policy, in the order of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import field

from cgcli.cachesim.options import DEFAULTS, CacheOptions
from cgcli.calls.build import resolve
from cgcli.compaction.pipeline import Pipeline
from cgcli.compaction.policy import edits_content
from cgcli.compaction.state import HeldRule, LaneState
from cgcli.compaction.step import Stepper
from cgcli.compaction.summaries.state import Seam
from cgcli.lanes import MOST_HEADS, Relation, Threads, group
from cgcli.lanes.summary_call import asks_for_summary
from cgcli.model import changed, unique, value
from cgcli.pricing.table import default_prices
from cgcli.providers.models import lookup
from cgcli.replay.answering import Answering
from cgcli.replay.holding import Holding
from cgcli.replay.ledger import Ledger
from cgcli.replay.paying import Paying
from cgcli.tokens import counter
from cgcli.tokens.meter import Meter
from cgcli.wire.strings import Style

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cgcli.compaction.policy import Policy
    from cgcli.compaction.state import Held
    from cgcli.compaction.step import Outcome
    from cgcli.lanes import Lane, Placement, Thread
    from cgcli.model import Digest, Exchange, Request
    from cgcli.pricing.table import Prices
    from cgcli.readers import Capture, Entry
    from cgcli.summarisers.protocol import Summariser


@value
class Sent:
    """One entry of the input and what becomes of it."""

    entry: Entry
    outcome: Outcome | None
    """None where the entry is no request."""


@unique
class Stage:
    """A turn that is to be taken, and all that it goes by."""

    exchange: Exchange
    placement: Placement
    before: LaneState
    shared: int
    """How many leading messages `before` is true of."""
    held: Held
    seam: Seam
    stepper: Stepper

    def step(self, seam: Seam | None = None) -> tuple[LaneState, Outcome]:
        """The turn, as it stands, or told what *seam* says."""
        return self.stepper.step(self.before, self.exchange.request, self.shared, self.held, seam or self.seam)


@unique
class Common:
    """What several runs over one file have in common."""

    threads: Threads
    """In which the requests are put."""
    meter: Callable[[str], Meter] | None = None
    """Of an encoding; None: each run counts for itself."""
    holding: Holding = field(default_factory=Holding)
    """What is held before compaction is the same for all."""
    cache: CacheOptions = DEFAULTS
    """By which `--held pays` reckons."""


class Run:
    """A policy over a capture. Iterate it once; then `ledger` and `lanes` are complete."""

    def __init__(
        self,
        capture: Capture,
        policy: Policy,
        *,
        rule: HeldRule,
        summariser: Summariser | None = None,
        prices: Prices | None = None,
        common: Common | None = None,
    ) -> None:
        """Run *policy* over *capture*, treating the held prefix by *rule*.

        *summariser* answers its calls; *prices* (default: the table) are looked up where the rule is `pays`, or a
        step asks a model about single outputs. *common* is what it shares with runs beside it.
        """
        self.capture = capture
        self.policy = policy
        self.rule = rule
        self.ledger = Ledger()
        common = common if common is not None else Common(threads=Threads())
        self.threads = common.threads
        self.answering = Answering(summariser, policy, self._known_prices)
        self.paying = Paying(prices or default_prices(), common.cache) if rule is HeldRule.PAYS else None
        self._prices = prices
        self._meter = common.meter
        self._other_editor = ", ".join(edits_content(policy)) or None
        self._holding = common.holding
        self._states: dict[int, dict[Digest, LaneState]] = {}
        """Per thread and head (model, tools, system): decisions are replayed where the provider's prefix is."""
        self._steppers: dict[str, Stepper] = {}
        self._n_exchanges = 0

    def __iter__(self) -> Iterator[Sent]:
        """Every entry in order; a request's outcome is what its lane sends instead."""
        for entry in self.capture:
            outcome = self.turn(entry.exchange, self._placed(entry.exchange)) if entry.exchange is not None else None
            yield Sent(entry=entry, outcome=outcome)

    @property
    def summariser(self) -> Summariser:
        """Who answers the policy's calls."""
        return self.answering.summariser

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes of what has been read."""
        return group(self.threads.threads, independent=self.capture.is_independent)

    def _placed(self, exchange: Exchange) -> Placement:
        return self.threads.place(
            exchange,
            self._n_exchanges,
            alone=self.capture.is_independent,
            is_summary_call=asks_for_summary(exchange.request),
        )

    def turn(self, exchange: Exchange, placement: Placement) -> Outcome:
        """What is sent instead of *exchange*, the next one of the file, which was put where *placement* says."""
        stage = self.stage(exchange, placement)
        state, outcome = self.answering.taken(stage.step)
        for job in outcome.jobs:
            self.answering.answer(job)
        return self.settle(stage, state, outcome)

    def stage(self, exchange: Exchange, placement: Placement) -> Stage:
        """All that the turn of *exchange* goes by."""
        request = exchange.request
        self._n_exchanges += 1
        held = self._holding.of(placement, exchange)
        thread = placement.thread
        owner = thread.branch[0] if placement.relation is Relation.BRANCHES and thread.branch else thread
        if placement.split is not None:
            self._states[placement.split.identity] = dict(self._states.get(owner.identity, {}))
        state, shared = self._before(owner, placement, request)
        is_copy = owner is not thread or request.static not in self._states.get(owner.identity, {})
        if self.paying is not None:
            self.paying.arrives(exchange, thread)
        seam = Seam(
            source=exchange.source,
            is_copy=is_copy,
            can_answer=self.answering.can_answer,
            tools_recorded=self.capture.known.tools,
            other_editor=self._other_editor,
            fork_prices=self._fork_prices(),
            answers=self.answering.answers,
            judge=self.paying,
            prices=self.answering.prices,
        )
        return Stage(
            exchange=exchange,
            placement=placement,
            before=state,
            shared=shared,
            held=held,
            seam=seam,
            stepper=self._stepper(request.model),
        )

    def settle(self, stage: Stage, state: LaneState, stepped: Outcome) -> Outcome:
        """Keep what the turn came to; what is sent."""
        exchange, placement = stage.exchange, stage.placement
        outcome = changed(stepped, thread=placement.thread.identity)
        if self.paying is not None:
            self.paying.leaves(exchange, outcome, self._n_exchanges - 1)
        self.keep(stage, state)
        self.ledger.book(exchange, placement, stage.held, state, outcome)
        return outcome

    def keep(self, stage: Stage, state: LaneState) -> None:
        """Let *state* be what the lane of *stage* goes on from."""
        self._remember(stage.placement.thread, stage.exchange.request, state)

    def _known_prices(self) -> Prices:
        """Those that were given, else the table's."""
        if self._prices is None:
            self._prices = default_prices()
        return self._prices

    def _fork_prices(self) -> Prices | None:
        """What `auto` reckons by; None where no step of the policy asks so."""
        span_step = self.policy.span_step
        may_decline = span_step is not None and resolve(span_step.call).may_decline
        return self._known_prices() if may_decline else None

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
            self._steppers[encoding] = Stepper(
                pipeline,
                self._meter(encoding) if self._meter is not None else Meter(count),
                rule=self.rule,
                span_step=self.policy.span_step,
                bodies=self.policy.bodies,
                triggers=self.policy.triggers,
            )
        return self._steppers[encoding]
