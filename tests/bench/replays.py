"""Time `cg replay` of one long history against floors, in one run.

What it takes beyond start-up is told by the same policies over a history of one request, which loads the same modules
and the same vocabulary. Processor time counts, of all threads: others at work on the machine make that longer too, but
less than what a clock on the wall says. They never make it shorter: the least of all runs is told beside the medians.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench import session
from tests.bench.processes import Taken, run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TURNS = 200
LOADS = "import json, sys\nfor line in open(sys.argv[1], 'rb'):\n    json.loads(line)"
FLOOR = "json.loads"
FOUR = "clear-tool-uses,opencode-prune,openhands-mask,mask@ignore"
POLICIES = {"off": ("--policy", "off"), "four policies": ("--policy", FOUR), "default policies": ()}
"""How each set is called; `off` is replayed beside each other one, too."""
_BEGINS = "start-up, "


def measure(n_runs: int) -> None:
    """Time everything and print a table."""
    with tempfile.TemporaryDirectory() as name:
        short, long = Path(name) / "1.session.jsonl", Path(name) / f"{TURNS + 1}.session.jsonl"
        session.write_history(short, turns=0)
        session.write_history(long, turns=TURNS)
        todo = dict(_commands(short, long))
        taken: dict[str, list[Taken]] = {label: [] for label in todo}
        for i_run in range(n_runs + 1):  # the first one only warms up
            for label, command in todo.items():
                one = run(command)
                taken[label] += [one] if i_run else []
        print(f"{TURNS + 1} answers, {long.stat().st_size / 1e6:.1f} MB, median of {n_runs} interleaved runs")
    for line in _table(taken):
        print(line)


def _commands(short: Path, long: Path) -> Iterator[tuple[str, Sequence[str]]]:
    yield FLOOR, (sys.executable, "-c", LOADS, str(long))
    for label, options in POLICIES.items():
        replay = (sys.executable, "-m", "cgcli", "replay", "-q", *options)
        yield _BEGINS + label, (*replay, str(short))
        yield label, (*replay, str(long))


def _table(taken: dict[str, list[Taken]]) -> Iterator[str]:
    cpu_s = {label: statistics.median(one.cpu_s for one in each) for label, each in taken.items()}
    least_s = {label: min(one.cpu_s for one in each) for label, each in taken.items()}
    heads = f"{'cpu s':>6} {'wall s':>7} {'beyond start-up':>16} {'of the least':>13} {'x ' + FLOOR:>13} {'peak MB':>8}"
    yield f"  {'':27} {heads}"
    for label, each in taken.items():
        wall_s = statistics.median(one.wall_s for one in each)
        beyond, least = "", ""
        if label in POLICIES:
            beyond, least = (f"{took[label] - took[_BEGINS + label]:.2f}" for took in (cpu_s, least_s))
        peak_mb = max(one.peak_mb for one in each)
        times = cpu_s[label] / cpu_s[FLOOR]
        yield f"  {label:27} {cpu_s[label]:6.2f} {wall_s:7.2f} {beyond:>16} {least:>13} {times:13.1f} {peak_mb:8.0f}"
