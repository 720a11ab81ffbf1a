"""Why a request reads less than was sent before: the words, and how the right one is found."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.model import Section

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.cachesim.past import Sent
    from cgcli.cachesim.places import Places


class Why(StrEnum):
    """Reasons, in the words of the providers' own diagnostics where they have one.

    Each is said against the request that this one goes on from: the latest that begins with the same first message,
    requests that only asked something on the side left out.
    """

    FIRST_REQUEST = "first_request"
    """No earlier request begins with the same message, and nothing is read."""
    NO_BREAKPOINT = "no_breakpoint"
    """The request asks for no caching: it has no breakpoint, or none behind what was written before."""
    BELOW_MINIMUM = "below_minimum"
    """Each of its breakpoints stands below the smallest prefix that the model caches."""
    NOTHING_WRITTEN = "nothing_written"
    """The request before left no entry: no breakpoint, below the minimum, or its recorded usage says so."""
    MODEL_CHANGED = "model_changed"
    TOOLS_CHANGED = "tools_changed"
    SYSTEM_CHANGED = "system_changed"
    PARAMS_CHANGED = "params_changed"
    """A parameter that the cached prefix depends on, without a word of its own below."""
    REASONING_EFFORT_CHANGED = "reasoning_effort_changed"
    VERBOSITY_CHANGED = "verbosity_changed"
    TEXT_FORMAT_CHANGED = "text_format_changed"
    PROMPT_CACHE_KEY_CHANGED = "prompt_cache_key_changed"
    SERVICE_TIER_CHANGED = "service_tier_changed"
    MESSAGES_CHANGED = "messages_changed"
    """Up to the last entry of the request before, the messages are other ones, or fewer."""
    EXPIRED = "expired"
    """The prefix is the same; its entry outlived its time."""
    NOT_YET_READABLE = "not_yet_readable"
    """The prefix is the same; the answer to the request that writes it had not begun."""
    OUT_OF_LOOKBACK = "out_of_lookback"
    """The prefix is the same and held; from this request's breakpoints it is not looked for."""
    EVICTED = "evicted"
    """The prefix is the same; what was used later took its room."""
    REUSE_OFF = "reuse_off"
    """The request asks for something that needs all of its prompt computed."""


_OF_PARAM: Mapping[str, Why] = MappingProxyType(
    {
        "reasoning.effort": Why.REASONING_EFFORT_CHANGED,
        "reasoning_effort": Why.REASONING_EFFORT_CHANGED,
        "text.verbosity": Why.VERBOSITY_CHANGED,
        "verbosity": Why.VERBOSITY_CHANGED,
        "text.format": Why.TEXT_FORMAT_CHANGED,
        "response_format": Why.TEXT_FORMAT_CHANGED,
        "prompt_cache_key": Why.PROMPT_CACHE_KEY_CHANGED,
        "service_tier": Why.SERVICE_TIER_CHANGED,
    }
)


def what_changed(before: Sent, now: Places) -> Why:
    """What is another in *now*, whose prefix is not that of *before*'s last entry: the first in cache order."""
    if before.model != now.request.model:
        return Why.MODEL_CHANGED
    if before.tools != now.head.tools:
        return Why.TOOLS_CHANGED
    for section in Section:
        changed = _param(before, now, section)
        if changed is not None:
            return changed
        if section is Section.SYSTEM and before.system != now.head.system:
            return Why.SYSTEM_CHANGED
    return Why.MESSAGES_CHANGED


def what_changed_in_prompt(before: Sent, now: Places, seed: bytes) -> Why:
    """The same for a cache without breakpoints, where settings count that *seed* stands for, and no others."""
    if before.model != now.request.model:
        return Why.MODEL_CHANGED
    if before.tools != now.head.tools:
        return Why.TOOLS_CHANGED
    if before.seed != seed:
        named = (_param(before, now, section) for section in Section)
        return next((why for why in named if why is not None), Why.PARAMS_CHANGED)
    return Why.SYSTEM_CHANGED if before.system != now.head.system else Why.MESSAGES_CHANGED


def _param(before: Sent, now: Places, section: Section) -> Why | None:
    """The first parameter that differs and breaks *section* first."""
    was = {param.path: param.written for param in before.params if param.breaks[0] is section}
    told = {param.path: param.written for param in now.params if param.breaks[0] is section}
    for path in (*was, *told):
        if was.get(path) != told.get(path):
            return _OF_PARAM.get(path, Why.PARAMS_CHANGED)
    return None
