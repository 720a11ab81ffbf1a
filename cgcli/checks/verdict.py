"""From what a gate saw to its verdict, the same way for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.checks.base import Result, Verdict

if TYPE_CHECKING:
    from cgcli.checks.base import Context, Finding, Rule

INDEPENDENT = "the requests are independent: no turn follows another"
NO_HEAD = "the file records no tools or no system prompt: a change in them would not be seen"


REBUILT = "the requests were rebuilt from a history: what was sent is not recorded"


def settle(
    rule: Rule, *, unit: str, checked: int, findings: tuple[Finding, ...], nothing: str, unknown: str | None = None
) -> Result:
    """`fail` with any finding that is no note; `vacuous` where *checked* is 0; `unknown` for that reason; else `pass`.

    Args:
        rule: The gate's.
        unit: What *checked* counts, as a plural.
        checked: How many there were.
        findings: All of the gate's.
        nothing: Why there was nothing to check, said where it is so.
        unknown: What the file does not record, where something is missing for a pass.
    """
    if any(not finding.is_note for finding in findings):
        verdict, reason = Verdict.FAIL, None
    elif not checked:
        verdict, reason = Verdict.VACUOUS, nothing
    elif unknown is not None:
        verdict, reason = Verdict.UNKNOWN, unknown
    else:
        verdict, reason = Verdict.PASS, None
    return Result(gate=rule.gate, verdict=verdict, checked=checked, unit=unit, findings=findings, reason=reason)


def without_head(context: Context) -> str | None:
    """Why a prefix cannot be judged, where the file does not record tools and system prompt."""
    return None if context.known.tools and context.known.system else NO_HEAD
