"""What takes long shows on a terminal how far it is."""

from __future__ import annotations

import os
import pty
import signal
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


def test_a_terminal_sees_how_many_files_are_done(tmp_path: Path) -> None:
    """Of many files at once: one bar, of files, and the reports in order on stdout."""
    ours, theirs = pty.openpty()
    files = []
    for i in range(6):
        (tmp_path / f"{i}.jsonl").write_bytes(CAPTURE)
        files.append(f"{i}.jsonl")
    command = [sys.executable, "-m", "cgcli", "replay", *files, "--policy", "codesafe", "-j", "2"]
    ran = subprocess.run(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=theirs, env={**os.environ, "COLUMNS": "80"}, check=False
    )
    os.close(theirs)
    shown = os.read(ours, 1 << 16)
    os.close(ours)
    assert ran.returncode == 0
    assert b"replaying" in shown
    assert b"/6" in shown
    told = [line.split(b":")[0] for line in ran.stdout.splitlines() if b".jsonl: context-guru" in line]
    assert told == [name.encode() for name in files]


def test_an_interrupt_of_many_files_is_130(tmp_path: Path) -> None:
    """Sent to the command alone, while its workers are at work: they go with it, and nothing but that is said."""
    for i in range(4):
        lines = CAPTURE * 60
        (tmp_path / f"{i}.jsonl").write_bytes(lines)
    command = [sys.executable, "-m", "cgcli", "replay", *(f"{i}.jsonl" for i in range(4)), "-j", "2"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as ran:
        time.sleep(4)
        ran.send_signal(signal.SIGINT)
        out, said = ran.communicate(timeout=30)
    assert (ran.returncode, out, said) == (130, b"", b"")


def test_a_file_for_stderr_sees_none(tmp_path: Path) -> None:
    """A log keeps lines, no bars."""
    log = tmp_path / "log"
    with log.open("wb") as sink:
        code, _ = _ran(tmp_path, pause_s=1.5, stderr=sink.fileno())
    assert (code, log.read_bytes()) == (0, b"")
