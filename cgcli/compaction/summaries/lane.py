"""The summaries of a lane, as the step sees them."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from cgcli.compaction.pipeline import Evaluation
from cgcli.compaction.splicing import edits
from cgcli.compaction.state import SlotState
from cgcli.compaction.summaries.placing import original
from cgcli.compaction.summaries.standing import is_standing, standing
from cgcli.compaction.summaries.state import Event, What
from cgcli.compaction.summaries.turn import SummaryTurn
from cgcli.model import unique
from cgcli.wire.splice import splice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.compaction.splicing import Placed
    from cgcli.compaction.summaries.span_step import SpanStep
    from cgcli.compaction.summaries.state import Applied, Job, Seam, SummaryState
    from cgcli.model import Request
    from cgcli.tokens.meter import Meter
    from cgcli.wire.strings import Style


@unique
class Lane:
    """One request with what its lane decided so far."""

    request: Request
    slots: Sequence[SlotState]
    """May change between placing and asking."""
    cumulative: Sequence[int]
    """`cumulative[i]`: counted tokens of messages 0 to i before compaction."""

    def span_tokens(self, start: int, stop: int) -> int:
        """Counted tokens of messages `start:stop` with their slots' decisions; no summary is looked at."""
        before = self.cumulative[start - 1] if start else 0
        saved = sum(
            slot.decision.saved_tokens
            for slot in self.slots
            if slot.decision is not None and start <= slot.i_message < stop
        )
        return self.cumulative[stop - 1] - before - saved

    def sent(self, applied: tuple[Applied, ...], others: Sequence[Placed]) -> bytes:
        """The body with every decision, and with the summaries that were *applied*."""
        placed = edits(self.request, self.slots, applied, others)
        return splice(bytes(self.request.raw), [(start, stop, decision.literal) for start, stop, decision in placed])


class Summing:
    """One turn: `place` puts a summary in its place, then `ask` sees what is sent and may ask for the next one."""

    def __init__(
        self,
        settings: SpanStep,
        before: SummaryState,
        kept: SummaryState,
        lane: Lane,
        seam: Seam,
        *,
        style: Style,
        meter: Meter,
    ) -> None:
        """*kept* is what of the lane's summaries *before* is true of this request."""
        self._lane = lane
        self._turn = SummaryTurn(
            settings, kept, lane.request, seam, meter=meter, style=style, span_tokens=lane.span_tokens
        )
        self._standing: tuple[Placed, ...] = ()
        asked = before.asked
        self._events = [_dropped(before)] if asked is not None and kept.asked is None and not seam.is_copy else []

    @property
    def state(self) -> SummaryState:
        """The lane's summaries as they are now."""
        return self._turn.state

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened."""
        return (*self._events, *self._turn.events)

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The calls that are to be answered."""
        return tuple(self._turn.jobs)

    @property
    def replaced(self) -> tuple[Applied, ...]:
        """The earlier summaries that the one which was placed stands for too."""
        return self._turn.replaced

    @property
    def standing(self) -> tuple[Placed, ...]:
        """What each of the lane's requests gets beside its messages: the setting by which the provider compacts."""
        return self._standing

    def place(self, view_tokens: int) -> Evaluation | None:
        """Put the answered summary in its place, where that is due; *view_tokens*: the request's, as it is so far."""
        self._turn.place(view_tokens)
        return _evaluation(self._lane, self._turn.placed) if self._turn.placed is not None else None

    def ask(self, view_tokens: int, others: Sequence[Placed] = ()) -> None:
        """Ask for the next summary where that is due, or have the provider compact by itself.

        *others* are decisions about the body beside slots and summaries.
        """
        turn = self._turn
        if turn.choice.is_native:
            asking = turn.asking(view_tokens)
            if is_standing(turn.choice, asking):
                set_up = standing(turn.state, asking)
                turn.state = set_up.state
                turn.events += set_up.events
                self._standing = set_up.edits
                return
        turn.ask(view_tokens, lambda: self._lane.sent(turn.state.applied, others))


def _dropped(before: SummaryState) -> Event:
    asked = before.asked
    assert asked is not None, "only what was asked for can be dropped"  # noqa: S101 - an impossible state
    return Event(
        what=What.DROPPED,
        ticket=asked.ticket,
        start=asked.start,
        stop=asked.stop,
        mode=asked.mode,
        reason="lane_edited",
    )


def _evaluation(lane: Lane, placed: Applied) -> Evaluation:
    written = original(lane.request, placed.start, placed.stop)
    assert sha256(written).digest() == placed.decision.original, "a summary stands for what is there"  # noqa: S101
    slot = SlotState(
        i_message=placed.start,
        i_part=-1,
        tokens=lane.span_tokens(placed.start, placed.stop),
        seen=(),
        decision=placed.decision,
        skips=(),
        is_open=False,
    )
    return Evaluation(slot=slot, literal=written, original=written, reverted=(), covers="messages", before=placed.kept)
