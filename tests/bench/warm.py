"""Milliseconds that each component takes of a request on a warm lane.

Every component is a policy of its own, in a process of its own, under `--held respect`, and under `--held ignore` too
where that can make a difference. Time is that of the thread on the processor, so that others at work on the machine
count less. A request is warm that goes on a lane. *own* is the time in the component, what it looks at for the first
time included, with the tokens that it counts; *turn* is everything that the request takes once it is parsed.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from time import thread_time_ns
from typing import TYPE_CHECKING, Any

from cgcli.compaction.component import Slot
from cgcli.compaction.state import HeldRule
from cgcli.model import changed
from cgcli.readers import open_bytes, read
from cgcli.replay.run import Run
from cgcli.summarisers.registry import named as summariser
from tests.bench.alone import POLICIES, heeds_the_rule, names, policy_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from cgcli.compaction.policy import Policy
    from cgcli.compaction.state import LaneState
    from cgcli.compaction.step import Outcome, Stepper

_TIMED = frozenset({"propose", "plan", "wakes", "wakes_below", "ask", "choose"})


class Clock:
    """Nanoseconds inside the components, and of whole turns, request by request."""

    def __init__(self) -> None:
        self.own_ns: list[int] = []
        """Of turns; the parts below are in it."""
        self.new_ns: list[int] = []
        """On outputs that the lane sends for the first time."""
        self.n_sent = 0
        """Outputs that it sent before."""
        self.turn_ns: list[int] = []
        self.is_warm: list[bool] = []

    def begins(self, state: LaneState) -> None:
        """A turn."""
        self.own_ns.append(0)
        self.new_ns.append(0)
        self.is_warm.append(state.generation > 0)
        self.n_sent = len(state.slots)

    def took(self, ns: int, asked: object) -> None:
        """A component took so long over what it was *asked*."""
        self.own_ns[-1] += ns
        if isinstance(asked, Slot) and asked.i_output >= self.n_sent:
            self.new_ns[-1] += ns

    def warm_ms(self, taken_ns: Sequence[int], of: Callable[[list[int]], float] = statistics.fmean) -> float:
        """Milliseconds of the warm turns, by default their mean."""
        return of([ns for ns, is_warm in zip(taken_ns, self.is_warm, strict=True) if is_warm]) / 1e6


class Timed:
    """A component whose calls are timed; all else is as it is."""

    def __init__(self, inner: Any, clock: Clock) -> None:
        self._inner = inner
        self._clock = clock

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name not in _TIMED:
            return found

        def timed(*args: Any) -> Any:
            started = thread_time_ns()
            try:
                return found(*args)
            finally:
                self._clock.took(thread_time_ns() - started, args[0])

        return timed


class TimedStepper:
    """A policy at work, its turns timed."""

    def __init__(self, inner: Stepper, clock: Clock) -> None:
        self._inner = inner
        self._clock = clock

    def step(self, state: LaneState, *args: Any) -> tuple[LaneState, Outcome]:
        """The turn."""
        self._clock.begins(state)
        started = thread_time_ns()
        found = self._inner.step(state, *args)
        self._clock.turn_ns.append(thread_time_ns() - started)
        return found


class TimedRun(Run):
    """A run whose turns are timed."""

    clock = Clock()

    def _stepper(self, model: str | None) -> Any:
        return TimedStepper(super()._stepper(model), self.clock)


def timed_policy(name: str, clock: Clock) -> Policy:
    """The built-in policy of that name, or the step of that name alone, timed."""
    policy = policy_of(name)
    wrapped: Any = [Timed(one, clock) for one in policy.components]
    bodies: Any = [Timed(one, clock) for one in policy.bodies]
    span: Any = Timed(policy.span_step, clock) if policy.span_step is not None else None
    return changed(policy, components=tuple(wrapped), bodies=tuple(bodies), span_step=span)


def measured(capture: str, name: str, rule: str) -> dict[str, float]:
    """Milliseconds on the warm requests of *capture*."""
    clock = TimedRun.clock = Clock()
    with open_bytes(capture) as stream:
        run = TimedRun(
            read(stream, file=capture),
            timed_policy(name, clock),
            rule=HeldRule(rule),
            summariser=summariser("extractive"),
        )
        n_entries = sum(1 for _ in run)
    return {
        "entries": n_entries,
        "fired": sum(run.ledger.distinct.fired.values()),
        "own": clock.warm_ms(clock.own_ns),
        "new": clock.warm_ms(clock.new_ns),
        "worst": clock.warm_ms(clock.own_ns, max),
        "turn": clock.warm_ms(clock.turn_ns),
    }


def in_a_process(capture: Path, name: str, rule: str) -> tuple[dict[str, float], float]:
    """What a process of its own measures, and its peak megabytes."""
    env = {key: held for key, held in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-m", "tests.bench.warm", str(capture), name, rule]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=env)
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{name}: exit {process.returncode}")
    return json.loads(said), used.ru_maxrss / 1024


def measure(capture: Path) -> None:
    """Print the table of *capture*."""
    print(f"{capture.name}: {capture.stat().st_size / 1e6:.1f} MB; ms of a warm request, means")
    print(f"  {'':20} {'held':8} {'fired':>6} {'own':>7} {'of it new':>10} {'worst':>7} {'turn':>7} {'peak MB':>8}")
    for name in ["off", *names(), *POLICIES]:
        for rule in ("respect", "ignore") if name != "off" and heeds_the_rule(name) else ("respect",):
            told, peak_mb = in_a_process(capture, name, rule)
            print(
                f"  {name:20} {rule:8} {told['fired']:6.0f} {told['own']:7.3f} {told['new']:10.3f} "
                f"{told['worst']:7.2f} {told['turn']:7.3f} {peak_mb:8.0f}",
                flush=True,
            )


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measured(*sys.argv[1:])))
