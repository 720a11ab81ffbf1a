"""Which models bind signed thinking to everything that stands before it."""

from __future__ import annotations

from cgcli.providers.claude_names import short_name

READ_ON = "2026-11-30"
"""When the sources below were read."""

SOURCE = "Claude docs, preserved thinking; Anthropic Python SDK 2.14.0 (`input_transformations`)"

BINDING_MODELS = frozenset({"fable-5-1", "opus-5-5", "sonnet-5-5"})
"""Claude docs: the block is checked against system, tools and messages before it.

Enforced with 400 for accounts made on or after 2026-08-31; others ask for it. Allowed: to append, to move
`cache_control`, to change other parameters, to drop thinking from the start, from the end or everywhere, and what the
server itself compacts or clears.
"""
DROPS_INSTEAD = "drop_block"
"""`thinking.block_binding.prefix_mismatch_behavior`: the block is dropped, and no error is answered."""


def binds(model: str | None) -> bool:
    """True where *model* is known to bind thinking to its prefix."""
    return short_name(model) in BINDING_MODELS
