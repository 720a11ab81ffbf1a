"""What a provider can find a prefix under."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from cgcli.model import changed
from cgcli.prefix.keys import full_key, key_at, keys
from tests.dialects.rows import request

BODY: dict[str, Any] = {
    "model": "claude-x",
    "tools": [{"name": "B", "input_schema": {}}, {"name": "C", "input_schema": {}}],
    "system": [{"type": "text", "text": "You are"}],
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"role": "assistant", "content": "c"},
    ],
}
N_KEYS = 2 + 1 + 3


def _kept(other: dict[str, Any]) -> int:
    """How many leading keys *other* has in common with BODY."""
    mine, theirs = keys(request(BODY)), keys(request(other))
    equal = [one == two for one, two in zip(mine, theirs, strict=False)]
    assert equal == sorted(equal, reverse=True), "a key behind a difference is equal again"
    return sum(equal)


def test_there_is_one_key_a_block_in_cache_order() -> None:
    """Tools, system, then each block of each message; all of them different."""
    found = keys(request(BODY))
    assert len(found) == len(set(found)) == N_KEYS
    assert all(len(key) == 32 for key in found)


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({}, N_KEYS),
        ({"max_tokens": 5, "temperature": 1.0, "stream": True}, N_KEYS),
        ({"system": "You are"}, N_KEYS),
        ({"model": "claude-y"}, 0),
        ({"tools": [BODY["tools"][1], BODY["tools"][0]]}, 0),
        ({"tools": BODY["tools"][:1]}, 1),
        ({"tools": []}, 0),
        ({"system": [{"type": "text", "text": "You were"}]}, 2),
        ({"system": []}, 2),
        ({"speed": "fast"}, 2),
        ({"tool_choice": {"type": "any"}}, 3),
        ({"thinking": {"type": "enabled", "budget_tokens": 2000}}, 3),
        ({"messages": [BODY["messages"][0], {"role": "assistant", "content": "d"}]}, 5),
        ({"messages": BODY["messages"][:1]}, 5),
        ({"messages": [{"role": "user", "content": "a"}, BODY["messages"][1]]}, 4),
        ({"messages": [{"role": "user", "content": "ab"}]}, 3),
    ],
)
def test_keys_are_equal_up_to_what_changed(change: dict[str, Any], kept: int) -> None:
    """A change costs the blocks behind it; a parameter, those of the sections that it breaks."""
    assert _kept({**BODY, **change}) == kept


def test_keys_do_not_see_where_a_mark_stands() -> None:
    """A mark on every block changes none."""
    marked = json.loads(json.dumps(BODY))
    for block in (*marked["tools"], *marked["system"], *marked["messages"][0]["content"]):
        block["cache_control"] = {"type": "ephemeral"}
    assert _kept(marked) == N_KEYS


def test_a_longer_request_has_the_keys_of_the_shorter() -> None:
    """They are a prefix of its own."""
    longer = {**BODY, "messages": [*BODY["messages"], {"role": "user", "content": "d"}]}
    assert keys(request(longer))[:N_KEYS] == keys(request(BODY))


def test_a_section_that_is_not_recorded_is_not_an_empty_one() -> None:
    """The keys behind it are others."""
    plain = request({key: value for key, value in BODY.items() if key not in ("tools", "system")})
    unknown = changed(plain, tools=None)
    assert len(keys(plain)) == len(keys(unknown)) == 3
    assert not set(keys(plain)) & set(keys(unknown))


def test_the_full_key_is_that_of_a_longer_request_cut_there() -> None:
    """What a fork is compared by: its own bytes without the last message."""
    turns = [{**BODY, "messages": [{"role": "user", "content": str(i)} for i in range(n)]} for n in range(1, 5)]
    requests = [request(turn) for turn in turns]
    for earlier, later in pairwise(requests):
        n = len(earlier.messages)
        assert key_at(later, n) == full_key(earlier)
        assert key_at(later, n - 1) != full_key(earlier)
        assert full_key(later) != full_key(earlier)
    assert key_at(requests[0], 0) == key_at(requests[3], 0)


@pytest.mark.parametrize(
    "change", [{"model": "m"}, {"tools": []}, {"system": []}, {"speed": "fast"}, {"tool_choice": {"type": "any"}}]
)
def test_the_full_key_sees_everything_before_the_messages(change: dict[str, Any]) -> None:
    """Model, tools, system and every parameter of the table, of whatever section."""
    assert full_key(request({**BODY, **change})) != full_key(request(BODY))


def test_a_key_beyond_the_messages_is_an_error() -> None:
    """There is none at a message that is not there."""
    for n in (-1, 3):
        with pytest.raises(IndexError):
            key_at(request(BODY), n)
