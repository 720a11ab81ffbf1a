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
        ("anthropic", "us.anthropic.claude-opus-4-5-20251101-v1:0", Family.ANTHROPIC),
        ("anthropic", None, Family.ANTHROPIC),
        ("anthropic", "kimi-k3", None),
        ("openai-chat", "anthropic/claude-sonnet-4.5", None),
        ("openai-chat", "gpt-5.6-sol", Family.OPENAI),
        ("openai-responses", "openai/gpt-6.1-terra", Family.OPENAI),
        ("openai-responses", "gpt-5.5", None),
        ("openai-chat", "gpt-4.1", None),
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
        "openai-5.6": {"30m": 1800, "12h": 43200},
    }
    assert dict(OPENAI_MODES) == {"implicit": 3, "explicit": 4}
    assert (OPENAI_DEFAULT_MODE, OPENAI_DEFAULT_TTL, OPENAI_MINIMUM_TOKENS) == ("implicit", "30m", 1024)
    assert (OPENAI_LOOKUP.first, OPENAI_LOOKUP.latest, OPENAI_EARLIER_ENDINGS) == (2, 50, 20)
    assert (OPENAI_LOOKUP_SDK.first, OPENAI_LOOKUP_SDK.latest) == (0, 80)
    assert date.fromisoformat(READ_ON) >= date(2026, 1, 1)
    assert SOURCES.keys() == TTL_S.keys() == set(Family)


@pytest.mark.parametrize(
    ("limits", "name"), [(breakpoints.ANTHROPIC, Family.ANTHROPIC), (breakpoints.OPENAI, Family.OPENAI)]
)
def test_the_lifetimes_are_those_that_may_be_asked_for(limits: breakpoints.Limits, name: Family) -> None:
    """Both tables have the same ones."""
    assert set(limits.ttls) == set(TTL_S[name])
