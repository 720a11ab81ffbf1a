"""What stands in a record, where it has the kind that it should have: nothing here minds one that has not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from cgcli.model import unique
from cgcli.readers.base import unusable
from cgcli.readers.derived import Missed
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cgcli.wire.spans import Node

T = TypeVar("T")


def or_missed(line: int, find: Callable[[], T]) -> T | Missed:
    """What *find* gives; why there is none, where what stands on *line* cannot be used."""
    try:
        return find()
    except Malformed as error:
        return Missed(line=line, passed=unusable(error))


def members_of(node: Node | None) -> Mapping[str, Node]:
    """The members of *node*; none where it is no object.

    Raises:
        Malformed: it is one that cannot be used.
    """
    return node.members() if node is not None and node.kind == "object" else {}


def elements_of(node: Node | None) -> list[Node]:
    """The elements of *node*; none where it is no array.

    Raises:
        Malformed: it is one that cannot be used.
    """
    return node.elements() if node is not None and node.kind == "array" else []


def value_at(members: Mapping[str, Node], key: str) -> Any:
    """What stands under *key*, as Python objects; None where nothing does."""
    node = members.get(key)
    return node.value() if node is not None else None


def is_true(members: Mapping[str, Node], key: str) -> bool:
    """True where the value under *key* is `true`."""
    return key in members and members[key].bytes() == b"true"


def count(given: Any) -> int | None:
    """*given*, where it is a whole number that is not negative; else None."""
    return given if isinstance(given, int) and not isinstance(given, bool) and given >= 0 else None


def count_at(members: Mapping[str, Node], key: str) -> int | None:
    """The number of tokens under *key*; None where there is none."""
    return count(value_at(members, key))


def utf8_text(written: bytes) -> str:
    """JSON as it is *written*, as a string.

    Raises:
        Malformed: it is not UTF-8.
    """
    try:
        return written.decode()
    except UnicodeDecodeError as error:
        raise Malformed("invalid_utf8", f"not UTF-8: {error.reason}") from error


@unique
class _At:
    offset: int
    line: int


class Lines:
    """On which line of its file a value stands, for values that are asked for from first to last."""

    def __init__(self, raw: bytes, line: int) -> None:
        """*raw* begins on *line*."""
        self._raw = raw
        self._last = _At(offset=0, line=line)

    def of(self, node: Node) -> int:
        """The line on which *node* begins."""
        last = self._last
        if node.start >= last.offset:
            found = last.line + self._raw.count(b"\n", last.offset, node.start)
        else:
            found = last.line - self._raw.count(b"\n", node.start, last.offset)
        self._last = _At(offset=node.start, line=found)
        return found
