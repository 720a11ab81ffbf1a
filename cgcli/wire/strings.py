"""JSON string literals: to text and back in the very spelling that they had.

Encoders agree on what a string means and differ in how they spell it. A `Style` is one encoder's habit; the
style under which a text gives back a literal byte for byte is all that has to be kept to restore it.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import TYPE_CHECKING

import msgspec

from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HIGH_SURROGATES = range(0xD800, 0xDC00)
LOW_SURROGATES = range(0xDC00, 0xE000)
_SURROGATE = re.compile("[\ud800-\udfff]")
_HTML = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
_LINE_ENDS = {"\u2028": "\\u2028", "\u2029": "\\u2029"}
_SLASH = {"/": "\\/"}


class Style(StrEnum):
    """An encoder's habit of escaping, in the order in which `style_of` tries them."""

    ASCII = "ascii"
    """Python's `json.dumps`: everything outside printable ASCII is escaped."""
    UTF8 = "utf8"
    """JavaScript's `JSON.stringify`, `ensure_ascii=False`: only quote, backslash and control characters."""
    GO = "go"
    """Go 1.22 and later: as `utf8`, and `<`, `>`, `&`, U+2028 and U+2029 are escaped."""
    GO_OLD = "go_old"
    """Go before 1.22: as `go`, with `\\u0008` and `\\u000c` for backspace and form feed."""
    GO_PLAIN = "go_plain"
    """Go with `SetEscapeHTML(false)`: as `utf8`, and U+2028 and U+2029 are escaped."""
    SLASH = "slash"
    """PHP's `json_encode`: as `ascii`, with `\\/`, and DEL as it is."""
    UTF8_SLASH = "utf8_slash"
    """As `utf8`, with `\\/` (Apple's encoder; PHP with unescaped Unicode)."""


@value
class _Rule:
    """How a style departs from the two encoders of the standard library."""

    base: Callable[[str], str]
    replaced: Mapping[str, str]
    """Characters that `base` leaves as they are: replaced in what it returns."""
    kept_out: Mapping[str, str]
    """Characters that `base` escapes in another way: it never sees them."""


_RULES: Mapping[Style, _Rule] = {
    Style.ASCII: _Rule(base=encode_basestring_ascii, replaced={}, kept_out={}),
    Style.UTF8: _Rule(base=encode_basestring, replaced={}, kept_out={}),
    Style.GO: _Rule(base=encode_basestring, replaced=_HTML | _LINE_ENDS, kept_out={}),
    Style.GO_OLD: _Rule(
        base=encode_basestring,
        replaced=_HTML | _LINE_ENDS,
        kept_out={"\b": "\\u0008", "\f": "\\u000c"},
    ),
    Style.GO_PLAIN: _Rule(base=encode_basestring, replaced=_LINE_ENDS, kept_out={}),
    Style.SLASH: _Rule(base=encode_basestring_ascii, replaced=_SLASH, kept_out={"\x7f": "\x7f"}),
    Style.UTF8_SLASH: _Rule(base=encode_basestring, replaced=_SLASH, kept_out={}),
}


def decode(literal: bytes) -> str:
    r"""The text of a JSON string literal, its quotes included.

    A lone surrogate escape (`"\ud83d"`) gives a lone surrogate.

    Raises:
        ValueError: It is not exactly one JSON string.
    """
    if literal[:1] != b'"' or literal[-1:] != b'"':
        raise ValueError("a JSON string begins and ends with a quote")
    try:
        return msgspec.json.decode(literal, type=str)
    except msgspec.DecodeError:  # also for lone surrogates, which msgspec refuses
        decoded: str = json.loads(literal.decode("utf-8"))
        return decoded


def encode(text: str, style: Style) -> bytes:
    """The JSON string literal of *text*, quotes included, as *style* spells it.

    A lone surrogate is escaped in every style. A high surrogate right before a low one cannot be spelled in
    JSON: it comes back as the one character that the two stand for; `decode` never returns such a text.
    """
    rule = _RULES[style]
    spelled = _spell(text, rule, tuple(rule.kept_out.items()))
    for char, escape in rule.replaced.items():
        spelled = spelled.replace(char, escape)
    try:
        return f'"{spelled}"'.encode()
    except UnicodeEncodeError:
        return f'"{_SURROGATE.sub(_escape, spelled)}"'.encode()


def _spell(text: str, rule: _Rule, kept_out: tuple[tuple[str, str], ...]) -> str:
    if not kept_out:
        return rule.base(text)[1:-1]
    (char, escape), *rest = kept_out
    return escape.join(_spell(piece, rule, tuple(rest)) for piece in text.split(char))


def _escape(char: re.Match[str]) -> str:
    return f"\\u{ord(char.group()):04x}"


def style_of(literal: bytes, text: str) -> Style | None:
    """The first style that spells *text* exactly as *literal*; None where none does."""
    return next((style for style in Style if encode(text, style) == literal), None)


def utf8(text: str) -> bytes:
    """The bytes that a text is hashed and stashed as: UTF-8, lone surrogates passed through."""
    return text.encode("utf-8", "surrogatepass")


def text(data: bytes) -> str:
    """The text that `utf8` made *data* of.

    Raises:
        ValueError: It is not UTF-8.
    """
    return data.decode("utf-8", "surrogatepass")
