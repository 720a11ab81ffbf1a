"""Which files a folder or a pattern stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.errors import InputError
from cgcli.readers.folders import files_of

if TYPE_CHECKING:
    from pathlib import Path


def _make(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}\n")


def test_a_file_and_stdin_stand_for_themselves(tmp_path: Path) -> None:
    """Also one that is not there: opening it says so."""
    _make(tmp_path, "a.jsonl")
    assert files_of(str(tmp_path / "a.jsonl")) is None
    assert files_of("-") is None
    assert files_of(str(tmp_path / "b.jsonl")) is None


def test_a_folder_stands_for_all_files_below_it(tmp_path: Path) -> None:
    """By path; what is hidden is left out."""
    _make(tmp_path, "b.jsonl", "a/2.jsonl", "a/1.jsonl", ".git/config", "a/.DS_Store")
    assert files_of(str(tmp_path)) == [str(tmp_path / name) for name in ("a/1.jsonl", "a/2.jsonl", "b.jsonl")]


def test_a_hidden_folder_that_is_named_is_read(tmp_path: Path) -> None:
    """`.claude-trace` is where its logs lie."""
    _make(tmp_path, ".claude-trace/log.jsonl")
    assert files_of(str(tmp_path / ".claude-trace")) == [str(tmp_path / ".claude-trace/log.jsonl")]


def test_a_pattern_stands_for_the_files_that_fit(tmp_path: Path) -> None:
    """`*` stops at a folder, `**` does not; folders that fit are no files."""
    _make(tmp_path, "a.jsonl", "b.txt", "c/d.jsonl", "e.jsonl/f.txt")
    assert files_of(str(tmp_path / "*.jsonl")) == [str(tmp_path / "a.jsonl")]
    assert files_of(str(tmp_path / "**/*.jsonl")) == [str(tmp_path / "a.jsonl"), str(tmp_path / "c/d.jsonl")]


def test_a_file_whose_name_is_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    """What exists is taken as it is called."""
    _make(tmp_path, "run[1].jsonl", "run1.jsonl")
    assert files_of(str(tmp_path / "run[1].jsonl")) is None


@pytest.mark.parametrize(("name", "says"), [("", "no file in the folder"), ("*.jsonl", "no file fits the pattern")])
def test_nothing_to_read_is_an_error(name: str, says: str, tmp_path: Path) -> None:
    """An empty folder, a pattern that nothing fits."""
    with pytest.raises(InputError, match=says):
        files_of(str(tmp_path / name))
