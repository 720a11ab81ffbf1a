"""The account of `cg check`, as a document; text, JUnit, SARIF and GitHub's annotations are drawn from it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from cgcli.checks.base import Verdict
from cgcli.checks.registry import gate
from cgcli.errors import ExitCode
from cgcli.model import value
from cgcli.pricing.rate import Unpriced
from cgcli.report.figures import counted, number
from cgcli.report.lanes import named, turns
from cgcli.report.rebuilt import basis
from cgcli.report.safe import safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cgcli.checks.base import Finding, Result
    from cgcli.checks.common import Common
    from cgcli.checks.run import Checked
    from cgcli.lanes import Lane

SCHEMA = "cgcli/check/v1"
_WORST_FIRST = (Verdict.FAIL, Verdict.PASS, Verdict.UNKNOWN, Verdict.VACUOUS)


@value
class Unread:
    """A file that could not be checked."""

    file: str
    message: str
    where: str
    """The file, and the line where one is known."""
    hint: str | None


def document(checked: Sequence[Checked], unread: Sequence[Unread], *, strict: bool, exit_zero: bool) -> dict[str, Any]:
    """The versioned JSON document `cgcli/check/v1`."""
    verdicts = Counter(result.verdict for one in checked for result in one.results)
    unreadable = bool(unread) or (strict and any(one.skipped for one in checked))
    return {
        "schema": SCHEMA,
        "verdict": next((verdict.value for verdict in _WORST_FIRST if verdicts[verdict]), None),
        "exit_code": int(_exit_code(verdicts, unreadable=unreadable, strict=strict, exit_zero=exit_zero)),
        "strict": strict,
        "verdicts": {verdict.value: verdicts[verdict] for verdict in Verdict},
        "prices": _prices(checked),
        "files": [_file(one) for one in checked],
        "unreadable": [
            {"file": one.file, "message": one.message, "where": one.where, "hint": one.hint} for one in unread
        ],
    }


def priced_by(report: Mapping[str, Any]) -> str | None:
    """Where the dollars of a *report* come from, in one line that is safe to show; None where no finding has any."""
    gates = [gate for file in report["files"] for gate in file["gates"]]
    if all(finding["usd"] is None for gate in gates for finding in gate["findings"]):
        return None
    prices = report["prices"]
    of = f" of {prices['as_of']}" if prices["as_of"] else ""
    return safe(f"dollars from {prices['source']}{of}; --json has each model's prices")


def conclusion(report: Mapping[str, Any]) -> str:
    """The verdict of all files, in one line: the worst first, and what makes the exit code."""
    failed = sorted({gate["gate"] for file in report["files"] for gate in file["gates"] if gate["verdict"] == "fail"})
    counts = ", ".join(f"{number(n)} {verdict}" for verdict, n in report["verdicts"].items() if n)
    of = counted(len(report["files"]) + len(report["unreadable"]), "file")
    said = [f"{counts} in {of}" if counts else of]
    if failed:
        said.append(f"failed: {', '.join(failed)}")
    if report["unreadable"]:
        said.append(f"{counted(len(report['unreadable']), 'file')} not checked")
    return f"{(report['verdict'] or 'unreadable').upper()}: {'; '.join(said)}; exit {report['exit_code']}"


def _prices(checked: Sequence[Checked]) -> dict[str, Any] | None:
    """The prices of the files' models, which are all of one table; None where no file was read."""
    if not checked:
        return None
    prices = checked[0].prices
    rates = [(model, prices.of(model)) for model in dict.fromkeys(model for one in checked for model in one.models)]
    return {
        "as_of": prices.as_of or None,
        "source": prices.source,
        "rules": [{"model": model, "rule": rate.rule} for model, rate in rates if not isinstance(rate, Unpriced)],
        "unpriced": [{"model": model, "reason": rate.reason} for model, rate in rates if isinstance(rate, Unpriced)],
    }


def _exit_code(verdicts: Mapping[Verdict, int], *, unreadable: bool, strict: bool, exit_zero: bool) -> ExitCode:
    """4 before 3 before 6; *exit_zero* forgives what gates say, never what cannot be read."""
    if unreadable:
        return ExitCode.UNREADABLE
    if exit_zero:
        return ExitCode.OK
    if verdicts[Verdict.FAIL]:
        return ExitCode.FAILED
    undecided = verdicts[Verdict.VACUOUS] + verdicts[Verdict.UNKNOWN]
    return ExitCode.VACUOUS if undecided and (strict or not verdicts[Verdict.PASS]) else ExitCode.OK


def _file(checked: Checked) -> dict[str, Any]:
    places = _places(checked.lanes)
    return {
        "file": checked.capture.file,
        "format": checked.capture.format_name,
        "requests": checked.n_requests,
        "independent": checked.capture.is_independent,
        "basis": basis(checked.capture),
        "verdict": checked.worst.value,
        "common_prefix": _common(checked.common),
        "lanes": [_lane(lane) for lane in checked.lanes],
        "gates": [_gate(result, places) for result in checked.results],
        "skipped_records": [{"line": line, "reason": why, "detail": detail} for line, why, detail in checked.skipped],
    }


def _common(common: Common | None) -> dict[str, int] | None:
    if common is None:
        return None
    return {
        "blocks": common.blocks,
        "tools": common.tools,
        "system": common.system,
        "messages": common.messages,
        "bytes": common.bytes,
    }


def _lane(lane: Lane) -> dict[str, Any]:
    lines = [turn.line for turn in turns(lane)]
    return {**named(lane), "epochs": len(lane.epochs), "first_line": min(lines), "last_line": max(lines)}


def _places(lanes: Iterable[Lane]) -> dict[int, tuple[str, int | None, int]]:
    """By number of request: its lane, its epoch where the lane has several, and its turn in it; both from 1."""
    return {
        turn.i_exchange: (lane.name, i_epoch if len(lane.epochs) > 1 else None, i_turn)
        for lane in lanes
        for i_epoch, epoch in enumerate(lane.epochs, 1)
        for i_turn, turn in enumerate(epoch.thread.turns, 1)
    }


def _gate(result: Result, places: Mapping[int, tuple[str, int | None, int]]) -> dict[str, Any]:
    notes = [finding for finding in result.findings if finding.is_note]
    return {
        "gate": result.gate,
        "title": gate(result.gate).rule.title,
        "verdict": result.verdict.value,
        "checked": result.checked,
        "unit": result.unit,
        "reason": result.reason,
        "findings": [_finding(finding, places) for finding in result.findings if not finding.is_note],
        "notes": [_finding(finding, places) for finding in notes],
    }


def _finding(finding: Finding, places: Mapping[int, tuple[str, int | None, int]]) -> dict[str, Any]:
    lane, epoch, turn = places[finding.i_exchange]
    cost = finding.cost
    return {
        "message": finding.message,
        "lane": lane,
        "epoch": epoch,
        "turn": turn,
        "line": finding.line,
        "request": finding.i_exchange,
        "path": finding.path,
        "byte": finding.byte,
        "kind": finding.kind,
        "change": finding.change,
        "culprit": finding.culprit,
        "rebilled": None if cost is None else {"tokens": cost.tokens, "basis": cost.basis},
        "usd": None if finding.usd is None else f"{finding.usd:f}",
        "was": finding.was,
        "now": finding.now,
    }
