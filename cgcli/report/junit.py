"""The account of `cg check` as JUnit XML (`junit-10.xsd`): a test suite for each file, a test case for each gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from cgcli.report.check import priced_by
from cgcli.report.figures import counted
from cgcli.report.grouped import grouped, notes_by_kind, of_unit, told
from cgcli.report.safe import safe

if TYPE_CHECKING:
    from collections.abc import Mapping

_NOT_IN_XML = {0xFFFE: "\\ufffe", 0xFFFF: "\\uffff"}
"""Beside control characters and lone surrogates, which `safe` shows, XML cannot hold these at all."""


def document(report: Mapping[str, Any]) -> bytes:
    """A `cgcli/check/v1` *report* as JUnit XML in UTF-8."""
    root = Element("testsuites", name="cg check")
    prices = priced_by(report)
    for file in report["files"]:
        root.append(_suite(file, prices))
    for one in report["unreadable"]:
        root.append(_unread(one))
    for count in ("tests", "failures", "errors"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    indent(root)
    written: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _suite(file: Mapping[str, Any], prices: str | None) -> Element:
    verdicts = [gate["verdict"] for gate in file["gates"]]
    suite = Element(
        "testsuite",
        name=_shown(file["file"]),
        tests=str(len(verdicts)),
        failures=str(verdicts.count("fail")),
        errors="0",
        skipped=str(verdicts.count("vacuous") + verdicts.count("unknown")),
    )
    known = SubElement(suite, "properties")
    for name in ("format", "requests"):
        SubElement(known, "property", name=name, value=str(file[name]))
    if prices is not None:
        SubElement(known, "property", name="prices", value=_shown(prices))
    for gate in file["gates"]:
        _case(suite, file, gate)
    return suite


def _case(suite: Element, file: Mapping[str, Any], gate: Mapping[str, Any]) -> None:
    case = SubElement(suite, "testcase", name=gate["gate"], classname=_shown(file["file"]))
    verdict, findings = gate["verdict"], gate["findings"]
    if verdict == "fail":
        said = f"{gate['title']}: {counted(len(findings), 'finding')} in {of_unit(gate['checked'], gate['unit'])}"
        failure = SubElement(case, "failure", type=_shown(findings[0]["kind"] or "failed"), message=_shown(said))
        found = [line for group in grouped(findings) for line in told(group)]
        failure.text = "\n".join(_shown(line) for line in [*found, f"next: cg explain {gate['gate']}"])
    elif verdict != "pass":
        SubElement(case, "skipped", type=verdict, message=_shown(gate["reason"] or verdict))
    notes = notes_by_kind(gate["notes"])
    if notes:
        SubElement(case, "system-out").text = _shown(f"{counted(len(gate['notes']), 'note')}: {notes}")


def _unread(one: Mapping[str, Any]) -> Element:
    suite = Element("testsuite", name=_shown(one["file"]), tests="1", failures="0", errors="1", skipped="0")
    case = SubElement(suite, "testcase", name="read", classname=_shown(one["file"]))
    error = SubElement(case, "error", type="unreadable", message=_shown(f"{one['where']}: {one['message']}"))
    if one["hint"] is not None:
        error.text = _shown(f"try: {one['hint']}")
    return suite


def _shown(text: str) -> str:
    """Hostile *text* as characters that XML can hold; safe text stays as it is."""
    return safe(text).translate(_NOT_IN_XML)
