"""Which version a GPT model is."""

from __future__ import annotations

import pytest

from cgcli.providers.openai_names import gpt_version


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gpt-6", (6, 0)),
        ("gpt-6-sol", (6, 0)),
        ("gpt-6-2026-10-01", (6, 0)),
        ("openai/gpt-6.1-terra", (6, 1)),
        ("gpt-5.6-sol", (5, 6)),
        ("GPT-5.6", (5, 6)),
        ("openrouter/openai/gpt-5.10-codex", (5, 10)),
        ("databricks-gpt-5-6", (5, 6)),
        ("ft:gpt-5.6-mini:org::id", (5, 6)),
        ("gpt-5.5", (5, 5)),
        ("gpt-5.5-pro", (5, 5)),
        ("gpt-5", (5, 0)),
        ("gpt-5-mini", (5, 0)),
        ("gpt-5-2025-08-07", (5, 0)),
        ("gpt-4.1", (4, 1)),
        ("gpt-4o", (4, 0)),
        ("chatgpt-4o-latest", (4, 0)),
        ("gpt-4-32k", (4, 0)),
        ("gpt-4-1106-preview", (4, 0)),
        ("azure/gpt-35-turbo", (3, 5)),
        ("gpt-3.5-turbo", (3, 5)),
        ("gpt-oss-120b", None),
        ("gpt-image-1", None),
        ("my-own-gpt-6", None),
        ("o3", None),
        ("claude-opus-5", None),
        ("", None),
        (None, None),
    ],
)
def test_versions(model: str | None, expected: tuple[int, int] | None) -> None:
    """Platforms before the name, dates and sizes behind it; Azure leaves out the point of 3.5."""
    assert gpt_version(model) == expected
