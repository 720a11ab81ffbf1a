"""A compaction that runs off the path of the requests: what it found, and what of it may be committed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import Refusal, changed, unique

if TYPE_CHECKING:
    from cgcli.compaction.state import Decision, LaneState
    from cgcli.compaction.step import Outcome
    from cgcli.compaction.summaries.state import Job
    from cgcli.model import Digest
    from cgcli.replay.modes.tracker import Generation
    from cgcli.replay.run import Run, Stage


@unique
class Found:
    """The overlay: a whole state of the lane, which is committed at once or thrown away."""

    stage: Stage
    generation: Generation
    outcome: Outcome
    state: LaneState
    """What the lane goes on from, if this is committed."""
    decisions: tuple[Decision, ...]
    """Those that the request went out without."""
    from_message: int | None
    """The first message that reads otherwise after a commit; None where none does."""
    jobs: tuple[Job, ...]
    """The calls that were made."""
    answered: tuple[Digest, ...]
    """The calls whose answers become known to the lane."""

    @property
    def is_barren(self) -> bool:
        """True where it found nothing that the request went out without."""
        return not self.decisions and not self.answered


def deferred(run: Run, stage: Stage, generation: Generation, inline: LaneState) -> Found:
    """The turn of *stage* once more, with everybody there to answer; *inline* is what it came to without."""
    n_jobs = len(run.answering.jobs)
    full, outcome = run.answering.taken(stage.step)
    for job in outcome.jobs:
        run.answering.answer(job)
    jobs = tuple(run.answering.jobs[n_jobs:])
    known = {(one.i_message, one.i_part): one.decision for one in inline.slots}
    new = [
        one
        for one in full.slots
        if one.decision is not None and _text(one.decision) != _text(known.get((one.i_message, one.i_part)))
    ]
    asked = full.summaries.asked
    is_asked = asked is not None and asked is not inline.summaries.asked
    answered = (asked.job,) if asked is not None and is_asked and _is_answered(run, asked.job) else ()
    return Found(
        stage=stage,
        generation=generation,
        outcome=outcome,
        state=_committed(full, inline),
        decisions=tuple(one.decision for one in new if one.decision is not None),
        from_message=min((one.i_message for one in new), default=None),
        jobs=jobs,
        answered=answered,
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


def _is_answered(run: Run, job: Digest) -> bool:
    answer = run.answering.answers.get(job)
    return answer is not None and not isinstance(answer, Refusal)
