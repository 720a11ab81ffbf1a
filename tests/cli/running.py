"""Run the real `cg` in a process of its own, and look at what it left behind."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from tests.here import called

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROOT = Path(__file__).resolve().parents[2]
INPUT = "in.jsonl"
OUTPUT = "out.jsonl"
STASH = "stash"
TINY = """
[[steps]]
component = "collapse"
max_tokens = 50
head_lines = 2
tail_lines = 2
"""
"""A policy under which nearly every tool output shrinks, so that a round trip has something to restore."""
_TIMEOUT_S = 120


@dataclass(frozen=True)
class Ran:
    """What one run came to."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Stdout as text."""
        return self.out.decode()


def environment(folder: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a run in *folder*: this source, and a stash in the folder whatever stands above it."""
    own = {name: said for name, said in os.environ.items() if not name.startswith("CG_")}
    return {**own, "PYTHONPATH": str(ROOT), "CG_STASH": str(folder / STASH), **(more or {})}


def cg(
    folder: Path,
    *arguments: str | Path,
    stdin: bytes | IO[bytes] | None = None,
    stdout: int | IO[bytes] = subprocess.PIPE,
    stderr: int | IO[bytes] = subprocess.PIPE,
    env: Mapping[str, str] | None = None,
    before: Callable[[], None] | None = None,
) -> Ran:
    """Run `cg` with *arguments* in *folder*; *before* runs in the new process first."""
    return run([sys.executable, "-m", "cgcli", *map(str, arguments)], folder, stdin, stdout, stderr, env, before)


def cg_here(folder: Path, *arguments: str | Path) -> Ran:
    """Run `cg` in this process, as in one of its own that has only the folder and *arguments*."""
    code, out, err = called([*map(str, arguments)], folder, environment(folder))
    return Ran(code=code, out=out, err=err.decode())


def script(folder: Path, code: str, *arguments: str | Path) -> Ran:
    """Run Python *code* in *folder* with *arguments* in `sys.argv[1:]`."""
    return run([sys.executable, "-c", code, *map(str, arguments)], folder)


def run(
    command: list[str],
    folder: Path,
    stdin: bytes | IO[bytes] | None = None,
    stdout: int | IO[bytes] = subprocess.PIPE,
    stderr: int | IO[bytes] = subprocess.PIPE,
    env: Mapping[str, str] | None = None,
    before: Callable[[], None] | None = None,
) -> Ran:
    """Run *command* to its end; no run may show a traceback."""
    fed = stdin if isinstance(stdin, bytes) else None
    started = subprocess.Popen(
        command,
        cwd=folder,
        env=environment(folder, env),
        stdin=subprocess.PIPE if isinstance(stdin, bytes) else stdin or subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        preexec_fn=before,  # noqa: PLW1509 - no other thread runs then
    )
    with started:
        try:
            out, err = started.communicate(fed, timeout=_TIMEOUT_S)
        finally:
            started.kill()
    ran = Ran(code=started.returncode, out=out or b"", err=(err or b"").decode())
    assert "Traceback" not in ran.err
    assert b"Traceback" not in ran.out
    return ran


def leftovers(folder: Path) -> list[str]:
    """Half-written files under *folder*: parts of products, and what a stash has not committed."""
    parts = [path for path in folder.rglob("*") if path.name.endswith(".part")]
    return sorted(str(path.relative_to(folder)) for path in [*parts, *(folder / STASH / "tmp").glob("*")])


def compact(
    folder: Path, content: bytes, *options: str | Path, name: str = INPUT, call: Callable[..., Ran] = cg
) -> Ran:
    """Compact *content* in *folder* under `TINY`, and check what holds of every run; `cg` is run by *call*.

    The input stays as it is and nothing half-written stays; without success there is no output, with it the input
    comes back byte for byte.
    """
    source = folder / name
    source.write_bytes(content)
    (folder / "tiny.toml").write_text(TINY)
    policy = () if {"--policy", "--pipeline"} & set(map(str, options)) else ("--policy", "tiny.toml")
    ran = call(folder, "compact", name, "-o", OUTPUT, *policy, *options)
    check_left(folder, source, content, ran.code, call=call)
    return ran


def check_left(folder: Path, source: Path, content: bytes, code: int, *, call: Callable[..., Ran] = cg) -> None:
    """Check the files that a compaction of *source*, which had *content*, left in *folder*."""
    assert hashlib.sha256(source.read_bytes()).digest() == hashlib.sha256(content).digest()
    assert leftovers(folder) == []
    output = folder / OUTPUT
    assert output.exists() == (code == 0)
    if code == 0:
        back = call(folder, "expand", "--all", OUTPUT, "-o", "back.jsonl", "-q")
        assert (back.code, back.err) == (0, "")
        assert (folder / "back.jsonl").read_bytes() == content
