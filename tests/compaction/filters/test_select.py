"""Which filter an output is for."""

from __future__ import annotations

import pytest

from cgcli.compaction.filters.filter import Case, Filter, FilterLoss, Match, Stages
from cgcli.compaction.filters.library import library
from cgcli.compaction.filters.select import FilterSet, first_lines, simple_commands


def for_match(name: str, *, priority: int = 0, **match: tuple[str, ...]) -> Filter:
    """A filter that is only looked for."""
    return Filter(
        name=name,
        description="",
        family="own",
        loss=FilterLoss.WHOLE,
        match=Match(**match),
        stages=Stages(),
        cases=(Case(input="", expected=""),),
        priority=priority,
    )


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ()),
        (" \n\t\n", ()),
        ("a\n\n  b\nc", ("a", "  b", "c")),
        ("\n\r\n1\r\n2\n3\n4\n5\n6\n7\n", ("1", "2", "3", "4", "5", "6")),
        ("\x1b[1mbold\x1b[0m\n\x1b[0m\nx", ("bold", "x")),
        ("\r  0%\rlast\nx", ("  0%\rlast", "x")),
        ("y" * 900 + "\nx", ("y" * 400, "x")),
    ],
)
def test_the_first_six_lines_with_something_in_them(text: str, lines: tuple[str, ...]) -> None:
    """Without escapes, and of a long one only its beginning."""
    assert first_lines(text) == lines


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("make -j4", ("make -j4",)),
        ("$ make", ("make",)),
        ("cd x && make; echo done | tail -3", ("cd x", "make", "echo done", "tail -3")),
        ("A=1 B='x' sudo make", ("make",)),
        ("(cd x || true)\nmake 2>&1", ("cd x", "true)", "make 2>&1")),
        ("time timeout 60 pytest -q", ("pytest -q",)),
        ("", ()),
        (" ; ", ()),
    ],
)
def test_a_command_line_is_its_commands(line: str, commands: tuple[str, ...]) -> None:
    """Split where the shell splits, without what stands before them."""
    assert simple_commands(line) == commands


@pytest.mark.parametrize(
    ("text", "command", "name"),
    [
        ("head\n", None, "head"),
        ("x\ny\nhead\n", None, "head"),
        ("1\n2\n3\n4\n5\n6\nhead\n", None, None),
        (" head\n", None, None),
        ("head\nnever\n", None, None),
        ("x\n", None, None),
        ("x\n", "tool run", "command"),
        ("x\n", "cd a && A=1 tool run 2>&1 | tail -5", "command"),
        ("x\n", "tool run; other", None),
        ("x\n", "toolbox", None),
        ("head\n", "other", "head"),
        ("head\n", "cat out.log", None),
        ("head\n", "cd a && sed -n 1,80p out.log | head -3", None),
        ("head\n", 'Read {"path": "out.log"}', None),
        ("head\n", "/bin/cat out.log", None),
        ("head\n", "cat in | other", "head"),
        ("x\nnever\n", "tool run", "command"),
    ],
)
def test_a_filter_is_told_by_first_lines_or_by_the_command(text: str, command: str | None, name: str | None) -> None:
    """A look into a file is no tool's output; with another command in the line its output may be anybody's."""
    filters = FilterSet(
        [for_match("head", head=("head",), unless=("never",)), for_match("command", command=(r"tool\b",))]
    )
    found = filters.select(text, command)
    assert (found.name if found else None) == name


def test_the_higher_priority_is_asked_first() -> None:
    """Then the one that was given first; one that was asked already can be left out."""
    filters = FilterSet(
        [for_match("a", head=("x",)), for_match("b", head=("x",)), for_match("c", head=("x",), priority=1)]
    )
    assert [one.name for one in filters.filters] == ["c", "a", "b"]
    first = filters.select("x", None)
    assert first is not None
    assert first.name == "c"
    assert getattr(filters.select("x", None, besides=[first]), "name", None) == "a"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Exit code 1\n\n=================== test session starts ===================\n", "pytest"),
        ("Compiling a.pyx because it changed.\n[1/1] Cythonizing a.pyx\n", None),
        ("[1/4] Resolving packages...\n[3/4] Linking dependencies...\n", None),
        ("Using CPython 3.11.7 interpreter at: /usr/bin/python3\n", "uv"),
        ("Package operations: 2 installs, 0 updates, 0 removals\n\n  - Installing six (1.17.0)\n", "poetry"),
        ("Package operations: 2 installs, 0 updates, 0 removals\n  - Downloading psr/log (3.0.0)\n", "composer"),
    ],
)
def test_a_tool_is_told_from_another_that_says_the_same(text: str, name: str | None) -> None:
    """Some lines are printed by several tools."""
    found = library().select(text, None)
    assert (found.name if found else None) == name
