"""Items, states and what stands before them."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.dialects import named
from cgcli.model import Digest, Item, Section
from cgcli.prefix import CHAIN, common_messages, extend, item, static
from cgcli.wire.spans import Document

MESSAGE = '{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}'


def _sha(data: bytes) -> Digest:
    return Digest(hashlib.sha256(data).digest())


def _message(text: str) -> Item:
    """The item of one message."""
    return item(Section.MESSAGES, named("anthropic").message(Document(text.encode()).root()))


def _said(*texts: str) -> list[Item]:
    return [_message(f'{{"role":"user","content":"{text}"}}') for text in texts]


def _naive(a: list[Digest], b: list[Digest]) -> int:
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return n


def test_an_item_is_over_its_blocks() -> None:
    """Each block by its canonical bytes, the item by its blocks' digests, with the bytes that it stands in."""
    found = _message(MESSAGE)
    first = _sha(b"role 4:useropens 1:1type 4:texttext 1:a")
    second = _sha(b"role 4:useropens 1:0type 4:texttext 1:b")
    assert [(block.i_part, block.rendered) for block in found.blocks] == [(0, first), (1, second)]
    assert found.rendered == _sha(first + second)
    assert (found.section, found.role, found.wire, found.size_bytes) == (
        Section.MESSAGES,
        "user",
        MESSAGE.encode(),
        len(MESSAGE),
    )


def test_a_block_names_the_first_part_that_it_is_made_of() -> None:
    """A tool result of several texts is one block and several parts."""
    result = (
        '{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}'
    )
    found = _message(f'{{"role":"user","content":[{{"type":"text","text":"a"}},{result},{{"type":"image"}}]}}')
    assert len(found.parts) == 4
    assert [block.i_part for block in found.blocks] == [0, 1, 3]


def test_the_chain_starts_with_its_name_and_runs_over_the_items() -> None:
    """Each state is over the one before it; the name of the chain stands at the beginning."""
    items = _said("a", "b")
    one = _sha(_sha(b"cg-chain/1") + items[0].rendered)
    two = _sha(one + items[1].rendered)
    assert CHAIN == "cg-chain/1"
    assert extend((), items) == (one, two)
    assert extend((), []) == ()


@given(st.lists(st.sampled_from("abc"), max_size=8), st.integers(0, 8))
def test_extending_in_two_steps_is_extending_in_one(texts: list[str], cut: int) -> None:
    """A chain can be taken up at any state."""
    items = _said(*texts)
    whole = extend((), items)
    assert extend(extend((), items[:cut]), items[cut:]) == whole
    assert extend(whole[:cut], items[cut:]) == whole


@given(st.lists(st.sampled_from("ab"), max_size=9), st.lists(st.sampled_from("ab"), max_size=9))
def test_common_messages_is_what_a_walk_counts(one: list[str], other: list[str]) -> None:
    """The bisection finds the first difference, whichever way round and however long."""
    a, b = extend((), _said(*one)), extend((), _said(*other))
    n = next((i for i, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), min(len(one), len(other)))
    assert common_messages(a, b) == common_messages(b, a) == n == _naive(list(a), list(b))


def test_common_messages_of_the_same_and_of_nothing() -> None:
    """All of them, and none."""
    states = extend((), _said(*"abcdefg"))
    assert common_messages(states, states) == 7
    assert common_messages(states, states[:3]) == 3
    assert common_messages(states, ()) == 0


def _heads() -> dict[str, Digest]:
    """One digest for each way in which what stands before the messages can differ."""
    a, b = _said("a", "b")
    return {
        "nothing recorded": static(None, None, None),
        "no tools": static(None, (), None),
        "no system": static(None, None, ()),
        "neither": static(None, (), ()),
        "a model": static("m", (), ()),
        "a model called None": static("None", (), ()),
        "another model": static("n", (), ()),
        "a tool": static("m", (a,), ()),
        "another tool": static("m", (b,), ()),
        "two tools": static("m", (a, b), ()),
        "two tools the other way": static("m", (b, a), ()),
        "a system block": static("m", (), (a,)),
        "tool and system": static("m", (a,), (b,)),
        "two system blocks": static("m", (), (a, b)),
        "a tool, system unknown": static("m", (a,), None),
        "half a surrogate pair": static("\ud83d", (), ()),
    }


def test_no_two_heads_have_the_same_digest() -> None:
    """Not recorded is not empty, a tool is no system block, order counts."""
    heads = _heads()
    assert len(set(heads.values())) == len(heads)


@pytest.mark.parametrize("name", _heads())
def test_heads_are_the_same_each_time(name: str) -> None:
    """Equal content, made twice, has one digest."""
    assert _heads()[name] == _heads()[name]
    assert len(_heads()[name]) == 32
