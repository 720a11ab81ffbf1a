"""No built-in filter takes out a line that tells a fault, a place or an exit code, whatever text it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.filters.builtin import builtins
from cgcli.compaction.filters.engine import filtered
from cgcli.compaction.filters.filter import Case, Filter, FilterLoss, Match, Stages
from cgcli.compaction.filters.library import applied, library
from tests.compaction.telling import KINDS, RUN, plain, told

if TYPE_CHECKING:
    from collections.abc import Iterable

ALL = builtins()
EVERY = library(agent_filters="lossy")
QUOTING = KINDS["quoting logs"][:7]


def lost(text: str, left: str) -> list[str]:
    """What *text* tells and *left* does not."""
    kept = {plain(line) for line in left.split("\n")}
    return [line for line in told(text) if line not in kept]


def shown() -> Iterable[tuple[str, str]]:
    """Some texts of each kind, by kind."""
    return ((kind, text) for kind, texts in KINDS.items() for text in (QUOTING if "logs" in kind else texts[::20]))


@pytest.mark.parametrize("one", ALL, ids=[one.name for one in ALL])
def test_told_lines_stay_where_a_filter_is_set_on_the_wrong_text(one: Filter) -> None:
    """As if it had been selected: sources, tests, documents, reads, searches and diffs of them, logs that quote."""
    for kind, text in shown():
        assert lost(text, filtered(one, text)) == [], kind


@pytest.mark.parametrize("one", ALL, ids=[one.name for one in ALL])
def test_told_lines_stay_in_a_log_that_begins_as_the_tool_does(one: Filter) -> None:
    """Its own first lines, a log that quotes faults, and its own output again: the filter is asked, and they stay."""
    case = one.cases[0]
    for log in QUOTING:
        text = f"{case.input}{log}\n{case.input}"
        done = applied(EVERY, text, case.command)
        assert one in done.asked
        assert lost(text, done.text) == []


def test_what_a_filter_would_take_is_found() -> None:
    """The check sees a lost line; and a filter that asks to drop all still leaves these."""
    assert lost("a\nerror: b\nexit code: 3\n", "a\nexit code: 3\n") == ["error: b"]
    case = Case(input="x", expected="x")
    drops = Filter(
        name="all",
        description="drops all",
        family="own",
        loss=FilterLoss.WHOLE,
        match=Match(head=(".*",)),
        stages=Stages(drop_lines=(".*",)),
        cases=(case,),
    )
    left = filtered(drops, f"plain\n{RUN}plain\n")
    assert "plain" not in left
    assert lost(RUN, left) == []
    assert len(told(RUN)) == 13
