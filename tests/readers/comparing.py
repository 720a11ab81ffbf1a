"""A request as plain values, and the same record read by a reader that has seen nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.model import Item, Request
from cgcli.readers.base import Opened, Passed
from cgcli.readers.incremental import Incremental, Quoted, Read
from cgcli.wire.quoted import Quoted as Literal
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.wire.spans import Node

    Open = Callable[[Node], Opened | Passed]

Plain = Any


def plain(value: Any) -> Plain:
    """*value* with every record in it as its fields, so that equal content is equal."""
    if isinstance(value, memoryview):
        return value.tobytes()
    if isinstance(value, Item | Request):
        made: Any = type(value)  # by `unique`, of which the type checker sees no fields
        return {name: plain(getattr(value, name)) for name in made.__struct_fields__}
    return tuple(map(plain, value)) if isinstance(value, tuple) else value


def outcome(read: Read | Quoted | Passed | Malformed, inner: Read | Passed | Malformed | None = None) -> Plain:
    """What a reader made of a record: the request and where it stands, or the name of why there is none."""
    if isinstance(read, Malformed | Passed):
        return read.reason
    if isinstance(read, Quoted):
        assert inner is not None
        return read.start, read.stop, outcome(inner)
    return read.start, read.stop, plain(read.request)


class Pair:
    """The readers of a file: for its records, and for the bodies in strings."""

    def __init__(self, open_record: Open) -> None:
        """Both have seen nothing."""
        self.outer = Incremental(open_record)
        self.inner = Incremental(lambda node: Opened(body=node))

    def read(self, raw: bytes) -> Plain:
        """What these readers make of the record *raw*."""
        try:
            read = self.outer.read(raw)
        except Malformed as error:
            return outcome(error)
        if not isinstance(read, Quoted):
            return outcome(read)
        try:
            inner = self.inner.read(Literal(raw[read.start : read.stop]).inner, provider=read.opened.provider)
        except Malformed as error:
            return outcome(read, error)
        assert not isinstance(inner, Quoted)
        return outcome(read, inner)


def fresh(open_record: Open, raw: bytes) -> Plain:
    """What readers that have seen nothing make of the record *raw*."""
    return Pair(open_record).read(raw)


def check_records(open_record: Open, records: list[bytes]) -> list[Plain]:
    """Each record, read after all before it, gives what it gives alone; the outcomes."""
    pair = Pair(open_record)
    outcomes = []
    for i, raw in enumerate(records):
        found = pair.read(raw)
        assert found == fresh(open_record, raw), f"record {i} of {len(records)}"
        outcomes.append(found)
    return outcomes
