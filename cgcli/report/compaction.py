"""The account of `cg compact`, as a document; the text is drawn from it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from cgcli.compaction.policy import names
from cgcli.model import Basis
from cgcli.providers.models import lookup
from cgcli.report import triggers
from cgcli.report.billed import usd
from cgcli.report.extraction import extraction
from cgcli.report.figures import rulers
from cgcli.report.lanes import named, turns
from cgcli.report.rebuilt import basis
from cgcli.report.summaries import n_irreversible, summaries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.lanes import Lane
    from cgcli.replay.compact import Written
    from cgcli.replay.ledger import Break, Row
    from cgcli.replay.run import Run
    from cgcli.tokens.ruler import Ruler

SCHEMA = "cgcli/compact/v1"

WHAT_WOULD_LET_IT = {
    "does_not_pay": "what it would save costs less than writing the rest anew: `--held ignore` would let it",
    "unpriced": "there is no price for the model, so whether it pays is not known: --rates FILE",
    "no_cache_model": "whether it pays is not known for a cache that is not simulated: `--held ignore` would let it",
    "bad_breakpoints": "the provider refuses the requests for their cache marks: `cg check` says which",
    "history_not_recorded": "part of the input is stored with the provider: `--held ignore` would let it",
    "thinking_bound": "signed thinking behind it is bound to it, and the provider would answer with 400",
    "prefix_held": "the provider holds that prefix: `--held ignore` would let it, and re-bill what follows",
    "caching_backend": "the provider caches, where a call rarely pays: `allow_on_caching_backend` would let it",
    "low_pressure": 'the window is not filling up: `fire_on = "size"` would let it',
    "call_does_not_pay": "a call costs more than it is likely to save: `economic_gate = false` would let it",
    "call_unpriced": "there is no price for one of the two models, so whether a call pays is not known: --rates FILE",
    "no_model": "nobody answers its calls: --summarizer says who",
    "trigger_cache_state_unknown": "the file does not tell the state of the cache that its trigger asks for",
    "trigger_window_unknown": "no table has the model's window, which its trigger asks for a fraction of",
    **dict.fromkeys(
        ("trigger_min_request_tokens", "trigger_min_request_fraction", "trigger_min_messages"),
        "no request was as large as its trigger asks for, or only once the output had been sent",
    ),
    "trigger_cache_state": "the cache was not in the state that its trigger asks for",
    "trigger_every": "no batch came that could take it: `every` in the policy's triggers",
    "prefix_unknown": "the file begins in mid-conversation, so the prefix may be held: `--held ignore` would let it",
}
"""Per skip reason that keeps a component from acting at all: what a person can do about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the products are."""

    output: str | None
    """None where nothing was written."""
    stash: str | None
    """None where none was needed."""
    stash_how: str
    options: tuple[str, ...] = ()
    """What the run was told, as option and value in turn, so that it can be run again."""


def document(run: Run, written: Written, place: Place) -> dict[str, Any]:
    """The report as the versioned JSON document `cgcli/compact/v1`."""
    ledger = run.ledger
    by_model = rulers(ledger.rows)
    capture = run.capture
    told = summaries(run)
    return {
        "schema": SCHEMA,
        "file": capture.file,
        "format": capture.format_name,
        "layout": capture.layout.value,
        "basis": basis(capture),
        "dialects": dict(sorted(ledger.dialects.items())),
        "policy": run.policy.name,
        "triggers": triggers.document(run.policy.triggers),
        "held": run.rule.value,
        "options": list(place.options),
        "requests": len(ledger.rows),
        "requests_changed": ledger.n_changed,
        "bytes": {"before": written.input_bytes, "after": written.output_bytes},
        "tokens": _tokens(ledger.rows, by_model),
        "components": [_component(run, name, told) for name in _names(run)],
        "components_basis": f"{Basis.COUNTED.value}: {', '.join(_encodings(ledger.rows))}, no factor",
        "warnings": list(run.policy.warnings),
        "summaries": told,
        "extraction": extraction(run),
        "paying": _paying(run),
        "lanes": [_lane(lane, ledger.rows, by_model) for lane in run.lanes],
        "irreversible_edits": ledger.distinct.n_irreversible + (n_irreversible(told) if told is not None else 0),
        "passed_records": dict(sorted(written.passed.items())),
        "skipped_records": [
            {"line": line, "reason": reason, "detail": detail} for line, reason, detail in written.skipped
        ],
        "output": place.output,
        "output_sha256": written.output_digest or None,
        "stash": _stash(written, place),
        "example_key": written.example_key,
        "note": "Open loop: recorded answers stand; what the agent would have read again is not modelled.",
    }


def _names(run: Run) -> list[str]:
    return list(names(run.policy))


def _encodings(rows: Sequence[Row]) -> list[str]:
    return sorted({lookup(row.model).encoding for row in rows})


def _tokens(rows: Sequence[Row], by_model: dict[str | None, Ruler]) -> dict[str, Any]:
    """Sums over all requests, each with its model's ruler."""
    used = [ruler for model, ruler in by_model.items() if any(row.model == model for row in rows)]
    return {
        "before": sum(by_model[row.model].tokens(row.before_tokens) for row in rows),
        "after": sum(by_model[row.model].tokens(row.after_tokens) for row in rows),
        "basis": _basis(used),
        "rulers": [
            {
                "model": ruler.model,
                "encoding": ruler.encoding,
                "factor": round(ruler.factor, 4),
                "basis": ruler.basis.value,
                "fitted_to_requests": ruler.n_fitted,
            }
            for ruler in used
        ],
    }


