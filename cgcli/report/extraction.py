"""What the calls about single tool outputs came to, as a document and for a person."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from cgcli.model import Basis
from cgcli.report.billed import dollars, usd
from cgcli.report.figures import counted, number
from cgcli.report.safe import safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from cgcli.replay.answering import CallMade
    from cgcli.replay.run import Run


def extraction(run: Run) -> dict[str, Any] | None:
    """The member `extraction` of `cgcli/compact/v1`; None where the policy asks about no output.

    What the calls cost is in no other figure: nothing that was saved is less for it. What providers billed and what is
    only reckoned never add up.
    """
    answering = run.answering
    if not answering.asks:
        return None
    calls = answering.calls
    refusals = [one.refused for one in calls if one.refused is not None]
    answered = [one for one in calls if one.refused is None]
    return {
        "summarizer": run.summariser.name,
        "calls": len(calls),
        "by_model": dict(sorted(Counter(one.model or "" for one in calls).items())),
        "refused": dict(sorted(Counter(refused.reason for refused in refusals).items())),
        "refused_details": {refused.reason: refused.detail for refused in reversed(refusals)},
        "simulated": _spent(one for one in answered if one.basis is Basis.SIMULATED),
        "measured": _spent(one for one in answered if one.basis is Basis.MEASURED),
    }


def _spent(calls: Iterable[CallMade]) -> dict[str, Any]:
    found = list(calls)
    known = [one.usd for one in found if one.usd is not None]
    return {
        "calls": len(found),
        "input_tokens": sum(one.input_tokens for one in found),
        "output_tokens": sum(one.output_tokens for one in found),
        "usd": usd(sum(known, start=Decimal(0))),
        "unpriced": len(found) - len(known),
    }


def lines(told: Mapping[str, Any] | None) -> Iterator[str]:
    """The calls of a `cgcli/compact/v1` document, for a person; nothing where none was made."""
    if told is None or not told["calls"]:
        return
    models = ", ".join(f"{n} to {safe(model or 'no model')}" for model, n in told["by_model"].items())
    yield f"calls about outputs ({safe(told['summarizer'])}): {number(told['calls'])} ({models})"
    for basis in (Basis.MEASURED, Basis.SIMULATED):
        spent = told[basis.value]
        if spent["calls"]:
            unpriced = f", {counted(spent['unpriced'], 'call')} unpriced" if spent["unpriced"] else ""
            yield (
                f"  {counted(spent['calls'], 'answer')}: {number(spent['input_tokens'])} tokens in, "
                f"{number(spent['output_tokens'])} out, {dollars(spent['usd'])}{unpriced} ({basis.value})"
            )
    for reason, n in told["refused"].items():
        detail = told["refused_details"][reason]
        yield f"  without an answer {counted(n, 'time')}: {safe(reason)}{f' ({safe(detail)})' if detail else ''}"
