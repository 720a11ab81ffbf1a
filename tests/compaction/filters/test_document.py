"""A filter file is taken whole or refused with the line and what to do."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.filters.document import read_file, read_text
from cgcli.compaction.filters.filter import Case, FilterLoss, Match, Sample, Stages
from cgcli.errors import ExitCode, UsageError
from tests.compaction.filters.writing import MINE

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_becomes_filters() -> None:
    """Every key where it belongs, and the defaults."""
    (one,) = read_text(MINE, file="mine.yaml")
    assert (one.name, one.description, one.family) == ("mine", "drops the dots", "own")
    assert (one.loss, one.sample, one.agent, one.priority) == (FilterLoss.WHOLE, Sample.REAL, None, 0)
    assert one.match == Match(head=("out",), command=(), unless=())
    assert one.stages == Stages(strip_ansi=True, drop_lines=(r"\.++$",))
    assert one.cases == (Case(input="out\n....\nerror: no\n", expected="out\nerror: no\n"),)
    assert one.where == "mine.yaml:1"


def test_a_file_may_hold_several() -> None:
    """One a YAML document, each with its line."""
    other = MINE.replace("name: mine", "name: other")
    first, second = read_text(f"{MINE}---\n{other}", file="two.yaml")
    assert (first.name, second.name) == ("mine", "other")
    assert (first.where, second.where) == ("two.yaml:1", "two.yaml:19")


@pytest.mark.parametrize(
    ("old", "new", "line", "message", "hint"),
    [
        ("stages:", "stage:", 7, "unknown key 'stage'", "did you mean 'stages'?"),
        ("  drop_lines:", "  drop_line:", 8, "unknown key 'stages.drop_line'", "did you mean 'drop_lines'?"),
        ("    expected: |", "    expect: |", 15, "unknown key 'tests.0.expect'", "did you mean 'expected'?"),
        ("  head:", "  heads:", 5, "unknown key 'match.heads'", "did you mean 'head'?"),
        ("description: drops the dots\n", "", 1, "the key 'description' is missing", "filters.md"),
        ("name: mine", "name: My Filter", 1, "name: String should match", "filters.md"),
        ("loss: whole", "loss: some", 3, "loss: Input should be 'none', 'tail' or 'whole'", "filters.md"),
        ("    - '\\.++$'", "    - 7", 9, "stages.drop_lines.0: Input should be a valid string", "filters.md"),
        ("'\\.++$'", "'(\\.+)+$'", 9, "may be slow: a repetition inside a repetition", "one set of characters"),
        ("'\\.++$'", "'(\\.++$'", 9, "is no regular expression: missing ), unterminated subpattern", "mend it"),
        ("    - 'out'", "    - 'o*'", 6, "'o*' matches any line", "how the tool's line begins"),
        ("  head:\n    - 'out'", "  unless:\n    - 'out'", 4, "matches nothing", "give `head`"),
        (
            "loss: whole",
            "loss: none",
            8,
            "loss is none, but `drop_lines` takes more",
            "none allows redraws, strip_ansi",
        ),
        (
            "loss: whole",
            "loss: tail",
            8,
            "loss is tail, but `drop_lines` takes more",
            "tail allows head_lines, strip_ansi",
        ),
        (
            "stages:",
            "stages:\n  keep_lines: ['out']",
            8,
            "`keep_lines` and `drop_lines` exclude each other",
            "give one",
        ),
        (
            "stages:",
            "agent: safe\nstages:\n  tail_lines: 3",
            7,
            "agent is safe, but lines that no one named go",
            "`lossy`",
        ),
        (
            "stages:",
            "stages:\n  on_empty: 'No tests collected'",
            8,
            "reads as a result of the tool",
            "not how it ended",
        ),
        ("stages:", "stages:\n  replace: [{pattern: a, with: '\\2'}]", 8, "is no replacement", "`\\1` is the first"),
        (
            "stages:",
            "stages:\n  replace: [{pattern: a}]",
            8,
            "the key 'stages.replace.0.with' is missing",
            "filters.md",
        ),
        ("stages:", "stages:\n  head_lines: -1", 8, "greater than or equal to 0", "filters.md"),
        (
            "stages:",
            "stages:\n  head_lines: true",
            8,
            "stages.head_lines: Input should be a valid integer",
            "filters.md",
        ),
        (
            "stages:\n  drop_lines:\n    - '\\.++$'",
            "stages: 3",
            7,
            "stages: Input should be a valid dictionary",
            "filters.md",
        ),
        ("stages:", "loss: none\nstages:", 7, "the key 'loss' stands twice", "remove one"),
        ("    - 'out'", "    - &a 'out'\n    - *a", 6, "an alias", "write it out"),
        ("stages:", "stages: [", 9, "no YAML", "filters.md"),
        (
            "      out\n      error",
            "      out\n      eror",
            11,
            "test 1 fails: line 2: expected 'eror: no', found 'error: no'",
            "cg filters test",
        ),
        (
            "      out\n      ....",
            "      in\n      ....",
            11,
            "test 1 fails: the filter does not match it",
            "cg filters test",
        ),
        (
            "    expected: |\n      out\n      error: no\n",
            "    expected: ''\n",
            11,
            "expected '', found 'out'",
            "cg filters test",
        ),
        ("  drop_lines:\n    - '\\.++$'", "  strip_ansi: false", 7, "no stage does anything", "filters.md"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(old: str, new: str, line: int, message: str, hint: str) -> None:
    """Exit 2, the file and the line, what is wrong there, and what to write instead."""
    assert old in MINE
    with pytest.raises(UsageError) as refused:
        read_text(MINE.replace(old, new, 1), file="mine.yaml")
    error = refused.value
    assert error.exit_code == ExitCode.USAGE
    assert error.where == f"mine.yaml:{line}"
    assert message in error.message
    assert hint in (error.hint or "")


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("", "f.yaml", "no filter in it"),
        ("# nothing\n", "f.yaml", "no filter in it"),
        ("- a\n", "f.yaml:1", "a filter is a table of keys"),
        ("just words\n", "f.yaml:1", "a filter is a table of keys"),
        ("a: \x07\n", "f.yaml", "no YAML"),
        ("a: !!python/object:os.system x\n", "f.yaml:1", "no YAML"),
        ("a: " + "[" * 30 + "]" * 30, "f.yaml:1", "nested too deeply"),
        ("a: " + "[" * 9_000, "f.yaml", "no YAML"),
        ("x" * 1_048_577, "f.yaml", "longer than 1,048,576 characters"),
        (f"{MINE}---\n{MINE}", "f.yaml:19", "two filters are called 'mine'"),
    ],
)
def test_what_is_no_filter_is_refused(text: str, where: str, message: str) -> None:
    """Empty, no table, hostile, or the same name twice."""
    with pytest.raises(UsageError) as refused:
        read_text(text, file="f.yaml")
    assert refused.value.where == where
    assert message in refused.value.message
    assert refused.value.hint


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """Missing, or not UTF-8; a byte-order mark is none of the content."""
    missing, latin, marked = tmp_path / "none.yaml", tmp_path / "latin.yaml", tmp_path / "marked.yaml"
    latin.write_bytes(b"name: \xe9\n")
    marked.write_bytes(b"\xef\xbb\xbf" + MINE.encode())
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_file(missing)
    with pytest.raises(UsageError, match="not UTF-8"):
        read_file(latin)
    assert [one.name for one in read_file(marked)] == ["mine"]


def test_tests_can_be_left_unrun() -> None:
    """So that a command can show what fails."""
    wrong = MINE.replace("      out\n      error", "      out\n      eror")
    assert [one.name for one in read_text(wrong, file="f.yaml", check_cases=False)] == ["mine"]


def test_only_filters_of_ones_own_need_yaml_and_pydantic() -> None:
    """A run with the built-in filters starts without them."""
    code = (
        "import sys\n"
        "from cgcli.compaction.components.cmdfilter import Cmdfilter\n"
        "assert len(Cmdfilter().library().filters) > 20\n"
        "print('yaml' in sys.modules, 'pydantic' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
