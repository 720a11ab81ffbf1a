"""Time `cg check`, `cg compact` and `cg expand` against floors, in one run.

    python -m tests.bench                            own captures: 40 and 200 turns, 1000 small ones
    python -m tests.bench --capture FILE [FILE ...]  captures that are there already
    python -m tests.bench --components               every component alone, per warm request; see tests/bench/warm.py
    python -m tests.bench --replay                   `cg replay` of one long history; see tests/bench/replays.py

Every command is a process of its own, start-up and writing included. Runs are interleaved; what is shown is the median,
its ratio to `json.loads` of every line, and the largest memory that a run had.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from tests.bench import replays, session, warm
from tests.bench.processes import run
from tests.bench.replays import FLOOR, LOADS

HASH = "import hashlib, sys\nhashlib.file_digest(open(sys.argv[1], 'rb'), 'sha256')"


def commands(capture: Path, folder: Path) -> dict[str, list[str]]:
    """What is timed on one capture, the floor first."""
    python = sys.executable
    cg = [python, "-m", "cgcli"]
    out = str(folder / "out.jsonl")
    stash = ["--stash", str(folder / "stash")]
    return {
        FLOOR: [python, "-c", LOADS, str(capture)],
        "sha256": [python, "-c", HASH, str(capture)],
        "cg check": [*cg, "check", str(capture), "--exit-zero"],
        "cg compact": [*cg, "compact", str(capture), "--policy", "codesafe", "-o", out, *stash],
        "cg compact --dry-run": [*cg, "compact", str(capture), "--policy", "codesafe", "--dry-run"],
        "cg compact off": [*cg, "compact", str(capture), "--policy", "off", "-o", out, *stash],
        "cg expand --all": [*cg, "expand", "--all", str(folder / "compacted.jsonl"), "-o", out, *stash],
    }


def measure(capture: Path, n_runs: int) -> None:
    """Time everything on *capture* and print a table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        todo = commands(capture, folder)
        walls: dict[str, list[float]] = {label: [] for label in todo}
        peaks: dict[str, float] = dict.fromkeys(todo, 0)
        for i_run in range(n_runs + 1):
            for label, command in todo.items():
                if label == "cg compact":
                    shutil.rmtree(folder / "stash", ignore_errors=True)
                taken = run(command)
                if label == "cg compact" and i_run == 0:
                    (folder / "out.jsonl").rename(folder / "compacted.jsonl")
                (folder / "out.jsonl").unlink(missing_ok=True)
                if i_run:
                    walls[label].append(taken.wall_s)
                    peaks[label] = max(peaks[label], taken.peak_mb)
    floor_s = statistics.median(walls[FLOOR])
    print(f"{capture.name}: {capture.stat().st_size / 1e6:.1f} MB, median of {n_runs} interleaved runs")
    print(f"  {'':24} {'wall s':>8} {'x ' + FLOOR:>12} {'peak MB':>8}")
    for label, each in walls.items():
        wall_s = statistics.median(each)
        print(f"  {label:24} {wall_s:8.2f} {wall_s / floor_s:12.2f} {peaks[label]:8.0f}")


def start_up(n_runs: int) -> None:
    """Print the start-up times beside bare Python's."""
    todo = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "cg --version": [sys.executable, "-m", "cgcli", "--version"],
    }
    print("start-up, median wall s")
    for label, command in todo.items():
        print(f"  {label:24} {statistics.median(run(command).wall_s for _ in range(n_runs)):8.3f}")


def components(captures: list[Path] | None, *, turns: int) -> None:
    """Time every component on *captures*, or on one of our own."""
    for capture in captures or ():
        warm.measure(capture)
    if not captures:
        with tempfile.TemporaryDirectory() as name:
            capture = Path(name) / f"{turns}-turns.jsonl"
            session.write(capture, turns=turns)
            warm.measure(capture)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--capture", nargs="+", type=Path, help="captures to time on")
    parser.add_argument("--turns", nargs="+", type=int, default=[40, 200], help="turns of our own captures")
    parser.add_argument(
        "--small", nargs="*", type=int, default=[1000], help="turns of our own captures of small outputs"
    )
    parser.add_argument("--runs", type=int, default=5, help="counted runs; one more comes first")
    parser.add_argument("--components", action="store_true", help="time the components in place of the commands")
    parser.add_argument("--replay", action="store_true", help="time `cg replay` in place of the other commands")
    args = parser.parse_args()
    if args.replay:
        replays.measure(args.runs)
        return
    if args.components:
        components(args.capture, turns=max(args.turns))
        return
    start_up(args.runs)
    if args.capture:
        for capture in args.capture:
            measure(capture, args.runs)
        return
    with tempfile.TemporaryDirectory() as name:
        for turns in args.turns:
            for moving in (False, True):
                capture = Path(name) / f"{turns}-turns{'-moving-marks' if moving else ''}.jsonl"
                session.write(capture, turns=turns, moving_marks=moving)
                measure(capture, args.runs)
                capture.unlink()
        for turns in args.small:
            capture = Path(name) / f"{turns}-small-turns.jsonl"
            session.write(capture, turns=turns, small=True)
            measure(capture, args.runs)
            capture.unlink()


if __name__ == "__main__":
    main()
