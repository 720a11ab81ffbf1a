"""Configuration: where it is looked for, what it may say, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.config import Settings, load, stash_of
from cgcli.errors import ExitCode, UsageError
from cgcli.model import changed

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = """
policy = "agent"
held = "ignore"
stash = "kept"
[components.mask]
keep_recent = 5
"""


def _table(text: str) -> str:
    return "[tool.cgcli]\n" + text.replace("[components", "[tool.cgcli.components")


def test_every_key_is_read(tmp_path: Path) -> None:
    """From a file of its own; the stash stands relative to that file."""
    path = tmp_path / "cg.toml"
    path.write_text(WHOLE)
    found = load(path, cwd=tmp_path / "elsewhere")
    assert changed(found, places={}) == Settings(
        file=path,
        policy="agent",
        held="ignore",
        stash=tmp_path / "kept",
        components={"mask": {"keep_recent": 5}},
    )
    assert found.places == {
        ("policy",): f"{path}:2",
        ("held",): f"{path}:3",
        ("stash",): f"{path}:4",
        ("components",): f"{path}:5",
        ("components", "mask"): f"{path}:5",
        ("components", "mask", "keep_recent"): f"{path}:6",
    }
    assert found.parameter_places == {("mask", ""): f"{path}:5", ("mask", "keep_recent"): f"{path}:6"}


def test_the_same_stands_under_tool_cgcli(tmp_path: Path) -> None:
    """In any TOML file that is named, beside other tools' tables."""
    path = tmp_path / "other.toml"
    path.write_text("[tool.other]\nx = 1\n" + _table(WHOLE))
    assert load(path, cwd=tmp_path).components == {"mask": {"keep_recent": 5}}


def test_the_nearest_pyproject_is_found(tmp_path: Path) -> None:
    """Upwards from the working directory."""
    (tmp_path / "pyproject.toml").write_text(_table(WHOLE))
    (tmp_path / "a" / "b").mkdir(parents=True)
    found = load(None, cwd=tmp_path / "a" / "b")
    assert (found.file, found.stash) == (tmp_path / "pyproject.toml", tmp_path / "kept")
    assert found.places["held",] == f"{tmp_path / 'pyproject.toml'}:4"
    assert load(None, cwd=tmp_path).places["held",] == "pyproject.toml:4"


def test_a_project_without_the_table_ends_the_search(tmp_path: Path) -> None:
    """A pyproject.toml is its project's border: one further up is another project's."""
    (tmp_path / "pyproject.toml").write_text(_table(WHOLE))
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "pyproject.toml").write_text("[tool.other]\n")
    assert load(None, cwd=tmp_path / "inner") == Settings()


def test_nothing_found_is_an_empty_configuration(tmp_path: Path) -> None:
    """No file, and an empty table."""
    assert load(None, cwd=tmp_path) == Settings()
    (tmp_path / "pyproject.toml").write_text("[tool.cgcli]\n")
    assert load(None, cwd=tmp_path) == Settings(file=tmp_path / "pyproject.toml")


def test_a_pipeline_takes_the_place_of_a_policy(tmp_path: Path) -> None:
    """In its order; an empty one is one."""
    path = tmp_path / "cg.toml"
    path.write_text('pipeline = [\n  "extract",\n  "format",\n]')
    found = load(path, cwd=tmp_path)
    assert found.pipeline == ("extract", "format")
    assert (found.places["pipeline", 0], found.places["pipeline", 1]) == (f"{path}:2", f"{path}:3")
    path.write_text("pipeline = []")
    assert load(path, cwd=tmp_path).pipeline == ()


def test_a_policy_file_stands_relative_to_the_configuration(tmp_path: Path) -> None:
    """As the stash does; a name is a name."""
    path = tmp_path / "cg.toml"
    path.write_text('policy = "mine.toml"')
    assert load(path, cwd=tmp_path / "elsewhere").policy == str(tmp_path / "mine.toml")
    path.write_text('policy = "safe"')
    assert load(path, cwd=tmp_path).policy == "safe"


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        ('\n\npolciy = "agent"', 3, "unknown key 'polciy'", "did you mean 'policy'?"),
        ("x = 1", 1, "unknown key 'x'", "known: policy, pipeline, held, stash, components"),
        ("# said\npolicy = 3", 2, "policy: Input should be a valid string", "see docs/"),
        ('held = "pay"', 1, "held: Input should be 'respect', 'pays' or 'ignore'", "did you mean 'pays'?"),
        ('stash = "a"\npipeline = "mask"', 2, "pipeline: Input should be a valid list", "see docs/"),
        ('pipeline = [\n"mask",\n3]', 3, "pipeline.1: Input should be a valid string", "see docs/"),
        ('policy = "agent"\npipeline = ["mask"]', 2, "`policy` and `pipeline` exclude each other", "leave out one"),
        ("components = 3", 1, "components: Input should be a valid dictionary", "see docs/"),
        ("[components]\nmask = 3", 2, "components.mask: Input should be a valid dictionary", "see docs/"),
        ("stash = [1]", 1, "stash: Input should be a valid string", "see docs/"),
        ('held = "pays"\npolicy = ', 2, "the configuration is not TOML", "see docs/"),
    ],
)
def test_what_is_wrong_is_refused(text: str, line: int, message: str, hint: str, tmp_path: Path) -> None:
    """Exit 2, with the file and the line, the key, and what was meant or where to look."""
    path = tmp_path / "cg.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        load(path, cwd=tmp_path)
    assert message in caught.value.message
    assert (caught.value.where, caught.value.exit_code) == (f"{path}:{line}", ExitCode.USAGE)
    assert (caught.value.hint or "").startswith(hint)


def test_a_file_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    """As any other fault of it, and not as one of the program."""
    path = tmp_path / "cg.toml"
    path.write_text(f"policy = {'[' * 9_000}{']' * 9_000}")
    with pytest.raises(UsageError, match=r"the configuration is (nested too deeply|not TOML)"):
        load(path, cwd=tmp_path)


@pytest.mark.parametrize("text", ["[tool]\ncgcli = 3", "tool = 3"])
def test_a_table_that_is_none_is_refused_or_not_there(text: str, tmp_path: Path) -> None:
    """`tool.cgcli` that is no table is wrong; a `tool` that is none has nothing of ours."""
    (tmp_path / "pyproject.toml").write_text(text)
    if "cgcli" in text:
        with pytest.raises(UsageError, match=r"pyproject\.toml:2: tool\.cgcli: not a table"):
            load(None, cwd=tmp_path)
    else:
        assert load(None, cwd=tmp_path) == Settings()


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """Missing, or no text."""
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        load(tmp_path / "none.toml", cwd=tmp_path)
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="the configuration is not TOML"):
        load(tmp_path / "bytes.toml", cwd=tmp_path)


def test_the_stash_is_found_whatever_else_is_wrong(tmp_path: Path) -> None:
    """Giving originals back does not fail for a wrong policy; what is no path is no stash."""
    path = tmp_path / "cg.toml"
    path.write_text('stash = "kept"\nunknown = 1\npolicy = 3')
    assert stash_of(path, cwd=tmp_path) == tmp_path / "kept"
    path.write_text("stash = 3")
    assert stash_of(path, cwd=tmp_path) is None
    assert stash_of(None, cwd=tmp_path) is None
