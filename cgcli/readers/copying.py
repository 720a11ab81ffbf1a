"""What cannot be read a second time, such as a pipe, copied to where it can."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from cgcli.readers.files import open_bytes, reading

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_HELD_BYTES = 16 << 20
"""Before the copy goes to the disk."""


def is_piped(file: str) -> bool:
    """True for stdin, a pipe and a device: what is unpacked from one says that it can be read again, and cannot."""
    path = Path(file)
    return file == "-" or (path.exists() and not path.is_file() and not path.is_dir())


@contextmanager
def copied(file: str) -> Iterator[BinaryIO]:
    """The content of *file*, unpacked, in a copy that has no name and is gone in the end.

    Raises:
        InputError: it cannot be read to its end.
    """
    from tempfile import SpooledTemporaryFile  # noqa: PLC0415 - slow to load, and most files are no pipes

    with SpooledTemporaryFile(_MOST_HELD_BYTES) as copy:
        with open_bytes(file) as piped, reading(file):
            shutil.copyfileobj(piped, copy, 1 << 20)
        copy.seek(0)
        yield cast("BinaryIO", copy)
