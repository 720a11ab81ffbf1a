"""What a gate says of the requests that a policy sends, as it stands in documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.report.figures import counted

if TYPE_CHECKING:
    from cgcli.checks.base import Result


def gate_document(result: Result) -> dict[str, Any]:
    """Its verdict, and the first failure or the reason why there is none to be had."""
    failed = [finding for finding in result.findings if not finding.is_note]
    detail = result.reason or f"{result.checked:,} {result.unit}"
    if failed:
        more = f" (and {counted(len(failed) - 1, 'more place')})" if len(failed) > 1 else ""
        detail = f"line {failed[0].line}: {failed[0].message}{more}"
    return {"gate": result.gate, "verdict": result.verdict.value, "detail": detail}
