"""The bytes that a block's `rendered` digest is taken over: `cg-chain/1`.

Envelope key order, white space, escapes and `cache_control` do not count. Free JSON (tool input, schemas, unknown
blocks) keeps its key order and the spelling of its numbers.
"""

from __future__ import annotations

import json
from itertools import chain
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any

from cgcli.wire.long import LONG_BYTES, Long
from cgcli.wire.spans import Malformed, texts
from cgcli.wire.strings import utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from cgcli.wire.spans import Node

Content = bytes | Long
"""Canonical bytes; in pieces where they are long."""


class _Number(str):
    """A number as it was written."""

    __slots__ = ()


class _Pairs(list[tuple[str, Any]]):
    """The members of an object, in order, duplicates included."""


_DECODER = json.JSONDecoder(parse_float=_Number, parse_int=_Number, parse_constant=_Number, object_pairs_hook=_Pairs)


def free_json(node: Node, *, without: str | frozenset[str] = frozenset(), by_key: bool = False) -> bytes:
    """*node* with white space and escapes normalised and all else as written.

    *without* names a key, or several, of the outermost object to leave out (`cache_control`); with *by_key* the members
    of every object come in the order of their keys.

    Raises:
        Malformed: not JSON, not UTF-8, or nested too deeply.
    """
    if node.kind == "string":
        return utf8(encode_basestring(node.text()))
    try:
        tree = _DECODER.decode(node.bytes().decode("utf-8"))
        if without and isinstance(tree, _Pairs):
            left_out = {without} if isinstance(without, str) else without
            tree = _Pairs(pair for pair in tree if pair[0] not in left_out)
        out: list[str] = []
        _write(_by_key(tree) if by_key else tree, out)
    except UnicodeDecodeError as error:
        raise Malformed("invalid_utf8", f"not UTF-8 at byte {node.start + error.start}") from error
    except RecursionError as error:
        raise Malformed("too_deep", "nested too deeply to read") from error
    except ValueError as error:
        raise Malformed("not_json", str(error)) from error
    return utf8("".join(out))


def free_content(node: Node, *, without: str | frozenset[str] = frozenset()) -> Content:
    """What `free_json` gives; where *node* is long, in pieces.

    Raises:
        Malformed: not JSON, not UTF-8, or nested too deeply.
    """
    if node.stop - node.start > LONG_BYTES:
        try:
            return joined(list(_walked(node, frozenset({without}) if isinstance(without, str) else without)))
        except (Malformed, RecursionError):
            pass  # a key that stands twice, say: the walk over the tree has the last word
    return free_json(node, without=without)


def _walked(node: Node, left_out: frozenset[str] = frozenset()) -> Iterator[Content]:
    if node.stop - node.start <= LONG_BYTES or node.kind not in ("object", "array", "string"):
        yield free_json(node, without=left_out)
    elif node.kind == "string":
        yield b'"'
        yield long_string(node, _spelled)
        yield b'"'
    elif node.kind == "array":
        yield b"["
        for i, element in enumerate(node.elements()):
            yield b"," if i else b""
            yield from _walked(element)
        yield b"]"
    else:
        yield b"{"
        members = {key: member for key, member in node.members().items() if key not in left_out}
        if node.doc.parsed is not node.doc.raw:
            raise Malformed("not_json", "a key may not read as it is written")
        for i, (key, member) in enumerate(members.items()):
            yield (b"," if i else b"") + utf8(encode_basestring(key)) + b":"
            yield from _walked(member)
        yield b"}"


def long_string(node: Node, spell: Callable[[str], bytes] = utf8) -> Long:
    """What *spell*, which takes each character by itself, makes of the string that *node* is.

    Raises:
        Malformed: not UTF-8.
    """
    n_bytes = sum(len(spell(text)) for text in texts(node.view(), at=node.start))
    return Long(n_bytes, lambda: map(spell, texts(node.view())))


def _spelled(text: str) -> bytes:
    """*text* as it stands between the quotes."""
    return utf8(encode_basestring(text)[1:-1])


def _by_key(tree: Any) -> Any:
    if isinstance(tree, _Pairs):
        return _Pairs(sorted(((key, _by_key(member)) for key, member in tree), key=lambda pair: pair[0]))
    return [_by_key(element) for element in tree] if isinstance(tree, list) else tree


def _write(tree: Any, out: list[str]) -> None:
    if isinstance(tree, _Pairs):
        out.append("{")
        for i, (key, member) in enumerate(tree):
            out.append(("," if i else "") + encode_basestring(key) + ":")
            _write(member, out)
        out.append("}")
    elif isinstance(tree, list):
        out.append("[")
        for i, element in enumerate(tree):
            if i:
                out.append(",")
            _write(element, out)
        out.append("]")
    elif isinstance(tree, _Number):
        out.append(tree)
    elif isinstance(tree, str):
        out.append(encode_basestring(tree))
    else:
        out.append(json.dumps(tree))


def frame(fields: Iterable[tuple[str, Content | None]]) -> Content:
    """Named *fields* joined so that no two lists of fields give the same bytes; a None field is left out."""
    framed: list[Content] = []
    for name, content in fields:
        if isinstance(content, bytes):
            framed.append(b"%s %d:%s" % (name.encode(), len(content), content))
        elif content is not None:
            framed += (b"%s %d:" % (name.encode(), len(content)), content)
    return joined(framed)


def joined(contents: Sequence[Content]) -> Content:
    """*contents* one after the other; long where one of them is."""
    short = [content for content in contents if isinstance(content, bytes)]
    if len(short) == len(contents):
        return b"".join(short)
    return Long(sum(map(len, contents)), lambda: chain.from_iterable(map(pieces, contents)))


def pieces(content: Content) -> Iterable[bytes]:
    """The bytes of *content*, in pieces that are whole characters."""
    return (content,) if isinstance(content, bytes) else content
