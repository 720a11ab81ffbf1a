"""In what two items differ that read the same."""

from __future__ import annotations

import pytest

from cgcli.prefix.spelling import spelling

TEXT = b'{"role":"user","content":[{"type":"text","text":"Go."}]}'
MARK = b'"cache_control":{"type":"ephemeral"}'


@pytest.mark.parametrize(
    ("was", "now", "how"),
    [
        (TEXT, TEXT, None),
        (TEXT, TEXT.replace(b",", b", "), "escapes_or_white_space"),
        (TEXT, TEXT.replace(b"Go.", b"\\u0047o."), "escapes_or_white_space"),
        (TEXT, TEXT.replace(b'."}', b'.",' + MARK + b"}"), "mark_moved"),
        (TEXT.replace(b'."}', b'.",' + MARK + b"}"), TEXT, "mark_moved"),
        (
            TEXT.replace(b'."}', b'.",' + MARK + b"}"),
            TEXT.replace(b'."}', b'.","cache_control":{"type":"ephemeral","ttl":"1h"}}'),
            "mark_moved",
        ),
        (TEXT, b'{"role":"user","content":"Go."}', "string_or_list"),
        (b'{"role":"user","content":"Go."}', TEXT, "string_or_list"),
        (TEXT.replace(b'."}', b'.",' + MARK + b"}"), b'{"role":"user","content":"Go."}', "string_or_list"),
        (TEXT, b'{"content":[{"text":"Go.","type":"text"}],"role":"user"}', "member_order"),
        (TEXT.replace(b'{"type"', b"{" + MARK + b',"type"'), TEXT, "mark_moved"),
        (TEXT.replace(b'."}', b'.", ' + MARK + b"}"), TEXT, "mark_moved"),
        (b'{"content":"a\\\\"}', b'{"content":"a\\u005c"}', "escapes_or_white_space"),
        (
            b'{"content":"an,\\"cache_control\\":{}"}',
            b'{"content":"an,\\u0022cache_control\\":{}"}',
            "escapes_or_white_space",
        ),
        (b'"Plan."', b'{"type":"text","text":"Plan."}', "string_or_list"),
        (b'{"n":1.50}', b'{"n": 1.50}', "escapes_or_white_space"),
    ],
)
def test_spellings(was: bytes, now: bytes, how: str | None) -> None:
    """Each way of writing the same thing has a name of its own."""
    assert (None if (found := spelling(was, now)) is None else found.value) == how
