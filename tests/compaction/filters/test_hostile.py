"""Texts that are made to be slow: each built-in filter, and the choice among them, ends with the right answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.filters.builtin import builtins
from cgcli.compaction.filters.engine import filtered
from cgcli.compaction.filters.expressions import LONGEST_CHARS
from cgcli.compaction.filters.library import applied, library
from tests.compaction.hostile import HOSTILE

if TYPE_CHECKING:
    from cgcli.compaction.filters.filter import Filter

ALL = builtins()
EVERY = library(agent_filters="lossy")
ENDS = "error\n"
IN_ONE_LINE = ("a", "[", "digits", "nested brackets")
PIECES = ("a", "[", "(", "{", "/", ":", ".", "1", " ", "- ", "a b ", "1.2.3 ", "\x1b[", "=>", "[1/2] ", "\\")


@pytest.mark.slow
@pytest.mark.parametrize("one", ALL, ids=[one.name for one in ALL])
def test_filter_does_its_work_before_a_line_of_a_megabyte(one: Filter) -> None:
    """That line stays as it is, and what stands before it is filtered as without it."""
    case = one.cases[0]
    alone = filtered(one, f"{case.input}{ENDS}")
    assert alone.endswith(ENDS)
    for name in IN_ONE_LINE:
        left = filtered(one, f"{case.input}{HOSTILE[name]}\n")
        assert left == f"{alone.removesuffix(ENDS)}{HOSTILE[name]}\n", name


@pytest.mark.slow
@pytest.mark.parametrize("one", ALL, ids=[one.name for one in ALL])
def test_filter_comes_to_an_end_on_lines_that_it_matches(one: Filter) -> None:
    """The longest lines that are matched, of each piece, behind words of the tool's own; what tells a fault stays."""
    words = [line[:20] for line in one.cases[0].input.split("\n")[:6] if line.strip()]
    made = [f"{word}{piece * LONGEST_CHARS}"[:LONGEST_CHARS] for word in ("", *words) for piece in PIECES]
    text = "".join(f"{line}\nerror {i}: a.c:{i}\n" for i, line in enumerate(made * 10))
    left = filtered(one, text)
    assert [line for line in left.split("\n") if line.startswith("error ")] == [
        f"error {i}: a.c:{i}" for i in range(len(made) * 10)
    ]


@pytest.mark.slow
def test_choice_among_them_ends() -> None:
    """None is for them; by the text, and by a command line that is a megabyte itself."""
    for text in HOSTILE.values():
        assert applied(EVERY, text, None).asked == ()
        assert applied(EVERY, "ok\n", text).asked == ()
