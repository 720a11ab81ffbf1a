"""A replay, as the versioned document `cgcli/replay/v1`; the text and the page are drawn from it."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from cgcli.replay.paired.totals import pareto, totals
from cgcli.report.lanes import named, turns
from cgcli.report.rebuilt import basis
from cgcli.report.replay.arms import Shown, arm
from cgcli.report.replay.checked import checked
from cgcli.report.replay.modes import modes
from cgcli.report.replay.places import places

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.lanes import Lane
    from cgcli.replay.paired.replay import Replayed

SCHEMA = "cgcli/replay/v1"
NOTES = (
    "Open loop: recorded answers stand; re-reads, retries, worse answers are not modelled. Regret is what was needed.",
    "Reads, writes and dollars are simulated, for doing nothing too; only the self-check has what a provider recorded.",
)
_ADDED = (
    "requests",
    "requests_changed",
    "fired",
    "epochs_reset",
    "removed_gross_tokens",
    "removed_unique_tokens",
    "simulated_requests",
    "input_tokens",
    "read_tokens",
    "write_tokens",
    "fresh_tokens",
    "output_tokens",
    "own_calls",
    "priced_requests",
    "irreversible",
    "refetches",
    "cites",
    "regret_tokens",
)
_USD = ("own_usd", "usd", "off_difference_usd")


def document(
    files: Sequence[Mapping[str, Any]], failed: Sequence[Mapping[str, Any]], policies: Sequence[str]
) -> dict[str, Any]:
    """All *files*, and those that *failed*."""
    return {
        "schema": SCHEMA,
        "policies": list(policies),
        "files": list(files),
        "failed": list(failed),
        "total": _total(files, policies) if len(files) > 1 else None,
        "notes": list(NOTES),
    }


def file_document(
    done: Replayed,
    told: Mapping[str, Any],
    *,
    labels: Sequence[str],
    shown: Shown,
    gates: Sequence[Sequence[Mapping[str, Any]]] | None = None,
) -> dict[str, Any]:
    """One file; *told* are the options, *labels* what each policy is called.

    *gates* are, for each policy, what the gates say of what it sends; None: they were not asked. Doing nothing has its
    requests one by one, whatever is *shown*.
    """
    capture = done.capture
    off = done.arms[0]
    found = {label: totals(one, off) for label, one in zip(labels, done.arms, strict=True)}
    where = places(done.lanes)
    models = sorted({turn.model for turn in off.turns}, key=str)
    return {
        "file": capture.file,
        "format": capture.format_name,
        "basis": basis(capture),
        **told,
        "clock": {**told["clock"], "requests_without_time": done.n_without_time},
        "prices": {"as_of": done.shared.prices.as_of or None, "source": done.shared.prices.source},
        "tokens_basis": "; ".join(
            dict.fromkeys(f"{model or 'no model'}: {done.shared.ruler(model)}" for model in models)
        ),
        "requests": len(off.turns),
        "lanes": [_lane(lane) for lane in done.lanes],
        "passed_records": dict(sorted(done.passed.reasons.items())),
        "skipped_records": [
            {"line": line, "reason": reason, "detail": detail} for line, reason, detail in done.passed.unusable
        ],
        "self_check": checked(done, where),
        "arms": [
            arm(
                label,
                one,
                off,
                found[label],
                places=where,
                shown=Shown.TURNS if one is off and shown is Shown.SUMS else shown,
                gates=gates[i] if gates is not None else (),
            )
            for i, (label, one) in enumerate(zip(labels, done.arms, strict=True))
        ],
        "pareto": list(pareto(found)),
        "modes": modes(done, found, where),
        "sweep": None,
    }


def _total(files: Sequence[Mapping[str, Any]], policies: Sequence[str]) -> dict[str, Any]:
    """The sums over all files, by policy."""
    found = {}
    for i, policy in enumerate(policies):
        each = [file["arms"][i]["totals"] for file in files]
        sums: dict[str, Any] = {name: sum(one[name] for one in each) for name in _ADDED}
        for name in _USD:
            amounts = [Decimal(one[name]) for one in each if one[name] is not None]
            sums[name] = f"{sum(amounts, start=Decimal(0)):f}" if amounts else None
        read, whole = sums["read_tokens"], sums["input_tokens"]
        sums["hit_rate"] = round(read / whole, 6) if whole else None
        sums["break_even"] = dict(sorted(Counter(one["break_even"] for one in each).items()))
        found[policy] = sums
    return found


def _lane(lane: Lane) -> dict[str, Any]:
    lines = [turn.line for turn in turns(lane)]
    return {**named(lane), "lines": f"{min(lines)}-{max(lines)}" if len(lines) > 1 else str(lines[0])}
