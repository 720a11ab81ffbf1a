"""Marks are found in whatever order requests come, as if each were looked through alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from cgcli.cachesim.marked_items import MarkedItems
from tests.cachesim.caching import Json, lane, message, request, text

if TYPE_CHECKING:
    from cgcli.model import Item

_LANES = [lane(40, {3: None, 40: "1h"}), lane(40, {40: None}), lane(38), {**lane(3), "messages": []}]


def _by_looking(messages: tuple[Item, ...]) -> tuple[int, ...]:
    return tuple(i for i, item in enumerate(messages) if any(part.mark is not None for part in item.parts))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40), st.integers(0, 40)), max_size=12))
def test_marks_are_those_of_each_request(asked: list[tuple[int, int, int]]) -> None:
    """Of requests that grow, shrink, take turns, and have a message of another in their middle."""
    lanes = [request(body).messages for body in _LANES]
    marked = MarkedItems()
    for i_lane, n, i_other in asked:
        items = list(lanes[i_lane][:n])
        if i_other < len(items):
            items[i_other] = lanes[0][2]
        assert marked.of(tuple(items)) == _by_looking(tuple(items))


def test_a_message_with_two_marks_is_named_once() -> None:
    """Its blocks are told apart later."""
    mark: Json = {"cache_control": {"type": "ephemeral"}}
    body = lane(1) | {"messages": [message("user", text(5, "a", **mark), text(5, "b", **mark))]}
    assert MarkedItems().of(request(body).messages) == (0,)
