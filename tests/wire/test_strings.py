"""The spelling of JSON strings."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cgcli.wire.strings import Style, decode, encode, style_of, text, utf8

SAMPLE = 'a"\\/\b\f\n\r\t\x00\x1b\x7f<b>&é\u2028\u2029😀'
"""One of everything that encoders disagree about."""

SPELLINGS = {
    Style.ASCII: rb'"a\"\\/\b\f\n\r\t\u0000\u001b\u007f<b>&\u00e9\u2028\u2029\ud83d\ude00"',
    Style.UTF8: 'a\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001b\x7f<b>&é\u2028\u2029😀',
    Style.GO: 'a\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001b\x7f\\u003cb\\u003e\\u0026é\\u2028\\u2029😀',
    Style.GO_OLD: 'a\\"\\\\/\\u0008\\u000c\\n\\r\\t\\u0000\\u001b\x7f\\u003cb\\u003e\\u0026é\\u2028\\u2029😀',
    Style.GO_PLAIN: 'a\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001b\x7f<b>&é\\u2028\\u2029😀',
    Style.SLASH: b'"a\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\u001b\x7f<b>&\\u00e9\\u2028\\u2029\\ud83d\\ude00"',
    Style.UTF8_SLASH: 'a\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\u001b\x7f<b>&é\u2028\u2029😀',
}


def _merged(raw: str) -> str:
    """*raw* with each high and low surrogate in a row joined, as any JSON reader would."""
    return raw.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


_tricky = st.sampled_from('"\\/\b\f\n\x00\x1f\x7f<>&\u2028\u2029\ud83d\ude00😀é')
any_text = st.lists(_tricky | st.characters(exclude_categories=())).map(lambda chars: _merged("".join(chars)))


@pytest.mark.parametrize("style", Style)
def test_encode_spells_as_the_encoder_does(style: Style) -> None:
    """Each style spells a sample of everything in its own, literal way."""
    spelling = SPELLINGS[style]
    expected = spelling if isinstance(spelling, bytes) else f'"{spelling}"'.encode()
    assert encode(SAMPLE, style) == expected


@given(any_text)
def test_encode_equals_the_standard_library(sample: str) -> None:
    """`ascii` is `json.dumps`, for every text."""
    assert encode(sample, Style.ASCII) == json.dumps(sample).encode()


@pytest.mark.parametrize("style", Style)
@given(any_text)
@example("\ud83d")
@example("\ude00\ud83d")
@example("\x00\u2028\u2029")
@example("\\b\b\\\b\\u0008")
def test_decode_undoes_encode(style: Style, sample: str) -> None:
    """Whatever the style, the literal is JSON and means the same text."""
    literal = encode(sample, style)
    assert decode(literal) == sample
    assert json.loads(literal.decode("utf-8")) == sample


@pytest.mark.parametrize("style", Style)
@given(any_text)
def test_style_of_restores_the_bytes(style: Style, sample: str) -> None:
    """The style that is found for a literal spells it byte for byte."""
    literal = encode(sample, style)
    found = style_of(literal, sample)
    assert found is not None
    assert encode(sample, found) == literal


@pytest.mark.parametrize(
    ("literal", "sample", "expected"),
    [
        (b'"plain"', "plain", Style.ASCII),
        (rb'"\u00e9"', "é", Style.ASCII),
        ('"é"'.encode(), "é", Style.UTF8),
        (rb'"\u003cb\u003e"', "<b>", Style.GO),
        (rb'"<b>\u0008"', "<b>\b", None),
        (rb'"\u003cb\u003e\u0008"', "<b>\b", Style.GO_OLD),
        ('"<é\\u2028"'.encode(), "<é\u2028", Style.GO_PLAIN),
        (rb'"a\/b"', "a/b", Style.SLASH),
        ('"é\\/b"'.encode(), "é/b", Style.UTF8_SLASH),
        (rb'"\ud83d"', "\ud83d", Style.ASCII),
        (rb'"\u00E9"', "é", None),
        (rb'"\u0061"', "a", None),
        (rb'"a\/b/c"', "a/b/c", None),
        (b'"other"', "text", None),
    ],
)
def test_style_of_names_the_first_that_fits(literal: bytes, sample: str, expected: Style | None) -> None:
    """A spelling that no style gives has none; a plain one has the first."""
    assert style_of(literal, sample) is expected


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        (b'""', ""),
        (rb'"\ud83d\ude00"', "😀"),
        (rb'"\ud83d"', "\ud83d"),
        (rb'"\ude00\ud83d"', "\ude00\ud83d"),
        ('"é\\ud83d"'.encode(), "é\ud83d"),
        (rb'"\u003C\/"', "</"),
    ],
)
def test_decode_reads_every_spelling(literal: bytes, expected: str) -> None:
    """Escapes of all kinds, lone surrogates among them, are read."""
    assert decode(literal) == expected


@pytest.mark.parametrize(
    "literal",
    [
        b"",
        b'"',
        b"1",
        b'"a',
        b'a"',
        b' "a"',
        b'"a" ',
        b'"a","b"',
        b'"a"b"',
        rb'"\x41"',
        rb'"\u12"',
        rb'"\"',
        b'"\n"',
        b'"\x00"',
        b'"\xff"',
        b'"\xed\xa0\xbd"',
        b'["a"]',
    ],
)
def test_decode_refuses_what_is_no_string(literal: bytes) -> None:
    """Anything but exactly one valid JSON string is a ValueError."""
    with pytest.raises(ValueError, match=r"."):
        decode(literal)


@given(st.text(st.characters(exclude_categories=())))
def test_text_undoes_utf8(sample: str) -> None:
    """Any Python text survives the way to bytes and back."""
    assert text(utf8(sample)) == sample


def test_utf8_passes_lone_surrogates() -> None:
    """A lone surrogate is hashed as its three bytes."""
    assert utf8("é\ud83d") == b"\xc3\xa9\xed\xa0\xbd"


def test_text_refuses_other_bytes() -> None:
    """What is not UTF-8 is a ValueError."""
    with pytest.raises(ValueError, match="utf-8"):
        text(b"\xff")
