"""DeepSeek: a request reads whole units, which end with a request, an answer, a shared beginning, or at an interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim.rule import PrefixRule, seed_of
from cgcli.providers.prefix_caches import DEEPSEEK_MINIMUM_TOKENS

if TYPE_CHECKING:
    from cgcli.cachesim.options import CacheOptions
    from cgcli.model import Request


def rule(request: Request, options: CacheOptions) -> PrefixRule:
    """What is read of *request*."""
    return PrefixRule(
        seed=seed_of(request, ()),
        minimum_tokens=DEEPSEEK_MINIMUM_TOKENS,
        step_tokens=options.deepseek_interval_tokens,
        has_units=True,
        keeps_answers=True,
        life_s=options.deepseek_life_s,
    )
