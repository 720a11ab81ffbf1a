"""The digests that explain a difference: of the exact bytes, and of what they mean."""

from __future__ import annotations

import hashlib

import pytest

from cgcli.prefix.digests import semantic, wire
from cgcli.prefix.spelling import Spelling, spelling
from tests.dialects.rows import request

CALL = '{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"B","input":{"a":1,"b":[true,null]}}]}'
TEXT = '{"role":"user","content":"hi é"}'
LISTED = '{"role":"user","content":[{"type":"text","text":"hi é"}]}'
MARKED = '{"role":"user","content":[{"type":"text","text":"hi é","cache_control":{"type":"ephemeral"}}]}'

# Two messages; equal as rendered, equal in meaning, and in what their bytes differ where they are equal as rendered.
PAIRS: list[tuple[str, str, bool, bool, Spelling | None]] = [
    (CALL, CALL, True, True, None),
    (CALL, CALL.replace(":1,", ": 1,"), True, True, Spelling.ESCAPES),
    (TEXT, TEXT.replace("é", "\\u00e9"), True, True, Spelling.ESCAPES),
    (TEXT, '{"content":"hi é","role":"user"}', True, True, Spelling.MEMBER_ORDER),
    (TEXT, LISTED, True, True, Spelling.STRING_OR_LIST),
    (LISTED, MARKED, True, True, Spelling.MARK_MOVED),
    (MARKED, MARKED.replace("}}]", ',"ttl":"1h"}}]'), True, True, Spelling.MARK_MOVED),
    (TEXT, MARKED, True, True, Spelling.STRING_OR_LIST),
    (CALL, CALL.replace('{"a":1,"b":[true,null]}', '{"b":[true,null],"a":1}'), False, True, None),
    (CALL, CALL.replace(":1,", ":1.0,"), False, False, None),
    (CALL, CALL.replace(":1,", ':"1",'), False, False, None),
    (CALL, CALL.replace("true,null", "null,true"), False, False, None),
    (TEXT, TEXT.replace("hi", "ho"), False, False, None),
    (TEXT, TEXT.replace("user", "assistant"), False, False, None),
]


@pytest.mark.parametrize(("one", "other", "same_rendered", "same_meaning", "how"), PAIRS)
def test_three_digests_tell_spelling_order_and_meaning_apart(
    one: str,
    other: str,
    same_rendered: bool,  # noqa: FBT001 - a column of the table
    same_meaning: bool,  # noqa: FBT001 - a column of the table
    how: Spelling | None,
) -> None:
    """Bytes, what the provider reads, what it means: each coarser than the one before."""
    a, b = (
        request(f'{{"model":"claude-x","system":"","messages":[{message}]}}').messages[0] for message in (one, other)
    )
    assert (a.rendered == b.rendered, semantic(a) == semantic(b)) == (same_rendered, same_meaning)
    assert (wire(a) == wire(b)) is (one == other)
    if same_rendered:
        assert spelling(a.wire, b.wire) == spelling(b.wire, a.wire) == how


def test_the_wire_digest_is_that_of_the_bytes() -> None:
    """sha256 of exactly what stands in the request."""
    (found,) = request(f'{{"model":"claude-x","messages":[ {TEXT} ]}}').messages
    assert wire(found) == hashlib.sha256(TEXT.encode()).digest()
