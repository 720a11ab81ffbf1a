"""What a lane remembers from turn to turn: one frozen value."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import field

from cgcli.model import Digest, unique, value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.wire.strings import Style


class HeldKind(StrEnum):
    """What is known about the prefix that the provider holds."""

    NOTHING = "nothing"
    KNOWN = "known"
    UNKNOWN = "unknown"


@value
class Held:
    """The leading messages of a request that the provider may hold."""

    kind: HeldKind
    n_messages: int
    """How many; 0 for `nothing`. For `unknown`: up to the last answer in the request, held or not."""
    is_cold: bool = False
    """Its cache has lapsed by the recorded times."""


class HeldRule(StrEnum):
    """May a new decision enter what the provider holds?"""

    RESPECT = "respect"
    IGNORE = "ignore"


@value
class Fired:
    """One component's part in a decision."""

    component: str
    saved_tokens: int


@unique
class Decision:
    """What stands in a slot from now on."""

    literal: bytes
    """The JSON string that replaces the slot's, quotes included."""
    original: Digest
    """Of the slot's text before compaction, in UTF-8."""
    replacement: Digest
    """Of the text that the literal spells."""
    fired: tuple[Fired, ...]
    saved_tokens: int
    is_reversible: bool
    """False where content left and nothing was stashed (marker modes `summary` and `off`)."""
    style: Style | None
    """The escapes that give the original literal from its text again; None where none does."""


@unique
class SlotState:
    """One tool output of a lane, and what was decided about it."""

    i_message: int
    i_part: int
    tokens: int
    seen: tuple[tuple[int, Digest], ...]
    """Per pipeline step that looks for repeats: the text's digest when it came there."""
    decision: Decision | None
    skips: tuple[tuple[str, str], ...]
    """(component, reason) of each step that left the slot alone."""
    is_open: bool
    """A later turn may decide anew: a step was kept from acting by the held prefix, or by a reason that passes."""


@unique
class LaneState:
    """Everything that a lane's next turn may depend on.

    `slots` are in the order of the messages, which the chain of the lane's last request identifies: cutting them at a
    depth gives the state at that depth, so a branch starts with a copy, and a frozen decision is replayed exactly where
    the prefix is the same and lost exactly where it is not.
    """

    generation: int = 0
    slots: tuple[SlotState, ...] = ()
    open_slots: tuple[int, ...] = ()
    """Indices of the slots that are open, ascending."""
    cumulative: tuple[int, ...] = ()
    """`cumulative[i]`: tokens of messages 0 to i before compaction."""
    saved: Mapping[str, int] = field(default_factory=dict)
    """Tokens that each component's decisions take from a request of this lane."""
    n_decisions: int = 0
    n_irreversible: int = 0


def truncated(state: LaneState, n_messages: int) -> LaneState:
    """*state* as it was when the lane had *n_messages*."""
    if n_messages >= len(state.cumulative):
        return state
    slots = tuple(slot for slot in state.slots if slot.i_message < n_messages)
    return LaneState(
        generation=state.generation,
        slots=slots,
        open_slots=tuple(i for i in state.open_slots if i < len(slots)),
        cumulative=state.cumulative[:n_messages],
        saved=saved_by(slots),
        n_decisions=sum(slot.decision is not None for slot in slots),
        n_irreversible=sum(slot.decision is not None and not slot.decision.is_reversible for slot in slots),
    )


def saved_by(slots: tuple[SlotState, ...]) -> dict[str, int]:
    """The tokens that each component saved in *slots*."""
    saved: dict[str, int] = {}
    for slot in slots:
        for fired in slot.decision.fired if slot.decision else ():
            saved[fired.component] = saved.get(fired.component, 0) + fired.saved_tokens
    return saved
