"""What takes long shows on a terminal how far it is."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from tests.running import FIXTURES

if TYPE_CHECKING:
    from pathlib import Path

CAPTURE = (FIXTURES / "context-guru" / "agent.jsonl").read_bytes()


def _ran(folder: Path, *, pause_s: float, stderr: int) -> tuple[int, bytes]:
    """Read a capture from a pipe in which the writer pauses in the middle."""
    pipe = folder / "slow.jsonl"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "cgcli", "inspect", str(pipe)]
    width = {**os.environ, "COLUMNS": "80"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, env=width) as ran:
        lines = CAPTURE.splitlines(keepends=True)
        with pipe.open("wb", buffering=0) as writer:
            for line in lines:
                writer.write(line)
                time.sleep(pause_s / len(lines))
            # Records are shown as they are read; a bar begins with the first one after a second.
        out, _ = ran.communicate(timeout=60)
    return ran.returncode, out


def test_a_terminal_sees_a_bar(tmp_path: Path) -> None:
    """On stderr, once it has taken a second; the report stays clean."""
    ours, theirs = pty.openpty()
    code, out = _ran(tmp_path, pause_s=4, stderr=theirs)
    os.close(theirs)
    shown = os.read(ours, 1 << 16)
    os.close(ours)
    assert code == 0
    assert b"reading slow.jsonl" in shown
    assert b"17 requests" in out.splitlines()[0]


def test_a_file_for_stderr_sees_none(tmp_path: Path) -> None:
    """A log keeps lines, no bars."""
    log = tmp_path / "log"
    with log.open("wb") as sink:
        code, _ = _ran(tmp_path, pause_s=1.5, stderr=sink.fileno())
    assert (code, log.read_bytes()) == (0, b"")
