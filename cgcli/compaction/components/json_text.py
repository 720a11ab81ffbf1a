r"""JSON documents inside a text: the same value, spelled shorter.

Only white space between tokens and the spelling of escapes change (`\u4e2d` becomes the character where it
prints). Numbers keep their spelling and keys their order, and the result is read back and compared.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from itertools import accumulate
from typing import Any, NoReturn

WHITE_SPACE = " \t\n\r"
"""What JSON calls white space; other blanks are content."""

DEEPEST = 200
"""The deepest nesting that is read: far below where a recursive reader gives up."""

_FEWEST_EMBEDDED_CHARS = 64

_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_PIECE = re.compile(rf'{_STRING.pattern}|[^" \t\n\r]++', re.DOTALL)
_PACKED = re.compile(rf"(?:{_PIECE.pattern})++", re.DOTALL)
"""As many pieces as stand side by side."""
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")
# What does not print, or turns the text around: it stays an escape. Lone surrogates are refused by providers.
_UNPRINTABLE = re.compile("[\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}


class NotCompactable(ValueError):
    """Why a text cannot be spelled shorter."""

    def __init__(self, reason: str) -> None:
        """Keep *reason*, the name of a skip reason."""
        super().__init__(reason)
        self.reason = reason


def compact(text: str) -> str:
    """*text*, one JSON object or array, in its shortest spelling.

    Raises:
        NotCompactable: with `not_json`, `not_finite`, `duplicate_keys`, `trailing_content`, `too_deep` or
            `value_changed`.
    """
    document = text.strip(WHITE_SPACE)
    before = checked(document)
    compacted = _respelled("".join(_PACKED.findall(document)))
    if compacted != document and parse(compacted) != before:
        raise NotCompactable("value_changed")
    return compacted


def checked(text: str) -> Any:
    """What *text* says, as `parse` has it, of any text.

    Raises:
        NotCompactable: with `too_deep`, and as `parse`.
    """
    if _is_too_deep(text):
        raise NotCompactable("too_deep")
    return parse(text)


def compact_envelope(compacted: str) -> str:
    """*compacted*, the result of `compact`, with the documents in its strings compacted too.

    One level: strings that are values of the outermost object and hold an object or an array, as a tool
    runner's `stdout`. White space around such a document goes too. A string that cannot be spelled shorter
    stays as it is.
    """
    pieces = _PIECE.findall(compacted) if compacted.startswith("{") else []
    if not any(_may_embed(piece) for piece in pieces):
        return compacted
    depth = 0
    before = ""
    for i, piece in enumerate(pieces):
        if piece.startswith('"'):
            if depth == 1 and before.endswith(":") and _may_embed(piece):
                pieces[i] = _embedded(piece)
        else:
            depth += sum(map(_STEP.__getitem__, _BRACKET.findall(piece)))
        before = piece
    return "".join(pieces)


def _may_embed(piece: str) -> bool:
    return len(piece) >= _FEWEST_EMBEDDED_CHARS and piece.startswith('"') and ("{" in piece or "[" in piece)


def _embedded(literal: str) -> str:
    """A string literal with its document compacted, where it is one and that is shorter."""
    inner: str = json.loads(literal)
    if not inner.lstrip(WHITE_SPACE).startswith(("{", "[")):
        return literal
    try:
        compacted = compact(inner)
    except NotCompactable:
        return literal
    shorter = quoted(compacted)
    return shorter if len(shorter) < len(literal) and json.loads(shorter) == compacted else literal


def quoted(text: str) -> str:
    """*text* as a JSON string: what prints as it is, what does not as an escape."""
    literal = json.dumps(text, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", literal)


def parse(text: str) -> Any:
    """What *text* says, comparable: numbers as they are spelled, objects as tuples of pairs in order.

    For text that is not deeper than `DEEPEST`; the reader is recursive.

    Raises:
        NotCompactable: with `not_json`, `not_finite`, `duplicate_keys` or `trailing_content`.
    """
    try:
        parsed, stop = _DECODER.raw_decode(text)
    except json.JSONDecodeError as error:
        raise NotCompactable("not_json") from error
    if text[stop:].strip(WHITE_SPACE):
        raise NotCompactable("trailing_content")
    return parsed


def _is_too_deep(text: str) -> bool:
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    brackets = _BRACKET.findall(_STRING.sub("", text))
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0) > DEEPEST


def _object(pairs: list[tuple[str, Any]]) -> tuple[tuple[str, Any], ...]:
    if len(dict(pairs)) < len(pairs):
        raise NotCompactable("duplicate_keys")
    return tuple(pairs)


def _not_finite(_: str) -> NoReturn:
    raise NotCompactable("not_finite")


# A number becomes the tuple of its characters: that keeps its spelling, equals no string, and is fast.
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=tuple, parse_int=tuple, parse_constant=_not_finite)


def _respelled(compacted: str) -> str:
    return _ESCAPE.sub(lambda match: _spelling(match[0]), compacted) if "\\" in compacted else compacted


@lru_cache(maxsize=4096)
def _spelling(escape: str) -> str:
    """The shortest safe spelling of an escape: what does not print, a lone surrogate too, stays one."""
    if escape == "\\/":
        return "/"
    if not escape.startswith("\\u"):
        return escape
    char: str = json.loads(f'"{escape}"')
    return char if char.isprintable() and char not in {'"', "\\"} else escape
