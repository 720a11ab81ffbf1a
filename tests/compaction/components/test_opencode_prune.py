"""`opencode-prune`: old outputs go at the end of a user's turn, when enough of them can."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.compaction.component import MarkerMode, Reduction, Skip
from cgcli.compaction.components.opencode_prune import OpencodePrune
from cgcli.errors import UsageError
from cgcli.model import changed
from tests.compaction.viewing import (
    DIALECTS,
    MARK,
    Asked,
    Call,
    Said,
    Step,
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
    from cgcli.compaction.view import View

PRUNED = f"[old tool output pruned] {MARK}"


def turn(number: int, *sizes: int) -> list[Step]:
    """A user's turn with outputs of so many characters."""
    steps: list[Step] = [Asked(text=f"Task {number}.")]
    steps += [bash(f"run {i}", "x" * size) for i, size in enumerate(sizes)]
    return [*steps, Said(text=f"Task {number} is done.")]


def lane(*turns: list[Step]) -> list[Step]:
    """One turn after the other."""
    return [step for one in turns for step in one]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_outputs_older_than_the_newest_forty_thousand_tokens_go(dialect: str) -> None:
    """Counted back from the last two turns, as the turn before the running one ended; the one that crosses goes too."""
    old = turn(1, 15_000, 10_000, 15_000, 25_000)
    steps = lane(old, turn(2, 90_000), turn(3, 90_000), [Asked(text="Task 4.")])
    seen = view(*steps, dialect=dialect)
    # Back from turn 2: 25,000, 40,000 (not above), 50,000, 65,000.
    assert answers(OpencodePrune(), seen) == [
        PRUNED,
        PRUNED,
        "-protected_tokens",
        "-protected_tokens",
        "-recent_turn",
        "-recent_turn",
    ]


@pytest.mark.parametrize(("sizes", "numbers"), [((20_000, 40_000), []), ((20_001, 40_000), [0])])
def test_nothing_goes_unless_more_than_twenty_thousand_tokens_do(sizes: tuple[int, ...], numbers: list[int]) -> None:
    """Exactly so many are not enough."""
    steps = lane(turn(1, *sizes), turn(2), turn(3), [Asked(text="Task 4.")])
    assert reduced(OpencodePrune(), view(*steps)) == numbers
    if not numbers:
        assert reason(OpencodePrune(), view(*steps), 0) == "below_minimum"


def test_turn_that_runs_prunes_nothing() -> None:
    """An agent with up to three tasks is never pruned: the last two turns that ended are left alone."""
    many = [60_000] * 5
    assert reduced(OpencodePrune(), view(*turn(1, *many))) == []
    assert reduced(OpencodePrune(), view(*lane(turn(1, *many), turn(2, *many)))) == []
    assert reduced(OpencodePrune(), view(*lane(turn(1, *many), turn(2, *many), turn(3, *many)))) == []
    steps = lane(turn(1, *many), turn(2, *many), turn(3), [Asked(text="Task 4.")])
    assert reduced(OpencodePrune(), view(*steps)) == [0, 1, 2, 3, 4]
    assert reason(OpencodePrune(), view(*turn(1, *many)), 0) == "recent_turn"


def test_words_beside_a_result_begin_no_turn() -> None:
    """A reminder in the message of a result is not a task."""
    record = body(lane(turn(1, 60_000, 60_000), turn(2, 10)))
    for message in record["messages"]:
        if isinstance(message["content"], list) and message["content"][0]["type"] == "tool_result":
            message["content"].append({"type": "text", "text": "<system-reminder>Mind the list.</system-reminder>"})
    assert reduced(OpencodePrune(), view_of(record)) == []


def test_walk_stops_at_what_was_pruned() -> None:
    """So pruning comes in batches: what was protected then is counted anew with what came since."""
    turns = [turn(n, 30_000) for n in range(1, 10)]
    cleared = [len(reduced(OpencodePrune(), view(*lane(*turns[:n], [Asked(text="Next.")])))) for n in range(1, 10)]
    assert cleared == [0, 0, 0, 1, 2, 3, 4, 5, 6]
    batches = [
        len(reduced(OpencodePrune(min_prunable_tokens=70_000), view(*lane(*turns[:n], [Asked(text="Next.")]))))
        for n in range(1, 10)
    ]
    assert batches == [0, 0, 0, 0, 0, 3, 3, 3, 6]


SUMMARIES: list[list[Step]] = [
    [Asked(text="=== History Summary ===\nThe module was changed.")],
    [Asked(text="This session is being continued from a previous conversation that ran out of context.")],
    [Asked(text="What did we do so far?"), Said(text="We changed the module.")],
]


