"""The addresses that calls go to, below the provider's."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

PATHS: Mapping[str, str] = MappingProxyType(
    {"anthropic": "/v1/messages", "openai-chat": "/v1/chat/completions", "openai-responses": "/v1/responses"}
)
"""By dialect."""
COMPACT_PATH = "/v1/responses/compact"
"""OpenAI guide, compaction: the call that only compacts."""
