"""The two commands of the README: what they are, and what the first one prints."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from tests.docs.console import SHOWN_FOLDER, Shell, make_commands
from tests.docs.pages import ROOT, fences

if TYPE_CHECKING:
    from pathlib import Path

    from tests.docs.pages import Fence

INSTALL = ["python3 -m venv .venv", ".venv/bin/pip install -q ."]
INSTALL_DEV = ["python3 -m venv .venv", ".venv/bin/pip install -q -e '.[dev]'"]
_BIN = ".venv/bin/"


def blocks(text: str) -> list[tuple[Fence, Fence]]:
    """Each `sh` block with the `text` block after it, which shows its output."""
    found = fences(text)
    return [(a, b) for a, b in pairwise(found) if a.info == "sh" and b.info == "text"]


def steps(block: Fence) -> list[str]:
    """The commands of a block of one line, as joined by `&&`."""
    (line,) = block.lines
    return [step.strip() for step in line.split("&&")]


def main_job(text: str, folder: Path) -> list[str]:
    """What the last step of the first block prints, in a copy of what it needs; *folder* is empty."""
    job = steps(blocks(text)[0][0])[-1]
    assert job.startswith(f"{_BIN}cg ")
    tree = folder / "tree"
    tree.mkdir()
    (tree / "fixtures").symlink_to(ROOT / "fixtures")
    shown = Shell(tree, make_commands(folder / "bin")).run(job.removeprefix(_BIN))
    assert all(SHOWN_FOLDER not in line for line in shown)
    return shown


def rewritten(text: str, folder: Path) -> str:
    """*text* with the output of its first command as it is today."""
    lines = text.splitlines()
    shown = blocks(text)[0][1]
    lines[shown.start : shown.stop] = main_job(text, folder)
    return "\n".join(lines) + "\n"
