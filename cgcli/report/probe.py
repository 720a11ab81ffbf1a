"""What a probe came to, as the versioned document `cgcli/probe/v1`, and for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.model import Basis, Refusal
from cgcli.probe.judging import Agreement, agreement, each_pass, judge, prompt_tokens
from cgcli.report.billed import dollars, usd
from cgcli.report.figures import number
from cgcli.report.live import line, spent
from cgcli.report.safe import pasted, safe
from cgcli.report.table import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cgcli.live.bound import Bound
    from cgcli.live.spending import Account
    from cgcli.model import Usage
    from cgcli.pricing.table import Prices
    from cgcli.probe.probing import Probed, Sent
    from cgcli.shapes.comparison import Shape

SCHEMA = "cgcli/probe/v1"
NOTHING = "-"
_SHOWN = {
    Agreement.EXACT.value: "yes",
    Agreement.ABOUT.value: "about",
    Agreement.MORE.value: "MORE",
    Agreement.LESS.value: "LESS",
    None: NOTHING,
}
_NOTES = {
    Agreement.ABOUT.value: "about: read as predicted; what was read was never billed by itself, so its size is a count",
    Agreement.MORE.value: "MORE: the provider held more than this probe wrote, from before",
    Agreement.LESS.value: "LESS: less was read than the documented rules give; a cache is best effort",
}


def document(
    file: str, probed: Sequence[Probed], account: Account, bound: Bound, *, url: str, prices: Prices
) -> dict[str, Any]:
    """All turns that were probed; *url* without its query."""
    return {
        "schema": SCHEMA,
        "file": file,
        "url": url,
        "prices": {"as_of": prices.as_of or None, "source": prices.source},
        "at_most_usd": usd(bound.usd),
        "spent": spent(account),
        "turns": [_turn(one) for one in probed],
    }


def _turn(one: Probed) -> dict[str, Any]:
    return {
        "lane": one.comparison.lane,
        "turn": one.comparison.turn,
        "line": one.comparison.line,
        "model": one.comparison.parent.request.model,
        "requests": [_sent(sent) for sent in one.sent],
        "left_out": [left for shape in one.comparison.shapes if (left := _left_out(shape)) is not None],
        "gates": [
            {"gate": judged.gate, "verdict": judged.verdict, "says": judged.says, "basis": Basis.MEASURED.value}
            for judged in judge(one)
        ],
    }


def _left_out(shape: Shape) -> dict[str, Any] | None:
    """Why a shape was not to be sent; None where it was."""
    if shape.refusal is not None:
        return {"name": shape.mode.value, "reason": shape.refusal.reason, "detail": shape.refusal.detail}
    if shape.fires is False:
        return {
            "name": shape.mode.value,
            "reason": "below_trigger",
            "detail": "the provider would answer the parent, and compact nothing",
        }
    return None


def _sent(sent: Sent) -> dict[str, Any]:
    found = agreement(sent)
    return {
        "name": sent.name,
        "reason": sent.refusal.reason if sent.refusal is not None else None,
        "detail": sent.refusal.detail if sent.refusal is not None else None,
        "predicted": _predicted(sent),
        "measured": _usage(sent.usage),
        "usd": usd(sent.usd),
        "elapsed_s": round(sent.elapsed_s, 3) if sent.elapsed_s is not None else None,
        "read_agrees": found.value if found is not None else None,
    }


def _predicted(sent: Sent) -> dict[str, Any]:
    told = sent.predicted
    basis = Basis.SIMULATED.value
    if isinstance(told, Refusal):
        return {
            "basis": basis,
            "read_tokens": None,
            "written_tokens": None,
            "fresh_tokens": None,
            "read_is_recorded": None,
            "why": told.reason,
        }
    return {
        "basis": basis,
        "read_tokens": told.read_tokens,
        "written_tokens": told.written_tokens,
        "fresh_tokens": told.fresh_tokens,
        "read_is_recorded": told.is_recorded,
        "why": told.why,
    }


def _usage(usage: Usage | None) -> dict[str, Any] | None:
    if usage is None:
        return None
    parts = each_pass(usage)
    found = prompt_tokens(usage)
    is_known = found is not None
    return {
        "basis": Basis.MEASURED.value,
        "read_tokens": found[0] if found is not None else None,
        "written_tokens": sum(sum((part.write_by_ttl_s or {}).values()) for part in parts) if is_known else None,
        "fresh_tokens": sum(part.fresh or 0 for part in parts) if is_known else None,
        "output_tokens": sum(part.output or 0 for part in parts) if is_known else None,
        "iterations": len(usage.iterations),
    }


def lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a `cgcli/probe/v1` *report*."""
    for turn in report["turns"]:
        yield from _turn_lines(turn)
        yield ""
    yield line(report["spent"])
    for turn in report["turns"][:1] if report["file"] != "-" else ():
        yield f"next     cg diff-modes {pasted(report['file'])} --lane {turn['lane']} --at {turn['turn']}"


def _turn_lines(turn: Mapping[str, Any]) -> Iterator[str]:
    yield f"turn {turn['turn']} of {turn['lane']} (line {turn['line']}): {safe(turn['model'] or 'no model')}"
    yield ""
    head = ("sent", "read", "predicted", "agrees", "written", "fresh", "output", "costs", "seconds")
    yield from table(head, [_row(one) for one in turn["requests"]], right=(1, 2, 4, 5, 6, 7, 8))
    yield ""
    for one in (*turn["requests"], *turn["left_out"]):
        if one["reason"] is not None:
            yield f"{one['name']}: {one['reason']}: {safe(one['detail'])}"
    for gate in turn["gates"]:
        yield f"{gate['gate']}: {gate['verdict']}: {safe(gate['says'])}"
    told = {one["read_agrees"] for one in turn["requests"]}
    yield from (note for agrees, note in _NOTES.items() if agrees in told)


def _row(one: Mapping[str, Any]) -> tuple[str, ...]:
    measured, predicted = one["measured"], one["predicted"]
    told = measured or {}
    return (
        one["name"],
        _tokens(told.get("read_tokens")),
        _tokens(predicted["read_tokens"]),
        _SHOWN[one["read_agrees"]],
        _tokens(told.get("written_tokens")),
        _tokens(told.get("fresh_tokens")),
        _tokens(told.get("output_tokens")),
        dollars(one["usd"]) if measured is not None else NOTHING,
        f"{one['elapsed_s']:.1f}" if one["elapsed_s"] is not None else NOTHING,
    )


def _tokens(amount: int | None) -> str:
    return number(amount) if amount is not None else NOTHING
