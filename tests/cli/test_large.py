"""Large input: memory follows the distinct content, and an interrupt leaves nothing half-written."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.running import environment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = pytest.mark.slow
MIB = 1 << 20


def _capture(path: Path, *, n_bytes: int) -> int:
    """One conversation whose history is repeated in every line; the bytes of its last line, which is all of it."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "count the boats"}]
    written = turn = 0
    line = b""
    with path.open("wb") as file:
        while written < n_bytes:
            body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "system": "Count.", "messages": messages}
            line = json.dumps(body).encode() + b"\n"
            written += file.write(line)
            turn += 1
            call = {"type": "tool_use", "id": f"t{turn}", "name": "Bash", "input": {"command": f"ls {turn}"}}
            rows = "\n".join(f"boat {turn}-{i} lies at pier {i * turn % 97}" for i in range(400))
            result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": rows}
            messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return len(line)


def _peak_bytes(folder: Path, *arguments: str) -> int:
    """Run `cg`; the most memory that it held at once."""
    script = (
        "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(code)"
    )
    command = [sys.executable, "-c", script, sys.executable, "-m", "cgcli", *arguments]
    ran = subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, check=True)
    return int(ran.stdout.split()[-1]) * 1024


@pytest.mark.parametrize(
    "arguments",
    [("inspect", "in.jsonl", "--json"), ("check", "in.jsonl", "-q"), ("compact", "in.jsonl", "-o", "out.jsonl", "-q")],
    ids=lambda arguments: arguments[0],
)
def test_a_gigabyte_takes_what_its_distinct_content_takes(arguments: Sequence[str], tmp_path: Path) -> None:
    """1 GiB of which the last line has all: a start-up's worth, what lines are compared with, and copies of that."""
    distinct_bytes = _capture(tmp_path / "in.jsonl", n_bytes=1024 * MIB)
    assert (tmp_path / "in.jsonl").stat().st_size >= 1024 * MIB
    assert distinct_bytes < 8 * MIB
    assert _peak_bytes(tmp_path, *arguments) < 152 * MIB + 24 * distinct_bytes


@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect", "in.jsonl"),
        ("check", "in.jsonl", "-q"),
        ("convert", "in.jsonl", "-o", "out.jsonl", "-q"),
        ("compact", "in.jsonl", "-o", "out.jsonl", "-q"),
    ],
    ids=lambda arguments: arguments[0],
)
@pytest.mark.parametrize("shape", ["text", "string"])
def test_one_line_of_100_mb_takes_three_times_its_length(arguments: Sequence[str], shape: str, tmp_path: Path) -> None:
    """A body with one long text, as an object and inside of a string: beyond what a short line takes."""
    begins = b'{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"'
    row, ends = b"the boats lie at the pier\\n", b'"}]}'
    if shape == "string":
        begins, row, ends = (json.dumps(written.decode())[1:-1].encode() for written in (begins, row, ends))
        begins, ends = b'{"request_json":"' + begins, ends + b'"}'
    (tmp_path / "in.jsonl").write_bytes(begins + row + ends + b"\n")
    start_up_bytes = _peak_bytes(tmp_path, *arguments)
    with (tmp_path / "in.jsonl").open("wb") as file:
        file.write(begins)
        for _ in range(1000):
            file.write(row * (100_000 // len(row) + 1))
        file.write(ends + b"\n")
    size = (tmp_path / "in.jsonl").stat().st_size
    assert size >= 100_000_000
    assert _peak_bytes(tmp_path, *arguments) <= 3 * size + start_up_bytes


@pytest.mark.parametrize(
    ("arguments", "sent", "expected"),
    [
        (("inspect", "in.jsonl"), signal.SIGINT, 130),
        (("check", "in.jsonl"), signal.SIGINT, 130),
        (("compact", "in.jsonl", "-o", "out.jsonl"), signal.SIGINT, 130),
        (("convert", "in.jsonl", "-o", "out.jsonl"), signal.SIGINT, 130),
        (("compact", "in.jsonl", "-o", "out.jsonl"), signal.SIGTERM, 143),
        (("convert", "in.jsonl", "-o", "out.jsonl"), signal.SIGTERM, 143),
    ],
    ids=lambda told: told[0] if isinstance(told, tuple) else None,
)
def test_an_interrupt_leaves_nothing(
    arguments: Sequence[str], sent: signal.Signals, expected: int, tmp_path: Path
) -> None:
    """At ten moments of the work on 300 MB, with a bar on the terminal; the same for a request to end."""
    _capture(tmp_path / "in.jsonl", n_bytes=300 * MIB)
    command = [sys.executable, "-m", "cgcli", *arguments]
    codes = []
    for tenth in range(1, 11):
        ours, theirs = pty.openpty()
        with subprocess.Popen(
            command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.DEVNULL, stderr=theirs
        ) as ran:
            time.sleep(0.15 * tenth)
            ran.send_signal(sent)
            code = ran.wait(timeout=60)
        os.close(theirs)
        os.close(ours)
        codes.append(code)
        if code == expected:
            assert [path.name for path in tmp_path.iterdir() if path.name not in ("in.jsonl", "stash")] == []
        (tmp_path / "out.jsonl").unlink(missing_ok=True)
    assert codes.count(expected) >= 5
    assert set(codes) <= {expected, 0, 3, -sent}  # the last where not even the first module was loaded


def test_a_killed_run_leaves_no_product(tmp_path: Path) -> None:
    """SIGKILL at ten moments: the product is whole, or not there; what was stashed verifies."""
    _capture(tmp_path / "in.jsonl", n_bytes=200 * MIB)
    command = [sys.executable, "-m", "cgcli", "compact", "in.jsonl", "-o", "out.jsonl", "-q"]
    for tenth in range(1, 11):
        with subprocess.Popen(command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.DEVNULL) as ran:
            time.sleep(0.3 * tenth)
            ran.kill()
            ran.wait(timeout=60)
        if (tmp_path / "out.jsonl").exists():
            back = subprocess.run(
                [sys.executable, "-m", "cgcli", "expand", "--all", "out.jsonl", "-o", "back.jsonl", "-q"],
                cwd=tmp_path,
                env=environment(tmp_path),
                check=False,
            )
            assert back.returncode == 0
            assert (tmp_path / "back.jsonl").read_bytes() == (tmp_path / "in.jsonl").read_bytes()
            (tmp_path / "out.jsonl").unlink()
        if (tmp_path / "stash" / "format").exists():  # written last: before it there is no stash
            verified = subprocess.run(
                [sys.executable, "-m", "cgcli", "stash", "verify"],
                cwd=tmp_path,
                env=environment(tmp_path),
                stdout=subprocess.DEVNULL,
                check=False,
            )
            assert verified.returncode == 0
