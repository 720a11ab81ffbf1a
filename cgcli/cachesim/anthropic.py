"""Anthropic: entries at the breakpoints that a request sets, found by looking back from the next one's.

Not simulated: the breakpoint of its own that the API adds behind a server tool's result; what the API takes out of the
messages by itself (thinking on older models, context editing, compaction).
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

    from cgcli.cachesim.places import Place, Places

_TTL_S = TTL_S[Family.ANTHROPIC]
_Marked = tuple["Place", str]
"""A place, and the lifetime that is asked for there, as it is written."""


def plan(places: Places) -> Plan | Refusal:
    """What the request asks for; a refusal where the provider answers its breakpoints with 400."""
    marked = [(place, mark.ttl or DEFAULT_TTL) for place, mark in places.marks() if places.is_markable(place)]
    asked = settings(places.request).get(CLAUDE_KEY)
    if isinstance(asked, dict):
        ttl = asked.get("ttl")
        automatic = _automatic(places, ttl if isinstance(ttl, str) else DEFAULT_TTL)
        if automatic is not None:
            fault = _clash(marked, automatic)
            if fault is not None:
                return _refused(fault)
            if not _is_marked(marked, automatic[0]):
                marked.append(automatic)
    fault = _fault(marked)
    if fault is not None:
        return _refused(fault)
    breakpoints = in_order(Breakpoint(place=place, ttl_s=_TTL_S[ttl]) for place, ttl in marked)
    return Plan(
        breakpoints=breakpoints,
        looked_at=lambda: looked_at(places, [one.place for one in breakpoints]),
        minimum_tokens=minimum_tokens(places.request.model) or 0,
    )


def looked_at(places: Places, marked: Sequence[Place]) -> Iterator[Place]:
    """The places that are looked at, from the last of *marked* backwards.

    From each mark at most 20 positions, its own included; each mark on the way begins anew. Where they end, it goes on
    at the mark before. A run of tool calls is one position, and so is a run of results.
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
            behind = place.run
            if n_looked_at > most:
                break
            yield place
        else:
            return


def _automatic(places: Places, ttl: str) -> _Marked | None:
    """The breakpoint that a top-level `cache_control` asks for: on the last block that can take one."""
    n = len(places.request.messages)
    head = places.of_head()
    last = places.end(n - 1) if n else head[-1] if head else None
    found = next((place for place in places.backwards(last) if places.is_markable(place)), None) if last else None
    return (found, ttl) if found is not None else None


def _is_marked(marked: Sequence[_Marked], place: Place) -> bool:
    return any(own.order == place.order for own, _ in marked)


def _clash(marked: Sequence[_Marked], automatic: _Marked) -> str | None:
    place, ttl = automatic
    own = next((told for found, told in marked if found.order == place.order), None)
    if own is not None and own != ttl:
        return f"the last block has a {own} mark, the automatic one asks for {ttl}"
    return None


def _fault(marked: Sequence[_Marked]) -> str | None:
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


def _refused(fault: str) -> Refusal:
    return Refusal(reason="bad_breakpoints", detail=f"{fault}: answered with 400")
