"""Gemini's implicit caching: what requests share, from the model's minimum on. Explicit caches are not simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim.rule import PrefixRule, seed_of
from cgcli.providers.prefix_caches import gemini_minimum_tokens

if TYPE_CHECKING:
    from cgcli.cachesim.options import CacheOptions
    from cgcli.model import Request


def rule(request: Request, options: CacheOptions) -> PrefixRule:
    """What is read of *request*."""
    return PrefixRule(
        seed=seed_of(request, ()),
        minimum_tokens=gemini_minimum_tokens(request.model),
        life_s=options.gemini_life_s,
    )
