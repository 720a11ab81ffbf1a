"""What a step is that puts a summary in the place of messages: which ones, when, and what else stands there."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

from cgcli.model import unique, value
from cgcli.select.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.calls.when import When
    from cgcli.compaction.component import Loss, MarkerMode
    from cgcli.model import Refusal, Request


@unique
class Sent:
    """What a lane sends on a turn, with earlier summaries and shortened outputs in it."""

    request: Request
    tokens: Sequence[int]
    """Counted, of each message."""
    total_tokens: int
    """Of the request, in the model's tokens."""
    factor: float
    """The model's tokens for each counted one."""
    when: When

    def selection(self, start: int, stop: int) -> Selection:
        """Messages `start:stop`, counted."""
        return Selection(start=start, stop=stop, tokens=sum(self.tokens[start:stop]), n_pinned=start)


@value
class Chosen:
    """The messages of a request that are to give way; both count in what is sent."""

    span: Selection
    told: Selection
    """What of them the call is about: less than all where it would not fit."""


class SpanStep(Protocol):
    """The parameters of such a step, as a frozen value; it decides nothing that is not in what it is asked about."""

    name: ClassVar[str]
    loss: ClassVar[Loss]
    is_redone: ClassVar[bool]
    """A new summary takes the place of the earlier ones; else it stands behind them."""

    @property
    def call(self) -> str:
        """How a summary is asked for: a call mode or another name of `calls.build`."""

    @property
    def model(self) -> str | None:
        """The summariser's model; None: the lane's."""

    @property
    def min_span_ratio(self) -> float | None:
        """`auto` declines a fork where the span is a smaller share of its parent; None: by the prices."""

    @property
    def pause(self) -> bool:
        """`pause_after_compaction` of native compaction."""

    @property
    def platform(self) -> str | None:
        """Where the requests went, if the file does not say."""

    @property
    def require_reversible(self) -> bool:
        """Native compaction is refused."""

    @property
    def marker_mode(self) -> MarkerMode:
        """What stands where the messages were."""

    @property
    def user_tokens(self) -> int:
        """So many tokens of what the user said in the span stand before the summary, as messages of the user's."""

    def when(self, model: str | None) -> When:
        """The thresholds for *model*."""

    def choose(self, sent: Sent) -> Chosen | Refusal:
        """The messages that are to give way, whole groups of tool calls only; or why none can."""
