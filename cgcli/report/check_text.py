"""The account of `cg check`, for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.report.check import conclusion, priced_by
from cgcli.report.figures import counted, size
from cgcli.report.grouped import cost, grouped, notes_by_kind, of_unit, told
from cgcli.report.rebuilt import said
from cgcli.report.safe import safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_MOST_GROUPS = 5
_MOST_SKIPPED = 5


def lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a `cgcli/check/v1` *report*."""
    for file in report["files"]:
        yield from _file(file)
        yield ""
    prices = priced_by(report)
    if prices is not None:
        yield prices
        yield ""
    yield conclusion(report)


def _file(file: Mapping[str, Any]) -> Iterator[str]:
    requests = counted(file["requests"], "request")
    where = "independent of each other" if file["independent"] else f"in {counted(len(file['lanes']), 'lane')}"
    yield f"{safe(file['file'])}: {file['format']}, {requests} {where}: {file['verdict'].upper()}"
    yield from said(file["basis"])
    if file["independent"]:
        yield _common(file["common_prefix"])
    yield ""
    yield from _table(file["gates"])
    for gate in file["gates"]:
        if gate["findings"]:
            yield ""
            yield from _failed(gate)
    skipped = file["skipped_records"]
    if skipped:
        yield ""
        yield f"{counted(len(skipped), 'unusable record')}, not checked:"
        for one in skipped[:_MOST_SKIPPED]:
            yield f"  line {one['line']}: {one['reason']}: {safe(one['detail'])}"
        if len(skipped) > _MOST_SKIPPED:
            yield f"  and {len(skipped) - _MOST_SKIPPED} more: --json has them all"


def _table(gates: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """One row for each gate; only the last column can hold text of the file, so widths need no Rich."""
    rows = [("gate", "verdict", "checked", "what")]
    for gate in gates:
        checked = of_unit(gate["checked"], gate["unit"]) if gate["checked"] else "nothing"
        rows.append((gate["gate"], _word(gate["verdict"]), checked, _what(gate)))
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield "  ".join((*cells, row[-1])).rstrip()


def _common(common: Mapping[str, int] | None) -> str:
    if common is None:
        return "common prefix across lines: not known, the file does not record tools and system prompt"
    parts = ", ".join(
        (counted(common["tools"], "tool"), f"{common['system']} system", counted(common["messages"], "message"))
    )
    blocks = counted(common["blocks"], "block")
    return f"common prefix across lines: {blocks} ({parts}), {size(common['bytes'])}; tokens not counted"


def _word(verdict: str) -> str:
    """A failure stands out without colour."""
    return verdict.upper() if verdict == "fail" else verdict


def _what(gate: Mapping[str, Any]) -> str:
    said = []
    if gate["findings"]:
        said.append(counted(len(gate["findings"]), "finding"))
        again = cost(gate["findings"])
        if again:
            said.append(f"re-bills {again}")
    if gate["reason"]:
        said.append(safe(gate["reason"]))
    notes = notes_by_kind(gate["notes"])
    if notes:
        said.append(f"{counted(len(gate['notes']), 'note')}: {notes}")
    return "; ".join(said)


def _failed(gate: Mapping[str, Any]) -> Iterator[str]:
    yield f"{gate['gate']}: {gate['title']}"
    groups = grouped(gate["findings"])
    for group in groups[:_MOST_GROUPS]:
        yield from (f"  {line}" for line in told(group))
    if len(groups) > _MOST_GROUPS:
        yield f"  and {counted(len(groups) - _MOST_GROUPS, 'more kind')} of finding: --json has them all"
    yield f"  next    cg explain {gate['gate']}"
