"""Which provider's prompt cache a request meets, and how those caches work that hold entries at breakpoints.

What a breakpoint may stand on, how many there may be, how far is looked back and the minimums: `breakpoints`. Which
parameter breaks which section: `invalidation`. The caches without breakpoints: `prefix_caches`.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.model import value
from cgcli.providers.breakpoints import OPENAI, OPENAI_IMPLICIT_WRITES
from cgcli.providers.makers import maker
from cgcli.providers.model_names import named
from cgcli.providers.openai_names import gpt_version

if TYPE_CHECKING:
    from collections.abc import Mapping

READ_ON = "2026-11-30"
"""When the sources below were read."""


class Family(StrEnum):
    """Models whose caches work alike, by the name of their provider."""

    ANTHROPIC = "anthropic"
    """Entries at explicit breakpoints, found by look-back."""
    BEDROCK = "bedrock"
    """The same on Amazon Bedrock, with differences of its own."""
    OPENAI = "openai"
    """GPT-5.6 and later: one implicit entry at the end of the input, and explicit ones."""
    OPENAI_EARLIER = "openai-earlier"
    """GPT-4o to GPT-5.5: a shared beginning, in steps of 128 tokens."""
    GEMINI = "gemini"
    """A shared beginning."""
    DEEPSEEK = "deepseek"
    """Whole units: at the ends of requests and answers, and at beginnings that requests share."""
    VLLM = "vllm"
    """A server of one's own: full blocks of tokens, the least recently used ones dropped."""
    SGLANG = "sglang"
    """A server of one's own: a radix tree of tokens, the least recently used ends dropped."""


MARKED = frozenset({Family.ANTHROPIC, Family.BEDROCK})
"""The families that cache nothing unless a request asks for it."""

SOURCES: Mapping[Family, str] = MappingProxyType(
    {
        Family.ANTHROPIC: "Claude docs, prompt caching",
        Family.BEDROCK: "AWS docs, Amazon Bedrock, prompt caching; Claude docs, prompt caching",
        Family.OPENAI: "OpenAI guide, prompt caching; OpenAI Python SDK 3.57.0",
        Family.OPENAI_EARLIER: "OpenAI guide, prompt caching; OpenAI Python SDK 3.57.0, prompt_cache_retention",
        Family.GEMINI: "Gemini API docs, caching; Google Cloud docs, context cache overview",
        Family.DEEPSEEK: "DeepSeek API docs, guides, context caching",
        Family.VLLM: "vLLM docs, automatic prefix caching",
        Family.SGLANG: "SGLang docs, radix cache and server arguments",
    }
)

TTL_S: Mapping[Family, Mapping[str, int]] = MappingProxyType(
    {
        # Counted from the start of the request that wrote the entry, or read it last; reading is free of charge.
        Family.ANTHROPIC: MappingProxyType({"5m": 300, "1h": 3600}),
        # AWS docs: reset by every hit.
        Family.BEDROCK: MappingProxyType({"5m": 300, "1h": 3600}),
        # The least time after the last write or reuse. The SDK has 12h for Responses; the guide knows 30m alone.
        Family.OPENAI: MappingProxyType({"30m": 1800, "12h": 43200}),
    }
)
"""Seconds by the lifetime that is asked for, of the families with breakpoints."""

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

_OF_BEDROCK = re.compile(r"(?:^|/)bedrock/|(?:^|[./:])anthropic\.claude-")
"""Bedrock writes `anthropic.claude-…`, with a region before it; others `anthropic/claude-…`."""
_CACHED_GPT = re.compile(r"(?:chat)?gpt-(?:4o|4\.|5)|o\d(?:-|$)|codex-")
"""OpenAI guide: GPT-4o and later."""
_GEMINI = re.compile(r"gemini-(\d+)(?:\.(\d+))?-")
_GEMINI_SINCE = (2, 5)
"""Gemini API docs: implicit caching of 2.5 and later."""


@lru_cache(maxsize=256)
def family(dialect: str, model: str | None) -> Family | None:
    """Which family's cache a request of that *dialect* and *model* meets; None where it is not simulated.

    A Claude body without a model is one (Bedrock and Google Cloud have it in the address). Other models behind
    Anthropic's shape, and Claude behind OpenAI's, are not: what a gateway makes of the request is not recorded. What a
    server of one's own does, no name tells.
    """
    name = (model or "").lower()
    if dialect == "anthropic":
        if model is not None and "claude" not in name:
            return None
        return Family.BEDROCK if _OF_BEDROCK.search(name) else Family.ANTHROPIC
    version = gpt_version(model)
    if version is not None and version >= OPENAI_SINCE:
        return Family.OPENAI
    return _without_breakpoints(model) if model else None


def _without_breakpoints(model: str) -> Family | None:
    found = named(model)
    name = found.names[-1] if found.names else ""
    made_by = maker(model)
    if made_by == "OpenAI":
        return Family.OPENAI_EARLIER if _CACHED_GPT.match(name) else None
    if made_by == "Google":
        version = _GEMINI.match(name)
        is_cached = version is not None and (int(version[1]), int(version[2] or 0)) >= _GEMINI_SINCE
        return Family.GEMINI if is_cached else None
    is_own = found.platform[-1:] in ((), ("deepseek",))  # others serve its models too
    return Family.DEEPSEEK if made_by == "DeepSeek" and is_own else None
