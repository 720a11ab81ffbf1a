"""Which stash is meant."""

from pathlib import Path

import pytest

from cgcli.stash.locate import Where, locate


@pytest.mark.parametrize(
    ("option", "env", "config", "expected", "how"),
    [
        ("a", "b", "c", "work/a", "option"),
        (None, "b", "c", "work/b", "environment"),
        (None, "", "c", "work/c", "config"),
        (None, None, "c", "work/c", "config"),
        (None, None, None, ".cg", "found"),
    ],
)
def test_the_first_that_is_given_counts(
    tmp_path: Path, option: str | None, env: str | None, config: str | None, expected: str, how: str
) -> None:
    """Option, environment, configuration, nearest `.cg` upwards: in this order; an empty variable is none."""
    (tmp_path / ".cg").mkdir()
    (tmp_path / "work").mkdir()
    where = locate(
        option=Path(option) if option else None,
        env=env,
        config=Path(config) if config else None,
        cwd=tmp_path / "work",
    )
    assert (where.path, where.how) == (tmp_path / expected, how)


def test_absolute_paths_are_taken_as_they_are(tmp_path: Path) -> None:
    """Only relative paths depend on the working directory."""
    found = locate(option=tmp_path / "x", env=None, config=None, cwd=tmp_path / "work")
    assert found == Where(path=tmp_path / "x", how="option")


def test_without_any_a_new_one_is_meant(tmp_path: Path) -> None:
    """Where there is none upwards it begins in the working directory; nothing is made yet."""
    (tmp_path / ".cg").write_text("a file is no stash")
    work = tmp_path / "work"
    assert locate(option=None, env=None, config=None, cwd=work) == Where(path=work / ".cg", how="new")
    assert not work.exists()
