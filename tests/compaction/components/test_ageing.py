"""What holds for every component that looks at the whole request, on every history."""

from __future__ import annotations

import re
from time import process_time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.component import Loss, MarkerMode, Reduction, Skip
from cgcli.compaction.components.claude_microcompact import ClaudeMicrocompact
from cgcli.compaction.components.clear_tool_uses import ClearToolUses
from cgcli.compaction.components.failed_run import FailedRun
from cgcli.compaction.components.mask import Mask
from cgcli.compaction.components.opencode_prune import OpencodePrune
from cgcli.compaction.components.openhands_mask import OpenhandsMask
from cgcli.compaction.components.readlifecycle import ReadLifecycle
from cgcli.compaction.components.tool_result_budget import ToolResultBudget
from tests.compaction.viewing import (
    DIALECTS,
    KEY,
    Asked,
    Call,
    Said,
    Step,
    Together,
    answers,
    bash,
    body,
    edits,
    reads,
    slot,
    view,
    view_of,
)

if TYPE_CHECKING:
    from cgcli.compaction.view import View

WAKING: dict[str, list[Any]] = {
    "failed_run": [FailedRun(min_tokens=0)],
    "readlifecycle": [
        ReadLifecycle(min_tokens=0, bash_edits=True),
        ReadLifecycle(min_tokens=0, identical=True, stale=False),
    ],
    "clear-tool-uses": [
        ClearToolUses(trigger=0, keep=1),
        ClearToolUses(trigger=1500, keep=2, clear_at_least=700, exclude_tools=["Read"]),
        ClearToolUses(trigger=3, trigger_on="tool_uses", keep=0),
    ],
    "opencode-prune": [
        OpencodePrune(protect_tokens=300, min_prunable_tokens=200, keep_turns=1),
        OpencodePrune(protect_tokens=0, min_prunable_tokens=0, keep_turns=0, protected_tools=[]),
    ],
    "claude-microcompact": [ClaudeMicrocompact(keep_recent=1), ClaudeMicrocompact(keep_recent=0, tools=["Bash"])],
    "openhands-mask": [OpenhandsMask(attention_window=3), OpenhandsMask(attention_window=1)],
}
GATED = [component for components in WAKING.values() for component in components]
BOUNDED = [Mask(keep_recent=0), Mask(keep_recent=2)]
BUDGETS = [
    ToolResultBudget(budget_tokens=200),
    ToolResultBudget(budget_tokens=300, shape="head_tail", by_tool={"Read": 150}, exempt_tools=["skill"]),
]
EVERY = [*GATED, *BUDGETS]

FAILED = "E   assert 1 == 2\nFAILED tests/a.py::test_b - assert 1 == 2\n" + "." * 300 + "\n1 failed in 0.1s\n"
PASSED = "." * 300 + "\n12 passed in 0.1s\n"
NUMBERED = "".join(f"{n:6}\tline {n} of the file\n" for n in range(1, 30))
OUTPUTS = st.sampled_from(
    [FAILED, PASSED, NUMBERED, NUMBERED + "    30\tnew\n", "x" * 500, "short", "", "a <<cg:00000000000000aa>> b" * 20]
)
COMMANDS = st.sampled_from(["pytest -q", "pytest  -q | tail -5", "cat a.py", "sed -i s/a/b/ a.py", "ls"])
PATHS = st.sampled_from(["a.py", "b.py", "./a.py"])
CALLS = st.one_of(
    st.builds(bash, COMMANDS, OUTPUTS, is_error=st.booleans()),
    st.builds(reads, PATHS, OUTPUTS),
    st.builds(reads, PATHS, OUTPUTS, offset=st.sampled_from([1, 5]), limit=st.just(20)),
    st.builds(edits, PATHS, st.sampled_from(["ok", "Error: no"])),
    st.builds(Call, name=st.just("skill"), arguments=st.just({}), output=OUTPUTS),
)
STEPS: st.SearchStrategy[list[Step]] = st.lists(
    st.one_of(
        CALLS,
        st.builds(Together, calls=st.tuples(CALLS, CALLS)),
        st.builds(Asked, text=st.sampled_from(["Go on.", "x" * 400])),
        st.builds(Said, text=st.just("So.")),
    ),
    max_size=12,
)
GO: list[Step] = [Asked(text="Go.")]


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(deadline=None, max_examples=25)
@given(steps=STEPS)
def test_answer_is_smaller_stable_and_final(dialect: str, steps: list[Step]) -> None:
    """Fewer tokens, the same answer twice and from another view, no marker but its own, and nothing to add to it."""
    seen, other = view(*GO, *steps, dialect=dialect), view(*GO, *steps, dialect=dialect)
    for component in EVERY:
        for i in range(len(seen.outputs)):
            made = slot(seen, i)
            answer = component.propose(made)
            assert component.propose(made) == answer == component.propose(slot(other, i))
            if isinstance(answer, Reduction):
                assert len(answer.text) < made.tokens
                assert re.findall("<<cg:[0-9a-fA-F]{16}>>", answer.text) == [f"<<cg:{KEY}>>"]
                assert isinstance(component.propose(slot(seen, i, text=answer.text)), Skip)