def _basis(used: Sequence[Ruler]) -> str:
    said = {str(ruler) for ruler in used}
    if len(said) > 1:
        return "; ".join(f"{ruler.model or 'no model'}: {ruler}" for ruler in used)
    return "".join(said) or "nothing counted"


def _component(run: Run, name: str, told: Mapping[str, Any] | None) -> dict[str, Any]:
    distinct = run.ledger.distinct
    # Where the provider is to compact by itself, what that saves is not in the file.
    is_known = told is None or name != told["step"] or not told["set_up"]
    skipped = {reason: n for (who, reason), n in sorted(distinct.skipped.items()) if who == name and n}
    fired = distinct.fired[name]
    hints = [WHAT_WOULD_LET_IT[reason] for reason in skipped if reason in WHAT_WOULD_LET_IT and not fired]
    return {
        "name": name,
        "fired": fired,
        "saved_unique_tokens": distinct.saved_tokens[name] if is_known else None,
        "saved_gross_tokens": run.ledger.saved_gross[name] if is_known else None,
        "skipped": skipped,
        "reverted": [
            {"reason": reason, "times": n, "detail": distinct.revert_details[who, reason]}
            for (who, reason), n in sorted(distinct.reverted.items())
            if who == name
        ],
        "never_fired_because": hints[0] if hints else None,
    }


def _paying(run: Run) -> dict[str, Any] | None:
    """What `--held pays` came to; None under any other rule."""
    if run.paying is None:
        return None
    verdicts = run.paying.verdicts
    entered = [one for one in verdicts if one.from_message is not None]
    return {
        "judged": len(verdicts),
        "entered": len(entered),
        "not_entered": dict(sorted(Counter(one.why_not.value for one in verdicts if one.why_not is not None).items())),
        "saved_tokens": sum(one.saved_tokens for one in entered),
        "rewritten_tokens": sum(one.rewritten_tokens for one in entered),
        "expected_gain_usd": usd(sum((one.gain_usd for one in entered if one.gain_usd is not None), start=Decimal(0))),
        "basis": Basis.SIMULATED.value,
    }


def _lane(lane: Lane, rows: Sequence[Row], by_model: dict[str | None, Ruler]) -> dict[str, Any]:
    mine = [rows[turn.i_exchange] for turn in turns(lane)]
    input_breaks = [row.input_break for row in mine if row.input_break is not None]
    output_breaks = [row.output_break for row in mine if row.output_break is not None]
    n_cold = sum(row.is_cold for row in mine)
    return {
        **named(lane),
        "epochs": [
            {
                "label": epoch.label.value,
                "requests": len(epoch.thread.turns),
                "first_line": epoch.thread.turns[0].line,
            }
            for epoch in lane.epochs
        ],
        "tokens_before": sum(by_model[row.model].tokens(row.before_tokens) for row in mine),
        "tokens_after": sum(by_model[row.model].tokens(row.after_tokens) for row in mine),
        "prefix": _prefix(lane, mine),
        "broken_by_compaction": _breaks(output_breaks),
        "broken_in_input": _breaks(input_breaks),
        "cold_turns": n_cold,
    }


def _prefix(lane: Lane, mine: Sequence[Row]) -> str:
    """`vacuous` where no request follows another: a prefix that was never sent again is not kept."""
    if any(not row.is_cold for row in mine if row.output_break):
        return "broken"
    return "kept" if any(len(epoch.thread.turns) > 1 or epoch.thread.branch for epoch in lane.epochs) else "vacuous"


def _breaks(breaks: Sequence[Break]) -> dict[str, Any]:
    return {
        "times": len(breaks),
        "first": {"line": breaks[0].line, "message": breaks[0].message} if breaks else None,
    }


def _stash(written: Written, place: Place) -> dict[str, Any] | None:
    if place.stash is None:
        return None
    stashed = written.stashed
    return {
        "path": place.stash,
        "how": place.stash_how,
        "new_objects": stashed.n_new if stashed else 0,
        "new_bytes": stashed.new_bytes if stashed else 0,
        "known_objects": stashed.n_known if stashed else 0,
    }
