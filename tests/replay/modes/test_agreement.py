"""The three modes beside each other on the same requests: what each sends, and what each says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cgcli.model import changed
from cgcli.replay.modes.async_arm import AsyncArm
from cgcli.replay.modes.counters import OBSERVE_LLM_NOTICE, OBSERVE_NOTICE
from cgcli.replay.modes.observe_arm import ObserveArm
from cgcli.replay.modes.options import Mode
from cgcli.replay.paired.expand_tool import Inject
from cgcli.replay.paired.totals import totals
from cgcli.summarisers.extractive.summariser import Extractive
from cgcli.summarisers.stand_in import Native
from tests.captures import capture
from tests.replay.modes.driving import ARMS, PACED, SLOW, Around, drive, extracting, options, sync
from tests.replay.paired.lanes import conversation, growing, lines, output, planned, run
from tests.running import compact

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.replay.modes.counters import Counters
    from cgcli.replay.paired.replay import Planned
    from tests.captures import Dialect

LANE = lines(growing(conversation(8)))
SHORT = lines(growing(conversation(5, ["ok"] * 5)))
"""A conversation in which there is nothing to take out."""
PLANS: dict[str, Planned] = {
    "codesafe": planned("codesafe"),
    "general": planned("general"),
    "agent": planned("agent"),
    "mask anywhere": planned("mask", "ignore"),
    "marks": planned("cacheinject+collapse", collapse={"max_tokens": 300}),
    "model": extracting(),
    "both": extracting("dedup"),
    "summary": planned("summarize", summarize={"budget_tokens": 6000}),
}
DIALECTS: tuple[Dialect, ...] = ("anthropic", "chat", "responses")
ENFORCED = (
    *("requests", "tokens_before", "tokens_after", "saved_tokens", "sync_enforced", "async_enforced"),
    *("added_ms_total", "async_deferred_runs", "async_deferred_ms_total", "async_realized_saved_tokens"),
    *("frozen_replayed_turns", "frozen_replayed_tokens", "frozen_lost_turns"),
)
"""The counters of what was done to requests that were sent."""


def _capture(dialect: Dialect) -> bytes:
    return capture(dialect=dialect, turns=5, side_lanes=1, moving_marks=dialect == "anthropic")


def _by_mode(content: bytes, plan: Planned, **more: Any) -> dict[Mode, Counters]:
    return {mode: drive(content, plan, make, options(**more), PACED).counters for mode, make in ARMS.items()}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", PLANS)
def test_sync_sends_the_bytes_of_a_compaction(name: str, dialect: Dialect, tmp_path: Path) -> None:
    """What sync sends is, request by request, what `cg compact` writes of the same file."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(_capture(dialect))
    plan = PLANS[name]
    done = compact(source, tmp_path, plan.policy, plan.rule.value, summariser=Native(Extractive()))
    sent = drive(source.read_bytes(), plan, sync).sent
    assert sent == done.output.read_bytes().splitlines()


@pytest.mark.parametrize("name", PLANS)
def test_sync_is_no_mode_at_all(name: str) -> None:
    """A policy in sync has the requests, tokens, cache and dollars that it has without a mode, turn by turn."""
    plan = PLANS[name]
    done = run(LANE, plan, changed(plan, mode=Mode.SYNC), inject="auto")
    off, without, with_mode = done.arms
    assert with_mode.turns
    for one, other in zip(without.turns, with_mode.turns, strict=True):
        assert (one.removed_tokens, one.simulated, one.usd, one.own_calls) == (
            other.removed_tokens,
            other.simulated,
            other.usd,
            other.own_calls,
        )
    assert totals(without, off) == totals(with_mode, off)


