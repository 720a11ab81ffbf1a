"""Markers: what stands in a request where content left it.

`<<cg:KEY>>`, KEY being the first 16 hex digits of the sha256 of the original. Reads the marker's other
spellings and damages, and recognises the markers of other tools; whether one resolves is the stash's matter.
"""

from __future__ import annotations

import re
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING

from cgcli.model import value
from cgcli.wire.strings import utf8

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

KEY_HEX = 16
"""The length of a marker's key, in hex digits."""

SENTINEL = "\N{MATHEMATICAL LEFT DOUBLE ANGLE BRACKET}cg\N{MATHEMATICAL RIGHT DOUBLE ANGLE BRACKET}"
"""What context-guru leaves in place of a marker where nothing was stashed."""

EXPAND_TOOL = "context_guru_expand"
"""The tool by which an agent gets an original back; its name may have a prefix (`mcp__…__`)."""

_LT = r"(?:<|\\u003[cC])"
_GT = r"(?:>|\\u003[eE])"
_KEY = rf"[0-9a-fA-F]{{{KEY_HEX}}}"


class FoundKind(StrEnum):
    """What a piece of text that looks like a marker is."""

    OWN = "own"
    """A whole marker with a key of 16 hex digits, as they are or as `\\u003c` and `\\u003e`."""
    MALFORMED = "malformed"
    """Whole, but its key is none that was ever minted: `<<cg:HASH>>`."""
    CUT = "cut"
    """One end of a marker is missing."""
    FOREIGN = "foreign"
    """Another tool's."""
    SENTINEL = "sentinel"
    """context-guru's mark for content that was not kept."""


@value
class Found:
    """A marker in a text, or what is left of one."""

    kind: FoundKind
    start: int
    """In characters, as `stop`."""
    stop: int
    key: str | None
    """As much of the key as stands there, in lower case where it is hex; None where there is none."""


_WHOLE = re.compile(rf"{_LT}{_LT}cg:([A-Za-z0-9_-]*)({_GT}{_GT})?")
_OWN = re.compile(rf"<<cg:{_KEY}>>")
# One is enough: in bytes it may stand there as an escape, where the first of two is not looked for.
_FORGED = re.compile(rf"({_LT})(?=cg:)")
_HEAD_CUT_OFF = re.compile(rf"<?c?g?:?({_KEY})>>")
_HEX = re.compile(rf"{_KEY}")
# Bounded and without `<` inside, so that a text of nothing but beginnings is read in linear time.
_FOREIGN = (
    ("ccr:", re.compile(r"<<ccr:([A-Za-z0-9_-]{1,64})[^<>\n]{0,200}>>")),
    ("ctxzip:", re.compile(r"<<ctxzip:([A-Za-z0-9_-]{1,64})[^<>\n]{0,200}>>")),
    ("handle=", re.compile(r"<<[^<>\n]{0,200}?\bhandle=([A-Za-z0-9]{8})\s?>>")),
    ("hash=", re.compile(r"\bhash=([0-9a-f]{24})\b")),
)
# The literal beginning is what makes a search through megabytes fast.
_AFTER_LT = rb"(?:(?<=<<cg:)|(?<=\\u003[cC]cg:))"
_BYTES = re.compile(rb"cg:" + _AFTER_LT + rb"[0-9a-fA-F]{16}(?:>>|\\+u003[eE])")
_BYTES_KEYS = re.compile(rb"cg:" + _AFTER_LT + rb"([0-9a-fA-F]{4,16})")


def key(text: str) -> str:
    """The key under which *text* is found again: 16 hex digits."""
    return sha256(utf8(text)).hexdigest()[:KEY_HEX]


def marker(key: str) -> str:
    """What is written where the content with *key* left."""
    return f"<<cg:{key}>>"


def find(text: str) -> tuple[Found, ...]:
    """Every marker in *text*, in order and without overlaps: whole, damaged, foreign.

    A marker that lost its end is found by its beginning (`<<cg:3f`); one that lost its beginning only at the
    start of the text and with its whole key, since less (`9f2>>`) may be anything. Takes linear time.
    """
    found = _found_own(text) + _found_foreign(text)
    found += [_found(FoundKind.SENTINEL, match) for match in re.finditer(SENTINEL, text)]
    kept: list[Found] = []
    for one in sorted(found, key=lambda one: one.start):
        if not kept or one.start >= kept[-1].stop:
            kept.append(one)
    return tuple(kept)


def kinds(texts: Iterable[str]) -> Iterator[FoundKind]:
    """The kind of each marker in a text that comes in pieces, *texts*: those that `find` gives for the whole."""
    begun: list[str] = []
    for text in texts:
        # No marker has a line end in it. Both pieces have this one: what is cut off counts only at the text's own ends.
        head, end, rest = text.rpartition("\n")
        if end:
            yield from (found.kind for found in find("".join((*begun, head, end))))
            begun = [end + rest]
        else:
            begun.append(text)
    yield from (found.kind for found in find("".join(begun)))


def _found_own(text: str) -> list[Found]:
    found = []
    if "cg:" in text:
        found = [_found(_kind(match), match) for match in _WHOLE.finditer(text)]
    if text.endswith("<<cg"):
        found.append(Found(kind=FoundKind.CUT, start=len(text) - len("<<cg"), stop=len(text), key=None))
    if match := _HEAD_CUT_OFF.match(text):
        found.append(_found(FoundKind.CUT, match))
    return found


def _kind(match: re.Match[str]) -> FoundKind:
    if match[2] is None:
        return FoundKind.CUT
    return FoundKind.OWN if _HEX.fullmatch(match[1]) else FoundKind.MALFORMED


def _found_foreign(text: str) -> list[Found]:
    return [
        _found(FoundKind.FOREIGN, match)
        for needle, pattern in _FOREIGN
        if needle in text
        for match in pattern.finditer(text)
    ]


def _found(kind: FoundKind, match: re.Match[str]) -> Found:
    name = match[1] if match.re.groups else None
    if name and kind in {FoundKind.OWN, FoundKind.CUT} and re.fullmatch("[0-9a-fA-F]+", name):
        name = name.lower()
    return Found(kind=kind, start=match.start(), stop=match.end(), key=name or None)


def defused(text: str) -> str:
    """*text* with nothing in it that reads as a marker, in either spelling, or as the sentinel."""
    return _FORGED.sub(r"\1 ", text).replace(SENTINEL, f"{SENTINEL[0]} {SENTINEL[1:]}")


def has_placeholder(text: str) -> bool:
    """True where *text* already stands for content that left: such a text is not reduced again."""
    return SENTINEL in text or ("<<cg:" in text and _OWN.search(text) is not None)


def has_marker_bytes(raw: bytes) -> bool:
    """True where *raw*, a request as sent, has a whole marker in any spelling, nested ones too."""
    return _BYTES.search(raw) is not None


def keys_in_bytes(raw: bytes) -> frozenset[str]:
    """The keys of all markers in *raw*, in any spelling, in lower case.

    Meant for what must not be forgotten: a marker that lost its end counts from 4 hex digits on.
    """
    return frozenset(match.decode().lower() for match in _BYTES_KEYS.findall(raw))
