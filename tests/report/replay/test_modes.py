"""The operating modes as they stand in documents: counters, the table, turns, and that no two kinds share a figure."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from typing import Any

import pytest

from cgcli.model import changed
from cgcli.replay.modes.counters import Counters
from cgcli.replay.modes.latency import Latency
from cgcli.replay.modes.options import Mode, ModeOptions
from cgcli.replay.modes.tail import Protect
from cgcli.report.replay.modes import base
from cgcli.report.replay.modes_columns import column, groups
from cgcli.report.replay.modes_rows import rows
from tests.docs.pages import DOCS, sections
from tests.docs.pages import rows as table_rows
from tests.replay.paired.lanes import conversation, growing, lines, planned
from tests.report.replay.told import report

OF_ALL = (
    *("mode", "requests", "tokens_before", "tokens_after", "saved_tokens", "sync_enforced", "async_enforced"),
    *("added_ms_total", "added_ms_avg", "savings_pct", "breakpoints", "breakpoints_per_request"),
    *("llm_calls", "llm_input_tokens", "llm_output_tokens"),
    *("frozen_replayed_turns", "frozen_replayed_tokens", "frozen_lost_turns"),
)
OF_ASYNC = (
    *("async_queue", "async_deferred_runs", "async_deferred_ms_total", "async_realized_saved_tokens"),
    *("async_tail_protected_turns", "async_tail_protected_committed_turns", "async_tail_unprotected_turns"),
    *("async_tail_rewritten_turns", "async_lanes_evicted"),
)
OF_OBSERVE = (
    *("observe_hypothetical_requests", "observe_queue", "observe_notice", "observe_llm_notice"),
    *("actual_baseline_tokens", "projected_optimized_tokens", "potential_saved_tokens", "potential_savings_pct"),
    *("potential_components", "potential_overhead_ms_total", "potential_overhead_ms_avg"),
)
OF_A_QUEUE = (
    *("offered", "queued", "dropped", "deduplicated", "suppressed_barren", "processed", "committed", "barren"),
    *("measured", "stale_discarded", "errors", "abandoned", "pending"),
)
ENFORCED = ("requests", "tokens_before", "tokens_after", "saved_tokens", "sync_enforced", "async_enforced")
MODES = ((Mode.SYNC, None), (Mode.OBSERVE, None), (Mode.ASYNC, Protect.PENDING), (Mode.ASYNC, Protect.OWN))
LABELS = ("fork sync", "fork observe", "fork async", "fork async (own)")


@cache
def told() -> tuple[dict[str, Any], ...]:
    """A session of 15 requests, one every 20 s, under a policy that asks for summaries, which take 12 s."""
    plan = planned("summarize", summarize={"call": "fork", "budget_tokens": 12_000})
    plans = [changed(plan, mode=mode, protect=protect) for mode, protect in MODES]
    options = ModeOptions(latency=Latency(median_s=12), barren=100, strip_caller_breakpoints=True)
    document = report(lines(growing(conversation(14)), gap_s=20), *plans, labels=LABELS, modes=options)
    (file,) = document["files"]
    return (file, *file["modes"])


def arm(label: str) -> dict[str, Any]:
    """The policy of that *label* in the table of policies."""
    found: dict[str, Any] = next(one for one in told()[0]["arms"] if one["policy"] == label)
    return found


def test_the_keys_of_the_counters_are_these() -> None:
    """No counter comes, goes or is renamed without being written down here, and each queue has the same ones."""
    document = Counters(mode="sync").document()

    assert sorted(document) == sorted((*OF_ALL, *OF_ASYNC, *OF_OBSERVE))
    assert sorted(document["async_queue"]) == sorted(document["observe_queue"]) == sorted(OF_A_QUEUE)


def test_every_counter_is_told_in_the_reference() -> None:
    """Each has its row with a meaning in docs/reference/json-output.md."""
    page = (DOCS / "reference" / "json-output.md").read_text(encoding="utf-8")
    meanings = {row[0]: row[1] for row in table_rows(sections(page)["cgcli/replay/v1"])}
    names = [name for name in (*OF_ALL, *OF_ASYNC, *OF_OBSERVE) if not name.endswith("_queue")]
    names += [f"{queue}.{name}" for queue in ("async_queue", "observe_queue") for name in OF_A_QUEUE]

    assert [name for name in names if not meanings.get(f"files[].modes[].counters.{name}")] == []


def test_each_policy_stands_once_for_every_mode() -> None:
    """In the order in which they were planned, with the span that async protects."""
    _, *modes = told()

    assert [(one["policy"], one["label"], one["mode"], one["protect"]) for one in modes] == [
        ("fork", "fork sync", "sync", None),
        ("fork", "fork observe", "observe", None),
        ("fork", "fork async", "async", "pending"),
        ("fork", "fork async (own)", "async", "own"),
    ]
    assert [column(one) for one in modes] == ["sync", "observe", "async", "async (own)"]
    assert list(groups(modes)) == ["fork"]


def test_the_options_are_told() -> None:
    """As they were given, the defaults with them."""
    assert told()[1]["options"] == {
        "latency": "constant:12s",
        "seed": 0,
        "step_s": 0.025,
        "max_queue": 256,
        "workers": 1,
        "barren": 100,
        "max_lanes": 1000,
        "stop_s": 2.0,
        "strip_caller_breakpoints": True,
        "cache_uncompacted_tail": False,
        "cache_aware": True,
    }


def test_observe_enforces_nothing() -> None:
    """Its enforced counters are zero, its enforced figures absent; what it sends is what doing nothing sends."""
    file, _, observe, *_ = told()

    assert [observe["counters"][name] for name in ENFORCED] == [0] * 6
    assert observe["table"]["enforced_saved_tokens"] is None
    assert observe["table"]["enforced_savings_share"] is None
    assert [turn["input_tokens"] for turn in observe["turns"]] == [
        turn["input_tokens"] for turn in file["arms"][0]["turns"]
    ]


def test_nothing_hypothetical_stands_among_the_policies() -> None:
    """What the policy does to copies is no component's work, refuses nothing of what was sent, loses nothing."""
    observe = arm("fork observe")

    assert observe["components"] == []
    assert observe["refusals"] == []
    assert {key: observe["totals"][key] for key in ("requests_changed", "fired", "irreversible")} == {
        "requests_changed": 0,
        "fired": 0,
        "irreversible": 0,
    }