@pytest.mark.parametrize(
    ("name", "inject"), [*((name, Inject.ALWAYS) for name in PLANS), *(("model", inject) for inject in Inject)]
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_observe_sends_what_it_was_given(name: str, dialect: Dialect, inject: Inject) -> None:
    """Every request goes out byte for byte as it came, whatever the policy, also where the expand tool is wanted."""
    content = _capture(dialect)
    done = drive(content, PLANS[name], ObserveArm, None, changed(PACED, inject=inject))
    assert done.sent == content.splitlines()
    assert {turn.removed_tokens for turn in done.arm.turns} == {0}
    assert not any(turn.is_changed or turn.is_reset or turn.fired or turn.edits for turn in done.arm.turns)


def test_the_expand_tool_is_put_in_where_requests_are_compacted() -> None:
    """With `always` every request of sync and of async has the tool, and none of observe: the test above can fail."""
    always = Around(inject=Inject.ALWAYS)
    n_tools = {
        mode: {len(body["tools"]) for body in drive(LANE, PLANS["model"], make, None, always).bodies}
        for mode, make in ARMS.items()
    }
    assert n_tools == {Mode.SYNC: {2}, Mode.OBSERVE: {1}, Mode.ASYNC: {2}}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", PLANS)
def test_observe_projects_what_sync_achieves(name: str, dialect: Dialect) -> None:
    """On the same requests the baseline, the projection and the savings are those of sync, to the token."""
    by_mode = _by_mode(_capture(dialect), PLANS[name])
    enforced, projected = by_mode[Mode.SYNC], by_mode[Mode.OBSERVE]
    assert projected.actual_baseline_tokens == enforced.tokens_before > 0
    assert projected.projected_optimized_tokens == enforced.tokens_after
    assert projected.potential_saved_tokens == enforced.saved_tokens
    assert projected.potential_overhead_ms_total == pytest.approx(enforced.added_ms_total)
    calls = ("llm_calls", "llm_output_tokens")
    assert [getattr(projected, one) for one in calls] == [getattr(enforced, one) for one in calls]


@pytest.mark.parametrize("name", ["mask anywhere", "marks", "model", "both", "summary"])
def test_projection_is_of_something(name: str) -> None:
    """These policies do save something of the lane, so that the equality above is not of zeros."""
    by_mode = _by_mode(LANE, PLANS[name])
    assert by_mode[Mode.SYNC].saved_tokens > 1000
    assert by_mode[Mode.OBSERVE].potential_saved_tokens == by_mode[Mode.SYNC].saved_tokens


@pytest.mark.parametrize("name", PLANS)
def test_observe_enforces_nothing(name: str) -> None:
    """No counter of what was enforced is above zero in observe, and the notices say what the others are."""
    told = _by_mode(LANE, PLANS[name])[Mode.OBSERVE]
    assert [getattr(told, counter) for counter in ENFORCED] == [0] * len(ENFORCED)
    assert (told.observe_notice, told.observe_llm_notice) == (OBSERVE_NOTICE, OBSERVE_LLM_NOTICE)
    assert told.observe_hypothetical_requests == 9
    assert told.observe_queue.committed == 0


@pytest.mark.parametrize("mode", [Mode.SYNC, Mode.ASYNC])
@pytest.mark.parametrize("name", PLANS)
def test_what_enforces_projects_nothing(name: str, mode: Mode) -> None:
    """Sync and async have none of the hypothetical figures, so that the two kinds never meet in one record."""
    told = _by_mode(LANE, PLANS[name])[mode]
    hypothetical = (told.observe_hypothetical_requests, told.actual_baseline_tokens, told.projected_optimized_tokens)
    assert hypothetical == (0, 0, 0)
    assert (told.potential_saved_tokens, told.potential_components, told.potential_overhead_ms_total) == (0, {}, 0)
    assert (told.observe_notice, told.observe_llm_notice, told.observe_queue.offered) == (None, None, 0)


@pytest.mark.parametrize("name", ["codesafe", "general", "mask anywhere", "marks"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_without_a_model_async_is_sync(name: str, dialect: Dialect) -> None:
    """A policy that asks no model sends in async what it sends in sync, and realises nothing: it deferred nothing."""
    content, plan = _capture(dialect), PLANS[name]
    beside, inline = drive(content, plan, AsyncArm, None, PACED), drive(content, plan, sync, None, PACED)
    assert beside.sent == inline.sent
    assert beside.counters.saved_tokens == inline.counters.saved_tokens
    assert beside.counters.async_realized_saved_tokens == 0
    assert (beside.queue.committed, beside.counters.llm_calls) == (0, 0)


def test_request_waits_for_a_model_in_sync_alone() -> None:
    """Eight calls of a second on the path of the requests, or beside it; a turn without any takes 25 ms."""
    by_mode = _by_mode(LANE, extracting())
    assert by_mode[Mode.SYNC].llm_calls == 8
    assert by_mode[Mode.SYNC].added_ms_total == pytest.approx(8 * 1000 + 9 * 25)
    assert by_mode[Mode.ASYNC].added_ms_total == pytest.approx(9 * 25)
    assert by_mode[Mode.OBSERVE].added_ms_total == 0


def test_landed_jobs_realise_a_part_of_what_is_saved() -> None:
    """A step without a model saves from the first turn on, a deferred one what its landed jobs wrote: never all."""
    outputs = [output(i % 4) for i in range(8)]
    told = drive(lines(growing(conversation(8, outputs))), extracting("dedup"), AsyncArm).counters
    assert told.async_queue.committed > 0
    assert 0 < told.async_realized_saved_tokens < told.saved_tokens


def test_above_the_gap_nothing_lands() -> None:
    """Jobs of 30 s between requests of 20 s: all stale or given up, nothing realised, and every call paid."""
    told = drive(LANE, extracting(), AsyncArm, options(SLOW, strip_caller_breakpoints=True)).counters
    queue = told.async_queue
    assert (queue.committed, told.async_realized_saved_tokens, told.saved_tokens) == (0, 0, 0)
    assert queue.queued == 9
    assert queue.stale_discarded + queue.abandoned + queue.barren == 9
    assert queue.stale_discarded > 0
    assert told.llm_calls > 0


@pytest.mark.parametrize("name", PLANS)
def test_lane_with_nothing_to_save_reads_zero_in_all_modes(name: str) -> None:
    """The negative control: outputs of a word, and no mode has anything to show for itself."""
    for mode, told in _by_mode(SHORT, PLANS[name]).items():
        figures = (told.saved_tokens, told.potential_saved_tokens, told.async_realized_saved_tokens)
        assert figures == (0, 0, 0), mode
        assert (told.llm_calls, told.async_queue.committed, told.frozen_replayed_turns) == (0, 0, 0), mode


def test_every_mode_has_as_many_turns_as_the_file() -> None:
    """Nine requests: nine turns in each arm, numbered as in the file, with times that never go back."""
    for mode, make in ARMS.items():
        arm = drive(LANE, extracting(), make).arm
        assert [turn.number for turn in arm.turns] == list(range(9)), mode
        assert [turn.number for turn in arm.mode_turns] == list(range(9)), mode
        times = [turn.at_s for turn in arm.mode_turns]
        assert times == [1_000_000 + 20 * i for i in range(9)], mode
