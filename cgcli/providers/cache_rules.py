"""How the prompt caches of the simulated families work: what is kept how long, and where OpenAI writes and looks.

What a breakpoint may stand on, how many there may be, how far is looked back and the minimums: `breakpoints`. Which
parameter breaks which section: `invalidation`.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.model import value
from cgcli.providers.breakpoints import OPENAI, OPENAI_IMPLICIT_WRITES
from cgcli.providers.openai_names import gpt_version

if TYPE_CHECKING:
    from collections.abc import Mapping

READ_ON = "2026-11-30"
"""When the sources below were read."""


class Family(StrEnum):
    """Models whose caches work alike."""

    ANTHROPIC = "anthropic"
    """Entries at explicit breakpoints, found by look-back."""
    OPENAI = "openai-5.6"
    """GPT-5.6 and later: one implicit entry at the end of the input, and explicit ones."""


SOURCES: Mapping[Family, str] = MappingProxyType(
    {
        Family.ANTHROPIC: "Claude docs, prompt caching",
        Family.OPENAI: "OpenAI guide, prompt caching; OpenAI Python SDK 3.57.0",
    }
)

TTL_S: Mapping[Family, Mapping[str, int]] = MappingProxyType(
    {
        # Counted from the start of the request that wrote the entry, or read it last; reading is free of charge.
        Family.ANTHROPIC: MappingProxyType({"5m": 300, "1h": 3600}),
        # The least time after the last write or reuse. The SDK has 12h for Responses; the guide knows 30m alone.
        Family.OPENAI: MappingProxyType({"30m": 1800, "12h": 43200}),
    }
)
"""Seconds by the lifetime that is asked for."""

OPENAI_SINCE = (5, 6)
"""The first GPT version of the family."""
OPENAI_DEFAULT_TTL = "30m"
OPENAI_MINIMUM_TOKENS = 1024
"""Of what the request shows; what the provider puts before it does not count."""
OPENAI_MODES: Mapping[str, int] = MappingProxyType(
    {"implicit": OPENAI.most - OPENAI_IMPLICIT_WRITES, "explicit": OPENAI.most}
)
"""`prompt_cache_options.mode`, and how many of the latest explicit breakpoints are written in it."""
OPENAI_DEFAULT_MODE = "implicit"
OPENAI_EARLIER_ENDINGS = 20
"""In the mode `implicit`: so many endings of eligible messages before the last one are looked at."""


@value
class Lookup:
    """Which explicit breakpoints of an OpenAI request are looked at."""

    first: int
    latest: int
    source: str


OPENAI_LOOKUP = Lookup(first=2, latest=50, source="OpenAI guide, prompt caching")
OPENAI_LOOKUP_SDK = Lookup(first=0, latest=80, source="OpenAI Python SDK 3.57.0, docstring of prompt_cache_breakpoint")
"""The two sources disagree; the guide's is the default."""


def family(dialect: str, model: str | None) -> Family | None:
    """Which family's cache a request of that *dialect* and *model* meets; None where it is not simulated.

    A Claude body without a model is one (Bedrock and Google Cloud have it in the address). Other models behind
    Anthropic's shape, and Claude behind OpenAI's, are not: what a gateway makes of the request is not recorded.
    """
    if dialect == "anthropic":
        return Family.ANTHROPIC if model is None or "claude" in model.lower() else None
    version = gpt_version(model)
    return Family.OPENAI if version is not None and version >= OPENAI_SINCE else None
