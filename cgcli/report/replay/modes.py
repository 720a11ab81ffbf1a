"""The operating modes of a replay, as they stand in documents: counters, the table, every turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.replay.modes.base import ModeArm
from cgcli.replay.modes.options import Mode
from cgcli.report.replay.modes_figures import figures
from cgcli.report.replay.modes_said import said

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cgcli.replay.modes.options import ModeOptions
    from cgcli.replay.paired.replay import Replayed
    from cgcli.replay.paired.totals import Totals
    from cgcli.report.replay.places import Places


def modes(done: Replayed, found: Mapping[str, Totals], places: Places) -> list[dict[str, Any]]:
    """Each policy in each mode, as they stand in *found* by their labels, doing nothing first; none without modes."""
    told = [
        _mode(label, one, found[label], places)
        for label, one in zip(found, done.arms, strict=True)
        if isinstance(one, ModeArm)
    ]
    return [{**one, "said": list(said(one, [other for other in told if _is_beside(one, other)]))} for one in told]


def _is_beside(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return other is not one and other["policy"] == one["policy"]


def _mode(label: str, one: ModeArm, totals: Totals, places: Places) -> dict[str, Any]:
    counters = one.counters
    return {
        "policy": base(label, counters.mode),
        "label": label,
        "mode": counters.mode,
        "protect": one.options.protect.value if counters.mode == Mode.ASYNC else None,
        "options": _options(one.options),
        "counters": counters.document(),
        "table": figures(counters, totals, own_write_tokens=_own_write_tokens(one)),
        "turns": list(_turns(one, places)),
    }


def _own_write_tokens(one: ModeArm) -> int:
    return sum(call.write_tokens for turn in one.turns for call in turn.own_calls)


def base(label: str, mode: str) -> str:
    """What the policy was named that runs under *label*.

    >>> base("mask@ignore async (own)", "async")
    'mask@ignore'
    """
    return label.rpartition(f" {mode}")[0]


def _options(options: ModeOptions) -> dict[str, Any]:
    return {
        "latency": str(options.latency),
        "seed": options.latency.seed,
        "step_s": options.step_s,
        "max_queue": options.max_queue,
        "workers": options.workers,
        "barren": options.barren,
        "max_lanes": options.max_lanes,
        "stop_s": options.stop_s,
        "strip_caller_breakpoints": options.strip_caller_breakpoints,
        "cache_uncompacted_tail": options.cache_uncompacted_tail,
        "cache_aware": options.is_cache_aware,
    }


def _turns(one: ModeArm, places: Places) -> Iterator[dict[str, Any]]:
    for sent, told in zip(one.turns, one.mode_turns, strict=True):
        yield {
            "number": told.number,
            "line": sent.line,
            **places[told.number],
            "at_s": told.at_s,
            "added_ms": 1000 * told.added_s,
            "input_tokens": sent.input_tokens,
            "breakpoints": told.n_breakpoints,
            "job": told.job,
            "protected": told.is_protected,
            "realized_tokens": told.realized_tokens,
        }
