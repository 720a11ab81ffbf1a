"""Where things stand in a JSON document, so that one of them can be written anew and no other byte changes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cgcli.compaction.components.json_text import WHITE_SPACE, NotCompactable, compact, quoted
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Callable

Path = tuple[str, ...]
"""The keys that lead to an array; empty for the document itself."""

LEVELS = 2
"""How many objects are opened on the way to an array: a tool runner's envelope, and the object in its string."""

# Numbers become tuples of their characters and objects tuples of pairs, as `json_text.parse` reads them.
_DECODER = json.JSONDecoder(object_pairs_hook=tuple, parse_int=tuple, parse_float=tuple)


@value
class Member:
    """A key of an object with its value; places are characters of the document."""

    key: str
    start: int
    """Where the key begins, its quote included."""
    value_start: int
    stop: int


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
        _, stop = _DECODER.raw_decode(document, value_start)
        found.append(Member(key=key, start=at, value_start=value_start, stop=stop))
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


def rewritten(document: str, rewrite: Callable[[str, str | None, Path], str | None], path: Path = ()) -> str:
    """*document*, valid JSON without white space around it, with its arrays written anew.

    Looks at the document itself, at what the outermost object holds, at documents in its strings, and one object
    further. *rewrite* gets an array as it is written, its key, and the path; it gives what stands there instead:
    for an array in an object the whole member, its key too. What would not become shorter stays.
    """
    if document.startswith("["):
        return rewrite(document, None, path) or document
    if len(path) >= LEVELS:
        return document
    pieces: list[str] = []
    at = 0
    for member in members(document):
        new = _member(document, member, rewrite, path)
        if len(new) < member.stop - member.start:
            pieces += [document[at : member.start], new]
            at = member.stop
    return "".join([*pieces, document[at:]])


def _member(document: str, member: Member, rewrite: Callable[[str, str | None, Path], str | None], path: Path) -> str:
    written = document[member.value_start : member.stop]
    head = document[member.start : member.value_start]
    inside = (*path, member.key)
    if written.startswith("["):
        return rewrite(written, member.key, inside) or head + written
    if written.startswith("{"):
        return head + rewritten(written, rewrite, inside)
    inner = document_in(written) if written.startswith('"') else None
    return head + (written if inner is None else quoted(rewritten(inner, rewrite, inside)))


def document_in(literal: str) -> str | None:
    """The JSON object or array that a string literal holds, without white space around it; None for other strings."""
    if "{" not in literal and "[" not in literal:
        return None
    inner: str = json.loads(literal).strip(WHITE_SPACE)
    if not inner.startswith(("{", "[")):
        return None
    try:
        compact(inner)
    except NotCompactable:
        return None
    return inner


def _after_space(document: str, at: int) -> int:
    while document[at] in WHITE_SPACE:
        at += 1
    return at


def _after_comma(document: str, stop: int) -> int:
    """Where the next element or member begins, or the closing bracket stands."""
    at = _after_space(document, stop)
    return _after_space(document, at + 1) if document[at] == "," else at
