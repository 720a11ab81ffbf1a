"""Where the sources on a provider's cache leave a choice, and which provider is meant."""

from __future__ import annotations

from enum import StrEnum

from cgcli.errors import UsageError, did_you_mean
from cgcli.model import value
from cgcli.providers.cache_rules import OPENAI_LOOKUP, Family, Lookup
from cgcli.providers.prefix_caches import (
    DEEPSEEK_INTERVAL_TOKENS,
    DEEPSEEK_LIFE_S,
    GEMINI_LIFE_S,
    OPENAI_DEFAULT_RETENTION,
    OPENAI_RETENTIONS_S,
    SGLANG_PAGE_TOKENS,
    VLLM_BLOCK_TOKENS,
)


class Reuse(StrEnum):
    """What of an earlier request an earlier OpenAI model reads."""

    BEGINNING = "beginning"
    """All that the two have in common, as the guide says."""
    GROW_ONLY = "grow-only"
    """The earlier one whole, or nothing: measured by the Amplifier project, where a cut of a request read 0."""


@value
class CacheOptions:
    """Which cache is simulated, and what its sources leave open; lifetimes count from the last use."""

    provider: str | None = None
    """`anthropic`, `bedrock`, `openai`, `openai-earlier`, `gemini`, `deepseek`, `vllm` or `sglang`, whatever the model;
    None: the one that the model's name means."""
    assumed_ttl: str | None = None
    """Where a Claude request sets no breakpoint it counts as having one at its end, with this lifetime (`5m`, `1h`):
    for requests that were put together from a history, which does not record them. None: it asks for no caching."""
    minimum_tokens: int | None = None
    """The smallest prefix that is cached; None: the provider's."""
    strips_thinking: bool = False
    """Older Claude models lose the thinking before a question, and what was cached behind it. The docs say so; no
    recorded usage at hand shows it, so it is not the default."""
    openai_lookup: Lookup = OPENAI_LOOKUP
    """Which explicit breakpoints an OpenAI request looks at; `OPENAI_LOOKUP_SDK` is the other reading."""
    openai_reuse: Reuse = Reuse.BEGINNING
    """Of earlier OpenAI models."""
    openai_retention: str = OPENAI_DEFAULT_RETENTION
    """`in_memory` or `24h`, where a request for an earlier OpenAI model does not say."""
    openai_in_memory_s: int = OPENAI_RETENTIONS_S["in_memory"]
    """5 to 10 minutes, up to an hour."""
    gemini_life_s: int = GEMINI_LIFE_S
    deepseek_life_s: int = DEEPSEEK_LIFE_S
    deepseek_interval_tokens: int | None = DEEPSEEK_INTERVAL_TOKENS
    """None: nothing is stored at intervals."""
    vllm_block_tokens: int = VLLM_BLOCK_TOKENS
    vllm_capacity_blocks: int | None = None
    """None: room for all."""
    sglang_page_tokens: int = SGLANG_PAGE_TOKENS
    sglang_capacity_tokens: int | None = None
    """None: room for all."""

    @property
    def family(self) -> Family | None:
        """The family of `provider`.

        Raises:
            UsageError: there is no such provider.
        """
        if self.provider is None:
            return None
        try:
            return Family(self.provider)
        except ValueError:
            message = f"the cache of {self.provider!r} cannot be simulated"
            raise UsageError(message, hint=did_you_mean(self.provider, [one.value for one in Family])) from None


DEFAULTS = CacheOptions()
