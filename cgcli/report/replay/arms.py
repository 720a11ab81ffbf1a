"""One policy of a replay, as it stands in documents."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from cgcli.compaction.paying import Unpaid
from cgcli.compaction.policy import names
from cgcli.model import Refusal
from cgcli.replay.modes.base import ModeArm
from cgcli.report.billed import usd
from cgcli.report.replay.sums import sums
from cgcli.report.summaries import summaries
from cgcli.wire.spans import Malformed, decode_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cgcli.replay.paired.arm import Arm
    from cgcli.replay.paired.totals import Totals
    from cgcli.replay.paired.turns import NewEdit, OwnCall
    from cgcli.report.replay.places import Places


class Shown(Enum):
    """How much of a replay is wanted."""

    SUMS = auto()
    TURNS = auto()
    """Each request, too."""
    TEXTS = auto()
    """And how edits read, and what the gates say."""


def arm(
    label: str,
    one: Arm,
    off: Arm,
    found: Totals,
    *,
    places: Places,
    shown: Shown,
    gates: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The policy *one*, beside *off*; *gates* are what they say of what it sends."""
    policy = one.run.policy
    told = summaries(one.run)
    return {
        "policy": label,
        "mode": one.counters.mode if isinstance(one, ModeArm) else None,
        "held": one.run.rule.value,
        "steps": list(names(policy)),
        "call": policy.span_step.call if policy.span_step is not None else None,
        "warnings": [*policy.warnings, *(told["warnings"] if told is not None else ())],
        "nearest": told["nearest"] if told is not None else None,
        "totals": sums(found),
        "components": [_component(one, name) for name in names(policy)] if one.is_enforced else [],
        "refusals": list(_refusals(one)) if one.is_enforced else [],
        "gates": list(gates),
        "own_calls": [_own(call) for turn in one.turns for call in turn.own_calls],
        "turns": list(_turns(one, off, places, with_texts=shown is Shown.TEXTS)) if shown is not Shown.SUMS else [],
        "regrets": [
            {
                "kind": regret.kind.value,
                "component": regret.component,
                "dropped_line": regret.dropped_line,
                "dropped_path": regret.dropped_path,
                "needed_line": regret.needed_line,
                "needed_path": regret.needed_path,
                "evidence": regret.fragment,
                "tokens": regret.tokens,
            }
            for turn in one.turns
            for regret in turn.regrets
        ],
    }


def _component(one: Arm, name: str) -> dict[str, Any]:
    ledger = one.run.ledger
    return {
        "name": name,
        "fired": ledger.distinct.fired[name],
        "removed_unique_tokens": one.removed.once(name),
        "removed_gross_tokens": one.removed.gross(name),
        "skipped": {reason: n for (who, reason), n in sorted(ledger.distinct.skipped.items()) if who == name and n},
        "reverted": {reason: n for (who, reason), n in sorted(ledger.distinct.reverted.items()) if who == name and n},
    }


def _refusals(one: Arm) -> Iterator[dict[str, Any]]:
    """Calls and summaries that could not be, by reason."""
    told: Counter[str] = Counter()
    details: dict[str, str] = {}
    for event in (said.event for said in one.run.ledger.summaries):
        if event.what == "refused" and event.reason is not None:
            told[event.reason] += 1
            details.setdefault(event.reason, event.detail)
    for call in (call for turn in one.turns for call in turn.own_calls):
        if call.refused is not None and call.refused not in details:
            told[call.refused] += 1
    for reason, n in sorted(told.items()):
        yield {"reason": reason, "times": n, "detail": details.get(reason, "")}


def _own(call: OwnCall) -> dict[str, Any]:
    return {
        "line": call.line,
        "what": call.what,
        "mode": call.mode,
        "model": call.model,
        "basis": call.basis.value,
        "read_tokens": call.read_tokens,
        "write_tokens": call.write_tokens,
        "fresh_tokens": call.fresh_tokens,
        "output_tokens": call.output_tokens,
        "usd": usd(call.usd),
        "refused": call.refused,
    }


def _turns(one: Arm, off: Arm, places: Places, *, with_texts: bool) -> Iterator[dict[str, Any]]:
    lines = {turn.number: turn.line for turn in one.turns}
    total, off_total = Decimal(0), Decimal(0)
    for turn, other in zip(one.turns, off.turns, strict=True):
        mine, its = turn.all_usd, other.all_usd
        total, off_total = total + (mine or 0), off_total + (its or 0)
        simulated = turn.simulated
        told = None if isinstance(simulated, Refusal) else simulated
        yield {
            "number": turn.number,
            "line": turn.line,
            **places[turn.number],
            "model": turn.model,
            "sent_s": turn.sent_s,
            "before_tokens": turn.before_tokens,
            "input_tokens": turn.input_tokens,
            "read_tokens": told.read_tokens if told is not None else None,
            "write_tokens": told.written_tokens if told is not None else None,
            "write_by_ttl_s": {str(ttl_s): n for ttl_s, n in sorted(told.write_by_ttl_s.items()) if n} if told else {},
            "fresh_tokens": told.fresh_tokens if told is not None else None,
            "output_tokens": turn.output_tokens,
            "why": told.why if told is not None else None,
            "read_line": lines.get(told.read_from) if told is not None and told.read_from is not None else None,
            "not_simulated": _not_simulated(simulated) if isinstance(simulated, Refusal) else None,
            "usd": usd(mine),
            "own_usd": usd(turn.own_usd),
            "cumulative_usd": usd(total) if mine is not None else None,
            "cumulative_off_usd": usd(off_total) if its is not None else None,
            "fired": dict(turn.fired),
            "removed_tokens": turn.removed_tokens,
            "reset": turn.is_reset,
            "edits": [_edit(edit, with_texts=with_texts) for edit in turn.edits],
        }


def _not_simulated(why: Refusal) -> str:
    """Why, and what would have it simulated."""
    return f"{why.detail} (--provider NAME chooses one)" if why.reason == Unpaid.NO_CACHE_MODEL else why.detail


def _edit(edit: NewEdit, *, with_texts: bool) -> dict[str, Any]:
    told = {
        "path": edit.path,
        "component": " + ".join(edit.components) or "none",
        "before_tokens": edit.before_tokens,
        "after_tokens": edit.before_tokens - edit.saved_tokens,
        "before_bytes": edit.before_bytes,
        "after_bytes": edit.after_bytes,
    }
    if not with_texts:
        return told
    return {
        **told,
        "before": _text(edit.before),
        "after": _text(edit.after),
        "cut": edit.before_bytes > len(edit.before) or edit.after_bytes > len(edit.after),
    }


_MOST_ESCAPE_BYTES = 6
"""Of an escape, as `\\u00e9`: a cut inside of one leaves fewer of them."""


def _text(literal: bytes) -> str:
    """What *literal*, which may be cut, reads as."""
    if literal[:1] == b'"':
        cut = (literal[: len(literal) - n] + b'"' for n in range(_MOST_ESCAPE_BYTES + 1))
        for one in (literal, *cut):
            try:
                return decode_text(one)
            except (Malformed, ValueError):
                continue
    return literal.decode("utf-8", "replace")
