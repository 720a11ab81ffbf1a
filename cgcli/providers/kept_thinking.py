"""How many turns of thinking a model keeps where nobody says so (`clear_thinking_20251015`)."""

from __future__ import annotations

from cgcli.providers.claude_names import short_name

READ_ON = "2026-11-30"
"""When the source below was read."""

SOURCE = "Claude docs, context editing, `clear_thinking_20251015`: the default of `keep`"

KEEPS_LAST_ONLY = frozenset(
    {
        "opus-3",
        "opus-4",
        "opus-4-0",
        "opus-4-1",
        "sonnet-3",
        "sonnet-3-5",
        "sonnet-3-7",
        "sonnet-4",
        "sonnet-4-0",
        "sonnet-4-5",
        "haiku-3",
        "haiku-3-5",
        "haiku-4-5",
    }
)
"""Opus before 4.5, Sonnet before 4.6, Haiku up to 4.5; all later models keep all thinking."""


def kept_turns(model: str | None) -> int | None:
    """How many of the newest turns with thinking *model* reads; None for all, and for a model that is not known.

    >>> kept_turns("claude-sonnet-4-5-20250929"), kept_turns("claude-opus-4-5")
    (1, None)
    """
    return 1 if short_name(model) in KEEPS_LAST_ONLY else None
