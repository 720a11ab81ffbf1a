"""SGLang: a radix tree of tokens; where there is no room, the end of what was used least recently is dropped.

The server drops whole leaves of its tree; here they go token by token, from the end. Left out: answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim.rule import PrefixRule, seed_of
from cgcli.cachesim.settings_told import told
from cgcli.providers.cache_rules import Family
from cgcli.providers.prefix_caches import PROMPT_SETTINGS

if TYPE_CHECKING:
    from cgcli.cachesim.options import CacheOptions
    from cgcli.model import Request


def rule(request: Request, options: CacheOptions) -> PrefixRule:
    """What is read of *request*: all that is held but its last token, in whole pages."""
    capacity = options.sglang_capacity_tokens
    return PrefixRule(
        seed=seed_of(request, told(request, PROMPT_SETTINGS[Family.SGLANG])),
        step_tokens=options.sglang_page_tokens,
        room_units=capacity // options.sglang_page_tokens if capacity is not None else None,
        computes_last=True,
    )
