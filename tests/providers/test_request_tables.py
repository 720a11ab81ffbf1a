"""The tables of what providers refuse, cache and compact."""

from __future__ import annotations

import re

import pytest

from cgcli.providers import breakpoints, compaction_support, request_rules, thinking
from cgcli.providers.claude_names import short_name


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("claude-opus-4-20250514", "opus-4"),
        ("claude-opus-4-1-20250805", "opus-4-1"),
        ("claude-4-opus", "opus-4"),
        ("claude-3-7-sonnet-latest", "sonnet-3-7"),
        ("claude-3-5-haiku-20241022", "haiku-3-5"),
        ("claude-3-opus-20240229", "opus-3"),
        ("claude-3.7-sonnet", "sonnet-3-7"),
        ("claude-fable-5-1", "fable-5-1"),
        ("claude-mythos-preview", "mythos-preview"),
        ("Claude-Sonnet-4-6[1m]", "sonnet-4-6"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "sonnet-4-5"),
        ("openrouter/anthropic/claude-sonnet-4.5", "sonnet-4-5"),
        ("vertex_ai/claude-sonnet-4-5@20250929", "sonnet-4-5"),
        ("databricks-claude-3-7-sonnet", "sonnet-3-7"),
        ("claude-sonnet", None),
        ("claude-2.1", None),
        ("gpt-5", None),
        (None, None),
    ],
)
def test_short_names(model: str | None, expected: str | None) -> None:
    """Dates, platforms and both orders of family and version give one name; no version gives none."""
    assert short_name(model) == expected


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("claude-fable-5-1", 512),
        ("claude-sonnet-4-5-20250929", 1024),
        ("claude-opus-4-7", 2048),
        ("claude-3-5-haiku-20241022", 2048),
        ("claude-opus-4-5-20251101", 4096),
        ("claude-haiku-4-5-20251001", 4096),
        ("claude-opus-9", None),
        ("gpt-5", None),
    ],
)
def test_minimum_tokens(model: str, tokens: int | None) -> None:
    """The smallest cached prefix is the model's own; a model that is not in the table has none."""
    assert breakpoints.minimum_tokens(model) == tokens


def test_only_three_models_bind_thinking() -> None:
    """fable-5-1, opus-5-5 and sonnet-5-5, under any platform's name."""
    names = ("claude-fable-5-1", "anthropic/claude-opus-5.5", "claude-sonnet-5-5-20261001")
    assert [thinking.binds(name) for name in names] == [True] * 3
    assert [thinking.binds(name) for name in ("claude-opus-5", "claude-sonnet-5", "gpt-5", None)] == [False] * 4


def test_who_takes_a_system_message_in_the_list() -> None:
    """True, False, and None for a model that no list has."""
    models = ("claude-opus-4-8", "claude-sonnet-5", "claude-haiku-4-5", "claude-opus-9", None)
    assert [request_rules.takes_system_in_list(model) for model in models] == [True, False, False, None, None]


def test_who_has_compaction() -> None:
    """True, False, and None for a model that no list has."""
    models = ("claude-opus-4-6", "claude-haiku-5-5", "claude-sonnet-4-5", "claude-opus-4-5", "claude-opus-9", None)
    assert [compaction_support.has_compaction(model) for model in models] == [True, True, False, False, None, None]


def test_known_lists_do_not_contradict_themselves() -> None:
    """No model both takes and refuses, or both has compaction and has none."""
    assert not request_rules.TAKES_SYSTEM_IN_LIST & request_rules.REFUSES_SYSTEM_IN_LIST
    assert not compaction_support.MODELS & compaction_support.UNSUPPORTED


@pytest.mark.parametrize("table", [breakpoints, thinking, compaction_support, request_rules])
def test_every_table_says_when_its_sources_were_read(table: object) -> None:
    """A date, as year, month and day."""
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", vars(table)["READ_ON"])
