"""What holds for any conversation before a cache without breakpoints, against one that compares word by word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cachesim.prefixes import chat, sent

if TYPE_CHECKING:
    from tests.cachesim.caching import Json, Sent

Said = tuple[int, list[str]]
"""Who says it, and its words."""
ROLES = ("user", "assistant")

_WORDS = st.lists(st.sampled_from(["a", "ab", "b"]), min_size=1, max_size=40)
_SAID = st.tuples(st.integers(0, 1), _WORDS)


@st.composite
def conversations(draw: st.DrawFn) -> list[list[Said]]:
    """Requests that share beginnings of one another: growing, cut, a message cut or made longer."""
    messages = draw(st.lists(_SAID, min_size=1, max_size=6))
    found = [messages]
    for _ in range(draw(st.integers(1, 6))):
        n = draw(st.integers(0, len(messages)))
        kept = list(messages[:n])
        if len(kept) > 0 and draw(st.booleans()):
            role, told = kept[-1]
            kept[-1] = (role, told[: draw(st.integers(1, len(told)))] + draw(_WORDS))
        messages = [*kept, *draw(st.lists(_SAID, min_size=0 if kept else 1, max_size=3))]
        found.append(messages)
    return found


def _tokens(messages: list[Said]) -> int:
    return sum(3 + len(told) for _, told in messages)


def _shared(a: list[Said], b: list[Said]) -> int:
    """Tokens in common: whole messages, then the words of the first other one, where the same one says it."""
    found = 0
    for (role, words), (other_role, other_words) in zip(a, b, strict=False):
        if role != other_role:
            return found
        n = next((n for n, (x, y) in enumerate(zip(words, other_words, strict=False)) if x != y), None)
        n = min(len(words), len(other_words)) if n is None else n
        found += 3 + n if n else 0
        if words != other_words:
            return found
    return found


def _body(messages: list[Said], model: str = "m") -> Json:
    return chat(model, *({"role": ROLES[role], "content": " ".join(told)} for role, told in messages))


def _reads(drawn: list[list[Said]], **options: Any) -> list[int]:
    of = sent(**options)
    return [_checked(of, messages) for messages in drawn]


def _checked(of: Sent, messages: list[Said]) -> int:
    found = of.send(_body(messages))
    assert found.read_tokens + found.fresh_tokens == _tokens(messages)
    assert not found.write_by_ttl_s
    assert (found.read_from is None) is (found.read_tokens == 0)
    return found.read_tokens


@given(conversations())
@settings(max_examples=50, deadline=None)
def test_what_is_read_is_what_is_shared(drawn: list[list[Said]]) -> None:
    """With the longest beginning of any earlier request: in pages of one token, and in blocks of four."""
    longest = [max((_shared(messages, before) for before in drawn[:i]), default=0) for i, messages in enumerate(drawn)]
    least = [min(n, _tokens(messages) - 1) for n, messages in zip(longest, drawn, strict=True)]
    assert _reads(drawn, provider="sglang") == least
    assert _reads(drawn, provider="vllm", vllm_block_tokens=4) == [n // 4 * 4 for n in least]
    assert _reads(drawn, provider="gemini", minimum_tokens=20) == [n if n >= 20 else 0 for n in longest]


@given(conversations())
@settings(max_examples=40, deadline=None)
def test_grow_only_reads_the_longest_request_that_is_had_whole(drawn: list[list[Said]]) -> None:
    """And nothing of one that is not."""
    options = {"provider": "openai-earlier", "openai_reuse": "grow-only", "minimum_tokens": 1}
    whole = [
        max((_tokens(before) for before in drawn[:i] if messages[: len(before)] == before), default=0)
        for i, messages in enumerate(drawn)
    ]
    assert _reads(drawn, **options) == [n // 128 * 128 for n in whole]


@given(conversations())
@settings(max_examples=25, deadline=None)
def test_deepseek_reads_no_more_than_is_shared_and_an_answer(drawn: list[list[Said]]) -> None:
    """Whole units are part of what was sent, but for the answer to a request, which is not sent."""
    reads = _reads(drawn, provider="deepseek", minimum_tokens=1)
    for i, (messages, read) in enumerate(zip(drawn, reads, strict=True)):
        most = 0
        for before in drawn[:i]:
            n = len(before)
            while messages[: len(before)] == before and n < len(messages) and messages[n][0] == 1:
                n += 1
            whole = _tokens(messages[:n]) if n > len(before) else 0
            most = max(most, _shared(messages, before), whole)
        assert read <= most


def _lru(drawn: list[list[Said]], n_blocks: int, block: int) -> list[int]:
    """A cache of blocks, each named by all tokens up to its end; the list has the latest used first."""
    held: list[tuple[Any, ...]] = []
    found = []
    for messages in drawn:
        flat: list[Any] = []
        for role, told in messages:
            flat += [(role, told[0])] * 3 + [*told[:-1], (told[-1], "end")] if len(told) > 1 else []
            flat += [(role, told[0])] * 3 + [(told[0], "end")] if len(told) == 1 else []
        blocks = [tuple(flat[:stop]) for stop in range(block, len(flat) + 1, block)]
        n = next((n for n, one in enumerate(blocks) if one not in held), len(blocks))
        found.append(min(n, (len(flat) - 1) // block) * block)
        held = [*blocks, *(one for one in held if one not in blocks)][:n_blocks]
    return found


@st.composite
def _even(draw: st.DrawFn) -> list[list[Said]]:
    """Conversations that only part at the beginnings of messages, whose ends are then the same in words and tokens."""
    messages = st.tuples(st.integers(0, 1), st.sampled_from([[f"w{i}"] * n for i, n in enumerate((5, 9, 13, 21))]))
    return draw(st.lists(st.lists(messages, min_size=1, max_size=5), min_size=2, max_size=9))


@given(_even(), st.integers(1, 30), st.sampled_from([1, 4, 16]))
@settings(max_examples=50, deadline=None)
def test_eviction_is_that_of_a_list_of_blocks(drawn: list[list[Said]], n_blocks: int, block: int) -> None:
    """The latest used first, the beginnings of a request before its end, cut to what fits."""
    options = {"provider": "vllm", "vllm_block_tokens": block, "vllm_capacity_blocks": n_blocks}
    assert _reads(drawn, **options) == _lru(drawn, n_blocks, block)


@given(conversations(), st.integers(1, 60), st.integers(0, 60))
@settings(max_examples=30, deadline=None)
def test_more_room_never_reads_less(drawn: list[list[Said]], room: int, more: int) -> None:
    """Request by request; and no room at all for more than what is shared."""
    for name, options in (("vllm", {"vllm_block_tokens": 4}), ("sglang", {})):
        capacity = {"vllm": "vllm_capacity_blocks", "sglang": "sglang_capacity_tokens"}[name]
        small = _reads(drawn, provider=name, **options, **{capacity: room})
        large = _reads(drawn, provider=name, **options, **{capacity: room + more})
        endless = _reads(drawn, provider=name, **options)
        assert all(a <= b <= c for a, b, c in zip(small, large, endless, strict=True))
