"""The bytes that a block's `rendered` digest is taken over: `cg-chain/1`.

Envelope key order, white space, escapes and `cache_control` do not count. Free JSON (tool input, schemas, unknown
blocks) keeps its key order and the spelling of its numbers.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cgcli.wire.spans import Malformed
from cgcli.wire.strings import utf8

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cgcli.wire.spans import Node


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


def _by_key(tree: Any) -> Any:
    if isinstance(tree, _Pairs):
        return _Pairs(sorted(((key, _by_key(member)) for key, member in tree), key=lambda pair: pair[0]))
    return [_by_key(element) for element in tree] if isinstance(tree, list) else tree


def _write(tree: Any, out: list[str]) -> None:
    if isinstance(tree, _Pairs):
        out.append("{")
        for i, (key, member) in enumerate(tree):
            out.append(("," if i else "") + json.dumps(key, ensure_ascii=False) + ":")
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
    else:
        out.append(json.dumps(tree, ensure_ascii=False))


def frame(fields: Iterable[tuple[str, bytes | None]]) -> bytes:
    """Named *fields* joined so that no two lists of fields give the same bytes; a None field is left out."""
    return b"".join(
        b"%s %d:%s" % (name.encode(), len(content), content) for name, content in fields if content is not None
    )
