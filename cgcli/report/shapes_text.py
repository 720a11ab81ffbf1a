"""The comparison of call modes, for a person."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from cgcli.report.billed import dollars
from cgcli.report.figures import counted, number
from cgcli.report.rebuilt import said
from cgcli.report.safe import safe
from cgcli.report.shapes_every import every
from cgcli.report.shapes_lines import labelled, rule
from cgcli.report.shapes_next import steps
from cgcli.report.shapes_table import amount, columns, messages, price, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_HASH_CHARS = 16


def lines(report: Mapping[str, Any]) -> list[str]:
    """The lines of a `cgcli/diff-modes/v1` *report*."""
    found = report["comparisons"]
    body = list(_one(found[0])) if len(found) == 1 else list(every(report))
    return [_head(report), *said(report["basis"]), "", *body, "", *report["notes"], *steps(report)]


def _head(report: Mapping[str, Any]) -> str:
    return f"{safe(report['file'])}: {report['format']}, {counted(len(report['lanes']), 'lane')}"


def _one(one: Mapping[str, Any]) -> Iterator[str]:
    yield from _about(one)
    table = columns(one)
    if table:
        yield ""
        yield from table
    yield ""
    yield from _refusals(one)
    yield from _verdict(one)


def _about(one: Mapping[str, Any]) -> Iterator[str]:
    parent, span, when = one["parent"], one["span"], one["when"]
    tools = "tools not recorded" if not parent["tools_recorded"] else counted(parent["tools"] or 0, "tool")
    yield from labelled(
        "parent",
        f"turn {one['turn']} of {one['lane']} (line {one['line']}): {safe(one['model'] or 'no model')}, "
        f"{counted(parent['messages'], 'message')}, {tools}, {counted(parent['blocks'], 'block')}, "
        f"{number(parent['tokens'])} tokens",
    )
    yield from labelled("", f"hash {parent['prefix_sha256'][:_HASH_CHARS]}, {_sent(parent)}")
    yield from labelled("tokens", safe(one["tokens_basis"]))
    if span["messages"] is None:
        yield from labelled("span", f"none: {safe(span['detail'])}")
    else:
        yield from labelled(
            "span",
            f"{_named(span['messages'])}: {number(span['tokens'])} tokens, {span['ratio']:.3f} of the parent",
        )
    if when is not None:
        assumed = " (window assumed)" if when["window_is_assumed"] else ""
        yield from labelled(
            "when",
            f"asked from {number(when['ask_tokens'])} tokens on, applied from {number(when['apply_tokens'])} on, "
            f"of {number(when['budget_tokens'])}{assumed}",
        )
    yield from labelled("prices", rule(one["rate"]))
    if one["call_rate"]["model"] != one["rate"]["model"]:
        yield from labelled("", f"standalone: {rule(one['call_rate'])}")


def _named(span: Sequence[int]) -> str:
    return f"message{'' if span[1] - span[0] == 1 else 's'} {messages(span)}"


def _sent(parent: Mapping[str, Any]) -> str:
    source = parent["prefix_source"]
    if source == "wire_record":
        return "as it was sent"
    return "rebuilt from a history" if source is not None else "not sent"


def _refusals(one: Mapping[str, Any]) -> Iterator[str]:
    """Why shapes are refused, do not fire, or are not priced; those with the same reason share a line."""
    by_reason: dict[str, list[str]] = {}
    for shape in one["shapes"]:
        for told in _of_shape(shape, one):
            by_reason.setdefault(told, []).append(shape["mode"])
    for told, modes in by_reason.items():
        label, _, text = told.partition("\0")
        yield from labelled(label, f"{', '.join(modes)}: {text}")


def _of_shape(shape: Mapping[str, Any], one: Mapping[str, Any]) -> Iterator[str]:
    """What is to be said of *shape*, each with a label before a NUL, which no safe text has."""
    if not shape["allowed"]:
        yield f"refused\0{shape['reason']}: {safe(shape['detail'])}"
        return
    if shape["note"] is not None:
        yield f"NOTE\0{safe(shape['note'])}"
    if shape["fires"] is False:
        tokens, trigger = number(one["parent"]["tokens"]), number(one["when"]["apply_tokens"])
        yield f"idle\0the parent has {tokens} tokens, and the trigger is {trigger}: nothing would be compacted"
    if shape["next"] is not None and shape["next"]["reason"] is not None:
        yield f"no next\0{shape['next']['reason']}: {safe(shape['next']['detail'])}"
    if shape["predicted"] is not None and shape["predicted"]["reason"] is not None:
        yield f"no cache\0{safe(shape['predicted']['detail'])}"
    if shape["summary"] is not None and shape["summary"]["is_assumed"]:
        yield f"assumed\0the summary's size (--summary-tokens): {safe(shape['summary']['detail'] or 'it is opaque')}"
    if shape["replaces"] is not None:
        yield (
            "passes\0sent in the parent's place. The provider reads twice, to compact and to answer over what is left, "
            "and bills both; what the parent costs without it is taken off, and its answer is the same"
        )
    if shape["extra_round_trips"]:
        yield (
            "pause\0pause_after_compaction takes one more request, and no more tokens: the provider answers with the "
            "block alone, and the parent is sent again behind it"
        )
    if not shape["reversible"]:
        yield "NOTE\0IRREVERSIBLE: what the provider drops is in no stash; stash, replay and a saving of ours are n/a"


def _verdict(one: Mapping[str, Any]) -> Iterator[str]:
    unchanged = one["unchanged"]
    if unchanged is not None and unchanged["reason"] is None:
        yield from labelled(
            "without",
            f"a summary the next request reads {amount(unchanged['read_tokens'])}, writes {written(unchanged)}, "
            f"has {amount(unchanged['fresh_tokens'])} fresh, costs {price(unchanged)}",
        )
    yield from _break_even(one)
    stats = one["last_summary_call_stats"]
    if stats is not None:
        why = f": {stats['reason']}" if stats["reason"] else ""
        measured = stats["span_measure"]
        if measured is not None and one["min_span_ratio"] is None:
            why += (
                f" (what a fork costs is not known: one is made from {measured['min_span_ratio']:.2f} of the parent on)"
            )
        yield from labelled("choice", f"{stats['mode_requested']} comes to {stats['mode_used'] or 'nothing'}{why}")
    if one["cheapest"] is not None:
        best = next(shape for shape in one["shapes"] if shape["mode"] == one["cheapest"])
        assumed = " (the size of its summary is assumed)" if best["summary"]["is_assumed"] else ""
        yield from labelled("cheapest", f"{best['mode']}, {dollars(best['total_usd'])} in all{assumed}")
        if one["without_price"]:
            yield from labelled(
                "", f"not compared, for not all of its costs are known: {', '.join(one['without_price'])}"
            )


def _break_even(one: Mapping[str, Any]) -> Iterator[str]:
    own = one["own_fork"]
    if own is not None and own["reason"] is None:
        model = safe(one["model"] or "the parent's model")
        yield from labelled(
            "own fork",
            f"by {model} itself a fork would read {amount(own['read_tokens'])} and cost {price(own)}",
        )
    ratio, span = one["min_span_ratio"], one["span"]["ratio"]
    if ratio is None or span is None:
        return
    if ratio <= 0:
        told = f"a fork costs less than a standalone call whatever the span (it is {span:.3f} of the parent)"
    else:
        beyond = ", so never" if ratio > 1 else ""
        told = (
            f"a fork costs no more than a standalone call where the span is {ratio:.3f} of the parent or more{beyond}; "
            f"it is {span:.3f}, so a fork costs {_compared(one)}"
        )
    yield from labelled("even", told)


def _compared(one: Mapping[str, Any]) -> str:
    """What a fork of this very span costs beside a standalone call; both are priced where there is a break-even."""
    bills = {shape["mode"]: shape["predicted"] for shape in one["shapes"]}
    fork = Decimal((one["own_fork"] or bills["fork"])["usd"])
    standalone = Decimal(bills["standalone"]["usd"])
    return "the same" if fork == standalone else "less" if fork < standalone else "more"
