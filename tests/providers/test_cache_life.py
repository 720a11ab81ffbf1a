"""How long a cached prefix lives."""

from __future__ import annotations

from datetime import date

import pytest

from cgcli.dialects import DIALECTS
from cgcli.providers.cache_life import LIFE_S, LONG_LIFE_S, MARGIN_S, READ_ON, lapses_after_s


@pytest.mark.parametrize(
    ("dialect", "asks_1h", "expected_s"),
    [
        ("anthropic", False, 360),
        ("anthropic", True, 3660),
        ("openai-chat", False, 3660),
        ("openai-chat", True, 3660),
        ("openai-responses", False, 3660),
        ("openai-responses", True, 3660),
    ],
)
def test_a_cache_lapses_a_minute_after_its_life(dialect: str, asks_1h: bool, expected_s: int) -> None:  # noqa: FBT001 - a column of the table
    """Five minutes or what a mark asks for, and an hour where the provider may keep it so long."""
    assert lapses_after_s(dialect, asks_1h=asks_1h) == expected_s


def test_every_dialect_has_a_life() -> None:
    """No dialect is left out of the table, and nothing else stands in it."""
    assert LIFE_S.keys() == {dialect.name for dialect in DIALECTS}
    assert (LIFE_S["anthropic"], LONG_LIFE_S, MARGIN_S) == (300, 3600, 60)


def test_an_unknown_dialect_is_an_error() -> None:
    """No life is made up for it."""
    with pytest.raises(KeyError):
        lapses_after_s("cohere", asks_1h=False)


def test_the_table_says_when_it_was_read() -> None:
    """A day."""
    assert date.fromisoformat(READ_ON) >= date(2026, 1, 1)
