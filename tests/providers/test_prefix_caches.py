"""The numbers of the caches without breakpoints."""

from __future__ import annotations

from datetime import date

import pytest

from cgcli.providers import prefix_caches
from cgcli.providers.cache_rules import Family
from cgcli.providers.prefix_caches import gemini_minimum_tokens, openai_retention, openai_step_tokens


def test_the_rules_are_those_of_the_sources() -> None:
    """Each number once more."""
    assert (prefix_caches.OPENAI_MINIMUM_TOKENS, prefix_caches.OPENAI_STEP_TOKENS) == (1024, 128)
    assert dict(prefix_caches.OPENAI_RETENTIONS_S) == {"in_memory": 600, "24h": 86_400}
    assert (prefix_caches.GEMINI_LIFE_S, prefix_caches.DEEPSEEK_LIFE_S) == (86_400, 86_400)
    assert (prefix_caches.DEEPSEEK_MINIMUM_TOKENS, prefix_caches.DEEPSEEK_INTERVAL_TOKENS) == (64, 8192)
    assert (prefix_caches.VLLM_BLOCK_TOKENS, prefix_caches.SGLANG_PAGE_TOKENS) == (16, 1)
    assert prefix_caches.PROMPT_SETTINGS.keys() == {Family.VLLM, Family.SGLANG}
    assert date.fromisoformat(prefix_caches.READ_ON) >= date(2026, 1, 1)


@pytest.mark.parametrize(
    ("model", "step"), [("gpt-5.5", 2048), ("gpt-5.5-pro", 2048), ("gpt-5.4", 128), ("gpt-4.1", 128), (None, 128)]
)
def test_steps_of_openai(model: str | None, step: int) -> None:
    """GPT-5.5 writes every 2,048 tokens."""
    assert openai_step_tokens(model) == step


@pytest.mark.parametrize(
    ("model", "asked", "expected"),
    [
        ("gpt-5.5", None, "24h"),
        ("gpt-5.5", "in_memory", "24h"),
        ("gpt-5.4", None, "in_memory"),
        ("gpt-5.4", "24h", "24h"),
        ("gpt-4.1", "for ever", "in_memory"),
    ],
)
def test_retention_of_openai(model: str, asked: str | None, expected: str) -> None:
    """What the body asks for, where the model has it and it exists."""
    assert openai_retention(model, asked, "in_memory") == expected


@pytest.mark.parametrize(
    ("model", "least"),
    [("gemini-2.5-pro", 2048), ("gemini-3.1-pro-preview", 4096), ("gemini-4-argon", 4096), ("m", 4096), (None, 4096)],
)
def test_minimums_of_gemini(model: str | None, least: int) -> None:
    """By generation."""
    assert gemini_minimum_tokens(model) == least
