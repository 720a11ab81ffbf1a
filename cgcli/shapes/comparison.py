"""The nouns of a comparison: one parent, one span, and what each shape comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import unique, value

if TYPE_CHECKING:
    from decimal import Decimal

    from cgcli.cachesim.bill import Billed
    from cgcli.calls.call import Call, CallMode, Parent
    from cgcli.calls.stats import CallStats
    from cgcli.calls.when import When
    from cgcli.model import Refusal
    from cgcli.pricing.rate import Rate, Unpriced
    from cgcli.select.selection import Selection
    from cgcli.summarisers.protocol import Summary


@value
class Sharing:
    """What a call has in common with its parent, from the first byte on as the provider reads it."""

    blocks: int
    tokens: int
    """For the model."""
    wire_bytes: int
    """Leading bytes of the body that are the very same."""
    parts_at: str | None
    """The first block that is another one: `tools.0`; None where the parent is contained whole."""
    kind: str | None
    """What differs there: `tools_changed`, …"""
    is_exact: bool
    """The call without its last message is the parent: G-FORK-PREFIX."""
    is_same_bytes: bool
    """The same byte for byte, the appended message left out."""
    prefix_sha256: str
    """The key up to the last message that is meant to be the parent's, in hex; a fork's is the parent's own."""


@unique
class Shape:
    """One way of asking, from one parent."""

    mode: CallMode
    call: Call | None = None
    refusal: Refusal | None = None
    """Why it may not be used; the figures below are None then."""
    note: str | None = None
    """What to know before it is sent: its model is of another maker than its shape."""
    n_messages: int | None = None
    n_tools: int | None = None
    tokens: int | None = None
    """Of the call's whole input, for the model that it is sent to."""
    sharing: Sharing | None = None
    fires: bool | None = None
    """Of the provider's threshold: the parent has reached it. None for any other shape."""
    billed: Billed | None = None
    summary: Summary | Refusal | None = None
    """What the summariser answered this very call, or why nothing of it can be used."""
    summary_tokens: int | None = None
    """For the model that answers."""
    is_summary_assumed: bool = False
    """The size is an option, because no summary is at hand."""
    second_pass: Billed | None = None
    """Of the provider's threshold: it compacts, and then answers over what is left; both are billed, with a pause or
    without. None for any other shape."""
    replaces: Billed | None = None
    """Of the provider's threshold: the parent as it was sent, whose place the call takes. None for any other shape."""
    following: Following | None = None
    saved_tokens: int | None = None
    """That each later turn no longer has; None where nothing follows, and for native shapes: no saving of ours."""
    break_even_turns: int | None = None
    """After how many more turns the call, and what it made the next request cost, is saved; None for native shapes."""

    @property
    def call_usd(self) -> Decimal | None:
        """What the call costs beside what is paid without it: both passes, less the parent whose place it takes.

        The answer to the parent is paid either way, and stands on neither side. None: not all is priced.
        """
        if self.billed is None or self.billed.usd is None:
            return None
        if self.replaces is None:
            return self.billed.usd
        passed = self.second_pass.usd if self.second_pass is not None else None
        if passed is None or self.replaces.usd is None:
            return None
        return self.billed.usd + passed - self.replaces.usd

    @property
    def usd(self) -> Decimal | None:
        """What it costs in all: the call, and the request that follows; None: not all is priced."""
        after = self.following.billed if self.following is not None else None
        if self.call_usd is None or after is None or after.usd is None:
            return None
        return self.call_usd + after.usd

    @property
    def is_unpriced(self) -> bool:
        """It may be used and would be sent, and what it costs in all is not known."""
        return self.call is not None and self.fires is not False and self.usd is None


@unique
class Following:
    """The request that follows: the lane's next one, with the summary in its place."""

    body: bytes
    refusal: Refusal | None
    """Why there is none; `body` is empty then."""
    tokens: int
    is_recorded: bool
    """It is the lane's own next request; False: the parent stands in for it, because it was the last one."""
    billed: Billed | None = None
    kept_messages: int = 0
    """How many leading messages are still those that were sent before."""
    kept: Sharing | None = None
    """What it has in common with the parent: the prefix that is kept."""
    covers: tuple[int, int] | None = None
    """The messages that no longer stand there as they were, half-open; None for none."""


@unique
class Comparison:
    """Every shape, from one parent and one span."""

    lane: str
    turn: int
    """From 1, within the lane."""
    line: int
    parent: Parent
    parent_tokens: int
    selection: Selection | Refusal
    span_tokens: int | None
    """For the model."""
    shapes: tuple[Shape, ...]
    rate: Rate | Unpriced
    """Of the parent's model."""
    call_rate: Rate | Unpriced
    """Of the summariser's model, for a standalone call."""
    min_span_ratio: float | None
    """The share of the parent that the span must have for a fork by the parent's model to cost no more than a
    standalone call."""
    own_fork: Billed | None
    """Of a fork by the parent's model, where the summariser is another one and the fork is refused for that."""
    unchanged: Billed | None
    """The lane's next request as it is, for comparison."""
    ruler: str
    """How tokens are told."""
    asked: CallStats | None = None
    """What the wanted choice (`auto` where none was named) comes to; None where no span can be chosen."""
    warning: str | None = None
    """To be said; each reason once a lane."""
    window: When | None = None
    """When a summary is wanted."""

    @property
    def span_ratio(self) -> float | None:
        """The span's share of its parent."""
        return self.span_tokens / self.parent_tokens if self.span_tokens is not None and self.parent_tokens else None

    def shape(self, mode: CallMode) -> Shape | None:
        """The shape of that *mode*."""
        return next((shape for shape in self.shapes if shape.mode is mode), None)
