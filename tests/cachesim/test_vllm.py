"""vLLM's blocks of 16 tokens and its LRU, every figure written out."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cachesim.caching import Json, Sent
from tests.cachesim.prefixes import chat, headed, plain, said, sent

QWEN = "qwen3-coder"


def server(**options: Any) -> Sent:
    """A server of one's own."""
    return sent(provider="vllm", **options)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (16, (0, 16, "nothing_written")),
        (17, (16, 1, None)),
        (32, (16, 16, None)),
        (33, (32, 1, None)),
        (1000, (992, 8, None)),
    ],
)
def test_the_same_again_reads_full_blocks_but_the_last_token(size: int, expected: tuple[int, int, str | None]) -> None:
    """floor((n - 1) / 16) * 16."""
    of = server()
    of.send(chat(QWEN, said("user", size)))
    assert plain(of.send(chat(QWEN, said("user", size)))) == expected


def test_only_full_blocks_are_shared() -> None:
    """40 tokens were sent, two blocks are full; an edit behind 20 alike ones leaves one."""
    of = server()
    assert plain(of.send(chat(QWEN, said("user", 40)))) == (0, 40, "first_request")
    assert plain(of.send(chat(QWEN, said("user", 40), said("user", 40, "b")))) == (32, 48, None)
    assert plain(of.send(chat(QWEN, headed("user", 17, 40, "x")))) == (16, 24, None)


def test_another_block_size() -> None:
    """Of 100 tokens that are sent again, blocks of 32 read 96."""
    of = server(vllm_block_tokens=32)
    of.send(chat(QWEN, said("user", 100)))
    assert plain(of.send(chat(QWEN, said("user", 100))))[0] == 96


def test_the_least_recently_used_blocks_go_first() -> None:
    """Room for ten blocks: six of a, then six of b: four of a's are left, its last two went."""
    of = server(vllm_capacity_blocks=10)
    a, b = chat(QWEN, said("user", 97, "a")), chat(QWEN, said("user", 97, "b"))
    of.send(a)
    of.send(b)
    assert plain(of.send(a)) == (64, 33, "evicted")
    # a is whole again, and leaves four of b's
    assert plain(of.send(b)) == (64, 33, "evicted")


def test_what_is_read_is_used() -> None:
    """Room for twelve: a, b, a again, then c takes the room of b's blocks and not of a's."""
    of = server(vllm_capacity_blocks=12)
    a, b, c = (chat(QWEN, said("user", 97, word)) for word in "abc")
    for body in (a, b, a, c):
        of.send(body)
    assert plain(of.send(a))[0] == 96
    assert plain(of.send(b)) == (0, 97, "evicted")


def test_shared_blocks_take_room_once() -> None:
    """Two requests with four blocks alike and two of their own fit into eight."""
    of = server(vllm_capacity_blocks=8)
    a, b = (chat(QWEN, headed("user", 61, 97, word)) for word in "ab")
    of.send(a)
    assert plain(of.send(b))[0] == 64
    assert plain(of.send(a))[0] == 96
    assert plain(of.send(b))[0] == 96


def test_a_block_that_begins_alike_takes_room_of_its_own() -> None:
    """70 tokens are alike, which is four blocks: the fifth and the sixth of both are others, ten in all do not fit."""
    a, b = (chat(QWEN, headed("user", 67, 97, word)) for word in "ab")
    for blocks, read in ((8, 96), (7, 80)):
        of = server(vllm_capacity_blocks=blocks)
        of.send(a)
        assert plain(of.send(b))[0] == 64
        assert plain(of.send(a))[0] == read


def test_nothing_ends_with_time() -> None:
    """A year later."""
    of = server()
    of.send(chat(QWEN, said("user", 97)), 0.0)
    assert plain(of.send(chat(QWEN, said("user", 97)), 3e7))[0] == 96


@pytest.mark.parametrize(
    ("change", "read", "why"),
    [
        ({"cache_salt": "x"}, 0, "params_changed"),
        ({"chat_template_kwargs": {"enable_thinking": False}}, 0, "params_changed"),
        ({"prompt_logprobs": 1}, 0, "reuse_off"),
        ({"tool_choice": "none", "response_format": {"type": "json_object"}}, 96, None),
        ({"model": "qwen3"}, 0, "model_changed"),
    ],
)
def test_what_makes_another_prompt(change: Json, read: int, why: str | None) -> None:
    """The salt and the template do; how the answer is sampled does not; prompt logprobs read nothing."""
    of = server()
    of.send(chat(QWEN, said("user", 97)))
    found = of.send({**chat(QWEN, said("user", 97)), **change})
    assert (found.read_tokens, found.why) == (read, why)


def test_a_branch_has_its_own_room() -> None:
    """What the branch is sent takes no room of its parent's."""
    parent = server(vllm_capacity_blocks=6)
    a, b = chat(QWEN, said("user", 97, "a")), chat(QWEN, said("user", 97, "b"))
    parent.send(a)
    child = Sent(parent.simulator.branch())
    child.send(b)
    assert plain(child.send(a)) == (0, 97, "evicted")
    assert plain(parent.send(a)) == (96, 1, None)
