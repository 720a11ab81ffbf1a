"""Names of models taken apart; that tables find their rows by them is tested with the tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.providers.model_names import named


@pytest.mark.parametrize(
    ("model", "names", "platform"),
    [
        ("gpt-5.6-sol", ("gpt-5.6-sol",), ()),
        ("gpt-4o-2024-05-13", ("gpt-4o-2024-05-13", "gpt-4o"), ()),
        ("claude-3-5-haiku-20241022", ("claude-haiku-3-5-20241022", "claude-haiku-3-5"), ()),
        (
            "bedrock/converse/eu.anthropic.claude-opus-5-v1:0",
            ("claude-opus-5",),
            ("bedrock", "converse", "eu", "anthropic"),
        ),
        ("databricks/databricks-claude-opus-4", ("claude-opus-4",), ("databricks", "databricks")),
        ("claude-sonnet-4-5-20250929-mini", ("claude-sonnet-4-5-20250929-mini",), ()),
        ("ft:gpt-4o:org::id", (), ()),
        ("openai/ft:gpt-4o:org::id", (), ()),
        ("", (), ()),
    ],
)
def test_a_name_is_taken_apart(model: str, names: tuple[str, ...], platform: tuple[str, ...]) -> None:
    """The most exact name first; a tuned model has none."""
    found = named(model)
    assert (found.names, found.platform) == (names, platform)


@given(st.text(alphabet="claude-sonetgp4.5/:@v[1m]\n", max_size=400))
def test_any_text_has_a_name_or_none(model: str) -> None:
    """No text is too odd, and a name is never longer than what it was taken from."""
    assert all(len(name) <= len(model) for name in named(model).names)
