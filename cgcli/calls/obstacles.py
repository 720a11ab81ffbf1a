"""Settings of a request under which it cannot be answered with a summary, or does not have its whole history."""

from __future__ import annotations

from typing import Any

from cgcli.providers.compaction_support import FORCED_CHOICES

READ_ON = "2026-11-30"
"""When the sources below were read."""

SOURCE = "Claude docs, tool use and structured outputs; OpenAI Python SDK 3.57.0, request parameters"

_FREE_CHOICES = frozenset({"auto", "none"})
"""OpenAI: the words of `tool_choice` that leave it to the model, or forbid calls."""
_HISTORY_ELSEWHERE = ("previous_response_id", "conversation")
"""OpenAI Responses: the provider has the history, and the request what is new."""


def forced_choice(dialect: str, outside: dict[str, Any]) -> str | None:
    """Which setting forces a tool call; None where none does."""
    choice = outside.get("tool_choice")
    if dialect == "anthropic":
        kind = choice.get("type") if isinstance(choice, dict) else None
        return f"tool_choice {kind}" if kind in FORCED_CHOICES else None
    if isinstance(outside.get("function_call"), dict):
        return "function_call"
    if isinstance(choice, dict):
        return None if _allows(choice) else f"tool_choice {choice.get('type')}"
    return None if choice is None or choice in _FREE_CHOICES else f"tool_choice {choice}"


def _allows(choice: dict[str, Any]) -> bool:
    """True for a list of tools that may be called and need not be."""
    allowed = choice.get("allowed_tools", choice)
    mode = allowed.get("mode") if isinstance(allowed, dict) else None
    return choice.get("type") == "allowed_tools" and mode in _FREE_CHOICES


def structured_output(dialect: str, outside: dict[str, Any]) -> str | None:
    """Which setting asks for output in a schema; None where none does."""
    if dialect == "anthropic":
        config = outside.get("output_config")
        if isinstance(config, dict) and config.get("format") is not None:
            return "output_config.format"
        return "output_format" if outside.get("output_format") is not None else None
    holder = outside if dialect == "openai-chat" else outside.get("text")
    name = "response_format" if dialect == "openai-chat" else "format"
    wanted = holder.get(name) if isinstance(holder, dict) else None
    if not isinstance(wanted, dict) or wanted.get("type") == "text":
        return None
    return name if dialect == "openai-chat" else "text.format"


def history_elsewhere(outside: dict[str, Any]) -> str | None:
    """Which setting names a history that the request does not have; None where it has all."""
    return next((name for name in _HISTORY_ELSEWHERE if outside.get(name) is not None), None)
