"""SGLang's radix tree of tokens, every figure written out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.cachesim.prefixes import chat, headed, plain, said, sent

if TYPE_CHECKING:
    from tests.cachesim.caching import Json, Sent

QWEN = "qwen3-coder"


def server(**options: Any) -> Sent:
    """A server of one's own."""
    return sent(provider="sglang", **options)


def test_all_but_the_last_token_is_read() -> None:
    """100 tokens, sent again; and the 3 + 50 that an edited one shares."""
    of = server()
    assert plain(of.send(chat(QWEN, said("user", 100)))) == (0, 100, "first_request")
    assert plain(of.send(chat(QWEN, said("user", 100)))) == (99, 1, None)
    assert plain(of.send(chat(QWEN, headed("user", 50, 100, "x")))) == (53, 47, None)


def test_whole_pages() -> None:
    """Of 53 tokens that are shared, pages of 16 read 48."""
    of = server(sglang_page_tokens=16)
    of.send(chat(QWEN, said("user", 100)))
    assert plain(of.send(chat(QWEN, headed("user", 50, 100, "x"))))[0] == 48


def test_the_ends_of_what_was_used_least_recently_go_first() -> None:
    """Room for 150 tokens: 100 of a and 100 of b, so 50 of a's are left, the first ones."""
    of = server(sglang_capacity_tokens=150)
    of.send(chat(QWEN, said("user", 100, "a")))
    of.send(chat(QWEN, said("user", 100, "b")))
    assert plain(of.send(chat(QWEN, said("user", 100, "a")))) == (50, 50, "evicted")


@pytest.mark.parametrize("change", [{"extra_key": "x"}, {"cache_salt": "x"}])
def test_a_name_space_is_another_cache(change: Json) -> None:
    """Requests with another key share nothing."""
    of = server()
    of.send(chat(QWEN, said("user", 100)))
    assert plain(of.send(chat(QWEN, said("user", 100), **change))) == (0, 100, "params_changed")
