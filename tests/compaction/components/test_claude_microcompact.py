"""`claude-microcompact`: the newest results of tools that can be run again stay."""

from __future__ import annotations

from typing import Any

import pytest

from cgcli.compaction.component import MarkerMode, Reduction, Skip
from cgcli.compaction.components.claude_microcompact import ClaudeMicrocompact
from cgcli.errors import UsageError
from cgcli.model import changed
from tests.compaction.viewing import (
    DIALECTS,
    MARK,
    Asked,
    Call,
    Said,
    Together,
    answers,
    bash,
    body,
    reason,
    reduced,
    slot,
    view,
    view_of,
)

GO = Asked(text="Go.")
END = Said(text="Done.")
REMOVED = f"[earlier tool result removed] {MARK}"


def used(name: str) -> Call:
    """A call of the tool *name* with a long output."""
    return Call(name=name, arguments={"n": 1}, output=f"{name} " * 200)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_newest_five_results_of_its_tools_stay(dialect: str) -> None:
    """Eight tools count; others are neither removed nor counted."""
    names = ("Read", "Task", "Bash", "Grep", "Glob", "mcp__db__query", "WebFetch", "WebSearch", "Edit", "Write")
    seen = view(GO, *map(used, names), END, dialect=dialect)
    assert answers(ClaudeMicrocompact(), seen) == [
        REMOVED,
        "-other_tool",
        REMOVED,
        REMOVED,
        "-recent_result",
        "-other_tool",
        "-recent_result",
        "-recent_result",
        "-recent_result",
        "-recent_result",
    ]


@pytest.mark.parametrize(("keep_recent", "numbers"), [(0, [0, 1, 2]), (1, [0, 1]), (3, []), (9, [])])
def test_number_of_results_that_stay_is_a_parameter(keep_recent: int, numbers: list[int]) -> None:
    """0 keeps none that the model has seen."""
    seen = view(GO, used("Read"), used("Bash"), used("Read"), END)
    assert reduced(ClaudeMicrocompact(keep_recent=keep_recent), seen) == numbers


def test_tools_are_a_parameter() -> None:
    """For agents whose tools have other names."""
    seen = view(GO, used("shell"), used("read_file"), used("Read"), END)
    assert reduced(ClaudeMicrocompact(keep_recent=1, tools=["shell", "read_file"]), seen) == [0]


def test_results_that_the_model_has_not_seen_stay() -> None:
    """Of eight parallel reads none goes before it was read once."""
    calls = Together(calls=tuple(used("Read") for _ in range(8)))
    assert answers(ClaudeMicrocompact(), view(GO, calls)) == ["-recent_result"] * 8
    assert reduced(ClaudeMicrocompact(), view(GO, calls, END)) == [0, 1, 2]


def test_texts_of_one_result_count_once() -> None:
    """A result with two texts is one of the newest."""
    record = body([GO, *[used("Read")] * 3, END])
    texts = [{"type": "text", "text": "a" * 600}, {"type": "text", "text": "b" * 600}]
    record["messages"][4]["content"][0]["content"] = texts
    assert reduced(ClaudeMicrocompact(keep_recent=2), view_of(record)) == [0]
    assert reduced(ClaudeMicrocompact(keep_recent=1), view_of(record)) == [0, 1, 2]


def test_error_keeps_how_it_began() -> None:
    """One line of it."""
    failing = bash("make", "Exit code 2\nsrc/a.c:3:5: error: no", is_error=True)
    seen = view(GO, failing, *[used("Read")] * 5, END)
    longer = changed(slot(seen, 0), tokens=500)
    text = f"[earlier tool result removed; it was an error: Exit code 2 src/a.c:3:5: error: no] {MARK}"
    assert ClaudeMicrocompact().propose(longer) == Reduction(text=text)


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        (MarkerMode.FULL, REMOVED),
        (MarkerMode.SUMMARY, "[earlier tool result removed] ⟪cg⟫"),
        (MarkerMode.OFF, "[earlier tool result removed]"),
    ],
)
def test_marker_is_what_the_mode_says(mode: MarkerMode, text: str) -> None:
    """And what was removed is not removed again."""
    component = ClaudeMicrocompact(marker_mode=mode, keep_recent=0)
    seen = view(GO, used("Read"), END)
    assert component.propose(slot(seen, 0)) == Reduction(text=text)
    assert component.propose(slot(seen, 0, text=text)) == Skip(reason="already_marked")


def test_output_is_left_alone_for_a_named_reason() -> None:
    """Too short, marked, or without its request."""
    seen = view(GO, bash("ls", "a"), bash("ls", "x" * 300 + "<<cg:00000000000000aa>>"), used("Read"), END)
    component = ClaudeMicrocompact(keep_recent=1)
    assert [reason(component, seen, i) for i in (0, 1)] == ["not_smaller", "already_marked"]
    assert component.propose(changed(slot(seen, 2), view=None)) == Skip(reason="no_view")


def test_it_acts_in_a_held_prefix_only_on_a_cold_turn() -> None:
    """As Claude Code does after an idle hour: the step reads both."""
    component = ClaudeMicrocompact()
    assert (component.gated, component.settles, component.cold_cache) == (True, True, True)
    assert ClaudeMicrocompact(cold_cache=False).cold_cache is False


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"keep_recent": -1}, "keep_recent is -1, but must be a whole number, 0 or more"),
        ({"tools": ["Read", 3]}, "tools is ['Read', 3], but must be a list of names of tools"),
        ({"cold_cache": "no"}, "cold_cache is 'no', but must be true or false"),
    ],
)
def test_value_that_is_not_allowed_is_refused(params: dict[str, Any], message: str) -> None:
    """Nothing is clamped."""
    with pytest.raises(UsageError) as refused:
        ClaudeMicrocompact(**params)
    assert refused.value.message.startswith(f"claude-microcompact: {message}")
