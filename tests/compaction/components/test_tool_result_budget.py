"""`tool_result_budget`: a budget for every tool output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cgcli.compaction.component import MarkerMode, Reduction, Skip
from cgcli.compaction.components.tool_result_budget import ToolResultBudget
from cgcli.errors import UsageError
from cgcli.model import changed
from tests.compaction.viewing import DIALECTS, MARK, Asked, Call, answers, bash, reads, reason, slot, view

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.compaction.component import Slot

ROWS = "".join(f"row {n:04}\n" for n in range(400))
"""3,600 characters: 901 tokens at four characters each."""


def cut(component: ToolResultBudget, made: Slot) -> str:
    """What is left of an output."""
    answer = component.propose(made)
    assert isinstance(answer, Reduction), answer
    return answer.text


def lenient(made: Slot) -> Slot:
    """*made*, where eight characters are a token."""
    return changed(made, tokens=len(made.text) // 8, count=lambda text: len(text) // 8)


@pytest.mark.parametrize(
    ("shape", "mode", "text"),
    [
        ("head", MarkerMode.FULL, f"{ROWS[:1200]}\n... (2400 characters omitted) {MARK}"),
        ("head_tail", MarkerMode.FULL, f"{ROWS[:600]}\n... (2400 characters omitted) {MARK}\n{ROWS[-600:]}"),
        ("head_tail", MarkerMode.SUMMARY, f"{ROWS[:600]}\n... (2400 characters omitted) ⟪cg⟫\n{ROWS[-600:]}"),
        ("head", MarkerMode.OFF, f"{ROWS[:1200]}\n... (2400 characters omitted)"),
    ],
)
def test_budget_is_four_characters_a_token(slot: Callable[..., Slot], shape: str, mode: MarkerMode, text: str) -> None:
    """Head alone, or half each; a counter that finds more makes it less."""
    component = ToolResultBudget(budget_tokens=300, shape=shape, marker_mode=mode)
    assert cut(component, lenient(slot(ROWS))) == text
    assert isinstance(component.propose(lenient(slot(text))), Skip)


@pytest.mark.parametrize("shape", ["head", "head_tail"])
@pytest.mark.parametrize("budget_tokens", [60, 100, 500, 900])
def test_result_is_within_the_budget_with_its_marker(slot: Callable[..., Slot], shape: str, budget_tokens: int) -> None:
    """The note about what is omitted counts, too."""
    made = slot(ROWS)
    text = cut(ToolResultBudget(budget_tokens=budget_tokens, shape=shape), made)
    assert made.count(text) <= budget_tokens
    assert text.startswith("row 0000\nrow 0001\n")
    assert text.endswith("row 0398\nrow 0399\n") == (shape == "head_tail")


def test_tiny_budget_keeps_sixty_four_characters(slot: Callable[..., Slot]) -> None:
    """Less would say nothing; it is over the budget, and still less than the output."""
    assert cut(ToolResultBudget(budget_tokens=1), slot(ROWS)) == f"{ROWS[:64]}\n... (3536 characters omitted) {MARK}"


def test_end_with_the_error_stays_only_with_the_tail(slot: Callable[..., Slot]) -> None:
    """Of a build's output the head says what was done, and the tail what came of it."""
    text = ROWS + "src/a.c:3:5: error: no\nExit code 2\n"
    assert "Exit code 2" not in cut(ToolResultBudget(budget_tokens=200), slot(text))
    assert cut(ToolResultBudget(budget_tokens=200, shape="head_tail"), slot(text)).endswith("Exit code 2\n")