@pytest.mark.parametrize("i", [1, 3, 4])
def test_only_observe_projects(i: int) -> None:
    """What sends compacted requests has no projected figure and no projected counter above zero."""
    one = told()[i]
    projected = [key for key in one["table"] if key.startswith("projected_")]

    assert len(projected) == 3
    assert [one["table"][key] for key in projected] == [None] * 3
    assert [one["counters"][name] for name in OF_OBSERVE if "potential" in name or "projected" in name] == [
        *(0, 0, 0.0, {}, 0.0, 0.0),
    ]


def test_the_projection_is_what_sync_enforces() -> None:
    """To the token, and with the same baseline, for the traffic is the same."""
    _, sync, observe, *_ = told()

    assert sync["counters"]["saved_tokens"] > 0
    assert observe["table"]["projected_saved_tokens"] == sync["table"]["enforced_saved_tokens"]
    assert observe["counters"]["actual_baseline_tokens"] == sync["counters"]["tokens_before"]


@pytest.mark.parametrize("label", LABELS)
def test_the_bill_is_that_of_the_requests_alone(label: str) -> None:
    """With the policy's own calls it makes the dollars of the table of policies."""
    table = next(one for one in told()[1:] if one["label"] == label)["table"]
    totals = arm(label)["totals"]

    assert Decimal(table["own_usd"]) > 0
    assert Decimal(table["billed_usd"]) + Decimal(table["own_usd"]) == Decimal(totals["usd"])
    assert table["own_calls"] == totals["own_calls"] == len(arm(label)["own_calls"])
    assert table["own_write_tokens"] == sum(call["write_tokens"] for call in arm(label)["own_calls"])


@pytest.mark.parametrize("label", LABELS)
def test_the_cache_figures_are_sums_over_the_turns(label: str) -> None:
    """Read, write, fresh, the hit rate and writes per million read, from the turns of the table of policies."""
    table, turns = next(one for one in told()[1:] if one["label"] == label)["table"], arm(label)["turns"]
    read, write, fresh = (sum(turn[f"{key}_tokens"] for turn in turns) for key in ("read", "write", "fresh"))

    assert (table["read_tokens"], table["write_tokens"], table["fresh_tokens"]) == (read, write, fresh)
    assert table["write_per_million_read"] == round(1_000_000 * write / read)
    assert table["hit_rate"] == pytest.approx(read / (read + write + fresh), abs=1e-6)


