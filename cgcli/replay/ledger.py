"""The account of a run: what fired, what it saved, what was left alone and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cgcli.lanes import Relation
from cgcli.model import value
from cgcli.replay.distinct import Distinct

if TYPE_CHECKING:
    from cgcli.compaction.state import Held, LaneState
    from cgcli.compaction.step import Outcome
    from cgcli.compaction.summaries.state import Event
    from cgcli.lanes import Placement
    from cgcli.model import Exchange


@value
class Break:
    """Where a request stopped being a continuation of what its thread sent before."""

    line: int
    message: int
    """The first message that reads differently, from 0."""


@value
class Row:
    """One request's figures; tokens as the tokenizer counts them, without any factor."""

    model: str | None
    before_tokens: int
    after_tokens: int
    is_cold: bool
    input_break: Break | None
    """The input itself changed what it had sent."""
    output_break: Break | None
    """Compaction changed what had been sent and would have stayed."""
    recorded_input_tokens: int | None
    """What the provider billed as input, where the file has it."""


@value
class Told:
    """An event of a lane's summaries, and the request on which it happened."""

    line: int
    i_exchange: int
    event: Event


@dataclass(slots=True)
class Ledger:
    """Sums over a run; every figure counts what happened, none is derived from another."""

    n_changed: int = 0
    distinct: Distinct = field(default_factory=Distinct)
    """Each tool output once."""
    saved_gross: Counter[str] = field(default_factory=Counter)
    """Per component: tokens taken from requests, again in each that repeats the slot."""
    rows: list[Row] = field(default_factory=list)
    """One per request, in the order of the file."""
    dialects: Counter[str] = field(default_factory=Counter)
    summaries: list[Told] = field(default_factory=list)
    """What became of each summary, in the order of the file."""

    def book(self, exchange: Exchange, placement: Placement, held: Held, state: LaneState, outcome: Outcome) -> None:
        """Take one turn into the account."""
        request = exchange.request
        self.n_changed += bool(outcome.edits)
        self.dialects[request.dialect] += 1
        for evaluation in outcome.considered:
            self.distinct.book(placement.thread, request, evaluation)
        for name, saved in state.saved.items():
            if saved:
                self.saved_gross[name] += saved
        for told in outcome.bodies:
            self.distinct.book_body(told)
            self.saved_gross[told.component] += told.saved_tokens
        self.summaries += [
            Told(line=exchange.source.line, i_exchange=len(self.rows), event=event) for event in outcome.summaries
        ]
        self.rows.append(_row(exchange, placement, held, outcome))


def _row(exchange: Exchange, placement: Placement, held: Held, outcome: Outcome) -> Row:
    line = exchange.source.line
    input_break = None
    if placement.relation is not Relation.NEW and not placement.same_static:
        input_break = Break(line=line, message=0)
    elif placement.relation is Relation.EDITS:
        input_break = Break(line=line, message=placement.shared)
    output_break = None
    if outcome.rewritten_from is not None and outcome.rewritten_from < held.n_messages:
        output_break = Break(line=line, message=outcome.rewritten_from)
    usage = exchange.usage if exchange.request.is_whole else None
    return Row(
        model=exchange.request.model,
        before_tokens=outcome.before_tokens,
        after_tokens=outcome.after_tokens,
        is_cold=held.is_cold,
        input_break=input_break,
        output_break=output_break,
        recorded_input_tokens=usage.input if usage is not None and usage.input else None,
    )
