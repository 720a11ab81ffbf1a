"""OpenAI before GPT-5.6: what requests share, in steps of 128 tokens from 1,024 on; writing costs nothing extra."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim.options import Reuse
from cgcli.cachesim.rule import PrefixRule, seed_of
from cgcli.dialects.settings import settings
from cgcli.providers.prefix_caches import (
    OPENAI_MINIMUM_TOKENS,
    OPENAI_RETENTIONS_S,
    OPENAI_STEP_TOKENS,
    openai_retention,
    openai_step_tokens,
)

if TYPE_CHECKING:
    from cgcli.cachesim.options import CacheOptions
    from cgcli.model import Request


def rule(request: Request, options: CacheOptions) -> PrefixRule:
    """What is read of *request*; each parameter that the prefix depends on, it depends on from its first token."""
    retention = openai_retention(
        request.model, settings(request).get("prompt_cache_retention"), options.openai_retention
    )
    is_whole = options.openai_reuse == Reuse.GROW_ONLY
    return PrefixRule(
        seed=seed_of(request, ((param.path, param.written) for param in request.params)),
        minimum_tokens=OPENAI_MINIMUM_TOKENS,
        step_tokens=None if is_whole else openai_step_tokens(request.model),
        round_tokens=OPENAI_STEP_TOKENS,
        has_units=is_whole,
        life_s=options.openai_in_memory_s if retention == "in_memory" else OPENAI_RETENTIONS_S[retention],
    )
