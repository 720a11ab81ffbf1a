"""Run a command as a process of its own, and tell what it took."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Sequence


@value
class Taken:
    """What one run took."""

    wall_s: float
    cpu_s: float
    """Of all threads, the system's time for them included."""
    peak_mb: float
    """The largest memory that it had."""


def run(command: Sequence[str]) -> Taken:
    """What *command* takes; it must end with exit code 0, and what it writes is thrown away."""
    started = time.perf_counter()
    # As an installed package runs: from compiled modules.
    env = {name: held for name, held in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
    _, status, used = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit {process.returncode}")
    return Taken(wall_s=wall_s, cpu_s=used.ru_utime + used.ru_stime, peak_mb=used.ru_maxrss / 1024)
