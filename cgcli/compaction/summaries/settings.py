"""`summarize`: its parameters, as they stand in a policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.calls.build import resolve
from cgcli.calls.when import APPLY_AT, ASK_AT, TARGET, when
from cgcli.compaction.component import Loss, MarkerMode
from cgcli.compaction.components.parameters import (
    check_count,
    check_flag,
    check_fraction,
    check_marker_mode,
    check_text,
    check_whole,
)
from cgcli.compaction.summaries.span_step import Chosen
from cgcli.model import Refusal, value
from cgcli.select.choosing import select
from cgcli.select.selection import SpanOptions

if TYPE_CHECKING:
    from cgcli.calls.when import When
    from cgcli.compaction.summaries.span_step import Sent


@value
class Summarize:
    """The oldest messages give way to a summary."""

    name: ClassVar[str] = "summarize"
    loss: ClassVar[Loss] = Loss.STASHED
    is_redone: ClassVar[bool] = False
    user_tokens: ClassVar[int] = 0

    call: str = "standalone"
    """How a summary is asked for: a call mode, `native` or `auto`."""
    ask_at: float = ASK_AT
    """Share of the budget from which on a summary is asked for."""
    apply_at: float = APPLY_AT
    """Share of the budget from which on it is put in its place."""
    target: float = TARGET
    """Share of the budget that a request is to have afterwards."""
    budget_tokens: int | None = None
    """In place of the budget that follows from the model's window."""
    keep_first: int = 1
    """So many messages stay at the head."""
    protect_recent: float = 0.30
    """This share of the messages stays at the tail."""
    keep_last: int | None = None
    """So many messages stay at the tail, in place of `protect_recent`."""
    model: str | None = None
    """The summariser's model, where it is another than the lane's."""
    min_span_ratio: float | None = None
    """`auto` declines a fork where the span is a smaller share of its parent. None: by the prices; 0: it never does."""
    pause: bool = False
    """`pause_after_compaction` of native compaction."""
    platform: str | None = None
    """Where the requests went, if the file does not say: `anthropic`, `bedrock`, …"""
    require_reversible: bool = False
    """Native compaction is refused."""
    marker_mode: MarkerMode = MarkerMode.FULL

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_text(self.name, "call", self.call)
        resolve(self.call)
        for parameter in ("ask_at", "apply_at", "target"):
            check_fraction(self.name, parameter, getattr(self, parameter))
        check_count(self.name, "budget_tokens", self.budget_tokens)
        self.when(None)
        check_whole(self.name, "keep_first", self.keep_first)
        check_fraction(self.name, "protect_recent", self.protect_recent)
        check_count(self.name, "keep_last", self.keep_last)
        check_text(self.name, "model", self.model)
        if self.min_span_ratio is not None:
            check_fraction(self.name, "min_span_ratio", self.min_span_ratio)
        check_flag(self.name, "pause", self.pause)
        check_text(self.name, "platform", self.platform)
        check_flag(self.name, "require_reversible", self.require_reversible)
        check_marker_mode(self.name, self.marker_mode)

    def when(self, model: str | None) -> When:
        """Shares of the budget, asked for at one and applied at another."""
        return when(
            model,
            budget_tokens=self.budget_tokens,
            ask_at=self.ask_at,
            apply_at=self.apply_at,
            target=self.target,
        )

    def choose(self, sent: Sent) -> Chosen | Refusal:
        """The oldest messages that may go, as many as it takes to come down to `target` at the time of the swap."""
        most = max(sent.total_tokens, sent.when.apply_tokens)
        excess = max(1, round((most - sent.when.target_tokens) / sent.factor))
        options = SpanOptions(
            tokens=excess,
            keep_first=self.keep_first,
            protect_recent=self.protect_recent,
            keep_last=self.keep_last,
        )
        found = select(sent.request, sent.tokens, options)
        return found if isinstance(found, Refusal) else Chosen(span=found, told=found)
