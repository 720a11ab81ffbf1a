"""What a simulator keeps of a request: its messages, never its bytes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from cgcli.model import Refusal
from tests.cachesim.caching import SOL, Json, lane, request, simulator
from tests.cachesim.prefixes import chat, said
from tests.letting_go import no_collector, watched

if TYPE_CHECKING:
    from collections.abc import Callable


def _marked(n: int) -> Json:
    return lane(n, {n: "5m"})


def _chat(model: str, n: int) -> Json:
    return chat(model, *(said("assistant" if i % 2 else "user", 400, f"m{i}") for i in range(n)))


CHATS = [partial(_chat, model) for model in (SOL, "gpt-4.1", "gemini-2.5-pro", "deepseek-chat")]


@pytest.mark.parametrize("made", [_marked, *CHATS])
def test_a_request_is_let_go_once_the_next_one_is_sent(made: Callable[[int], Json]) -> None:
    """Nothing of it is in a cycle: requests are large, and there is one a turn."""
    of = simulator()
    beside = of.beside()
    bodies = []
    with no_collector():
        for n in range(10, 14):
            sent, body = watched(request(made(n)))
            bodies.append(body)
            for one in (of, beside):
                assert not isinstance(one.send(sent, number=n, sent_s=float(n)), Refusal)
            del sent
            assert [ref() for ref in bodies[:-1]] == [None] * (n - 10)
