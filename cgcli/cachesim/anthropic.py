"""Anthropic: entries at the breakpoints that a request sets, found by looking back from the next one's.

The API adds one of its own behind the last result of a server tool, where a request has any. Not simulated: what it
takes out of the messages by context editing and compaction.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from cgcli.cachesim.plan import Breakpoint, Plan, in_order
from cgcli.dialects.settings import settings
from cgcli.model import Refusal, Section
from cgcli.prefix.marked import CLAUDE_KEY
from cgcli.providers.breakpoints import ANTHROPIC, DEFAULT_TTL, minimum_tokens
from cgcli.providers.cache_rules import TTL_S, Family

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cgcli.cachesim.options import CacheOptions
    from cgcli.cachesim.places import Place, Places

_TTL_S = TTL_S[Family.ANTHROPIC]
Marked = tuple["Place", str]
"""A place, and the lifetime that is asked for there, as it is written."""


def plan(places: Places, options: CacheOptions) -> Plan | Refusal:
    """What the request asks for; a refusal where the provider answers its breakpoints with 400."""
    marked = marks(places)
    asked = settings(places.request).get(CLAUDE_KEY)
    if isinstance(asked, dict):
        ttl = asked.get("ttl")
        automatic = _automatic(places, ttl if isinstance(ttl, str) else DEFAULT_TTL)
        if automatic is not None:
            fault = _clash(marked, automatic)
            if fault is not None:
                return refused(fault)
            if not _is_marked(marked, automatic[0]):
                marked.append(automatic)
    else:
        marked = marked or assumed(places, options)
    return planned(places, marked, added=places.server_result if marked else None)


def assumed(places: Places, options: CacheOptions) -> list[Marked]:
    """The mark that a request without any counts as having."""
    found = _automatic(places, options.assumed_ttl) if options.assumed_ttl is not None else None
    return [found] if found is not None else []


def marks(places: Places) -> list[Marked]:
    """The marks that the request sets where one can stand."""
    found = places.marks(CLAUDE_KEY.encode())
    return [(place, mark.ttl or DEFAULT_TTL) for place, mark in found if places.is_markable(place)]


def planned(
    places: Places, marked: Sequence[Marked], *, added: Place | None = None, has_runs: bool = True
) -> Plan | Refusal:
    """The plan for what is *marked*; *added* is a breakpoint of the provider's own, which no limit counts."""
    fault = _fault(marked)
    if fault is not None:
        return refused(fault)
    own = [Breakpoint(place=added, ttl_s=_TTL_S[DEFAULT_TTL])] if added is not None else []
    breakpoints = in_order([*(Breakpoint(place=place, ttl_s=_TTL_S[ttl]) for place, ttl in marked), *own])
    return Plan(
        breakpoints=breakpoints,
        looked_at=lambda: looked_at(places, [one.place for one in breakpoints], has_runs=has_runs),
        minimum_tokens=minimum_tokens(places.request.model) or 0,
    )


def looked_at(places: Places, marked: Sequence[Place], *, has_runs: bool = True) -> Iterator[Place]:
    """The places that are looked at, from the last of *marked* backwards.

    From each mark at most 20 positions, its own included; each mark on the way begins anew. Where they end, it goes on
    at the mark before. With *has_runs* a run of tool calls is one position, and so is a run of results.
    """
    waiting = [place.order for place in marked]
    most = ANTHROPIC.look_back or 0
    while waiting:
        start = next(place for place in marked if place.order == waiting[-1])
        n_looked_at, behind = 0, None
        for place in places.backwards(start):
            if waiting and place.order == waiting[-1]:
                waiting.pop()
                n_looked_at = 1
            elif place.run is None or place.run is not behind:
                n_looked_at += 1
            behind = place.run if has_runs else None
            if n_looked_at > most:
                break
            yield place
        else:
            return


def _automatic(places: Places, ttl: str) -> Marked | None:
    """The breakpoint that a top-level `cache_control` asks for: on the last block that can take one."""
    last = places.last
    found = next((place for place in places.backwards(last) if places.is_markable(place)), None) if last else None
    return (found, ttl) if found is not None else None


def _is_marked(marked: Sequence[Marked], place: Place) -> bool:
    return any(own.order == place.order for own, _ in marked)


def _clash(marked: Sequence[Marked], automatic: Marked) -> str | None:
    place, ttl = automatic
    own = next((told for found, told in marked if found.order == place.order), None)
    if own is not None and own != ttl:
        return f"the last block has a {own} mark, the automatic one asks for {ttl}"
    return None


def _fault(marked: Sequence[Marked]) -> str | None:
    if len(marked) > ANTHROPIC.most:
        return f"{len(marked)} cache marks, {ANTHROPIC.most} may be set"
    unknown = next((ttl for _, ttl in marked if ttl not in _TTL_S), None)
    if unknown is not None:
        return f"no mark lives {unknown!r}: {' and '.join(_TTL_S)} exist"
    for (before, short), (after, long) in pairwise(marked):
        if _TTL_S[long] > _TTL_S[short]:
            return f"a {long} mark in {_name(after)} behind a {short} mark in {_name(before)}"
    return None


def _name(place: Place) -> str:
    return f"message {place.i_item}" if place.section is Section.MESSAGES else place.section.value


def refused(fault: str) -> Refusal:
    """The request has no outcome: the provider does not take it, because of *fault*."""
    return Refusal(reason="bad_breakpoints", detail=f"{fault}: answered with 400")
