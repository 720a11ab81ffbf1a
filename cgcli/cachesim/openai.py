"""OpenAI, GPT-5.6 and later: one implicit entry at the end of the input, explicit ones, and a list of ends to look at.

Entries stand in the messages only: nothing before them can carry a breakpoint. The end of `instructions` counts as no
boundary; the initial developer run is that of the messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim.plan import Breakpoint, Plan, in_order
from cgcli.dialects.settings import settings
from cgcli.model import Refusal, Section
from cgcli.providers.cache_rules import (
    OPENAI_DEFAULT_MODE,
    OPENAI_DEFAULT_TTL,
    OPENAI_EARLIER_ENDINGS,
    OPENAI_MINIMUM_TOKENS,
    OPENAI_MODES,
    TTL_S,
    Family,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from cgcli.cachesim.options import CacheOptions
    from cgcli.cachesim.places import Place, Places
    from cgcli.model import Item
    from cgcli.providers.cache_rules import Lookup

_TTL_S = TTL_S[Family.OPENAI]
_KEY = b'"prompt_cache_breakpoint"'
_DEVELOPER = frozenset({"developer", "system"})
_TOOL = frozenset({"tool", "function"})


def plan(places: Places, choices: CacheOptions) -> Plan | Refusal:
    """What the request asks for; a refusal where its options are none."""
    options = settings(places.request).get("prompt_cache_options")
    mode, ttl = _options(options if isinstance(options, dict) else {})
    explicit = _explicit(places, ttl)
    fault = _fault(mode, [ttl, *(own for _, own in explicit)])
    if fault is not None:
        return Refusal(reason="bad_breakpoints", detail=f"no prompt cache has {fault}")
    written = [Breakpoint(place=place, ttl_s=_TTL_S[own]) for place, own in explicit[-OPENAI_MODES[mode] :]]
    found = {place.order: place for place, _ in _looked_at(explicit, choices.openai_lookup)}
    if mode == OPENAI_DEFAULT_MODE:
        endings = [places.end(i) for i in _endings(places.request.messages)]
        written += [Breakpoint(place=place, ttl_s=_TTL_S[ttl]) for place in endings[:1]]
        found |= {place.order: place for place in endings}
    return Plan(
        breakpoints=in_order(written),
        looked_at=lambda: (found[order] for order in sorted(found, reverse=True)),
        minimum_tokens=OPENAI_MINIMUM_TOKENS,
    )


def _options(options: Mapping[str, Any]) -> tuple[str, str]:
    """The mode, and the lifetime."""
    mode, ttl = options.get("mode"), options.get("ttl")
    return OPENAI_DEFAULT_MODE if mode is None else str(mode), OPENAI_DEFAULT_TTL if ttl is None else str(ttl)


def _fault(mode: str, ttls: Sequence[str]) -> str | None:
    if mode not in OPENAI_MODES:
        return f"the mode {mode!r}"
    unknown = next((ttl for ttl in ttls if ttl not in _TTL_S), None)
    return f"a life of {unknown!r}: {' and '.join(_TTL_S)} exist" if unknown is not None else None


def _explicit(places: Places, ttl: str) -> list[tuple[Place, str]]:
    """The explicit breakpoints with their lifetimes; *ttl* where one has none of its own."""
    return [(place, mark.ttl or ttl) for place, mark in places.marks(_KEY) if place.section is Section.MESSAGES]


def _looked_at(explicit: Sequence[tuple[Place, str]], lookup: Lookup) -> Sequence[tuple[Place, str]]:
    return [*explicit[: lookup.first], *explicit[-lookup.latest :]]


def _endings(messages: Sequence[Item]) -> list[int]:
    """The eligible messages whose ends are looked at, the latest first; it is the one that is written.

    Eligible are user messages, the last of a group of tool outputs, and the last of the initial developer run: this one
    is looked at however far back it is.
    """
    n_developer = next((i for i, item in enumerate(messages) if item.role not in _DEVELOPER), len(messages))
    found: list[int] = []
    for i in _eligible(messages, n_developer):
        if len(found) == 1 + OPENAI_EARLIER_ENDINGS:
            break
        found.append(i)
    if n_developer and n_developer - 1 not in found:
        found.append(n_developer - 1)
    return found


def _eligible(messages: Sequence[Item], n_developer: int) -> Iterator[int]:
    for i in range(len(messages) - 1, -1, -1):
        role = messages[i].role
        ends_group = role in _TOOL and (i + 1 == len(messages) or messages[i + 1].role not in _TOOL)
        if role == "user" or ends_group or i == n_developer - 1:
            yield i
