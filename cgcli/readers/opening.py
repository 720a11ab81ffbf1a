"""Open what the command line names: a file, stdin, a folder or a pattern."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from cgcli.readers.capture import read
from cgcli.readers.files import open_bytes
from cgcli.readers.folders import files_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cgcli.readers.capture import Capture


@contextmanager
def open_capture(
    file: str, *, format_name: str | None = None, watch: Callable[[int], None] | None = None
) -> Iterator[Capture]:
    """The capture in *file*; a folder or a pattern stands for all of its files, one after the other.

    *watch* is told how many bytes were read, with every record.

    Raises:
        InputError: missing, empty, damaged, or no request in it.
        UsageError: no reader has the name *format_name*.
    """
    files = files_of(file)
    if files is None:
        with open_bytes(file) as stream:
            yield read(stream, file=file, format=format_name, watch=watch)
        return
    from cgcli.readers.joined import join  # noqa: PLC0415 - only where there are several files

    yield join(file, files, format_name=format_name, watch=watch)
