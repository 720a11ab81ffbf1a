"""A filter's own tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.compaction.filters.engine import filtered
from cgcli.compaction.filters.select import FilterSet
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.compaction.filters.filter import Filter


@value
class Failure:
    """A test of a filter that does not hold."""

    i_case: int
    message: str
    expected: str
    found: str


def failures(one: Filter) -> Iterator[Failure]:
    """The tests of *one* that fail: the filter is not for the output, or leaves something else of it."""
    alone = FilterSet([one])
    for i, case in enumerate(one.cases):
        if alone.select(case.input, case.command) is None:
            yield Failure(i_case=i, message="the filter does not match it", expected=case.expected, found=case.input)
            continue
        found = filtered(one, case.input)
        if found != case.expected:
            yield Failure(i_case=i, message=_difference(case.expected, found), expected=case.expected, found=found)


def _difference(expected: str, found: str) -> str:
    """The first line in which they differ."""
    wanted, got = expected.split("\n"), found.split("\n")
    for i in range(max(len(wanted), len(got))):
        left, right = _line(wanted, i), _line(got, i)
        if left != right:
            return f"line {i + 1}: expected {left}, found {right}"
    return "equal"


def _line(lines: list[str], i: int) -> str:
    return repr(lines[i]) if i < len(lines) else "no more"
