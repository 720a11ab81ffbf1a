"""Which cache a model meets, and its rules."""

from __future__ import annotations

from datetime import date

import pytest

from cgcli.providers import breakpoints
from cgcli.providers.cache_rules import (
    OPENAI_DEFAULT_MODE,
    OPENAI_DEFAULT_TTL,
    OPENAI_EARLIER_ENDINGS,
    OPENAI_LOOKUP,
    OPENAI_LOOKUP_SDK,
    OPENAI_MINIMUM_TOKENS,
    OPENAI_MODES,
    READ_ON,
    SOURCES,
    TTL_S,
    Family,
    family,
)


@pytest.mark.parametrize(
    ("dialect", "model", "expected"),
    [
        ("anthropic", "claude-sonnet-4-5-20250929", Family.ANTHROPIC),
        ("anthropic", "anthropic/claude-opus-4.5", Family.ANTHROPIC),
        ("anthropic", "openrouter/anthropic/claude-opus-4.5", Family.ANTHROPIC),
        ("anthropic", "vertex_ai/claude-opus-4-5@20251101", Family.ANTHROPIC),
        ("anthropic", "us.anthropic.claude-opus-4-5-20251101-v1:0", Family.BEDROCK),
        ("anthropic", "anthropic.claude-3-7-sonnet-20250219-v1:0", Family.BEDROCK),
        ("anthropic", "bedrock/claude-opus-5", Family.BEDROCK),
        ("anthropic", None, Family.ANTHROPIC),
        ("anthropic", "kimi-k3", None),
        ("openai-chat", "anthropic/claude-sonnet-4.5", None),
        ("openai-chat", "gpt-5.6-sol", Family.OPENAI),
        ("openai-responses", "openai/gpt-6.1-terra", Family.OPENAI),
        ("openai-responses", "gpt-5.5", Family.OPENAI_EARLIER),
        ("openai-responses", "gpt-5-codex", Family.OPENAI_EARLIER),
        ("openai-chat", "openai/gpt-4.1-mini-2025-04-14", Family.OPENAI_EARLIER),
        ("openai-chat", "gpt-4o-2024-08-06", Family.OPENAI_EARLIER),
        ("openai-chat", "chatgpt-4o-latest", Family.OPENAI_EARLIER),
        ("openai-chat", "o4-mini", Family.OPENAI_EARLIER),
        ("openai-chat", "gpt-4-turbo", None),
        ("openai-chat", "gpt-3.5-turbo", None),
        ("openai-chat", "gpt-oss-120b", None),
        ("openai-chat", "gemini-2.5-pro", Family.GEMINI),
        ("openai-chat", "google/gemini-3.8-flash", Family.GEMINI),
        ("openai-chat", "gemini-4-argon", Family.GEMINI),
        ("openai-chat", "gemini-2.0-flash", None),
        ("openai-chat", "deepseek-v4-pro", Family.DEEPSEEK),
        ("openai-chat", "openrouter/deepseek/deepseek-v4-flash", Family.DEEPSEEK),
        ("openai-chat", "fireworks_ai/accounts/fireworks/models/deepseek-v4-pro", None),
        ("anthropic", "deepseek-v4-pro", None),
        ("openai-chat", "grok-4.7", None),
        ("openai-chat", "qwen3-coder", None),
        ("openai-chat", None, None),
    ],
)
def test_families(dialect: str, model: str | None, expected: Family | None) -> None:
    """By shape and name; what a gateway makes of a request is not guessed."""
    assert family(dialect, model) is expected


def test_the_rules_are_those_of_the_sources() -> None:
    """Each number once more."""
    assert {name: dict(ttls) for name, ttls in TTL_S.items()} == {
        "anthropic": {"5m": 300, "1h": 3600},
        "bedrock": {"5m": 300, "1h": 3600},
        "openai": {"30m": 1800, "12h": 43200},
    }
    assert dict(OPENAI_MODES) == {"implicit": 3, "explicit": 4}
    assert (OPENAI_DEFAULT_MODE, OPENAI_DEFAULT_TTL, OPENAI_MINIMUM_TOKENS) == ("implicit", "30m", 1024)
    assert (OPENAI_LOOKUP.first, OPENAI_LOOKUP.latest, OPENAI_EARLIER_ENDINGS) == (2, 50, 20)
    assert (OPENAI_LOOKUP_SDK.first, OPENAI_LOOKUP_SDK.latest) == (0, 80)
    assert date.fromisoformat(READ_ON) >= date(2026, 1, 1)
    assert SOURCES.keys() == set(Family)
    assert all(SOURCES.values())


@pytest.mark.parametrize(
    ("limits", "name"), [(breakpoints.ANTHROPIC, Family.ANTHROPIC), (breakpoints.OPENAI, Family.OPENAI)]
)
def test_the_lifetimes_are_those_that_may_be_asked_for(limits: breakpoints.Limits, name: Family) -> None:
    """Both tables have the same ones."""
    assert set(limits.ttls) == set(TTL_S[name])
