"""Policies beside each other: the same requests, the same counter, the same prices."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from cgcli.model import Basis, Refusal, changed
from cgcli.replay.paired.totals import BreakEven, pareto, totals
from cgcli.replay.paired.turns import OwnCall
from tests.replay.paired.lanes import conversation, growing, lines, output, planned, run
from tests.running import FIXTURES

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.replay.paired.arm import Arm
    from cgcli.replay.paired.replay import Replayed
    from cgcli.replay.paired.totals import Totals

DEMO = FIXTURES / "context-guru" / "agent.jsonl"


def _totals(done: Replayed, i: int) -> Totals:
    return totals(done.arms[i], done.arms[0])


def _figures(arm: Arm) -> list[tuple[object, ...]]:
    return [
        (turn.number, turn.before_tokens, turn.removed_tokens, turn.simulated, turn.usd, turn.is_reset)
        for turn in arm.turns
    ]


def test_doing_nothing_is_the_same_in_every_run() -> None:
    """Whatever stands beside it, `off` has the same tokens, reads, writes and dollars in each turn."""
    alone = _figures(run(DEMO).arms[0])
    for beside in ((planned("codesafe"),), (planned("mask", "ignore"), planned("summarize")), (planned("general"),)):
        assert _figures(run(DEMO, *beside).arms[0]) == alone


@pytest.mark.parametrize("names", [("codesafe", "mask"), ("general", "codesafe", "house")])
def test_a_policy_is_the_same_whoever_stands_beside_it(names: tuple[str, ...]) -> None:
    """Policies share counts and nothing else: each alone gives what it gives among others, in any order."""
    together = run(DEMO, *map(planned, names))
    turned = run(DEMO, *map(planned, reversed(names)))
    for i, name in enumerate(names):
        alone = _figures(run(DEMO, planned(name)).arms[1])
        assert _figures(together.arms[i + 1]) == alone
        assert _figures(turned.arms[len(names) - i]) == alone


def test_two_that_did_nothing_have_the_row_of_off() -> None:
    """`opencode-prune` and `clear-tool-uses` wait for more than the demo has: their sums are those of `off`."""
    done = run(DEMO, planned("opencode-prune"), planned("clear-tool-uses"))
    off = _totals(done, 0)
    assert off.break_even is BreakEven.NOTHING_CHANGED
    assert off.usd is not None
    assert [_totals(done, 1), _totals(done, 2)] == [off, off]


@pytest.mark.parametrize("name", ["off", "codesafe", "general", "summarize"])
def test_the_turns_add_up_to_the_total(name: str) -> None:
    """To the last digit: dollars of turns with the policy's own calls are the policy's dollars; so are tokens."""
    done = run(DEMO, planned(name, summarize={"budget_tokens": 9000}) if name == "summarize" else planned(name))
    arm, sums = done.arms[1], _totals(done, 1)
    each = [turn.all_usd for turn in arm.turns]
    assert all(usd is not None for usd in each)
    assert sum((usd for usd in each if usd is not None), start=Decimal(0)) == sums.usd
    simulated = [turn.simulated for turn in arm.turns if not isinstance(turn.simulated, Refusal)]
    assert sum(one.input_tokens for one in simulated) == sums.input_tokens
    assert sums.input_tokens == sums.read_tokens + sums.write_tokens + sums.fresh_tokens
    assert sums.off_difference_usd == sums.usd - (_totals(done, 0).usd or Decimal(0))


def test_a_refused_call_costs_its_turn_nothing() -> None:
    """What nobody answered is in no sum; an answered call without a price leaves its turn without one."""
    turn = run(DEMO).arms[0].turns[0]
    call = OwnCall(line=1, what="summary", mode="standalone", model=None, basis=Basis.SIMULATED)
    refused, priced = changed(call, refused="not_recorded"), changed(call, usd=Decimal("0.25"))
    assert turn.usd is not None
    assert (turn.own_usd, turn.all_usd) == (Decimal(0), turn.usd)
    both = changed(turn, own_calls=(refused, priced))
    assert (both.own_usd, both.all_usd) == (Decimal("0.25"), turn.usd + Decimal("0.25"))
    unpriced = changed(turn, own_calls=(refused, priced, call))
    assert (unpriced.own_usd, unpriced.all_usd) == (None, None)


def test_trimming_in_every_turn_costs_more_than_in_batches(tmp_path: Path) -> None:
    """One output a turn rewrites the held prefix each time; the same ones, eight turns' at once, seldom do."""
    batched = tmp_path / "batched.toml"
    batched.write_text('name = "batched"\n[triggers]\nevery = { turns = 8 }\n[[steps]]\ncomponent = "mask"\n')
    content = lines(growing(conversation(40)))
    done = run(content, planned("mask", "ignore"), planned(str(batched), "ignore"))
    off, every, batch = (_totals(done, i) for i in range(3))
    assert every.n_resets > 4 * batch.n_resets > 0
    assert off.usd is not None
    assert every.usd is not None
    assert batch.usd is not None
    assert every.usd > off.usd
    assert batch.usd < every.usd
    assert every.read_tokens < batch.read_tokens


