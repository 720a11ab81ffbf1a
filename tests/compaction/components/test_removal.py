"""Members and elements taken out of JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.compaction.components.removal import members_spans, removed
from cgcli.wire.spans import Document
from cgcli.wire.splice import splice


def without(raw: bytes, gone: set[int]) -> bytes:
    """The object *raw* without the members of those numbers."""
    spans = list(members_spans(Document(raw).root()).values())
    return splice(raw, [(start, stop, b"") for start, stop in removed(spans, gone)])


@pytest.mark.parametrize(
    ("gone", "left"),
    [
        (set(), b'{ "a" : 1 ,\n"b" : [2, 3] , "c" : {"d": 4}\n}'),
        ({0}, b'{ "b" : [2, 3] , "c" : {"d": 4}\n}'),
        ({1}, b'{ "a" : 1 ,\n"c" : {"d": 4}\n}'),
        ({2}, b'{ "a" : 1 ,\n"b" : [2, 3]\n}'),
        ({0, 2}, b'{ "b" : [2, 3]\n}'),
        ({1, 2}, b'{ "a" : 1\n}'),
        ({0, 1, 2}, b"{ \n}"),
    ],
)
def test_run_leaves_with_its_commas(gone: set[int], left: bytes) -> None:
    """What stays keeps its bytes."""
    assert without(b'{ "a" : 1 ,\n"b" : [2, 3] , "c" : {"d": 4}\n}', gone) == left


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(
    members=st.dictionaries(st.text(max_size=4), VALUES, max_size=6),
    gone=st.sets(st.integers(0, 5)),
    is_ascii=st.booleans(),
    indent=st.sampled_from([None, 0, 3]),
)
def test_any_members_can_leave(
    members: dict[str, object], gone: set[int], *, is_ascii: bool, indent: int | None
) -> None:
    """What is left reads as the others, in their order."""
    raw = json.dumps(members, ensure_ascii=is_ascii, indent=indent).encode()
    kept = {name: member for i, (name, member) in enumerate(members.items()) if i not in gone}
    assert list(json.loads(without(raw, gone)).items()) == list(kept.items())
