"""The answer in plain words: the cheapest policy, what it saves, what it dropped that was needed."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from cgcli.model import value
from cgcli.report.dollars import dollars
from cgcli.report.figures import counted, number
from cgcli.report.listed import listed
from cgcli.report.page.words import percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_OFF = "off"


@value
class Headline:
    """One sentence, and what has to be known beside it."""

    verdict: str
    points: tuple[str, ...]


def headline(totals: Mapping[str, Mapping[str, Any]], pareto: Sequence[str] | None) -> Headline:
    """What the totals of each policy come to; *pareto* are the policies that no other beats, None where not known."""
    priced = {policy: Decimal(of["usd"]) for policy, of in totals.items() if of["usd"] is not None}
    if _OFF not in priced or len(totals) == 1:
        return _without_comparison(totals)
    least = min(priced.values())
    cheapest = [policy for policy, amount in priced.items() if amount == least]
    best = _OFF if _OFF in cheapest else cheapest[0]
    points = [*_needed(best, totals[best]), *_own(best, totals[best]), *_safest(best, totals, priced)]
    points += _pareto(pareto) if pareto else []
    points += [f"{policy} has no dollars: it is unpriced." for policy in totals if policy not in priced]
    points += _partly(totals[_OFF])
    return Headline(verdict=_verdict(best, cheapest, priced), points=tuple(points))


def _verdict(best: str, cheapest: Sequence[str], priced: Mapping[str, Decimal]) -> str:
    off = priced[_OFF]
    equal = [policy for policy in cheapest if policy != best]
    beside = f" {listed(equal)} {'costs' if len(equal) == 1 else 'cost'} the same." if equal else ""
    if best == _OFF:
        return f"No policy is cheaper than doing nothing: {dollars(off)}.{beside}"
    saved = off - priced[best]
    share = f" ({percent(saved / off)})" if off else ""
    return f"{best} is cheapest: {dollars(priced[best])}, {dollars(saved)}{share} less than off.{beside}"


def _without_comparison(totals: Mapping[str, Mapping[str, Any]]) -> Headline:
    off = totals[_OFF]
    if off["usd"] is not None:
        verdict = f"Only off was replayed: {dollars(Decimal(off['usd']))} for {counted(off['requests'], 'request')}."
        return Headline(verdict=verdict, points=tuple(_partly(off)))
    least = min(totals, key=lambda policy: (totals[policy]["input_tokens"], policy != _OFF))
    points = []
    if least != _OFF:
        fewer = off["input_tokens"] - totals[least]["input_tokens"]
        points.append(f"{least} sends the fewest input tokens: {number(fewer)} fewer than off.")
        points += _needed(least, totals[least])
    return Headline(verdict="No dollars: a model of this file is unpriced.", points=tuple(points))


def _partly(off: Mapping[str, Any]) -> list[str]:
    """What the dollars leave out."""
    without = off["requests"] - off["simulated_requests"]
    said = [f"{counted(without, 'request')} of {number(off['requests'])} could not be simulated."] if without else []
    without = off["simulated_requests"] - off["priced_requests"]
    return said + ([f"{counted(without, 'request')} unpriced: in no dollars."] if without else [])


def _needed(policy: str, of: Mapping[str, Any]) -> list[str]:
    """What *policy* dropped that later turns needed; nothing to say where it changed nothing."""
    if not of["requests_changed"]:
        return []
    said = []
    if of["refetches"] or of["cites"]:
        ways = [("fetched again", of["refetches"]), ("cited", of["cites"])]
        again = ", ".join(f"{way} {counted(n, 'time')}" for way, n in ways if n)
        said.append(f"What {policy} dropped was needed later: {again}, {counted(of['regret_tokens'], 'token')} in all.")
    else:
        said.append(f"Nothing that {policy} dropped was needed by a later turn of the recording.")
    if of["irreversible"]:
        said.append(f"{counted(of['irreversible'], 'drop')} of {policy} cannot be restored.")
    return said


def _own(policy: str, of: Mapping[str, Any]) -> list[str]:
    if not of["own_calls"]:
        return []
    calls = f"{counted(of['own_calls'], 'model call')} of its own"
    if of["own_usd"] is None:
        return [f"{policy} made {calls}, which are unpriced."]
    return [f"{dollars(Decimal(of['own_usd']))} of what {policy} costs is for {calls}."]


def _safest(best: str, totals: Mapping[str, Mapping[str, Any]], priced: Mapping[str, Decimal]) -> list[str]:
    """The cheapest policy that dropped nothing needed, where the cheapest of all did."""
    if not totals[best]["regret_tokens"]:
        return []
    clean = [policy for policy in priced if policy != _OFF and not totals[policy]["regret_tokens"]]
    clean = [policy for policy in clean if totals[policy]["requests_changed"] and priced[policy] < priced[_OFF]]
    if not clean:
        return ["No policy that is cheaper than off got by without that."]
    least = min(clean, key=lambda policy: priced[policy])
    saved = dollars(priced[_OFF] - priced[least])
    return [f"The cheapest that dropped nothing needed is {least}: {dollars(priced[least])}, {saved} less than off."]


def _pareto(pareto: Sequence[str]) -> list[str]:
    verb = "is" if len(pareto) == 1 else "are"
    return [f"{listed(pareto)} {verb} beaten by no other policy in both dollars and regret."]
