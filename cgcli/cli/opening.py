"""Open what a command reads, and show how far it is where that takes long."""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

from cgcli.readers import open_capture, read
from cgcli.readers.copying import copied, is_piped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from cgcli.readers import Capture

PATIENCE_S = 1.0
"""What ends before needs no bar."""
_STEP_S = 0.1


@contextmanager
def opened(file: str, format_name: str | None = None) -> Iterator[Capture]:
    """The capture in *file*; on a terminal, with a bar on stderr once it has taken a second.

    Raises:
        InputError: missing, empty, damaged, or no request in it.
        UsageError: no reader has the name *format_name*.
    """
    with Progress(file) as progress, open_capture(file, format_name=format_name, watch=progress) as capture:
        yield capture


@contextmanager
def anew_from(file: str, format_name: str | None) -> Iterator[Callable[[], Capture]]:
    """What opens the capture in *file* from its beginning, each time that it is called; stdin is copied first."""
    with ExitStack() as stack:
        if not is_piped(file):
            yield lambda: stack.enter_context(opened(file, format_name))
            return
        copy = stack.enter_context(copied(file))

        def again() -> Capture:
            copy.seek(0)
            return read(copy, file=file, format=format_name)

        yield again


class Progress:
    """How much of a file was read; nothing is shown where stderr is no terminal."""

    def __init__(self, file: str) -> None:
        """Reading *file* begins now."""
        self._file = file
        self._begun_s = monotonic()
        self._shown_s = self._begun_s + PATIENCE_S
        self._is_seen = sys.stderr is not None and sys.stderr.isatty()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        """Nothing is shown yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, n_bytes: int) -> None:
        """So many bytes were read by now."""
        if not self._is_seen or monotonic() < self._shown_s:
            return
        if self._bar is None:
            self._begin()
        self._bar.update(self._task, completed=n_bytes)
        self._shown_s = monotonic() + _STEP_S

    def _begin(self) -> None:
        from rich.console import Console  # noqa: PLC0415 - only where it takes long
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

        self._bar = Progress(
            TextColumn("reading {task.description}", markup=False),
            BarColumn(),
            DownloadColumn(binary_units=True),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        name = Path(self._file).name.encode("ascii", "backslashreplace").decode()
        self._task = self._bar.add_task(name, total=self._total())
        self._bar.start()

    def _total(self) -> int | None:
        """The size of the file; None where that is not what will be read (packed, a pipe, a folder)."""
        path = Path(self._file)
        if self._file == "-" or not path.is_file() or path.suffix in (".gz", ".zst"):
            return None
        return path.stat().st_size
