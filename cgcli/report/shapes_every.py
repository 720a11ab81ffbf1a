"""All turns of a lane, one a line, and which shape wins where."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from cgcli.report.figures import counted, number
from cgcli.report.safe import safe
from cgcli.report.shapes_lines import labelled, rule
from cgcli.report.shapes_table import NOTHING, amount, price
from cgcli.report.table import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_NO_SPAN = "nothing_to_select"
_MOST_TURNS = 5
_COLUMNS = ("turn", "line", "parent", "span", "share", "even")


def every(report: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a *report* with many comparisons."""
    found = report["comparisons"]
    used = [mode for mode in _modes(found) if any(_shape(one, mode)["allowed"] for one in found)]
    rows = [(*_turn(one), *(_cost(_shape(one, mode)) for mode in used), one["cheapest"] or NOTHING) for one in found]
    head = (*_COLUMNS, *used, "cheapest")
    yield from table(head, rows, right=range(len(head) - 1))
    yield ""
    if used:
        yield "share: the span of its parent; even: from which share on a fork costs no more than a standalone call"
        yield "each shape: what the call costs + the request that follows it, or why not"
        yield from _prices(found)
        yield from _again(found)
    yield from _refused(found, used)
    yield from _noted(found, used)
    yield "cheapest: " + ", ".join(f"{mode} in {counted(n, 'turn')}" for mode, n in report["wins"].items())
    unpriced = Counter(mode for one in found if one["cheapest"] is not None for mode in one["without_price"])
    if unpriced:
        told = ", ".join(f"{mode} in {counted(n, 'turn')}" for mode, n in unpriced.items())
        yield f"not compared, for not all of its costs are known: {told}"
    yield from _choice(found)


def _prices(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The prices of the models, or why a cost is not known."""
    rules = dict.fromkeys(rule(rate) for one in found for rate in (one["rate"], one["call_rate"]))
    for told in rules:
        yield from labelled("prices", told)
    bills = [(shape["mode"], shape["predicted"]) for one in found for shape in one["shapes"] if shape["predicted"]]
    by_reason: dict[str, dict[str, None]] = {}
    for mode, bill in bills:
        if bill["reason"] is not None:
            by_reason.setdefault(safe(bill["detail"]), {})[mode] = None
    for detail, modes in by_reason.items():
        yield from labelled("no cache", f"{', '.join(modes)}: {detail}")


def _again(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The turns that nothing in the file goes on from."""
    alone = [
        one["turn"] for one in found if any(shape["next"] and not shape["next"]["recorded"] for shape in one["shapes"])
    ]
    if alone:
        turns = ", ".join(map(number, alone[:_MOST_TURNS])) + (", …" if len(alone) > _MOST_TURNS else "")
        yield f"no request goes on from {counted(len(alone), 'turn')} ({turns}): there the parent again is what follows"


def _refused(found: Sequence[Mapping[str, Any]], used: Sequence[str]) -> Iterator[str]:
    """The shapes that no turn allows, those with the same reasons in one line."""
    by_reasons: dict[str, list[str]] = {}
    for mode in _modes(found):
        if mode not in used:
            reasons = dict.fromkeys(str(_shape(one, mode)["reason"]) for one in found)
            told = [reason for reason in reasons if reason != _NO_SPAN] or [_NO_SPAN]
            by_reasons.setdefault(", ".join(told), []).append(mode)
    for why, modes in by_reasons.items():
        yield f"refused in every turn: {', '.join(modes)} ({why})"


def _noted(found: Sequence[Mapping[str, Any]], used: Sequence[str]) -> Iterator[str]:
    """What the figures of some shapes do not say."""
    by_mode = {mode: [_shape(one, mode) for one in found] for mode in used}
    lossy = [mode for mode in used if any(shape["reversible"] is False for shape in by_mode[mode])]
    assumed = [mode for mode in used if any((shape["summary"] or {}).get("is_assumed") for shape in by_mode[mode])]
    if any(shape["replaces"] for mode in used for shape in by_mode[mode]):
        yield "native-threshold: both passes of the provider, less the parent, whose place it takes"
    if lossy:
        yield f"IRREVERSIBLE: {', '.join(lossy)}"
    if assumed:
        yield f"the size of a summary is assumed (--summary-tokens): {', '.join(assumed)}"


def _modes(found: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(shape["mode"] for one in found for shape in one["shapes"]))


def _shape(one: Mapping[str, Any], mode: str) -> Mapping[str, Any]:
    return next(shape for shape in one["shapes"] if shape["mode"] == mode)


def _turn(one: Mapping[str, Any]) -> tuple[str, ...]:
    span = one["span"]
    return (
        number(one["turn"]),
        number(one["line"]),
        number(one["parent"]["tokens"]),
        amount(span["tokens"]),
        _ratio(span["ratio"]),
        _ratio(one["min_span_ratio"]),
    )


def _ratio(told: float | None) -> str:
    return f"{told:.3f}" if told is not None else NOTHING


def _cost(shape: Mapping[str, Any]) -> str:
    if not shape["allowed"]:
        return NOTHING if shape["reason"] == _NO_SPAN else str(shape["reason"])
    if shape["predicted"] is None:
        return "does not fire"
    following = shape["next"]
    call = price({**shape["predicted"], "usd": shape["call_usd"]})
    if following is None or following["predicted"] is None:
        return call
    after = price(following["predicted"])
    return call if call == after and "$" not in call else f"{call} + {after}"


def _choice(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    stats = [one["last_summary_call_stats"] for one in found if one["last_summary_call_stats"] is not None]
    if not stats:
        return
    used = [one["mode_used"] or "nothing" for one in stats]
    told = ", ".join(f"{mode} in {counted(used.count(mode), 'turn')}" for mode in dict.fromkeys(used))
    yield (
        f"{safe(stats[-1]['mode_requested'])} comes to {told}; {counted(stats[-1]['fork_fallbacks'], 'fallback')}, "
        f"{counted(stats[-1]['fork_declines'], 'decline')}"
    )