def test_a_smaller_request_that_breaks_a_held_prefix_costs_more() -> None:
    """Outputs are cut when they are new; masked once more behind the boundary they are smaller, and dearer."""
    outputs = [output(i, 200) for i in range(12)]
    content = lines(growing(conversation(12, outputs)))
    cut = {"budget_tokens": 1500, "marker_mode": "off"}
    once = planned("tool_result_budget", tool_result_budget=cut)
    twice = planned("tool_result_budget+mask", "ignore", tool_result_budget=cut)
    done = run(content, once, twice)
    small, smaller = _totals(done, 1), _totals(done, 2)
    assert smaller.input_tokens < small.input_tokens
    assert smaller.n_resets > small.n_resets == 0
    assert smaller.usd is not None
    assert small.usd is not None
    assert smaller.usd > small.usd


def test_pruning_and_then_compacting_are_two_resets() -> None:
    """Old outputs go in one batch, later the oldest messages for a summary: each once rewrites what is held."""
    content = lines(growing(conversation(14)))
    both = planned(
        "clear-tool-uses+summarize",
        "ignore",
        clear_tool_uses={"trigger": 7000, "keep": 3, "clear_at_least": 5000},
        summarize={"budget_tokens": 16_000, "ask_at": 0.8, "apply_at": 0.9, "target": 0.5},
    )
    arm = run(content, both).arms[1]
    resets = [turn for turn in arm.turns if turn.is_reset]
    assert [sorted(turn.fired) for turn in resets] == [["clear-tool-uses"], ["summarize"]]
    for turn in resets:
        assert not isinstance(turn.simulated, Refusal)
        before = arm.turns[turn.number - 1].simulated
        assert not isinstance(before, Refusal)
        assert turn.simulated.read_tokens < before.read_tokens
        assert turn.simulated.why == "messages_changed"


def test_a_lane_reads_the_head_that_another_keeps_warm() -> None:
    """A conversation that begins anew reads tools and system prompt, and nothing more, within their five minutes."""
    talk, other = conversation(3), conversation(2, first="count the gulls")
    bodies = [*growing(talk), *growing(other)]
    for gap_s, is_warm in ((20, True), (400, False)):
        turns = run(lines(bodies, gap_s=gap_s)).arms[0].turns
        first, restart = turns[0].simulated, turns[4].simulated
        assert not isinstance(first, Refusal)
        assert not isinstance(restart, Refusal)
        head = first.input_tokens - 10  # its one message: "count the boats" and its frame
        assert (restart.read_tokens > 0.97 * head) is is_warm
        assert (restart.read_from is not None) is is_warm
        assert restart.read_tokens <= first.written_tokens


def test_an_early_edit_reads_what_look_back_still_finds() -> None:
    """Behind the edit nothing is read; before it the last entry within reach, which is that of the head."""
    content = lines(growing(conversation(12)))
    done = run(content, planned("mask", "ignore", mask={"keep_recent": 8}))
    off, masked = done.arms[0].turns, done.arms[1].turns
    first = next(turn for turn in masked if turn.is_reset)
    read, whole = first.simulated, off[first.number].simulated
    assert not isinstance(read, Refusal)
    assert not isinstance(whole, Refusal)
    head = off[0].simulated
    assert not isinstance(head, Refusal)
    assert read.read_from == off[first.number - 1].number or read.read_tokens <= head.input_tokens
    assert read.read_tokens < whole.read_tokens / 2
    assert read.why == "messages_changed"


def test_a_pareto_set_has_what_nothing_beats() -> None:
    """Cheaper with no more regret beats; what costs the same and is regretted as much stays beside its like."""
    off = _totals(run(DEMO), 0)

    def row(usd: str | None, regret: int) -> Totals:
        priced = Decimal(usd) if usd is not None else None
        return changed(off, usd=priced, regret_tokens=regret, break_even=BreakEven.REACHED)

    found = pareto(
        {
            "off": row("1.00", 0),
            "cheap": row("0.50", 100),
            "beaten": row("0.60", 100),
            "worse": row("1.00", 1),
            "same": row("0.50", 100),
            "unpriced": row(None, 0),
            "idle": off,
        }
    )
    assert found == ("off", "cheap", "same")
