"""Components that look at the whole request, at work in a lane: the held prefix, cold turns, what stays decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.components.claude_microcompact import ClaudeMicrocompact
from cgcli.compaction.components.clear_tool_uses import ClearToolUses
from cgcli.compaction.components.failed_run import FailedRun
from cgcli.compaction.components.opencode_prune import OpencodePrune
from cgcli.compaction.components.openhands_mask import OpenhandsMask
from cgcli.compaction.components.readlifecycle import ReadLifecycle
from cgcli.compaction.state import HeldRule
from tests.compaction.stepping import NOTHING, Walk, known, stepper
from tests.compaction.viewing import Asked, Said, Step, bash, body, edits, reads

if TYPE_CHECKING:
    from cgcli.compaction.component import Component

GO = Asked(text="Go.")
FAILED = "FAILED tests/a.py::test_b - boom\n" + "." * 400 + "\n1 failed in 0.1s\n"
PASSED = "." * 400 + "\n12 passed in 0.1s\n"
TEXT = "".join(f"{n:6}\tline {n} of the file\n" for n in range(1, 30))


def lane(walk: Walk, steps: list[Step], *, cold_turn: int | None = None) -> list[dict[int, str]]:
    """What is sent turn by turn, a step each; all that was sent is held, and *cold_turn* finds it lapsed."""
    sent = []
    n_messages = 0
    for n in range(1, len(steps) + 1):
        record = body([GO, *steps[:n]])
        held = known(n_messages, is_cold=n == cold_turn) if n_messages else NOTHING
        sent.append(walk.send(record, shared=n_messages, held=held))
        n_messages = len(record["messages"])
    return sent


CASES: dict[str, tuple[Component, list[Step]]] = {
    "failed_run": (FailedRun(), [bash("pytest", FAILED), bash("pytest", PASSED), *[bash("ls", "x")] * 3]),
    "readlifecycle": (ReadLifecycle(cold_cache=True), [reads("a.py", TEXT), edits("a.py"), *[bash("ls", "x")] * 3]),
    "clear-tool-uses": (ClearToolUses(trigger=0, keep=1), [reads("a.py", TEXT), *[bash("ls", "x")] * 4]),
    "claude-microcompact": (ClaudeMicrocompact(keep_recent=1), [reads("a.py", TEXT), *[bash("ls", "x")] * 4]),
    "openhands-mask": (OpenhandsMask(attention_window=2), [reads("a.py", TEXT), *[bash("ls", "x")] * 4]),
    "opencode-prune": (
        OpencodePrune(protect_tokens=0, min_prunable_tokens=0, keep_turns=1),
        [reads("a.py", TEXT), Asked(text="Next."), Asked(text="Next."), bash("ls", "x"), bash("ls", "x")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_nothing_enters_a_warm_prefix(name: str) -> None:
    """The first output has been sent, is held, and stays as it is; the report says why."""
    component, steps = CASES[name]
    walk = Walk(stepper(component))
    sent = lane(walk, steps)
    assert {turn[2] for turn in sent} == {FAILED if name == "failed_run" else TEXT}
    assert walk.state.slots[0].skips == ((name, "prefix_held"),)
    assert walk.state.n_decisions == 0


@pytest.mark.parametrize("name", CASES)
def test_cold_turn_lets_it_in_and_it_stays_for_good(name: str) -> None:
    """From the fourth turn on the same shorter text is sent, on warm turns too."""
    component, steps = CASES[name]
    walk = Walk(stepper(component))
    sent = [turn[2] for turn in lane(walk, steps, cold_turn=4)]
    whole = FAILED if name == "failed_run" else TEXT
    assert sent[:3] == [whole] * 3
    assert sent[3] == sent[4]
    assert len(sent[3]) < len(whole)
    assert "<<cg:" in sent[3]


@pytest.mark.parametrize("name", CASES)
def test_lane_that_is_read_at_once_gets_the_same_decision(name: str) -> None:
    """One request with the whole history, nothing held: the oldest output is shortened at once."""
    component, steps = CASES[name]
    walk = Walk(stepper(component))
    (turn,) = [walk.send(body([GO, *steps]), shared=0, held=NOTHING)]
    again = Walk(stepper(component))
    assert turn[2] == lane(again, steps, cold_turn=5)[-1][2]
    assert "<<cg:" in turn[2]


def epochs(component: Component, steps: list[Step]) -> int:
    """On how many turns a message that was sent before is sent otherwise, where the prefix is not respected."""
    walk = Walk(stepper(component, rule=HeldRule.IGNORE))
    n_rewritten = n_messages = 0
    for n in range(1, len(steps) + 1):
        record = body([GO, *steps[:n]])
        walk.send(record, shared=n_messages, held=known(n_messages) if n_messages else NOTHING)
        n_messages = len(record["messages"])
        n_rewritten += walk.last.rewritten_from is not None
    return n_rewritten


def test_batches_break_the_cache_less_often_than_every_turn() -> None:
    """The same 12 results of 1,000 are cleared on 11 turns one by one, or on 2 turns at least 4,000 at once."""
    steps: list[Step] = [bash(f"step {i}", "x" * 1000) for i in range(12)]
    assert epochs(ClearToolUses(trigger=0, keep=1), steps) == 11
    assert epochs(ClearToolUses(trigger=0, keep=1, clear_at_least=4000), steps) == 2
    assert epochs(ClaudeMicrocompact(keep_recent=1), steps) == 11


def test_what_was_sent_short_is_never_made_shorter() -> None:
    """Two components that both could take the output: the first one's text stays, though the other's is smaller."""
    steps: list[Step] = [bash("pytest", FAILED), bash("pytest", PASSED), *[bash("ls", "x")] * 3, Said(text="So.")]
    walk = Walk(stepper(FailedRun(), ClearToolUses(trigger=0, keep=2), rule=HeldRule.IGNORE))
    sent = [turn[2] for turn in lane(walk, steps)]
    assert sent[0] == FAILED
    assert sent[1].startswith("[failed run, superseded by a later run of the same command] <<cg:")
    assert len(set(sent[1:])) == 1
