"""Claude on Amazon Bedrock: Anthropic's breakpoints, without the automatic one, and with fewer lifetimes.

Nothing is added behind server tools, which are not offered there. Blocks are positions one by one: that a run of calls
is one is said of the Claude API alone. Bodies of Converse, whose `cachePoint` blocks stand among the content, are
refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim.anthropic import assumed, marks, planned, refused
from cgcli.model import Refusal
from cgcli.providers.breakpoints import bedrock_ttls

if TYPE_CHECKING:
    from cgcli.cachesim.options import CacheOptions
    from cgcli.cachesim.places import Places
    from cgcli.cachesim.plan import Plan


def plan(places: Places, options: CacheOptions) -> Plan | Refusal:
    """What the request asks for; a refusal where its breakpoints are answered with 400."""
    request = places.request
    if places.has_cache_point:
        return Refusal(reason="no_cache_model", detail="`cachePoint` blocks are not read: as `cache_control` they are")
    marked = marks(places) or assumed(places, options)
    known = bedrock_ttls(request.model)
    unknown = next((ttl for _, ttl in marked if ttl not in known), None)
    if unknown is not None:
        return refused(f"no mark of {request.model} lives {unknown!r} on Bedrock: {' and '.join(known)} exist")
    return planned(places, marked, has_runs=False)