@settings(deadline=None, max_examples=25)
@given(steps=STEPS)
def test_every_dialect_gets_the_same_answer(steps: list[Step]) -> None:
    """What depends on sizes alone may differ: the dialects spell calls differently."""
    sizeless = [one for one in EVERY if not isinstance(one, ClearToolUses)]
    first, *others = [view(*GO, *steps, dialect=dialect) for dialect in DIALECTS]
    for component in sizeless:
        told = answers(component, first)
        for other in others:
            found = answers(component, other)
            # Messages, and they alone, say of themselves that they are an error.
            alike = [i for i in range(len(told)) if not any(output.is_error for output in first.outputs)]
            assert [found[i] for i in alike] == [told[i] for i in alike]


@settings(deadline=None, max_examples=15)
@given(steps=STEPS)
def test_what_was_decided_stays_on_later_turns(steps: list[Step]) -> None:
    """Turn by turn, each view made from the one before: a shorter text stays as it is, a final reason, too."""
    before: View | None = None
    decided: dict[tuple[int, int], str] = {}
    for n in range(len(steps) + 1):
        before = view_of(body([*GO, *steps[:n]]), before=before)
        alone = view(*GO, *steps[:n])
        for number, component in enumerate(EVERY):
            found = answers(component, before)
            assert found == answers(component, alone)
            for i, answer in enumerate(found):
                assert decided.get((number, i), answer) == answer
                if answer.removeprefix("-") not in getattr(component, "passing", ()):
                    decided[number, i] = answer


@settings(deadline=None, max_examples=25)
@given(steps=STEPS)
def test_slot_wakes_exactly_where_its_reason_has_passed(steps: list[Step]) -> None:
    """No open slot is missed, and none is asked again for the same answer."""
    seen = view(*GO, *steps)
    for component in GATED:
        for i, answer in enumerate(answers(component, seen)):
            if answer.removeprefix("-") in component.passing:
                assert not component.wakes(i, seen)
            elif not answer.startswith("-"):
                assert component.wakes(i, seen)


@settings(deadline=None, max_examples=25)
@given(steps=STEPS)
def test_nothing_wakes_from_the_number_on_that_a_component_names(steps: list[Step]) -> None:
    """Slots from there on are not asked about one by one."""
    seen = view(*GO, *steps)
    for component in (*BOUNDED, *GATED):
        if hasattr(component, "wakes_below"):
            below = component.wakes_below(seen)
            assert not any(component.wakes(i, seen) for i in range(len(seen.outputs)) if i >= below)


def test_components_that_name_no_number_are_those_that_wake_in_any_order() -> None:
    """A later run or read of the same file lifts the reason of any earlier one."""
    assert {one.name for one in GATED if not hasattr(one, "wakes_below")} == {"failed_run", "readlifecycle"}


@settings(deadline=None, max_examples=25)
@given(steps=STEPS)
def test_cache_marks_change_nothing(steps: list[Step]) -> None:
    """A breakpoint on the newest message, and a system prompt in blocks."""
    record = body([*GO, *steps])
    plain = view_of(record)
    told = [answers(component, plain) for component in EVERY]
    content = record["messages"][-1]["content"]
    if isinstance(content, list):
        content[-1]["cache_control"] = {"type": "ephemeral"}
    record["system"] = [{"type": "text", "text": record["system"], "cache_control": {"type": "ephemeral"}}]
    marked = view_of(record)
    assert [answers(component, marked) for component in EVERY] == told


@pytest.mark.parametrize("component", EVERY, ids=lambda component: component.name)
def test_marker_modes_are_the_three_of_all(component: Any) -> None:
    """Content leaves behind a marker by default."""
    assert (component.loss, component.marker_mode) == (Loss.STASHED, MarkerMode.FULL)
    assert component.gated is (component in GATED)


SOURCES = {
    "source": "def read(path):\n    raise ValueError('FAILED')\n" * 20,
    "test source": "def test_a():\n    assert run() == 'Traceback (most recent call last):'\n" * 20,
    "diff": "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-FAILED a::b - x\n+ok\n" * 20,
    "docs": "# Errors\n\n`Exit code 2` means wrong usage. FAILED lines name the test.\n" * 20,
}


@pytest.mark.parametrize("text", SOURCES.values(), ids=SOURCES)
def test_fresh_file_is_no_failed_run_and_no_stale_read(text: str) -> None:
    """What only looks old or broken stays as it is."""
    seen = view(*GO, reads("a.py", text), bash("cat b.py", text), bash("cat b.py", text + "x"), Said(text="So."))
    for component in (FailedRun(min_tokens=0), ReadLifecycle(min_tokens=0, bash_edits=True)):
        assert all(answer.startswith("-") for answer in answers(component, seen))


def test_waking_takes_microseconds() -> None:
    """Of 400 open outputs in a history of 800 messages each is asked about on every turn."""
    steps: list[Step] = []
    for i in range(100):
        steps += [bash("pytest -q", FAILED), reads("a.py", NUMBERED), Asked(text="Go on."), edits("b.py")]
        steps += [Call(name="skill", arguments={"n": i}, output="x" * 500)]
    seen = view(*GO, *steps, Said(text="So."))
    for component in GATED:
        component.wakes(0, seen)
        began = process_time()
        for i in range(len(seen.outputs)):
            component.wakes(i, seen)
        assert (process_time() - began) / len(seen.outputs) < 50e-6, component
