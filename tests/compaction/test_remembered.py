"""What is told of a message is remembered, but not a whole record for its sake."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.remembered import remembered
from cgcli.readers.single import parse_body

if TYPE_CHECKING:
    from cgcli.model import Item


def _message(n_chars: int) -> Item:
    body = {"model": "claude-sonnet-4-5", "messages": [{"role": "user", "content": "x" * n_chars}]}
    return parse_body(json.dumps(body).encode()).messages[0]


@pytest.mark.parametrize(("n_chars", "n_asked"), [(10, 1), (3 << 20, 2)])
def test_a_long_message_is_not_kept_for_it(n_chars: int, n_asked: int) -> None:
    """A short one is asked about once, a long one each time."""
    asked: list[int] = []

    @remembered(4)
    def n_parts(item: Item, more: int) -> int:
        asked.append(more)
        return len(item.parts) + more

    message = _message(n_chars)
    assert [n_parts(message, 1), n_parts(message, 1)] == [2, 2]
    assert len(asked) == n_asked
