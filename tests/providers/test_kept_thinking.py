"""How many turns of thinking each model keeps by itself."""

import pytest

from cgcli.providers.kept_thinking import kept_turns


@pytest.mark.parametrize(
    ("model", "n"),
    [
        ("claude-opus-4-1-20250805", 1),
        ("claude-opus-4-20250514", 1),
        ("claude-sonnet-4-5-20250929", 1),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", 1),
        ("claude-3-7-sonnet-20250219", 1),
        ("claude-haiku-4-5", 1),
        ("claude-3-haiku-20240307", 1),
        ("claude-opus-4-5", None),
        ("claude-opus-5-5", None),
        ("claude-sonnet-4-6", None),
        ("claude-sonnet-5", None),
        ("claude-haiku-5-5", None),
        ("claude-fable-5", None),
        ("some-other-model", None),
        (None, None),
    ],
)
def test_default_is_that_of_the_model(model: str | None, n: int | None) -> None:
    """The last turn for Opus before 4.5, Sonnet before 4.6 and Haiku up to 4.5; all for later ones and the unknown."""
    assert kept_turns(model) == n
