"""The filters of a run, and what they make of an output together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.filters.filter import FilterLoss
from cgcli.compaction.filters.library import applied, library
from cgcli.compaction.filters.select import FilterSet
from cgcli.errors import UsageError
from cgcli.model import changed
from tests.compaction.filters.writing import MINE, filter_of

if TYPE_CHECKING:
    from pathlib import Path


def test_own_filters_are_asked_before_the_built_in_ones(tmp_path: Path) -> None:
    """From a file or from a text."""
    (tmp_path / "mine.yaml").write_text(MINE)
    other = MINE.replace("name: mine", "name: other")
    names = [one.name for one in library((str(tmp_path / "mine.yaml"), other)).filters]
    assert names[:3] == ["mine", "other", "cargo-build"]
    assert [one.name for one in library((MINE,), disable_builtins=True).filters] == ["mine"]
    assert library(disable_builtins=True).filters == ()


@pytest.mark.parametrize(("agent_filters", "n_more"), [("off", 0), ("safe", 2), ("lossy", 3)])
def test_agent_sets_bring_more(agent_filters: str, n_more: int) -> None:
    """`lossy` has what `safe` has, too."""
    assert len(library(agent_filters=agent_filters).filters) == 42 + n_more


def test_a_name_stands_once(tmp_path: Path) -> None:
    """In two files, and beside a built-in filter; unless those are disabled."""
    (tmp_path / "mine.yaml").write_text(MINE)
    wget = MINE.replace("name: mine", "name: wget")
    with pytest.raises(UsageError, match="two filters are called 'mine'") as twice:
        library((str(tmp_path / "mine.yaml"), MINE))
    assert twice.value.where == "filters[1]:1"
    with pytest.raises(UsageError, match="a built-in filter is called 'wget' too") as built_in:
        library((wget,))
    assert built_in.value.hint == "rename it, or set disable_builtins"
    assert [one.name for one in library((wget,), disable_builtins=True).filters] == ["wget"]


def test_filters_act_one_after_another() -> None:
    """A build prints what its compiler prints: both are shortened."""
    text = (
        "make -C lib\n"
        "util.c: In function 'add':\n"
        "util.c:2:47: warning: comparison\n"
        "    2 | return u < b;\n"
        "      |          ^\n" + "".join(f"gcc -c -o {name}.o {name}.c\n" for name in "abcdefg")
    )
    done = applied(library(), text, None)
    assert [one.name for one in done.fired] == ["make", "gcc"]
    assert done.text == (
        "make -C lib\n"
        "util.c: In function 'add':\n"
        "util.c:2:47: warning: comparison\n"
        "    2 | return u < b;\n"
        "gcc -c -o a.o a.c\n"
        "... (5 more like this)\n"
        "gcc -c -o g.o g.c\n"
    )
    assert applied(library(), done.text, None).text == done.text


def test_the_command_alone_selects() -> None:
    """Where it is known; the text says nothing of the tool."""
    text = "".join(f"internal/p{i}\n" for i in range(9))
    assert applied(library(), text, None).asked == ()
    done = applied(library(), text, "cd app && go build -v ./...")
    assert done.text == "internal/p0\n... (7 more like this)\ninternal/p8\n"
    assert applied(library(), text, "cat packages.txt").asked == ()


@pytest.mark.parametrize(
    ("losses", "loss"),
    [
        ((), FilterLoss.NONE),
        ((FilterLoss.NONE,), FilterLoss.NONE),
        ((FilterLoss.TAIL,), FilterLoss.TAIL),
        ((FilterLoss.WHOLE,), FilterLoss.WHOLE),
        ((FilterLoss.NONE, FilterLoss.NONE), FilterLoss.NONE),
        ((FilterLoss.NONE, FilterLoss.TAIL), FilterLoss.WHOLE),
        ((FilterLoss.TAIL, FilterLoss.TAIL), FilterLoss.WHOLE),
        ((FilterLoss.WHOLE, FilterLoss.NONE), FilterLoss.WHOLE),
    ],
)
def test_losses_add_up(losses: tuple[FilterLoss, ...], loss: FilterLoss) -> None:
    """The number of a line holds only where one filter acted."""
    filters = [changed(filter_of(name=f"f{i}", drop_lines=(f"drop{i}",)), loss=one) for i, one in enumerate(losses)]
    done = applied(FilterSet(filters), "out\n" + "".join(f"drop{i}\n" for i in range(len(losses))), None)
    assert done.text == "out\n"
    assert (len(done.fired), done.loss) == (len(losses), loss)


def test_filters_that_undo_one_another_leave_the_text() -> None:
    """A text that never settles stays as it is."""
    there = filter_of(name="there", replace=(("b", "c"),))
    back = filter_of(name="back", replace=(("c", "bb"),))
    done = applied(FilterSet([there, back]), "out\nb\n", None)
    assert (done.text, done.fired) == ("out\nb\n", ())
