"""A compaction that runs off the path of the requests: what it found, and what of it may be committed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.compaction.summaries.state import What
from cgcli.model import Refusal, changed, unique

if TYPE_CHECKING:
    from cgcli.compaction.state import Decision, LaneState
    from cgcli.compaction.step import Outcome
    from cgcli.compaction.summaries.state import Event
    from cgcli.model import Digest
    from cgcli.replay.modes.asking import Answers
    from cgcli.replay.modes.tracker import Generation
    from cgcli.replay.run import Stage

_MOST_ROUNDS = 3
"""What is asked does not depend on the answers, so that one is enough; a bound for those that do not keep to it."""


@unique
class Inline:
    """A turn as it was sent: what it came to where nobody could be asked."""

    stage: Stage
    generation: Generation
    state: LaneState
    outcome: Outcome
    i_row: int
    """Of the ledger."""


@unique
class Found:
    """The overlay: a whole state of the lane, which is committed at once or thrown away."""

    inline: Inline
    outcome: Outcome
    state: LaneState
    """What the lane goes on from, if this is committed."""
    decisions: tuple[Decision, ...]
    """Those that the request went out without."""
    from_message: int | None
    """The first message that reads otherwise after a commit; None where none does."""
    has_summary: bool
    """A summary was asked for and answered; the lane's next turn may put it in its place."""
    known: tuple[Digest, ...]
    """The calls whose answers become known to the lane."""
    said: tuple[Event, ...]
    """What became of summaries that nobody could be asked for before."""

    @property
    def is_barren(self) -> bool:
        """True where it found nothing that the request went out without."""
        return not self.decisions and not self.has_summary


def deferred(inline: Inline, answers: Answers) -> Found:
    """The turn of *inline* once more, with everybody there to answer; *answers* says how long that takes."""
    stage = inline.stage
    seam = changed(stage.seam, answers=answers)
    full, outcome = stage.step(seam)
    for _ in range(_MOST_ROUNDS):
        if not outcome.asks:
            break
        for job in outcome.asks:
            answers.have(job)
        full, outcome = stage.step(seam)
    for job in outcome.jobs:
        answers.have(job)
    known = {(one.i_message, one.i_part): one.decision for one in inline.state.slots}
    new = [one for one in full.slots if _text(one.decision) != _text(known.get((one.i_message, one.i_part)))]
    asked, before = full.summaries.asked, inline.state.summaries.asked
    is_new = asked is not None and (before is None or asked.ticket is not before.ticket)
    answer = answers.get(asked.job) if asked is not None and is_new else None
    has_summary = answer is not None and not isinstance(answer, Refusal)
    return Found(
        inline=inline,
        outcome=outcome,
        state=_committed(full, inline.state),
        decisions=tuple(one.decision for one in new if one.decision is not None),
        from_message=min((one.i_message for one in new), default=None),
        has_summary=has_summary,
        known=(*full.asked.by_text.values(), *((asked.job,) if asked is not None and has_summary else ())),
        said=tuple(event for event in outcome.summaries if event.what is What.ASKED),
    )


def _committed(full: LaneState, inline: LaneState) -> LaneState:
    """What was found, over what was sent: marks and other edits of the body are of the turn that was sent."""
    return changed(
        inline,
        slots=full.slots,
        open_slots=full.open_slots,
        saved=full.saved,
        n_decisions=full.n_decisions,
        n_irreversible=full.n_irreversible,
        summaries=full.summaries,
        could_save={},
        asked=full.asked,
    )


def _text(decision: Decision | None) -> bytes | None:
    return decision.replacement if decision is not None else None
