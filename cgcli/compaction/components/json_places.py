"""Where things stand in a JSON document, so that one of them can be written anew and no other byte changes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from cgcli.compaction.components.json_text import WHITE_SPACE, NotCompactable, checked, quoted
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Callable

Path = tuple[str, ...]
"""The keys that lead to an array; empty for the document itself."""

LEVELS = 2
"""How many objects are opened on the way to an array: a tool runner's envelope, and the object in its string."""

# Numbers become tuples of their characters and objects tuples of pairs, as `json_text.parse` reads them.
_DECODER = json.JSONDecoder(object_pairs_hook=tuple, parse_int=tuple, parse_float=tuple)

_COMMA = re.compile(r"[ \t\n\r]*+(?:,[ \t\n\r]*+)?")


@value
class Said:
    """A valid JSON document without white space around it, with what it says."""

    text: str
    parsed: Any
    """As `json_text.parse` reads it."""


@value
class Array:
    """An array in a document."""

    text: str
    """As it is written."""
    parsed: Any
    """As `json_text.parse` reads it."""
    key: str | None
    """Of the object that it stands in; None for the document itself."""
    path: Path


@value
class Member:
    """A key of an object with its value; places are characters of the document."""

    key: str
    start: int
    """Where the key begins, its quote included."""
    value_start: int
    stop: int
    parsed: Any
    """The value, as `json_text.parse` reads it."""


@value
class Element:
    """A value in an array."""

    start: int
    stop: int
    parsed: Any


def members(document: str) -> list[Member]:
    """The members of *document*, which is a valid JSON object."""
    found: list[Member] = []
    at = _after_space(document, 1)
    while document[at] != "}":
        key, key_stop = _DECODER.raw_decode(document, at)
        value_start = _after_space(document, _after_space(document, key_stop) + 1)
        parsed, stop = _DECODER.raw_decode(document, value_start)
        found.append(Member(key=key, start=at, value_start=value_start, stop=stop, parsed=parsed))
        at = _after_comma(document, stop)
    return found


def elements(document: str) -> list[Element]:
    """The elements of *document*, which is a valid JSON array."""
    found: list[Element] = []
    at = _after_space(document, 1)
    while document[at] != "]":
        parsed, stop = _DECODER.raw_decode(document, at)
        found.append(Element(start=at, stop=stop, parsed=parsed))
        at = _after_comma(document, stop)
    return found


def rewritten(document: Said, rewrite: Callable[[Array], str | None], path: Path = ()) -> str:
    """*document* with its arrays written anew.

    Looks at the document itself, at what the outermost object holds, at documents in its strings, and one object
    further. *rewrite* gives what stands in the place of an array: for one in an object the whole member, its key too.
    What would not become shorter stays.
    """
    text = document.text
    if text.startswith("["):
        return rewrite(Array(text=text, parsed=document.parsed, key=None, path=path)) or text
    if len(path) >= LEVELS:
        return text
    pieces: list[str] = []
    at = 0
    for member in members(text):
        new = _member(text, member, rewrite, path)
        if len(new) < member.stop - member.start:
            pieces += [text[at : member.start], new]
            at = member.stop
    return "".join([*pieces, text[at:]])


def _member(document: str, member: Member, rewrite: Callable[[Array], str | None], path: Path) -> str:
    written = document[member.value_start : member.stop]
    head = document[member.start : member.value_start]
    inside = (*path, member.key)
    if written.startswith("["):
        return rewrite(Array(text=written, parsed=member.parsed, key=member.key, path=inside)) or head + written
    if written.startswith("{"):
        return head + rewritten(Said(text=written, parsed=member.parsed), rewrite, inside)
    inner = document_in(member.parsed) if _may_hold(written) else None
    return head + (written if inner is None else quoted(rewritten(inner, rewrite, inside)))


def _may_hold(literal: str) -> bool:
    """True for a string with a bracket in it; brackets that are written as escapes stay escapes."""
    return literal.startswith('"') and ("{" in literal or "[" in literal)


def document_in(text: str) -> Said | None:
    """The JSON object or array that *text* is; None for other texts."""
    document = text.strip(WHITE_SPACE)
    if not document.startswith(("{", "[")):
        return None
    try:
        return Said(text=document, parsed=checked(document))
    except NotCompactable:
        return None


def _after_space(document: str, at: int) -> int:
    while document[at] in WHITE_SPACE:
        at += 1
    return at


def _after_comma(document: str, stop: int) -> int:
    """Where the next element or member begins, or the closing bracket stands."""
    match = _COMMA.match(document, stop)
    return stop if match is None else match.end()
