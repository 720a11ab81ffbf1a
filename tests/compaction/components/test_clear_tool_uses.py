"""`clear-tool-uses`: the oldest results are cleared, in one go, when the request grew too long."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.compaction.component import MarkerMode, Reduction, Skip
from cgcli.compaction.components.clear_tool_uses import ClearToolUses
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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.compaction.view import View
    from tests.compaction.viewing import Step

GO = Asked(text="Go.")
CLEARED = f"[tool result cleared] {MARK}"


def runs(n: int, n_chars: int = 1000) -> list[Step]:
    """So many commands with so many characters of output each."""
    return [bash(f"step {i}", f"{i % 10}" * n_chars) for i in range(n)]


def lane(component: ClearToolUses, steps: Sequence[Step]) -> list[int]:
    """How many results are cleared on each turn of a lane that takes one step after the other."""
    return [len(reduced(component, view(GO, *steps[:n]))) for n in range(1, len(steps) + 1)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_oldest_results_are_cleared_but_for_the_newest_three(dialect: str) -> None:
    """Once the request is over the trigger."""
    seen = view(GO, *runs(6), dialect=dialect)
    assert answers(ClearToolUses(trigger=6000), seen) == [CLEARED] * 3 + ["-kept"] * 3
    assert answers(ClearToolUses(trigger=9000), seen) == ["-below_trigger"] * 6


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        (MarkerMode.FULL, CLEARED),
        (MarkerMode.SUMMARY, "[tool result cleared] ⟪cg⟫"),
        (MarkerMode.OFF, "[tool result cleared]"),
    ],
)
def test_marker_is_what_the_mode_says(mode: MarkerMode, text: str) -> None:
    """And what was cleared is not cleared again."""
    component = ClearToolUses(trigger=0, marker_mode=mode)
    seen = view(GO, *runs(4))
    assert component.propose(slot(seen, 0)) == Reduction(text=text)
    assert component.propose(slot(seen, 0, text=text)) == Skip(reason="already_marked")


def test_error_keeps_how_it_began() -> None:
    """One line of it; an error that is forgotten is made again."""
    failing = bash("make", "Exit code 2\nsrc/a.c:3:5: error: no\n" + "x" * 900, is_error=True)
    seen = view(GO, failing, *runs(3))
    begins = ("Exit code 2 src/a.c:3:5: error: no " + "x" * 900)[:200]
    assert answers(ClearToolUses(trigger=0), seen)[0] == f"[tool result cleared; it was an error: {begins}…] {MARK}"


def test_trigger_is_reached_again_only_by_what_came_since() -> None:
    """One epoch a clearing: 9 turns of 1,000 each over a trigger of 5,000 clear twice, not five times."""
    assert lane(ClearToolUses(trigger=5000, keep=1), runs(9)) == [0, 0, 0, 0, 4, 4, 4, 4, 8]


@pytest.mark.parametrize(("clear_at_least", "cleared"), [(0, 3), (3000, 3), (3001, 0)])
def test_clearing_waits_until_it_removes_enough(clear_at_least: int, cleared: int) -> None:
    """Three results of 1,000 could go."""
    component = ClearToolUses(trigger=6000, clear_at_least=clear_at_least)
    seen = view(GO, *runs(6))
    assert len(reduced(component, seen)) == cleared
    assert reason(component, seen, 5) == "kept"
    if not cleared:
        assert reason(component, seen, 0) == "below_clear_at_least"


def test_clear_at_least_makes_few_clearings_of_many() -> None:
    """A request that stays over its trigger is not edited on every turn."""
    steps = runs(12)
    every_turn = lane(ClearToolUses(trigger=0, keep=1), steps)
    in_batches = lane(ClearToolUses(trigger=0, keep=1, clear_at_least=4000), steps)
    assert every_turn == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    assert in_batches == [0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8]


def test_head_that_is_over_the_trigger_alone_does_not_loop() -> None:
    """A first message of 29,000 over a trigger of 20,000: what may go goes, the rest is kept, and that is all."""
    big = Asked(text="x" * 29_000)
    found = [answers(ClearToolUses(trigger=20_000), view(big, *runs(n))) for n in (3, 4)]
    assert found == [["-kept"] * 3, [CLEARED, *["-kept"] * 3]]


def test_nothing_to_clear_is_no_fault() -> None:
    """No result, or one."""
    assert answers(ClearToolUses(trigger=0), view(Asked(text="x" * 500))) == []
    assert answers(ClearToolUses(trigger=0), view(GO, *runs(1))) == ["-kept"]


@pytest.mark.parametrize(("trigger", "numbers"), [(5, [0, 1, 2]), (6, [])])
def test_trigger_may_count_tool_uses(trigger: int, numbers: list[int]) -> None:
    """More than so many."""
    component = ClearToolUses(trigger=trigger, trigger_on="tool_uses")
    assert reduced(component, view(GO, *runs(6))) == numbers


def test_excluded_tools_are_neither_cleared_nor_counted() -> None:
    """The newest three of the others are kept."""
    note = Call(name="memory", arguments={}, output="m" * 1000)
    seen = view(GO, note, *runs(2), note, *runs(3), note)
    component = ClearToolUses(trigger=0, exclude_tools=["memory"])
    assert reduced(component, seen) == [1, 2]
    assert reason(component, seen, 0) == "excluded_tool"
    assert [component.wakes(i, seen) for i in range(4)] == [False, True, True, False]


def test_results_that_the_model_has_not_seen_are_kept() -> None:
    """Of eight parallel calls none goes before it was read once."""
    calls = Together(calls=tuple(bash(f"step {i}", f"{i}" * 1000) for i in range(8)))
    assert answers(ClearToolUses(trigger=0), view(GO, calls)) == ["-kept"] * 8
    assert reduced(ClearToolUses(trigger=0), view(GO, calls, Said(text="Hm."))) == [0, 1, 2, 3, 4]


def test_texts_of_one_result_are_one_tool_use() -> None:
    """Two texts and an image between them are kept or cleared together."""
    record = body([GO, *runs(3)])
    texts = [{"type": "text", "text": "a" * 600}, {"type": "text", "text": "b" * 600}]
    record["messages"][2]["content"][0]["content"] = texts
    assert answers(ClearToolUses(trigger=0, keep=2), view_of(record)) == [CLEARED, CLEARED, "-kept", "-kept"]


def test_small_result_stays_as_it_is() -> None:
    """A placeholder would be longer."""
    assert answers(ClearToolUses(trigger=0, keep=0), view(GO, bash("ls", "a"), Said(text="x"))) == ["-not_smaller"]


@pytest.mark.parametrize("mark", ["<<cg:00000000000000aa>>", "⟪cg⟫"])
def test_marked_result_is_left_alone(mark: str) -> None:
    """It stands for something already."""
    seen = view(GO, bash("ls", "x" * 500 + mark), *runs(3))
    assert reason(ClearToolUses(trigger=0), seen, 0) == "already_marked"


def test_without_a_view_nothing_is_known() -> None:
    """A slot alone has no age."""
    seen = view(GO, *runs(4))
    assert ClearToolUses(trigger=0).propose(changed(slot(seen, 0), view=None)) == Skip(reason="no_view")


def test_cache_marks_change_nothing() -> None:
    """A breakpoint on the newest result and on the system prompt: the same is cleared."""
    record = body([GO, *runs(5)])
    plain = answers(ClearToolUses(trigger=0), view_of(record))
    record["messages"][-1]["content"][0]["cache_control"] = {"type": "ephemeral"}
    record["system"] = [{"type": "text", "text": "You are an agent.", "cache_control": {"type": "ephemeral"}}]
    assert answers(ClearToolUses(trigger=0), view_of(record)) == plain == [CLEARED] * 2 + ["-kept"] * 3


def test_longer_request_never_clears_less() -> None:
    """What was sent cleared stays so."""
    component = ClearToolUses(trigger=4000, keep=2, clear_at_least=1400)
    steps: list[Step] = [*runs(4), Said(text="Hm."), Asked(text="More."), *runs(5, 700), Asked(text="x" * 3000)]
    cleared: list[set[int]] = [set(reduced(component, view(GO, *steps[:n]))) for n in range(1, len(steps) + 1)]
    assert all(before <= after for before, after in pairwise(cleared))
    assert cleared[-1] == {0, 1, 2, 3, 4, 5, 6}


def test_turns_may_be_seen_one_by_one_or_at_once() -> None:
    """A view that goes on from the turn before says the same as one of its own."""
    component = ClearToolUses(trigger=4000, keep=1)
    steps = runs(9, 900)
    before: View | None = None
    for n in range(1, len(steps) + 1):
        before = view_of(body([GO, *steps[:n]]), before=before)
        assert answers(component, before) == answers(component, view(GO, *steps[:n]))


@pytest.mark.parametrize(
    ("params", "message", "hint"),
    [
        (
            {"clear_tool_inputs": True},
            "clear_tool_inputs is true, but only results can be cleared here",
            "leave it out: the inputs of calls stay as they are",
        ),
        ({"clear_tool_inputs": "all"}, "clear_tool_inputs is 'all', but must be true or false", None),
        ({"trigger_on": "messages"}, "trigger_on is 'messages', but must be one of input_tokens, tool_uses", None),
        ({"trigger": -1}, "trigger is -1, but must be a whole number, 0 or more", None),
        ({"keep": 1.5}, "keep is 1.5, but must be a whole number, 0 or more", None),
        ({"clear_at_least": None}, "clear_at_least is None, but must be a whole number, 0 or more", None),
        (
            {"exclude_tools": "memory"},
            'exclude_tools is \'memory\', but must be a list of names of tools, as ["Read", "Bash"]',
            None,
        ),
    ],
)
def test_value_that_is_not_allowed_is_refused(params: dict[str, Any], message: str, hint: str | None) -> None:
    """Clearing the inputs of calls is refused, not left out silently."""
    with pytest.raises(UsageError) as refused:
        ClearToolUses(**params)
    assert refused.value.message == f"clear-tool-uses: {message}"
    assert hint is None or refused.value.hint == hint


def test_defaults_are_those_of_the_provider() -> None:
    """100,000 input tokens, keep 3, nothing excluded, no least amount."""
    component = ClearToolUses()
    told = (component.trigger, component.trigger_on, component.keep, component.clear_at_least)
    assert told == (100_000, "input_tokens", 3, 0)
    assert (component.exclude_tools, component.clear_tool_inputs, component.gated) == ((), False, True)
