"""The account of `cg convert`: a document, and its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.report.figures import counted, number, size
from cgcli.report.rebuilt import basis, said
from cgcli.report.safe import pasted, safe
from cgcli.report.skipped import unusable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cgcli.convert.convert import Converted

SCHEMA = "cgcli/convert/v1"


def document(done: Converted, *, output: str | None) -> dict[str, Any]:
    """The versioned JSON document `cgcli/convert/v1`; *output* is where the product went."""
    about = done.capture.about
    return {
        "schema": SCHEMA,
        "file": about.file,
        "format": about.format_name,
        "layout": about.layout.value,
        "basis": basis(done.capture),
        "to": done.kind.value,
        "requests": done.n_requests,
        "with_usage": done.n_usage,
        "with_answer": done.n_answers,
        "with_time": done.n_timed,
        "bodies_put_on_one_line": done.n_respaced,
        "bytes": {"before": done.capture.tally.n_bytes, "after": done.output_bytes},
        "passed_records": dict(sorted(done.passed.items())),
        "skipped_records": [{"line": line, "reason": why, "detail": detail} for line, why, detail in done.skipped],
        "output": output,
    }


def lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a `cgcli/convert/v1` *report*."""
    sizes = report["bytes"]
    yield (
        f"{safe(report['file'])}: {report['format']} ({report['layout']}), {counted(report['requests'], 'request')}, "
        f"{size(sizes['before'])} -> {size(sizes['after'])} of {report['to']}"
    )
    yield from said(report["basis"])
    yield (
        f"of {number(report['requests'])}: {number(report['with_usage'])} with usage, "
        f"{number(report['with_answer'])} with the answer, {number(report['with_time'])} with the time"
        + (": none of it goes into a capture of bare bodies" if report["to"] == "capture" else "")
    )
    if report["bodies_put_on_one_line"]:
        yield f"bodies put on one line, with spaces for line ends: {number(report['bodies_put_on_one_line'])}"
    passed = ", ".join(f"{number(n)} {reason}" for reason, n in report["passed_records"].items())
    if passed:
        yield f"not requests: {passed}"
    yield from unusable(report["skipped_records"])
    if report["output"] not in (None, "-"):
        yield f"next    cg inspect {pasted(report['output'])}"
