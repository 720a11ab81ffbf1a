"""Parse bodies that are at hand as bytes, such as a call that was just built; what they share is parsed once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.readers.base import Opened
from cgcli.readers.incremental import Incremental, Read
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from cgcli.model import Request


class BodyParser:
    """Parses one body after the other; a body that repeats an earlier one's messages costs what is new in it."""

    def __init__(self) -> None:
        """Nothing was parsed yet."""
        self._read = Incremental(lambda node: Opened(body=node))

    def parse(self, body: bytes) -> Request:
        """The request that *body* is.

        Raises:
            Malformed: it is none.
        """
        read = self._read.read(body)
        if not isinstance(read, Read):
            raise Malformed("bad_shape", "the bytes are no request body")
        return read.request


def parse_body(body: bytes) -> Request:
    """The request that *body* is, on its own.

    Raises:
        Malformed: it is none.
    """
    return BodyParser().parse(body)
