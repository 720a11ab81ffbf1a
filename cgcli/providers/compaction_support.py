"""Compaction by the provider itself: which models have it, and what it is refused with."""

from __future__ import annotations

from cgcli.providers.claude_names import short_name

READ_ON = "2026-11-30"
"""When the sources below were read."""

SOURCE = "Claude docs, compaction and compaction on demand; OpenAI guide, compaction; the providers' Python SDKs"

MODELS = frozenset(
    {
        # Claude docs, compaction, supported models.
        "fable-5-1",
        "mythos-5-1",
        "fable-5",
        "mythos-5",
        "mythos-preview",
        "opus-5-5",
        "opus-5",
        "opus-4-8",
        "opus-4-7",
        "opus-4-6",
        "sonnet-5",
        "sonnet-4-6",
        # litellm 1.110.2, supports_anthropic_compaction.
        "sonnet-5-5",
        "haiku-5-5",
    }
)
UNSUPPORTED = frozenset({"haiku-4-5", "opus-4-5", "sonnet-4-5", "opus-4-1", "opus-4", "sonnet-4", "sonnet-3-7"})
"""Claude docs: known models that have neither kind."""
BEDROCK_PREFIX = "anthropic.claude"
"""In the names that Bedrock gives to models. Claude docs: it has no compaction on demand."""

THRESHOLD_EDIT = "compact_20260112"
"""The type in `context_management.edits` that asks for compaction at a threshold."""
LEAST_TRIGGER_TOKENS = 50_000
"""Claude docs: a lower trigger is refused."""
MOST_INSTRUCTIONS_CHARS = 16_384
"""Claude docs, on demand: longer instructions are refused."""
FORCED_CHOICES = frozenset({"any", "tool"})
"""Claude docs, on demand: a `tool_choice` that forces a call is refused."""
ITEM = "compaction"
"""The type of the block (Anthropic) or input item (OpenAI) that stands for what was compacted."""
TRIGGER_ITEM = "compaction_trigger"
"""OpenAI guide: the input item that asks for compaction; it must be the last one."""


def has_compaction(model: str | None) -> bool | None:
    """Whether *model* has compaction of its own; None for a model that no table has."""
    name = short_name(model)
    if name in MODELS:
        return True
    return False if name in UNSUPPORTED else None