def test_sync_waits_for_its_calls_and_async_does_not() -> None:
    """The six calls of sync take 12 s each; a turn of async waits for the policy alone."""
    _, sync, observe, *asyncs = told()

    assert sync["counters"]["llm_calls"] == 6
    assert sync["table"]["added_ms_per_request"] == pytest.approx((15 * 25 + 6 * 12_000) / 15)
    assert observe["table"]["added_ms_per_request"] == 0
    assert observe["table"]["projected_added_ms_per_request"] == pytest.approx(sync["table"]["added_ms_per_request"])
    assert [one["table"]["added_ms_per_request"] for one in asyncs] == [pytest.approx(25)] * 2


def test_what_a_queue_has_is_told_of_async_alone() -> None:
    """Others have no jobs: their figures are absent and not zero."""
    keys = ("jobs_queued", "jobs_committed", "queue_dropped", "queue_stale", "realized_saved_tokens")
    _, sync, observe, *asyncs = told()

    assert [one["table"][key] for one in (sync, observe) for key in keys] == [None] * 10
    for one in asyncs:
        queue = one["counters"]["async_queue"]
        assert one["table"]["jobs_committed"] == queue["committed"] > 0
        assert one["table"]["jobs_queued"] == queue["queued"]
        assert 0 < one["table"]["realized_saved_tokens"] <= one["table"]["enforced_saved_tokens"]


def test_each_turn_tells_its_job() -> None:
    """As many are queued and protected as the counters say, and each stands at its time."""
    for one in told()[3:]:
        turns = one["turns"]
        counters = one["counters"]

        assert sum(turn["job"] == "queued" for turn in turns) == counters["async_queue"]["queued"]
        assert sum(turn["protected"] for turn in turns) == counters["async_tail_protected_turns"]
        assert sum(turn["realized_tokens"] for turn in turns) == counters["async_realized_saved_tokens"]
        assert sum(turn["breakpoints"] for turn in turns) == counters["breakpoints"]
        assert [turn["at_s"] for turn in turns] == [1_000_000 + 20 * i for i in range(15)]
        assert [turn["turn"] for turn in turns] == list(range(1, 16))


def test_each_row_is_of_one_kind() -> None:
    """Enforced rows have nothing in observe, projected ones nothing elsewhere; no name and kind stands there twice."""
    found = list(rows([one["table"] for one in told()[1:]]))
    by_basis: dict[str, list[tuple[str, ...]]] = {}
    for row in found:
        by_basis.setdefault(row.basis, []).append(row.cells)

    assert len({(row.name, row.basis) for row in found}) == len(found)
    assert [cells[1] for cells in by_basis["enforced"]] == ["-", "-"]
    assert [(cells[0], cells[2], cells[3]) for cells in by_basis["projected"]] == [("-", "-", "-")] * 3
    assert set(by_basis) == {"modelled", "enforced", "projected", "simulated", "counted"}


def test_rows_that_apply_to_no_mode_are_left_out() -> None:
    """With sync alone there is no queue, no projection and nothing off the path."""
    names = {(row.name, row.basis) for row in rows([told()[1]["table"]])}

    assert ("jobs committed", "counted") not in names
    assert not any(basis == "projected" for _, basis in names)
    assert ("cache write", "simulated") in names


@pytest.mark.parametrize(
    ("label", "mode", "expected"),
    [
        ("codesafe sync", "sync", "codesafe"),
        ("mask@ignore async (own)", "async", "mask@ignore"),
        ("in sync/p.toml observe", "observe", "in sync/p.toml"),
        ("a async b.toml async", "async", "a async b.toml"),
    ],
)
def test_a_label_begins_with_the_name_of_its_policy(label: str, mode: str, expected: str) -> None:
    """Whatever words a path has in it."""
    assert base(label, mode) == expected


def test_without_a_mode_there_are_none() -> None:
    """A replay as it was before has an empty list, no sweep, and no mode at any policy."""
    (file,) = report(lines(growing(conversation(3))), planned("mask"), labels=("mask",))["files"]

    assert file["modes"] == []
    assert file["sweep"] is None
    assert [one["mode"] for one in file["arms"]] == [None, None]
