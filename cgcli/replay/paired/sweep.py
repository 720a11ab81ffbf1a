"""A sweep: async once more for each of several job times, which are shares of the gap between two requests."""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from cgcli.model import changed, unique
from cgcli.replay.modes.async_arm import AsyncArm
from cgcli.replay.modes.base import ModeArm
from cgcli.replay.modes.latency import Latency
from cgcli.replay.modes.options import Mode
from cgcli.replay.paired.replay import replay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cgcli.readers import Capture
    from cgcli.replay.paired.arm import Arm
    from cgcli.replay.paired.replay import Replayed, Wanted

RATIOS = (0.1, 0.5, 1.0, 2.0)
"""Of the time of a job to the gap: from jobs that nearly always land to such that seldom do."""


@unique
class Swept:
    """The asynchronous arms at one job time."""

    ratio: float
    job_s: float
    """What a job with one call takes; the median where times are drawn."""
    off: Arm
    arms: tuple[AsyncArm, ...]


def gap_s(done: Replayed) -> float | None:
    """The median time between two requests of a thread, by the clock of the simulation; None: no thread has two."""
    arm = next((one for one in done.arms if isinstance(one, ModeArm)), None)
    if arm is None:
        return None
    times: dict[int, list[float]] = {}
    for turn, told in zip(arm.turns, arm.mode_turns, strict=True):
        times.setdefault(turn.thread, []).append(told.at_s)
    gaps = [after - before for each in times.values() for before, after in pairwise(each)]
    return median(gaps) if gaps else None


def sweep(anew: Callable[[], Capture], wanted: Wanted, gap: float) -> Iterator[Swept]:
    """Replay what *anew* opens once for each of `RATIOS`; *gap* is in seconds, *wanted* says the rest."""
    plans = tuple(one for one in wanted.planned if one.mode is Mode.ASYNC)
    options = wanted.modes
    for ratio in RATIOS:
        job_s = ratio * gap
        call = Latency(
            median_s=max(0.0, job_s - options.step_s), sigma=options.latency.sigma, seed=options.latency.seed
        )
        done = replay(anew, changed(wanted, planned=plans, modes=changed(options, latency=call)))
        arms = tuple(arm for arm in done.arms if isinstance(arm, AsyncArm))
        yield Swept(ratio=ratio, job_s=job_s, off=done.arms[0], arms=arms)
