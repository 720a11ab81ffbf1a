"""A component that asks a model about one output: what it asks, what it is told first, what a lane remembers of it.

It decides in two steps, both pure. `ask` says what the model is to be asked, or why it is not; once the answer is at
hand, `propose` judges it. Between the two stands whoever runs the lane: see `Desk`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from msgspec import field

from cgcli.model import unique, value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.compaction.component import Skip, Slot
    from cgcli.compaction.market import Market
    from cgcli.model import Digest

NOT_ASKED = "not_asked"
"""The reason where nothing may be asked: no prices and answers are at hand, or it is only tried what would pay."""
NOT_ANSWERED = "not_answered"
"""The reason where a call is still to be answered."""


@value
class Ask:
    """One question to a model about an output."""

    model: str
    prompt: str
    """The system prompt."""
    text: str
    """The user message."""
    max_tokens: int
    """Of the answer, in the model's tokens."""
    output: str
    """As much of the output as is shown."""
    output_tokens: int
    """Of that, counted."""
    most_tokens: int
    """How long the answer is to be, counted."""
    is_exploring: bool = False
    """It would not pay by what is known, and is asked to learn more."""


@unique
class Facts:
    """What a component is told before it asks."""

    market: Market
    can_answer: bool
    """False where nobody answers calls."""
    is_known: bool
    """The lane asked about this very text before: asking again costs nothing, and gets the same answer."""
    n_asked: int
    """Calls about outputs of this request, so far."""
    n_asked_in_lane: int
    """With those of this request."""
    n_explored: int
    """Those of them that were made to learn."""
    lane_tokens: int
    """Counted, of the messages of the lane's last request; 0 where this is its first."""
    request_tokens: int
    """Counted, of the messages of this one."""
    asked_tokens: int
    """Counted, of all outputs that earlier requests of the lane asked about."""
    saved_tokens: int
    """Counted, what came of that."""


@runtime_checkable
class Asking(Protocol):
    """A component that asks."""

    def ask(self, slot: Slot) -> Ask | Skip:
        """What the model is to be asked about *slot*, or why it is not. Pure."""


def is_asking(component: object) -> bool:
    """True for a component that asks."""
    return isinstance(component, Asking)


@value
class AskedState:
    """What a lane remembers of its calls about outputs."""

    by_text: Mapping[Digest, Digest] = field(default_factory=dict)
    """The call (sha256 of its body) by the text that it was asked about (sha256)."""
    n_explored: int = 0
    asked_tokens: int = 0
    saved_tokens: int = 0


NOTHING_ASKED = AskedState()
