"""How long a provider keeps a cached prefix after its last use, as far as a saved file tells."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

READ_ON = "2026-11-30"
"""When the sources below were read."""

LIFE_S: Mapping[str, int] = MappingProxyType(
    {
        # Claude docs, prompt caching: 5 minutes from the start of the last request that read or wrote it.
        "anthropic": 300,
        # OpenAI guide, prompt caching: in memory up to an hour; the longest, because taking a warm cache for a cold one
        # costs more than the other way round (context-guru measured -$708 against +$0.62).
        "openai-chat": 3600,
        "openai-responses": 3600,
    }
)
"""Seconds by dialect, where no mark asks for more."""
LONG_LIFE_S = 3600
"""Claude docs, prompt caching: `ttl: "1h"`."""
MARGIN_S = 60
"""A cache counts as lapsed only this much after its life (context-guru's margin)."""


def life_s(dialect: str, *, asks_1h: bool) -> int:
    """Seconds that a cache of *dialect* lives after its last use; *asks_1h*: a mark asked for an hour."""
    return max(LIFE_S[dialect], LONG_LIFE_S) if asks_1h else LIFE_S[dialect]


def lapses_after_s(dialect: str, *, asks_1h: bool) -> int:
    """Seconds of pause after which the cache of *dialect* counts as lapsed; *asks_1h*: a mark asked for an hour."""
    return life_s(dialect, asks_1h=asks_1h) + MARGIN_S