def test_cut_parts_no_pair_and_no_marker_of_others(slot: Callable[..., Slot]) -> None:
    """A surrogate pair or another tool's marker across the cut goes whole."""
    text = "a" * 63 + "<<ccr:0123456789ab,text,264B>>" + "b" * 4000
    assert cut(ToolResultBudget(budget_tokens=1), slot(text)).startswith("a" * 63 + "\n... (")
    text = "a" * 63 + "\ud83d\ude00" + "b" * 4000
    assert cut(ToolResultBudget(budget_tokens=1), slot(text)).startswith("a" * 63 + "\n... (")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_budget_of_a_tool_goes_before_the_one_for_all(dialect: str) -> None:
    """A tool that is exempt has none, whatever `by_tool` says."""
    component = ToolResultBudget(
        budget_tokens=1000, by_tool={"Read": 2000, "Skill": 10, "Big": 9000}, exempt_tools=["Skill"]
    )
    seen = view(
        Asked(text="Go."),
        bash("make", ROWS),
        reads("a", ROWS),
        Call(name="Skill", arguments={}, output=ROWS),
        Call(name="Big", arguments={}, output=ROWS),
        dialect=dialect,
    )
    found = answers(component, seen)
    assert [len(text) if not text.startswith("-") else text for text in found[2:]] == ["-exempt_tool", "-below_budget"]
    assert len(found[0]) <= 1000 < len(found[1]) <= 2000


def test_without_a_budget_nothing_is_cut() -> None:
    """No limit is the default; a tool may have one alone."""
    seen = view(Asked(text="Go."), bash("make", ROWS), reads("a", ROWS))
    assert answers(ToolResultBudget(), seen) == ["-no_budget", "-no_budget"]
    assert reason(ToolResultBudget(by_tool={"Read": 500}), seen, 0) == "no_budget"


def test_output_of_no_known_tool_has_the_budget_for_all() -> None:
    """And where tools are named, a slot without its request is left alone."""
    seen = view(Asked(text="Go."), bash("make", ROWS))
    alone = changed(slot(seen, 0), view=None)
    assert isinstance(ToolResultBudget(budget_tokens=500).propose(alone), Reduction)
    component = ToolResultBudget(budget_tokens=500, exempt_tools=["Bash"])
    assert component.propose(alone) == Skip(reason="no_view")


@pytest.mark.parametrize(
    ("text", "why"),
    [("short", "below_budget"), ("a b " * 30, "too_few_chars"), (ROWS + "<<cg:00000000000000aa>>", "already_marked")],
)
def test_output_is_left_alone_for_a_named_reason(slot: Callable[..., Slot], text: str, why: str) -> None:
    """Small ones, and those that bear a marker."""
    assert ToolResultBudget(budget_tokens=20).propose(slot(text)) == Skip(reason=why)


def test_answer_depends_on_content_and_tool_alone() -> None:
    """So it is made on first send, and never changes: no gate."""
    component = ToolResultBudget(budget_tokens=500)
    first = view(Asked(text="Go."), bash("make", ROWS))
    later = view(Asked(text="Go."), bash("make", ROWS), bash("make", "x"), Asked(text="More."))
    assert component.propose(slot(first, 0)) == component.propose(slot(later, 0))
    assert component.gated is False


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"budget_tokens": 0}, "budget_tokens is 0, but must be a whole number, 1 or more"),
        ({"budget_tokens": True}, "budget_tokens is True, but must be a whole number, 1 or more"),
        ({"shape": "tail"}, "shape is 'tail', but must be one of head, head_tail"),
        (
            {"by_tool": {"Read": -1}},
            "by_tool is {'Read': -1}, but must be a table of whole numbers, 1 or more, by tool",
        ),
        ({"by_tool": ["Read"]}, "by_tool is ['Read'], but must be a table of whole numbers, 1 or more, by tool"),
        ({"exempt_tools": "Read"}, "exempt_tools is 'Read', but must be a list of names of tools"),
        ({"exempt_tools": [""]}, "exempt_tools is [''], but must be a list of names of tools"),
        ({"marker_mode": "full"}, "marker_mode is 'full', but must be one of full, summary, off"),
    ],
)
def test_value_that_is_not_allowed_is_refused(params: dict[str, Any], message: str) -> None:
    """Nothing is clamped."""
    with pytest.raises(UsageError) as refused:
        ToolResultBudget(**params)
    assert refused.value.message.startswith(f"tool_result_budget: {message}")
