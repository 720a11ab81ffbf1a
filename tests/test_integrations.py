"""The composite Action and the pre-commit hook: valid files, whose commands run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
ACTION = ROOT / ".github" / "actions" / "cg-check" / "action.yml"
HOOKS = ROOT / ".pre-commit-hooks.yaml"
FIXTURES = ROOT / "fixtures"
pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="the action's steps are bash")


def _steps() -> dict[str, Any]:
    action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    return {step.get("name", step.get("uses")): step for step in action["runs"]["steps"]}


def _run(step: dict[str, Any], **env: str) -> subprocess.CompletedProcess[str]:
    """Run a step as the runner does: bash, stop at the first failure."""
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env=os.environ | env,
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )


def _environment(folder: Path) -> None:
    """What the install step leaves: an environment with `cg`, here the one that runs the tests."""
    tools = folder / "cg" / "bin"
    tools.mkdir(parents=True)
    (tools / "cg").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cgcli "$@"\n')
    (tools / "cg").chmod(0o755)


def test_the_action_is_a_composite_one() -> None:
    """It has a name, a description, described inputs, and a shell for every command."""
    action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))

    assert action["runs"]["using"] == "composite"
    assert action["name"] == "cg check"
    assert all(given.get("description") for given in action["inputs"].values())
    assert [step.get("shell") for step in action["runs"]["steps"] if "run" in step] == ["bash", "bash"]


def test_the_action_reads_inputs_from_the_environment() -> None:
    """No expression stands inside a script, where an input could become a command."""
    assert not any("${{" in step["run"] for step in _steps().values() if "run" in step)


@pytest.mark.parametrize(
    ("files", "code"),
    [("fixtures/lanes/retries.jsonl", 0), ("fixtures/lanes/eliding.jsonl fixtures/lanes/retries.jsonl", 3)],
)
def test_the_check_step_runs(files: str, code: int, tmp_path: Path) -> None:
    """It ends with the code of `cg check`, annotates, and writes the job's summary."""
    _environment(tmp_path)
    summary = tmp_path / "summary.md"

    done = _run(
        _steps()["Check"],
        RUNNER_TEMP=str(tmp_path),
        CG_FILES=files,
        CG_ARGUMENTS="--gate G-APPEND",
        GITHUB_STEP_SUMMARY=str(summary),
    )

    assert done.returncode == code, done.stderr
    assert ("::error" in done.stdout) == (code == 3)
    assert "G-APPEND" in summary.read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_install_step_installs_this_tree(tmp_path: Path) -> None:
    """Without a version it installs the tree that the action stands in."""
    done = _run(
        _steps()["Install cg"],
        RUNNER_TEMP=str(tmp_path),
        CG_VERSION="",
        CG_ACTION=str(ACTION.parent),
    )

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "cg" / "bin" / "cg").is_file()


def test_the_hook_runs_a_command_that_exists() -> None:
    """The hook's entry is a command of `cg`, and its pattern takes captures and nothing else."""
    (hook,) = yaml.safe_load(HOOKS.read_text(encoding="utf-8"))

    done = subprocess.run(
        [sys.executable, "-m", "cgcli", *hook["entry"].split()[1:], str(FIXTURES / "lanes" / "retries.jsonl")],
        capture_output=True,
        text=True,
        check=False,
    )

    assert hook["id"] == "cg-check"
    assert hook["files"] == r"\.(jsonl|ndjson)$"
    assert done.returncode == 0, done.stderr
