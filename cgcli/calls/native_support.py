"""Which model and which platform has which kind of compaction by the provider."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.calls.call import CallMode
from cgcli.calls.why import Why, refuse
from cgcli.providers.compaction_support import BEDROCK_PREFIX, has_compaction
from cgcli.providers.models import lookup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.calls.call import CallOptions
    from cgcli.model import Refusal, Request

READ_ON = "2026-11-30"
"""When the sources below were read."""

SOURCE = (
    "Claude docs, compaction and compaction on demand, supported platforms; OpenAI guide, compaction; OpenRouter docs, "
    "compaction (Azure)"
)

PLATFORMS: Mapping[str, Mapping[CallMode, frozenset[str]]] = MappingProxyType(
    {
        "anthropic": {
            CallMode.NATIVE_ON_DEMAND: frozenset({"anthropic", "aws", "vertex", "foundry"}),
            CallMode.NATIVE_THRESHOLD: frozenset({"anthropic", "aws", "bedrock", "vertex", "foundry"}),
        },
        "openai-responses": {
            CallMode.NATIVE_ON_DEMAND: frozenset({"openai"}),
            CallMode.NATIVE_THRESHOLD: frozenset({"openai", "azure"}),
            CallMode.NATIVE_ENDPOINT: frozenset({"openai"}),
        },
    }
)
"""The kinds that requests of a dialect have, in the order in which `native` looks for one, with their platforms."""
OPENAI_FAMILIES = frozenset({"gpt-5", "gpt-6"})
"""OpenAI guide, compaction: its examples; it has no list of models."""
OPENAI_WITHOUT = frozenset({"gpt-oss", "gpt-4"})
"""Models that have no Responses API of OpenAI's, or none with reasoning to carry on."""


def unsupported(mode: CallMode, request: Request, options: CallOptions) -> Refusal | None:
    """Why the model or the platform of *request* does not have that kind of compaction.

    A model that no table has is refused as well: a request that fails costs a turn, and nobody would see why.
    """
    kinds = PLATFORMS.get(request.dialect, {})
    if mode not in kinds:
        return refuse(Why.UNSUPPORTED_DIALECT, f"{request.dialect} has no {mode.value}")
    has = _openai_has(request.model) if request.dialect == "openai-responses" else has_compaction(request.model)
    if has is False:
        return refuse(Why.MODEL_UNSUPPORTED, request.model)
    if has is None:
        return refuse(Why.MODEL_UNKNOWN, request.model or "it is not recorded")
    platform = options.platform or ("bedrock" if BEDROCK_PREFIX in (request.model or "") else None)
    if platform is not None and platform not in kinds[mode]:
        return refuse(Why.PLATFORM_UNSUPPORTED, f"{platform} has no {mode.value}")
    return None


def _openai_has(model: str | None) -> bool | None:
    family = lookup(model).family
    if family in OPENAI_FAMILIES:
        return True
    return False if family in OPENAI_WITHOUT else None
