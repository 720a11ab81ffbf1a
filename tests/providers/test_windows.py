"""What models take and give, by the names that requests have."""

from __future__ import annotations

import pytest

from cgcli.providers.windows import READ_ON, Window, window


@pytest.mark.parametrize(
    ("model", "context_tokens", "output_tokens"),
    [
        ("claude-fable-5-1", 1_000_000, 128_000),
        ("claude-opus-5-5", 1_000_000, 128_000),
        ("claude-opus-4-6", 1_000_000, 128_000),
        ("claude-sonnet-4-6", 1_000_000, 128_000),
        ("claude-haiku-5-5", 1_000_000, 128_000),
        ("claude-mythos-preview", 1_000_000, 128_000),
        ("claude-opus-4-5-20251101", 200_000, 64_000),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", 200_000, 64_000),
        ("vertex_ai/claude-haiku-4-5@20251001", 200_000, 64_000),
        ("claude-sonnet-4-20250514", 200_000, 64_000),
        ("claude-opus-4-1", 200_000, 32_000),
        ("claude-3-5-haiku-20241022", 200_000, 8192),
        ("gpt-6.1-terra", 922_000, 128_000),
        ("openai/gpt-5.6-sol", 922_000, 128_000),
        ("gpt-5.5", 1_050_000, 128_000),
        ("gpt-5", 272_000, 128_000),
        ("gpt-5.1-codex", 400_000, 128_000),
        ("azure/gpt-4.1-mini-2025-04-14", 1_047_576, 32_768),
        ("gpt-4o", 128_000, 16_384),
        ("gpt-4o-2024-05-13", 128_000, 4096),
        ("gemini-2.5-pro", 1_048_576, 65_535),
        ("x-ai/grok-4.7", 500_000, 500_000),
        ("deepseek-v4-flash", 1_000_000, 393_216),
    ],
)
def test_a_window_is_that_of_its_model(model: str, context_tokens: int, output_tokens: int) -> None:
    """As it was on 2026-11-30."""
    assert READ_ON == "2026-11-30"
    assert window(model) == Window(context_tokens=context_tokens, output_tokens=output_tokens)


@pytest.mark.parametrize(
    "model", ["gpt-6.2-sol", "claude-fable-5-2", "claude-opus-latest", "gpt-5.5-mini", "x", "", None]
)
def test_an_unknown_model_has_no_known_window(model: str | None) -> None:
    """A newer or a smaller model never has an older one's."""
    assert window(model) is None