@pytest.mark.parametrize("summary", SUMMARIES, ids=["ours", "Claude Code", "opencode"])
def test_walk_stops_at_a_summary(summary: list[Step]) -> None:
    """What was not pruned before it is left alone for good."""
    steps = lane(turn(1, 15_000, 40_000), summary, turn(2, 60_000, 60_000), turn(3), turn(4), [Asked(text="Next.")])
    assert reduced(OpencodePrune(), view(*steps)) == [2, 3]
    assert reason(OpencodePrune(), view(*steps), 0) == "below_minimum"


def test_protected_tools_and_errors_are_neither_pruned_nor_counted() -> None:
    """A skill's text is an instruction; a call that failed is short."""
    skill = Call(name="skill", arguments={"name": "pdf"}, output="s" * 90_000)
    error = bash("make", "e" * 90_000, is_error=True)
    steps = lane([Asked(text="Task 1."), skill, error], turn(1, 20_001, 40_000), turn(2), turn(3), [Asked(text="N")])
    seen = view(*steps)
    assert answers(OpencodePrune(), seen) == ["-protected_tool", "-error_output", PRUNED, "-protected_tokens"]
    assert reduced(OpencodePrune(protected_tools=[]), seen) == [0, 2]


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        (MarkerMode.FULL, PRUNED),
        (MarkerMode.SUMMARY, "[old tool output pruned] ⟪cg⟫"),
        (MarkerMode.OFF, "[old tool output pruned]"),
    ],
)
def test_marker_is_what_the_mode_says(mode: MarkerMode, text: str) -> None:
    """And what was pruned is not pruned again."""
    component = OpencodePrune(marker_mode=mode)
    seen = view(*lane(turn(1, 60_001), turn(2), turn(3), [Asked(text="Next.")]))
    assert component.propose(slot(seen, 0)) == Reduction(text=text)
    assert component.propose(slot(seen, 0, text=text)) == Skip(reason="already_marked")


def test_without_a_view_nothing_is_known() -> None:
    """A slot alone has no age."""
    seen = view(*turn(1, 10))
    assert OpencodePrune().propose(changed(slot(seen, 0), view=None)) == Skip(reason="no_view")


def test_small_output_stays_as_it_is() -> None:
    """A placeholder would be longer."""
    steps = lane(turn(1, 5, 60_000), turn(2), turn(3), [Asked(text="Next.")])
    assert reason(OpencodePrune(), view(*steps), 0) == "not_smaller"


def test_longer_request_never_prunes_less_and_views_may_go_on() -> None:
    """Turn by turn, each view made from the one before, or alone: the same, and never less."""
    component = OpencodePrune(protect_tokens=3000, min_prunable_tokens=1500, keep_turns=1)
    steps = lane(*(turn(n, 900, 400, 700) for n in range(1, 8)))
    found: list[set[int]] = []
    before: View | None = None
    for n in range(1, len(steps) + 1):
        before = view_of(body(steps[:n]), before=before)
        assert answers(component, before) == answers(component, view(*steps[:n]))
        found.append(set(reduced(component, before)))
    assert all(less <= more for less, more in pairwise(found))
    assert found[-1] == set(range(11))
    assert len({frozenset(pruned) for pruned in found}) == 4


@pytest.mark.parametrize("keep_turns", [0, 1, 3])
def test_turns_that_are_left_alone_are_a_parameter(keep_turns: int) -> None:
    """None of them means that the turn which ended may be pruned, too."""
    component = OpencodePrune(protect_tokens=0, min_prunable_tokens=0, keep_turns=keep_turns)
    steps = lane(*(turn(n, 900) for n in range(1, 6)), [Asked(text="Next.")])
    assert reduced(component, view(*steps)) == list(range(5 - keep_turns))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"protect_tokens": -1}, "protect_tokens is -1, but must be a whole number, 0 or more"),
        ({"min_prunable_tokens": 1.0}, "min_prunable_tokens is 1.0, but must be a whole number, 0 or more"),
        ({"keep_turns": True}, "keep_turns is True, but must be a whole number, 0 or more"),
        ({"protected_tools": "skill"}, "protected_tools is 'skill', but must be a list of names of tools"),
    ],
)
def test_value_that_is_not_allowed_is_refused(params: dict[str, Any], message: str) -> None:
    """Nothing is clamped."""
    with pytest.raises(UsageError) as refused:
        OpencodePrune(**params)
    assert refused.value.message.startswith(f"opencode-prune: {message}")


def test_defaults_are_those_of_opencode() -> None:
    """40,000 protected, more than 20,000 prunable, two turns, `skill`."""
    component = OpencodePrune()
    told = (component.protect_tokens, component.min_prunable_tokens, component.keep_turns, component.protected_tools)
    assert told == (40_000, 20_000, 2, ("skill",))
