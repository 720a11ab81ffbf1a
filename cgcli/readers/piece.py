"""A stretch of a file: a record, or what stands between two."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.model import Item
    from cgcli.readers.base import Passed
    from cgcli.rope import Rope

    ReadBefore: TypeAlias = Callable[[str, bytes], Item | None]
    """Gives what a message, in the dialect of that name and as it is written, was read as before; None: it was not."""


@value
class Piece:
    """A stretch of the file."""

    raw: bytes
    line: int
    is_record: bool
    is_cut: bool = False
    """True for a last line without a line end."""
    passed: Passed | None = None
    """Why there is no record here, where that is known already."""
    file: str | None = None
    """The file it is of, where a capture is made of several."""
    rope: Rope | None = None
    """The record, where it was put together; `raw` is empty then."""
    read_before: ReadBefore | None = None

    @property
    def record(self) -> bytes | Rope:
        """The record, however it is kept."""
        return self.raw if self.rope is None else self.rope
