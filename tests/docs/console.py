"""Run the `console` blocks of a page in order, as a reader would, and give the page back with what was printed.

A line that begins with `$ ` is a command, the lines up to the next one are what it prints on both streams. The commands
of a page share one folder, which has `fixtures` in it. A block with `title=NAME` is a file in that folder. The folder's
own path is shown as `/home/you/demo`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.docs.here import run, split
from tests.docs.pages import CONSOLE, ROOT, fences

if TYPE_CHECKING:
    from pathlib import Path

SHOWN_FOLDER = "/home/you/demo"
_PROMPT = "$ "
_TIME_S = 60


def rerun(text: str, folder: Path, *, here: bool = False) -> str:
    """*text* with the output of each command as it is today; *folder* is empty.

    With *here* a `cg` that wants no shell runs in this process, which is quicker.
    """
    demo = folder / "demo"
    demo.mkdir()
    (demo / "fixtures").symlink_to(ROOT / "fixtures")
    shell = Shell(demo, make_commands(folder / "bin"), here=here)
    lines = text.splitlines()
    shift = 0
    for fence in fences(text):
        if fence.title is not None:
            file = demo / fence.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("\n".join(fence.lines) + "\n", encoding="utf-8")
        elif fence.info == CONSOLE:
            shown = shell.session(fence.lines)
            lines[fence.start + shift : fence.stop + shift] = shown
            shift += len(shown) - len(fence.lines)
    return "\n".join(lines) + "\n"


class Shell:
    """Runs commands in one folder."""

    def __init__(self, folder: Path, commands: Path, *, here: bool = False) -> None:
        """Run in *folder*, with the programs in *commands* before all others.

        With *here* a `cg` that wants no shell runs in this process.
        """
        self._folder = folder
        self._here = here
        self._env = {
            "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "LC_ALL": "C.UTF-8",
            "COLUMNS": "80",
            "HOME": str(folder),
        }

    def session(self, block: tuple[str, ...]) -> list[str]:
        """The lines of *block*, each command followed by what it prints."""
        shown = []
        for line in block:
            if line.startswith(_PROMPT):
                shown += [line, *self.run(line.removeprefix(_PROMPT))]
        return shown

    def run(self, command: str) -> list[str]:
        """What *command* prints on both streams, in lines."""
        own = split(command) if self._here else None
        written = self._started(command) if own is None else run(*own, self._folder, self._env)
        return written.decode().replace(str(self._folder), SHOWN_FOLDER).splitlines()

    def _started(self, command: str) -> bytes:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self._folder,
            env=self._env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_TIME_S,
            check=False,
        )
        return done.stdout


def make_commands(folder: Path) -> Path:
    """A folder with a `cg` that is this tree's, and a `python3` that can import it."""
    folder.mkdir()
    for name, call in (("cg", f'"{sys.executable}" -m cgcli'), ("python3", f'"{sys.executable}"')):
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec {call} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    return folder
