"""The first screen of the README: its two commands do what it shows."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.docs import readme
from tests.docs.help import commands
from tests.docs.pages import README, ROOT, rows, sections

if TYPE_CHECKING:
    from pathlib import Path

TEXT = README.read_text(encoding="utf-8")
CI = ROOT / ".ci" / "run"


def test_the_main_job_prints_what_is_shown(tmp_path: Path) -> None:
    """The output under the first command is what its last step prints today."""
    _, shown = readme.blocks(TEXT)[0]

    assert list(shown.lines) == readme.main_job(TEXT, tmp_path)


def test_the_main_job_writes_what_git_ignores() -> None:
    """The product of the first command is a file that git ignores."""
    job = readme.steps(readme.blocks(TEXT)[0][0])[-1]
    product = job.split(" -o ")[1]

    assert f"/{product}" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_both_commands_need_nothing_but_python() -> None:
    """Each command makes its environment, installs into it, and then does its one job."""
    main_job, tests = (readme.steps(block) for block, _ in readme.blocks(TEXT))

    assert main_job[:-1] == ["python3 -m venv .venv", ".venv/bin/pip install -q ."]
    assert tests == ["python3 -m venv .venv", ".venv/bin/pip install -q -e '.[dev]'", ".venv/bin/python -m pytest -q"]


def test_the_tests_end_in_the_line_that_is_shown() -> None:
    """Pytest's last line has the shape that the README shows, figures aside."""
    _, shown = readme.blocks(TEXT)[1]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/stash/test_locate.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    last = done.stdout.splitlines()[-1]

    assert list(shown.lines) == [re.sub(r"\d+", "N", re.sub(r"\d+\.\d+", "N.NN", last))]


@pytest.mark.skipif(not CI.exists(), reason=".ci/run is in the repository, not in a source archive")
def test_ci_runs_the_test_command() -> None:
    """`.ci/run` has the very line of the README."""
    (line,) = readme.blocks(TEXT)[1][0].lines

    assert line in CI.read_text(encoding="utf-8").splitlines()


def test_the_table_has_every_command() -> None:
    """The table of commands has each command of `cg`, and no other."""
    spans = " ".join(row[0].replace("`", "").replace(",", "") for row in rows(sections(TEXT)["Commands"]))
    leaves = {words for words, command in commands() if words and not hasattr(command, "commands")}

    assert {word for words in leaves for word in words} == {
        word for word in spans.split() if word.islower() and word != "cg" and not word.startswith("-")
    }


def test_it_is_short() -> None:
    """The README is at most 120 lines."""
    assert len(TEXT.splitlines()) <= 120
