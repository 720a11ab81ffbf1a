"""The account of `cg compact`, for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.report import extraction, summaries, triggers
from cgcli.report.billed import dollars
from cgcli.report.figures import change, counted, number, size
from cgcli.report.rebuilt import said
from cgcli.report.safe import pasted, safe
from cgcli.report.table import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_MOST_LANES = 12
_MOST_SKIPPED = 5
_SAID = {"vacuous": "nothing to keep"}
"""The prefix of a lane none of whose requests follows another."""


def lines(report: Mapping[str, Any]) -> list[str]:
    """The lines of a `cgcli/compact/v1` *report*."""
    return [
        *_head(report),
        "",
        *_components(report),
        *summaries.lines(report["summaries"]),
        *extraction.lines(report["extraction"]),
        "",
        *_lanes(report["lanes"]),
        "",
        *_totals(report),
        *_records(report),
        "",
        *_next(report),
    ]


def _head(report: Mapping[str, Any]) -> Iterator[str]:
    dialects = ", ".join(report["dialects"]) or "no dialect"
    lanes = len(report["lanes"])
    yield (
        f"{safe(report['file'])}: {report['format']}, {dialects}, {counted(report['requests'], 'request')} in "
        f"{counted(lanes, 'lane')}; policy {safe(report['policy'])}, held {report['held']}"
    )
    yield from triggers.lines(report["triggers"])
    yield from said(report["basis"])


def _components(report: Mapping[str, Any]) -> list[str]:
    rows = [
        (
            one["name"],
            number(one["fired"]),
            _saved(one["saved_unique_tokens"]),
            _saved(one["saved_gross_tokens"]),
            _reasons(one["skipped"]),
        )
        for one in report["components"]
    ]
    shown = (
        table(("component", "fired", "saved once", "saved in all", "left alone"), rows, right=(1, 2, 3)) if rows else []
    )
    if any(one["fired"] for one in report["components"]):
        shown.append(f"saved tokens are {report['components_basis']}")
    if not rows:
        shown = ["no component: every request goes through as it is"]
    for one in report["components"]:
        if one["never_fired_because"]:
            shown.append(f"{one['name']} never fired: {one['never_fired_because']}")
        shown += [
            f"{one['name']} reverted on {counted(reverted['times'], 'output')}: {reverted['reason']}"
            f"{' ' if reverted['detail'] else ''}{safe(reverted['detail'])}"
            for reverted in one["reverted"]
        ]
    if report["paying"] is not None:
        shown.append(f"held pays: {_paying(report['paying'])}")
    return shown


def _paying(told: Mapping[str, Any]) -> str:
    """What came of the decisions that may enter where they pay; without one that entered there is no sum of dollars."""
    if not told["judged"]:
        return "no turn had a decision to make in the held prefix"
    said = f"{number(told['entered'])} of {counted(told['judged'], 'turn')} let decisions in"
    if told["entered"]:
        said += (
            f", for {number(told['saved_tokens'])} tokens less and {number(told['rewritten_tokens'])} written anew "
            f"({told['basis']}), expected to gain {dollars(told['expected_gain_usd'])}"
        )
    kept_out = _reasons(told["not_entered"])
    if not kept_out:
        return said
    return f"{said}; the others: {kept_out}" if told["entered"] else f"{said}: {kept_out}"


def _saved(tokens: int | None) -> str:
    return "n/a" if tokens is None else number(tokens)


def _reasons(skipped: Mapping[str, int]) -> str:
    return ", ".join(
        f"{number(n)} {reason}" for reason, n in sorted(skipped.items(), key=lambda pair: (-pair[1], pair[0]))
    )


def _lanes(lanes: Sequence[Mapping[str, Any]]) -> list[str]:
    rows = [
        (
            lane["lane"],
            lane["label"],
            safe(lane["model"] or "no model"),
            number(lane["requests"]),
            number(lane["tokens_before"]),
            number(lane["tokens_after"]),
            _prefix(lane),
        )
        for lane in lanes[:_MOST_LANES]
    ]
    head = ("lane", "label", "model", "requests", "tokens before", "after", "prefix")
    shown = table(head, rows, right=(3, 4, 5))
    if len(lanes) > _MOST_LANES:
        shown.append(f"and {counted(len(lanes) - _MOST_LANES, 'more lane')}: --json has them all")
    return shown


def _prefix(lane: Mapping[str, Any]) -> str:
    said = [_SAID.get(lane["prefix"], lane["prefix"])]
    by_us, by_input = lane["broken_by_compaction"], lane["broken_in_input"]
    if by_us["times"]:
        first = by_us["first"]
        times = counted(by_us["times"], "time")
        why = " after its cache had lapsed" if lane["prefix"] == "kept" else ""
        said.append(f"rewritten {times}{why}, first at line {first['line']}, message {first['message']}")
    if by_input["times"]:
        first = by_input["first"]
        said.append(
            f"the input itself breaks it {counted(by_input['times'], 'time')}, first at line {first['line']}, "
            f"message {first['message']}"
        )
    if lane["cold_turns"]:
        said.append(counted(lane["cold_turns"], "cold turn"))
    return "; ".join(said)


def _totals(report: Mapping[str, Any]) -> Iterator[str]:
    size_before, size_after = report["bytes"]["before"], report["bytes"]["after"]
    tokens = report["tokens"]
    yield from table(
        ("in all", "before", "after", "change", ""),
        [
            ("bytes", number(size_before), number(size_after), change(size_before, size_after), "counted"),
            (
                "tokens",
                number(tokens["before"]),
                number(tokens["after"]),
                change(tokens["before"], tokens["after"]),
                safe(tokens["basis"]),
            ),
        ],
        right=(1, 2, 3),
    )
    yield "Recorded answers stand: what the agent would have read again is not modelled."
    yield from summaries.irreversible(report["summaries"])
    of_messages = summaries.n_irreversible(report["summaries"]) if report["summaries"] is not None else 0
    if report["irreversible_edits"] > of_messages:
        outputs = counted(report["irreversible_edits"] - of_messages, "tool output")
        yield f"IRREVERSIBLE: {outputs} without an original in the stash (marker_mode)"


def _records(report: Mapping[str, Any]) -> Iterator[str]:
    if report["passed_records"]:
        said = ", ".join(f"{number(n)} {reason}" for reason, n in report["passed_records"].items())
        yield f"not requests, passed through: {said}"
    skipped = report["skipped_records"]
    if skipped:
        unchanged = "it is" if len(skipped) == 1 else "they are"
        yield f"{counted(len(skipped), 'unusable record')}, passed through as {unchanged}:"
        for one in skipped[:_MOST_SKIPPED]:
            detail = f": {safe(one['detail'])}" if one["detail"] else ""
            yield f"  line {one['line']}: {one['reason']}{detail}"
        if len(skipped) > _MOST_SKIPPED:
            yield f"  and {len(skipped) - _MOST_SKIPPED} more: --json has them all"


def _next(report: Mapping[str, Any]) -> Iterator[str]:
    stash = report["stash"]
    rows = []
    if stash is not None:
        kept = f"{counted(stash['new_objects'], 'new object')} ({size(stash['new_bytes'])})"
        known = f", {stash['known_objects']} already there" if stash["known_objects"] else ""
        rows.append(("stash", f"{safe(stash['path'])} ({_HOW[stash['how']]}): {kept}{known}"))
    output = report["output"]
    if not report["requests"]:
        return
    if output is None:
        again = "".join(f" {pasted(word)}" if i % 2 else f" {word}" for i, word in enumerate(report["options"]))
        rows.append(("next", f"nothing was written: cg compact {pasted(report['file'])}{again} -o OUT.jsonl"))
    elif stash is not None:
        if output != "-":
            rows.append(("output", safe(output)))
        option = f" --stash {pasted(stash['path'])}" if stash["how"] == "option" else ""
        if report["example_key"]:
            rows.append(("next", f"cg expand {report['example_key']}{option}"))
        if output != "-" and not report["irreversible_edits"]:
            rows.append(("next", f"cg expand --all {pasted(output)} -o BACK.jsonl{option}"))
    elif output != "-":
        rows.append(("output", f"{safe(output)}: the same bytes as the input"))
    yield from (f"{name:7} {said}" for name, said in rows)


_HOW = {
    "option": "--stash",
    "environment": "$CG_STASH",
    "config": "configuration",
    "found": "the nearest .cg upwards",
    "new": "new",
}
