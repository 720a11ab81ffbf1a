"""The account of `cg check` for GitHub Actions: workflow annotations, and the job summary in Markdown."""

from __future__ import annotations

from string import punctuation
from typing import TYPE_CHECKING, Any

from cgcli.report.check import conclusion, priced_by
from cgcli.report.figures import number
from cgcli.report.grouped import cost, grouped, of_unit, told, turn
from cgcli.report.safe import safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cgcli.report.grouped import Group

SUMMARY_BYTES = 1 << 20
"""GitHub refuses a longer summary whole."""
_MOST_GROUPS = 10
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})
_AMOUNT = str.maketrans({sign: f"&#{ord(sign)};" for sign in "~$"})
"""GitHub takes what stands between two of them for struck out, or for a formula."""
_ENTITIES = str.maketrans({sign: f"&#{ord(sign)};" for sign in punctuation})


def workflow_commands(report: Mapping[str, Any]) -> Iterator[str]:
    """The workflow commands for a `cgcli/check/v1` *report*, errors first: GitHub shows ten of a kind for a step."""
    for one in report["unreadable"]:
        yield _command("error", one["file"], None, "not checked", one["message"])
    for file in report["files"]:
        for gate in file["gates"]:
            for group in grouped(gate["findings"]):
                yield _command("error", file["file"], group.first["line"], gate["gate"], "\n".join(told(group)))
    for file in report["files"]:
        for gate in file["gates"]:
            if gate["verdict"] in ("vacuous", "unknown"):
                level = "error" if report["strict"] else "warning" if gate["verdict"] == "unknown" else "notice"
                yield _command(level, file["file"], None, gate["gate"], f"{gate['verdict']}: {safe(gate['reason'])}")
    for file in report["files"]:
        for one in file["skipped_records"]:
            level = "error" if report["strict"] else "warning"
            said = safe(f"unusable record: {one['reason']}: {one['detail']}")
            yield _command(level, file["file"], one["line"], "not checked", said)


def _command(level: str, file: str, line: int | None, title: str, message: str) -> str:
    """One workflow command; *message* has safe lines, the rest may be hostile."""
    where = f",line={line}" if line is not None else ""
    said = "\n".join(safe(one) for one in message.split("\n"))
    return f"::{level} file={_property(file)}{where},title={_property(title)}::{said.translate(_DATA)}"


def _property(text: str) -> str:
    return safe(text).translate(_PROPERTY)


def summary(report: Mapping[str, Any]) -> str:
    """The job summary in Markdown, no longer than GitHub takes; what is left out is said."""
    written, size_bytes = [], 0
    for section in _sections(report):
        size_bytes += len(section.encode("utf-8")) + 1
        if size_bytes > SUMMARY_BYTES // 2:
            written.append("\nThe rest is left out: it is longer than a summary may be.\n")
            break
        written.append(section)
    return "\n".join(written) + "\n"


def _sections(report: Mapping[str, Any]) -> Iterator[str]:
    yield f"## cg check\n\n{conclusion(report)}\n"
    prices = priced_by(report)
    if prices is not None:
        yield f"{code(prices)}\n"
    for one in report["unreadable"]:
        yield f"- {code(one['where'])} was not checked: {code(one['message'])}"
    for file in report["files"]:
        yield f"### {code(file['file'])}\n"
        yield "| gate | verdict | checked | findings | notes | why |\n|---|---|--:|--:|--:|---|"
        for gate in file["gates"]:
            counts = f"{of_unit(gate['checked'], gate['unit'])} | {len(gate['findings'])} | {len(gate['notes'])}"
            why = code(gate["reason"]) if gate["reason"] else ""
            yield f"| {gate['gate']} | {_word(gate['verdict'])} | {counts} | {why} |"
        yield ""
        for gate in file["gates"]:
            yield from _findings(gate)


def _word(verdict: str) -> str:
    return f"**{verdict.upper()}**" if verdict == "fail" else verdict


def _findings(gate: Mapping[str, Any]) -> Iterator[str]:
    groups = grouped(gate["findings"])
    for group in groups[:_MOST_GROUPS]:
        yield _finding(gate["gate"], group)
    if len(groups) > _MOST_GROUPS:
        yield f"- **{gate['gate']}** {len(groups) - _MOST_GROUPS} more kinds of finding"
    if groups:
        yield f"\n`cg explain {gate['gate']}` tells what to do.\n"


def _finding(gate: str, group: Group) -> str:
    finding = group.first
    said = [f"- **{gate}** {code(turn(finding))} {code(finding['message'])}"]
    if group.others:
        said.append(f"and on {number(len(group.others))} more turns")
    again = cost((finding, *group.others))
    if again:
        said.append(f"re-bills {again.translate(_AMOUNT)}")
    if finding["culprit"] is not None:
        said.append(f"probably {code(finding['culprit'])}")
    return ", ".join(said)


def code(text: str) -> str:
    """Hostile *text* as code that no Markdown, HTML, table or mention can break out of."""
    return f"<code>{safe(text).translate(_ENTITIES)}</code>"
