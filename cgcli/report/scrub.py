"""The account of `cg scrub`: a document, and its text. Neither has a word of what was replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.model import value
from cgcli.report.figures import counted, number
from cgcli.report.safe import safe
from cgcli.report.table import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cgcli.scrub.scrubber import Account

SCHEMA = "cgcli/scrub/v1"


@value
class Told:
    """What the run was told."""

    file: str
    output: str | None
    """None where nothing was written."""
    keep_length: bool
    seeded: bool
    with_keys: bool


def document(done: Account, told: Told) -> dict[str, Any]:
    """The versioned JSON document `cgcli/scrub/v1`."""
    distinct = done.distinct
    kinds = sorted(done.replaced, key=lambda kind: (-done.replaced[kind], kind))
    return {
        "schema": SCHEMA,
        "file": told.file,
        "output": told.output,
        "lines": done.n_lines,
        "lines_changed": done.n_changed,
        "bytes": {"before": done.bytes_before, "after": done.bytes_after},
        "keep_length": told.keep_length,
        "seeded": told.seeded,
        "keys": told.with_keys,
        "replaced": sum(done.replaced.values()),
        "distinct": sum(distinct.values()),
        "kinds": [
            {
                "kind": kind,
                "replaced": done.replaced[kind],
                "distinct": distinct[kind],
                "lines": done.lines[kind],
            }
            for kind in kinds
        ],
        "left_in_keys": done.left_in_keys,
    }


def lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a `cgcli/scrub/v1` *report*."""
    changed = f"{number(report['lines_changed'])} of {counted(report['lines'], 'line')}"
    if report["distinct"]:
        yield (
            f"{safe(report['file'])}: {counted(report['replaced'], 'replacement')} of "
            f"{counted(report['distinct'], 'different text')}, in {changed}"
        )
    else:
        yield f"{safe(report['file'])}: nothing to replace was found in {counted(report['lines'], 'line')}"
    if report["kinds"]:
        rows = [
            (one["kind"], number(one["distinct"]), number(one["replaced"]), number(one["lines"]))
            for one in report["kinds"]
        ]
        yield from table(("kind", "distinct", "replaced", "lines"), rows, right=(1, 2, 3))
    if report["left_in_keys"]:
        yield f"left in names of JSON members: {number(report['left_in_keys'])}; --keys replaces them too"
    where = "the output" if report["output"] is None else safe(report["output"])
    if report["distinct"]:
        yield f"checked: none of what was found stands in {'stdout' if where == '-' else where}"
    if report["output"] is None:
        yield "nothing written"
