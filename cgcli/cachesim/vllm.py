"""vLLM: full blocks of tokens under chained hashes; the least recently used one is dropped where there is no room.

Left out: the room that answers and blocks that are not full take, requests that are preempted, multimodal hashes and
LoRA adapters beside the model's name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim.rule import PrefixRule, seed_of
from cgcli.cachesim.settings_told import told
from cgcli.dialects.settings import settings
from cgcli.providers.cache_rules import Family
from cgcli.providers.prefix_caches import PROMPT_LOGPROBS, PROMPT_SETTINGS

if TYPE_CHECKING:
    from cgcli.cachesim.options import CacheOptions
    from cgcli.model import Request


def rule(request: Request, options: CacheOptions) -> PrefixRule:
    """What is read of *request*: `floor((n - 1) / block) * block` tokens of n at most."""
    return PrefixRule(
        seed=seed_of(request, told(request, PROMPT_SETTINGS[Family.VLLM])),
        step_tokens=options.vllm_block_tokens,
        room_units=options.vllm_capacity_blocks,
        computes_last=True,
        reads_nothing=settings(request).get(PROMPT_LOGPROBS) is not None,
    )
