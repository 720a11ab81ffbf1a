"""How the prompt caches work that take no breakpoints: from which size on, in which steps, and how long.

What a source does not publish is an assumption, and says so.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.providers.cache_rules import Family
from cgcli.providers.openai_names import gpt_version

if TYPE_CHECKING:
    from collections.abc import Mapping

READ_ON = "2026-11-30"
"""When the sources below were read."""

OPENAI_MINIMUM_TOKENS = 1024
OPENAI_STEP_TOKENS = 128
"""OpenAI guide: cached tokens are told in steps of 128, from 1,024 on."""
_GPT_5_5 = (5, 5)
_GPT_5_5_STEP_TOKENS = 2048
"""OpenAI guide: GPT-5.5 writes every 2,048 tokens."""
OPENAI_RETENTIONS_S: Mapping[str, int] = MappingProxyType(
    {
        # OpenAI guide: 5 to 10 minutes without use, never more than an hour after the last one. The upper end.
        "in_memory": 600,
        # The same: up to 24 hours.
        "24h": 86_400,
    }
)
"""Seconds after the last use, by `prompt_cache_retention`."""
OPENAI_DEFAULT_RETENTION = "in_memory"
"""SDK 3.57.0: the organisation decides; `24h` without zero data retention, since 2026-05-29. The shorter one."""

GEMINI_LIFE_S = 86_400
"""Google Cloud docs: at most 24 hours after it was made, most are dropped earlier. Taken from the last use."""
_GEMINI_3 = re.compile(r"gemini-[3-9]")
_GEMINI_MINIMUMS = (2048, 4096)
"""Gemini API docs, read 2026-10-13: 2.5 Flash and Pro; 3.x and 4. Earlier editions said 1,024 for Flash."""

DEEPSEEK_MINIMUM_TOKENS = 64
"""An earlier edition of DeepSeek's guide: nothing shorter is stored. Today's does not say."""
DEEPSEEK_LIFE_S = 86_400
"""DeepSeek's guide: a few hours to a few days after the last use. A day is an assumption."""
DEEPSEEK_INTERVAL_TOKENS = 8192
"""DeepSeek's guide: long texts are stored at fixed intervals, which it does not name. An assumption."""

VLLM_BLOCK_TOKENS = 16
"""vLLM: `DEFAULT_BLOCK_SIZE`."""
SGLANG_PAGE_TOKENS = 1
"""SGLang: `--page-size`."""

HISTORY_ELSEWHERE: Mapping[Family, tuple[str, ...]] = MappingProxyType(
    {
        Family.OPENAI: ("previous_response_id", "conversation"),
        Family.OPENAI_EARLIER: ("previous_response_id", "conversation"),
        Family.GEMINI: ("cachedContent", "cached_content", "previous_interaction_id"),
    }
)
"""Members of a body that stand for messages which the provider has and the file has not."""
PROMPT_SETTINGS: Mapping[Family, tuple[str, ...]] = MappingProxyType(
    {
        # vLLM docs: the salt is part of the first block's hash; the template writes the prompt.
        Family.VLLM: ("cache_salt", "chat_template", "chat_template_kwargs", "reasoning_effort", "documents"),
        Family.SGLANG: ("extra_key", "cache_salt", "chat_template_kwargs", "reasoning_effort"),
    }
)
"""Members of a body that make another prompt of the same messages, beside model and tools."""
PROMPT_LOGPROBS = "prompt_logprobs"
"""vLLM: a request that asks for these reads nothing: all of its prompt is computed anew."""


def openai_step_tokens(model: str | None) -> int:
    """In which steps the beginning of a request for *model* can be read."""
    return _GPT_5_5_STEP_TOKENS if gpt_version(model) == _GPT_5_5 else OPENAI_STEP_TOKENS


def openai_retention(model: str | None, asked: object, default: str) -> str:
    """How long *model* keeps a prefix, where the body has *asked* for that; else *default*.

    SDK 3.57.0: GPT-5.5 has `24h` alone.
    """
    if gpt_version(model) == _GPT_5_5:
        return "24h"
    return asked if isinstance(asked, str) and asked in OPENAI_RETENTIONS_S else default


def gemini_minimum_tokens(model: str | None) -> int:
    """The smallest prefix of *model* that is cached; the larger one for a model that is no Gemini."""
    name = (model or "").lower()
    is_earlier = "gemini-" in name and _GEMINI_3.search(name) is None
    return _GEMINI_MINIMUMS[0] if is_earlier else _GEMINI_MINIMUMS[1]
