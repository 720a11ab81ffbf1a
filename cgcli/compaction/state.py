"""What a lane remembers from turn to turn: one frozen value."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from msgspec import field

from cgcli.compaction.extraction import NOTHING_ASKED, AskedState
from cgcli.compaction.summaries.state import NO_SUMMARIES, SummaryState
from cgcli.model import Digest, unique, value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from cgcli.compaction.view import View
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
    left_s: float | None = None
    """By the recorded times: what is left of the cache's life, and below 0 where its life is over, which is before it
    counts as lapsed. None where they do not say."""


class HeldRule(StrEnum):
    """May a new decision enter what the provider holds?"""

    RESPECT = "respect"
    PAYS = "pays"
    """Where it saves more than it makes the provider write again."""
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
    key: str = ""
    """The marker's key of its text before compaction; none where a summary stands for messages."""


@value
class BodiesState:
    """What the components of bodies remember of a lane."""

    memories: Mapping[int, Any] = field(default_factory=dict)
    """By the component's place among them; they tell themselves what of it is still true."""
    sent: frozenset[tuple[int | None, Digest]] = frozenset()
    """What read otherwise in the lane's last request for them: the message (None: tools or system), and the digest."""
    sent_by: Mapping[int, frozenset[tuple[int | None, Digest]]] = field(default_factory=dict)
    """The same by the component's place, before later ones took anything out of it."""
    saved_tokens: int = 0
    """Counted, from that request."""
    begun: frozenset[int] = frozenset()
    """The components that were asked, by their place; one that waits for a trigger is not."""


NO_BODIES = BodiesState()


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
    summaries: SummaryState = NO_SUMMARIES
    view: View | None = None
    """What was found out about the messages, where a component asked."""
    bodies: BodiesState = NO_BODIES
    asked: AskedState = NOTHING_ASKED
    """Of its calls about single outputs."""
    former: tuple[SlotState, ...] = ()
    """Of models that bind thinking: outputs that earlier requests had and the last one had not."""
    could_save: Mapping[int, int] = field(default_factory=dict)
    """Per open slot in the held prefix: the tokens that it would lose if a decision might enter. Only where no later
    turn can change that."""


def truncated(state: LaneState, n_messages: int) -> LaneState:
    """*state* as it was when the lane had *n_messages*."""
    if n_messages >= len(state.cumulative):
        return state
    slots = tuple(slot for slot in state.slots if slot.i_message < n_messages)
    summaries = state.summaries.truncated(n_messages)
    placed = [one.decision for one in summaries.applied]
    return LaneState(
        generation=state.generation,
        slots=slots,
        open_slots=tuple(i for i, slot in enumerate(slots) if slot.is_open and not summaries.covers(slot.i_message)),
        cumulative=state.cumulative[:n_messages],
        saved=saved_by([*(slot.decision for slot in slots if slot.decision is not None), *placed]),
        n_decisions=sum(slot.decision is not None for slot in slots),
        n_irreversible=sum(slot.decision is not None and not slot.decision.is_reversible for slot in slots),
        summaries=summaries,
        view=state.view,
        bodies=state.bodies,
        asked=state.asked,
        former=state.former,
    )


def saved_by(decisions: Iterable[Decision]) -> dict[str, int]:
    """The tokens that each component saved by *decisions*."""
    saved: dict[str, int] = {}
    for decision in decisions:
        for fired in decision.fired:
            saved[fired.component] = saved.get(fired.component, 0) + fired.saved_tokens
    return saved
