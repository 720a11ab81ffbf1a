"""Open what a command reads, with a bar where that takes long."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cgcli.cli.bars import Bar
from cgcli.readers import open_capture, read
from cgcli.readers.copying import copied, is_piped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cgcli.readers import Capture


@contextmanager
def opened(file: str, format_name: str | None = None) -> Iterator[Capture]:
    """The capture in *file*; on a terminal, with a bar on stderr once it has taken a second.

    Raises:
        InputError: missing, empty, damaged, or no request in it.
        UsageError: no reader has the name *format_name*.
    """
    name = Path(file).name.encode("ascii", "backslashreplace").decode()
    with (
        Bar(f"reading {name}", total=lambda: _size_bytes(file), unit="bytes") as bar,
        open_capture(file, format_name=format_name, watch=bar) as capture,
    ):
        yield capture


@contextmanager
def anew_from(file: str, format_name: str | None) -> Iterator[Callable[[], Capture]]:
    """What opens the capture in *file* from its beginning, each time that it is called; stdin is copied first.

    The capture that it gave before cannot be read on then.
    """
    with ExitStack() as stack:
        if is_piped(file):
            copy = stack.enter_context(copied(file))

            def again() -> Capture:
                copy.seek(0)
                return read(copy, file=file, format=format_name)
        else:

            def again() -> Capture:
                stack.close()
                return stack.enter_context(opened(file, format_name))

        yield again


def _size_bytes(file: str) -> int | None:
    """The size of the file; None where that is not what will be read (packed, a pipe, a folder)."""
    path = Path(file)
    if file == "-" or not path.is_file() or path.suffix in (".gz", ".zst"):
        return None
    return path.stat().st_size
