"""The provider's key: from the environment alone, and never shown."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

OWN_VARIABLE = "CG_LIVE_KEY"
"""Comes first, whatever the provider: for a key with a spending limit of its own."""
VARIABLES: Mapping[str, str] = MappingProxyType(
    {"anthropic": "ANTHROPIC_API_KEY", "openai-chat": "OPENAI_API_KEY", "openai-responses": "OPENAI_API_KEY"}
)
"""By dialect, as the providers' own SDKs call them."""


def key_of(dialect: str, environment: Mapping[str, str]) -> str | None:
    """The key for requests of *dialect*; None where *environment* has none, which some servers on this machine take.

    Raises:
        UsageError: what the variable holds cannot be a key.
    """
    for name in (OWN_VARIABLE, VARIABLES[dialect]):
        key = environment.get(name, "").strip()
        if not key:
            continue
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise UsageError(f"{name} holds what no key can be: white space, control or other characters")
        return key
    return None


def wanted(dialect: str) -> str:
    """What to set, for a hint.

    >>> wanted("anthropic")
    'set ANTHROPIC_API_KEY, or CG_LIVE_KEY'
    """
    return f"set {VARIABLES[dialect]}, or {OWN_VARIABLE}"
