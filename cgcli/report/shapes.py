"""The comparison of call modes, as the versioned document `cgcli/diff-modes/v1`; the text is drawn from it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from cgcli.calls.call import NATIVE, CallMode
from cgcli.model import Basis, Refusal
from cgcli.prefix.keys import full_key
from cgcli.pricing.rate import Rate
from cgcli.replay.survey import turns_of
from cgcli.report.billed import bill, usd
from cgcli.report.rebuilt import basis
from cgcli.report.summaries import call_stats
from cgcli.summarisers.protocol import Summary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.pricing.rate import Unpriced
    from cgcli.pricing.table import Prices
    from cgcli.readers import Capture
    from cgcli.replay.survey import Survey
    from cgcli.shapes.comparison import Comparison, Following, Shape, Sharing

SCHEMA = "cgcli/diff-modes/v1"
NOTES = (
    "Open loop: recorded answers stand; how good a summary is, is not modelled.",
    "Predicted figures are simulated: a provider's cache is best effort.",
)


def document(
    capture: Capture,
    found: Survey,
    comparisons: Sequence[Comparison],
    prices: Prices,
    *,
    told: Mapping[str, object],
) -> dict[str, Any]:
    """All comparisons of a file; *told* are the options by which they were made."""
    return {
        "schema": SCHEMA,
        "file": capture.file,
        "format": capture.format_name,
        "basis": basis(capture),
        "options": dict(told),
        "prices": {"as_of": prices.as_of or None, "source": prices.source},
        "lanes": [
            {"lane": lane.name, "label": lane.label.value, "model": lane.model, "turns": len(turns_of(lane))}
            for lane in found.lanes
        ],
        "comparisons": [comparison(one) for one in comparisons],
        "wins": wins(comparisons),
        "notes": list(NOTES),
    }


def wins(comparisons: Sequence[Comparison]) -> dict[str, int]:
    """In how many turns each mode costs least in all; `none`: no span, or no price."""
    count: Counter[str] = Counter()
    for one in comparisons:
        best = cheapest(one)
        count[best.value if best is not None else "none"] += 1
    return dict(sorted(count.items()))


def cheapest(one: Comparison) -> CallMode | None:
    """The mode that costs least in all, call and following request; None where none is priced.

    Of two that cost the same, the one that stands first.
    """
    priced = [(shape.usd, shape.mode) for shape in one.shapes if shape.usd is not None]
    return min(priced, key=lambda pair: pair[0])[1] if priced else None


def comparison(one: Comparison) -> dict[str, Any]:
    """One turn."""
    best = cheapest(one)
    return {
        "lane": one.lane,
        "turn": one.turn,
        "line": one.line,
        "model": one.parent.request.model,
        "parent": _parent(one),
        "tokens_basis": one.ruler,
        "when": None
        if one.window is None
        else {
            "budget_tokens": one.window.budget_tokens,
            "ask_tokens": one.window.ask_tokens,
            "apply_tokens": one.window.apply_tokens,
            "window_is_assumed": one.window.is_assumed,
        },
        "span": _span(one),
        "rate": _rate(one.rate),
        "call_rate": _rate(one.call_rate),
        "min_span_ratio": one.min_span_ratio,
        "own_fork": bill(one.own_fork),
        "cheapest": best.value if best is not None else None,
        "without_price": [shape.mode.value for shape in one.shapes if shape.is_unpriced],
        "unchanged": bill(one.unchanged),
        "shapes": [_shape(shape, one) for shape in one.shapes],
        "last_summary_call_stats": call_stats(one.asked) if one.asked is not None else None,
    }


def _parent(one: Comparison) -> dict[str, Any]:
    parent = one.parent
    request = parent.request
    items = (*(request.tools or ()), *(request.system or ()), *request.messages)
    return {
        "messages": len(request.messages),
        "tools": len(request.tools) if request.tools is not None else None,
        "blocks": sum(len(item.blocks) for item in items),
        "tokens": one.parent_tokens,
        "body_bytes": len(request.raw),
        "prefix_sha256": full_key(request).hex(),
        "tools_recorded": parent.tools_recorded,
        "prefix_source": parent.prefix_source.value if parent.prefix_source is not None else None,
        "views_since_send": parent.views_since_send,
        "window_tokens": parent.window_tokens,
    }


def _span(one: Comparison) -> dict[str, Any]:
    chosen = one.selection
    refused = chosen if isinstance(chosen, Refusal) else None
    return {
        "messages": [chosen.start, chosen.stop] if not isinstance(chosen, Refusal) else None,
        "tokens": one.span_tokens,
        "ratio": one.span_ratio,
        "reason": refused.reason if refused is not None else None,
        "detail": refused.detail if refused is not None else None,
    }


def _rate(rate: Rate | Unpriced) -> dict[str, Any]:
    if isinstance(rate, Rate):
        return {"model": rate.model, "rule": rate.rule, "as_of": rate.as_of or None, "unpriced": None}
    return {"model": rate.model, "rule": None, "as_of": None, "unpriced": rate.reason}


def _shape(shape: Shape, one: Comparison) -> dict[str, Any]:
    call, shared = shape.call, shape.sharing
    is_ours = call is not None and shape.mode not in NATIVE
    return {
        "mode": shape.mode.value,
        "allowed": call is not None,
        "reason": shape.refusal.reason if shape.refusal is not None else None,
        "detail": shape.refusal.detail if shape.refusal is not None else None,
        "note": shape.note,
        "path": call.path if call is not None else None,
        "headers": dict(call.headers) if call is not None else None,
        "messages": shape.n_messages,
        "tools": shape.n_tools,
        "tokens": shape.tokens,
        "body_bytes": len(call.body) if call is not None else None,
        "shared": _shared(shared),
        "g_fork_prefix": fork_prefix(shape),
        "prefix_sha256": shared.prefix_sha256 if shared is not None else None,
        "same_bytes": shared.is_same_bytes if shared is not None and shape.mode is CallMode.FORK else None,
        "fires": shape.fires,
        "predicted": bill(shape.billed),
        "extra_round_trips": call.extra_round_trips if call is not None else None,
        "second_pass": bill(shape.second_pass),
        "replaces": bill(shape.replaces),
        "call_usd": usd(shape.call_usd),
        "scope": _scope(shape, len(one.parent.request.messages)),
        "reversible": call.is_reversible if call is not None else None,
        "stashed": True if is_ours else None,
        "replayed": True if is_ours else None,
        "summary": _summary(shape),
        "next": _next(shape.following),
        "saved_tokens": shape.saved_tokens,
        "total_usd": usd(shape.usd),
        "break_even_turns": shape.break_even_turns,
    }


def _shared(shared: Sharing | None) -> dict[str, Any] | None:
    if shared is None:
        return None
    return {
        "blocks": shared.blocks,
        "tokens": shared.tokens,
        "leading_bytes": shared.wire_bytes,
        "parts_at": shared.parts_at,
        "kind": shared.kind,
    }


def fork_prefix(shape: Shape) -> str | None:
    """What G-FORK-PREFIX says of the call: `exact`, `broken`, or None where it is no fork."""
    if shape.mode is not CallMode.FORK or shape.sharing is None:
        return None
    return "exact" if shape.sharing.is_exact else "broken"


def _scope(shape: Shape, n_messages: int) -> dict[str, Any] | None:
    call = shape.call
    if call is None:
        return None
    start, stop = (0, n_messages) if call.scope == "all" else call.scope
    return {
        "messages": [start, stop],
        "is_all": call.scope == "all",
        "scoped_by": call.scoped_by,
        "messages_in": stop - start,
        "messages_out": n_messages - (stop - start),
    }


def _summary(shape: Shape) -> dict[str, Any] | None:
    if shape.summary_tokens is None:
        return None
    told = shape.summary
    refused = told if isinstance(told, Refusal) else None
    return {
        "tokens": shape.summary_tokens,
        "is_assumed": shape.is_summary_assumed,
        "basis": told.basis.value if isinstance(told, Summary) else Basis.SIMULATED.value,
        "reason": refused.reason if refused is not None else None,
        "detail": refused.detail if refused is not None else None,
    }


def _next(following: Following | None) -> dict[str, Any] | None:
    if following is None:
        return None
    refused, kept = following.refusal, following.kept
    return {
        "recorded": following.is_recorded,
        "reason": refused.reason if refused is not None else None,
        "detail": refused.detail if refused is not None else None,
        "tokens": following.tokens if refused is None else None,
        "covers": list(following.covers) if following.covers is not None else None,
        "kept_messages": following.kept_messages if refused is None else None,
        "kept_blocks": kept.blocks if kept is not None else None,
        "kept_tokens": kept.tokens if kept is not None else None,
        "parts_at": kept.parts_at if kept is not None else None,
        "predicted": bill(following.billed),
    }
