"""The account of `cg inspect`: a document, and its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.inspection.inspect import known
from cgcli.model import Basis
from cgcli.providers.models import lookup
from cgcli.report.figures import counted, number, size
from cgcli.report.lanes import named, turns
from cgcli.report.rebuilt import basis, said
from cgcli.report.safe import pasted, safe
from cgcli.report.skipped import unusable
from cgcli.report.table import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cgcli.inspection.inspect import Inspection
    from cgcli.lanes import Lane

SCHEMA = "cgcli/inspect/v1"
_MOST_LANES = 20


def document(done: Inspection) -> dict[str, Any]:
    """The versioned JSON document `cgcli/inspect/v1`."""
    kinds = sorted(done.sent_tokens, key=lambda kind: -done.sent_tokens[kind])
    encodings = sorted({lookup(model).encoding for model in done.models})
    return {
        "schema": SCHEMA,
        "file": done.capture.file,
        "format": done.capture.format_name,
        "layout": done.capture.layout.value,
        "basis": basis(done.capture),
        "bytes": done.n_bytes,
        "requests": done.n_requests,
        "independent": done.capture.is_independent,
        "dialects": dict(sorted(done.dialects.items())),
        "models": [
            {
                "model": model,
                "requests": n,
                "encoding": lookup(model).encoding,
                "factor": float(lookup(model).factor),
            }
            for model, n in sorted(done.models.items(), key=lambda pair: (-pair[1], pair[0] or ""))
        ],
        "known": dict(known(done)),
        "requests_with_usage": done.n_usage,
        "lanes": [_lane(lane) for lane in done.lanes],
        "tokens": {
            "basis": f"{Basis.COUNTED.value}: {', '.join(encodings)}, no factor",
            "sent": sum(done.sent_tokens.values()),
            "distinct": sum(done.distinct_tokens.values()),
            "by_kind": {
                kind: {"sent": done.sent_tokens[kind], "distinct": done.distinct_tokens[kind]} for kind in kinds
            },
        },
        "images_not_counted": done.n_images,
        "breakpoints": {"by_ttl": dict(sorted(done.marks.items())), "most_in_one_request": done.most_marks},
        "markers": dict(sorted(done.markers.items())),
        "passed_records": dict(sorted(done.passed.items())),
        "skipped_records": [{"line": line, "reason": why, "detail": detail} for line, why, detail in done.skipped],
    }


def _lane(lane: Lane) -> dict[str, Any]:
    mine = turns(lane)
    return {
        **named(lane),
        "first_line": mine[0].line,
        "last_line": max(turn.line for turn in mine),
        "most_messages": max(turn.n_messages for turn in mine),
        "epochs": [{"label": epoch.label.value, "requests": len(epoch.thread.turns)} for epoch in lane.epochs],
    }


def lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a `cgcli/inspect/v1` *report*."""
    dialects = ", ".join(report["dialects"]) or "no dialect"
    yield (
        f"{safe(report['file'])}: {report['format']} ({report['layout']}), {dialects}, {size(report['bytes'])}, "
        f"{counted(report['requests'], 'request')} in {counted(len(report['lanes']), 'lane')}"
    )
    yield from said(report["basis"])
    says = [name for name, is_known in report["known"].items() if is_known]
    silent = [name for name, is_known in report["known"].items() if not is_known]
    yield f"recorded: {', '.join(says)}; not recorded: {', '.join(silent) or 'nothing'}"
    yield ""
    yield from _lanes(report["lanes"])
    yield ""
    yield from _tokens(report)
    yield ""
    yield from _rest(report)
    if report["requests"]:
        yield f"next    cg compact {pasted(report['file'])} --dry-run"


def _lanes(lanes: list[dict[str, Any]]) -> Iterator[str]:
    rows = [
        (
            lane["lane"],
            lane["label"],
            safe(lane["model"] or "no model"),
            number(lane["requests"]),
            number(len(lane["epochs"])),
            number(lane["most_messages"]),
            f"{lane['first_line']}-{lane['last_line']}",
        )
        for lane in lanes[:_MOST_LANES]
    ]
    yield from table(("lane", "label", "model", "requests", "epochs", "messages", "lines"), rows, right=(3, 4, 5, 6))
    if len(lanes) > _MOST_LANES:
        yield f"and {counted(len(lanes) - _MOST_LANES, 'more lane')}: --json has them all"


def _tokens(report: Mapping[str, Any]) -> Iterator[str]:
    tokens = report["tokens"]
    rows = [(kind, number(of["distinct"]), number(of["sent"])) for kind, of in tokens["by_kind"].items()]
    rows.append(("in all", number(tokens["distinct"]), number(tokens["sent"])))
    yield from table(("tokens", "distinct", "sent"), rows, right=(1, 2))
    yield tokens["basis"]
    if report["images_not_counted"]:
        yield f"{counted(report['images_not_counted'], 'image')}, not counted in tokens"


def _rest(report: Mapping[str, Any]) -> Iterator[str]:
    marks = report["breakpoints"]
    by_ttl = ", ".join(f"{number(n)} {safe(ttl)}" for ttl, n in marks["by_ttl"].items())
    yield (
        f"breakpoints: {by_ttl}; at most {marks['most_in_one_request']} in a request" if by_ttl else "breakpoints: none"
    )
    markers = ", ".join(f"{number(n)} {kind}" for kind, n in report["markers"].items())
    yield f"markers: {markers or 'none'}"
    if report["passed_records"]:
        passed = ", ".join(f"{number(n)} {reason}" for reason, n in report["passed_records"].items())
        yield f"not requests: {passed}"
    yield from unusable(report["skipped_records"])
