"""Who makes a model, and which body is not for it."""

from __future__ import annotations

import pytest

from cgcli.providers.makers import maker, misshaped

CLAUDE = "claude-sonnet-4-5-20250929"


@pytest.mark.parametrize(
    ("model", "who"),
    [
        (CLAUDE, "Anthropic"),
        ("us.anthropic.claude-opus-5-5-20261001-v1:0", "Anthropic"),
        ("claude-3-5-haiku-20241022", "Anthropic"),
        ("gpt-4.1", "OpenAI"),
        ("azure/gpt-5.6-sol", "OpenAI"),
        ("o3", "OpenAI"),
        ("o4-mini", "OpenAI"),
        ("gemini-3-pro", "Google"),
        ("gpt-oss-120b", None),
        ("oxford", None),
        ("my-claude-like-model", None),
        ("", None),
        (None, None),
    ],
)
def test_a_name_says_who_made_it(model: str | None, who: str | None) -> None:
    """Open models are served by many, and belong to nobody here."""
    assert maker(model) == who


@pytest.mark.parametrize(
    ("dialect", "model", "parent", "told"),
    [
        ("anthropic", "gpt-4.1", CLAUDE, True),
        ("openai-responses", CLAUDE, "gpt-5.6-sol", True),
        ("anthropic", "claude-haiku-4-5", CLAUDE, False),
        ("anthropic", "some-model", CLAUDE, False),
        ("anthropic", "gpt-4.1", "gpt-5", False),  # a proxy translates already
        ("openai-chat", CLAUDE, "gpt-4.1", False),
    ],
)
def test_a_body_of_another_makers_shape_is_told(dialect: str, model: str, parent: str, told: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """Only where both are known, and nothing says that a proxy stands between."""
    assert (misshaped(dialect, model, parent) is not None) is told


def test_it_says_whose_is_whose() -> None:
    """Model, its maker and the maker of the shape."""
    assert misshaped("anthropic", "gpt-4.1", CLAUDE) == (
        "gpt-4.1 is OpenAI's, and the body has the shape of Anthropic's requests: only a proxy may take it"
    )
