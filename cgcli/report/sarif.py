"""The account of `cg check` as SARIF 2.1.0: a result for each group of findings, with how often it occurs."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from cgcli.report.check import priced_by
from cgcli.report.grouped import grouped, shape, turn
from cgcli.report.safe import safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cgcli.checks.base import Rule
    from cgcli.report.grouped import Group

SCHEMA_URI = "https://json.schemastore.org/sarif-2.1.0.json"
_MOST_RELATED = 20


def document(report: Mapping[str, Any], rules: Sequence[Rule], *, version: str) -> dict[str, Any]:
    """A `cgcli/check/v1` *report* as a SARIF log; *rules* are those of its gates, *version* is that of `cg`."""
    numbers = {rule.gate: i for i, rule in enumerate(rules)}
    # A file that was named twice is one artifact: the schema wants them unique.
    uris = list(dict.fromkeys(_uri(one["file"]) for one in (*report["files"], *report["unreadable"])))
    return {
        "$schema": SCHEMA_URI,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "cg check",
                        "semanticVersion": version,
                        "rules": [_rule(rule) for rule in rules],
                    }
                },
                "invocations": [
                    {
                        "executionSuccessful": not report["unreadable"],
                        "exitCode": report["exit_code"],
                        "toolExecutionNotifications": list(_notifications(report, numbers, uris)),
                    }
                ],
                "artifacts": [{"location": {"uri": uri}} for uri in uris],
                "results": [
                    _result(group, _artifact(file["file"], uris), gate["gate"], numbers[gate["gate"]])
                    for file in report["files"]
                    for gate in file["gates"]
                    for group in grouped(gate["findings"])
                ],
            }
            | _priced(report)
        ],
    }


def _priced(report: Mapping[str, Any]) -> dict[str, Any]:
    """Where the dollars of the results come from."""
    prices = priced_by(report)
    return {} if prices is None else {"properties": {"prices": prices}}


def _rule(rule: Rule) -> dict[str, Any]:
    said = (rule.why, f"What to do: {rule.fix}", f"What a pass does not prove: {rule.proves_not}")
    return {
        "id": rule.gate,
        "shortDescription": {"text": _text(rule.title)},
        "fullDescription": {"text": _text(rule.checks)},
        "help": {"text": "\n\n".join(map(_text, said))},
        "defaultConfiguration": {"level": "error"},
        "properties": {"since": rule.since},
    }


def _artifact(file: str, uris: Sequence[str]) -> dict[str, Any]:
    uri = _uri(file)
    return {"uri": uri, "index": uris.index(uri)}


def _result(group: Group, artifact: Mapping[str, Any], gate: str, i_rule: int) -> dict[str, Any]:
    finding = group.first
    result = {
        "ruleId": gate,
        "ruleIndex": i_rule,
        "level": "error",
        "message": {"text": _text(f"{turn(finding)}: {finding['message']}")},
        "locations": [_location(finding, artifact)],
        "occurrenceCount": 1 + len(group.others),
        "partialFingerprints": {"cgFinding/v1": _fingerprint(gate, finding)},
        "properties": _properties(group),
    }
    if group.others:
        result["relatedLocations"] = [
            _location(other, artifact) | {"id": i, "message": {"text": _text(turn(other))}}
            for i, other in enumerate(group.others[:_MOST_RELATED], 1)
        ]
    return result


def _location(finding: Mapping[str, Any], artifact: Mapping[str, Any]) -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": artifact,
            "region": {"startLine": finding["line"]},
        }
    }
    if finding["path"] is not None:
        location["logicalLocations"] = [{"fullyQualifiedName": safe(finding["path"]), "kind": "member"}]
    return location


def _properties(group: Group) -> dict[str, Any]:
    """What SARIF has no place for; left out where it is not known."""
    finding = group.first
    known: dict[str, Any] = {
        name: safe(finding[name]) for name in ("kind", "change", "culprit", "was", "now") if finding[name]
    }
    if finding["byte"] is not None:
        known["bodyByte"] = finding["byte"]
    tokens = group.rebilled
    if tokens:
        known["rebilledTokens"] = tokens
    if group.usd is not None:
        known["rebilledUsd"] = f"{group.usd:f}"
    return known


def _fingerprint(gate: str, finding: Mapping[str, Any]) -> str:
    """What stays when the capture is recorded anew: gate, kind, change and shape of the path; no turn, no byte."""
    same = (gate, finding["kind"], finding["change"], shape(finding["path"]))
    return sha256(repr(same).encode("utf-8", "backslashreplace")).hexdigest()[:32]


def _notifications(
    report: Mapping[str, Any], numbers: Mapping[str, int], uris: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """What is no finding and must not be taken for a pass: unread files, skipped records, undecided gates."""
    for one in report["unreadable"]:
        yield _notice("error", f"{one['where']}: {one['message']}", _artifact(one["file"], uris))
    for file in report["files"]:
        artifact = _artifact(file["file"], uris)
        for skipped in file["skipped_records"]:
            yield _notice("warning", f"{skipped['reason']}: {skipped['detail']}", artifact, skipped["line"])
        for gate in file["gates"]:
            if gate["verdict"] in ("vacuous", "unknown"):
                said = f"{gate['gate']} is {gate['verdict']}: {gate['reason']}"
                level = "warning" if gate["verdict"] == "unknown" or report["strict"] else "note"
                rule = {"associatedRule": {"id": gate["gate"], "index": numbers[gate["gate"]]}}
                yield _notice(level, said, artifact) | rule


def _notice(level: str, text: str, artifact: Mapping[str, Any], line: int | None = None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": artifact}
    if line is not None:
        place["region"] = {"startLine": line}
    return {"level": level, "message": {"text": _text(text)}, "locations": [{"physicalLocation": place}]}


def _uri(file: str) -> str:
    """*file* as a URI reference: relative as it was given, or `file:` where it is absolute."""
    path = quote(file.encode("utf-8", "surrogateescape"), safe="/")
    return f"file://{path}" if path.startswith("/") else path


def _text(text: str) -> str:
    """*text* as a SARIF message string that shows it as it is: no placeholder, no link, no control character."""
    return safe(text).replace("{", "{{").replace("}", "}}").replace("](", "]\\(")
