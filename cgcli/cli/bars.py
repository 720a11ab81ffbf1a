"""A bar on stderr where something takes long."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from rich.progress import ProgressColumn

_PATIENCE_S = 1.0
"""What ends before needs no bar."""
_STEP_S = 0.1


class Bar:
    """How much of something is done; nothing is shown where stderr is no terminal."""

    def __init__(self, doing: str, *, total: Callable[[], int | None], unit: Literal["bytes", "files"]) -> None:
        """*doing* it begins now; *total*, in *unit*, is only asked for where there is a bar. None: not known."""
        self._doing = doing
        self._total = total
        self._unit = unit
        self._shown_s = monotonic() + _PATIENCE_S
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

    def __call__(self, n_done: int) -> None:
        """So many are done by now."""
        if not self._is_seen or monotonic() < self._shown_s:
            return
        if self._bar is None:
            self._begin()
        self._bar.update(self._task, completed=n_done)
        self._shown_s = monotonic() + _STEP_S

    def _begin(self) -> None:
        from rich.console import Console  # noqa: PLC0415 - only where it takes long
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            *self._amount(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(self._doing, total=self._total())
        self._bar.start()

    def _amount(self) -> tuple[ProgressColumn, ...]:
        from rich.progress import DownloadColumn, MofNCompleteColumn, TextColumn  # noqa: PLC0415 - only with a bar

        if self._unit == "bytes":
            return (DownloadColumn(binary_units=True),)
        return (MofNCompleteColumn(), TextColumn(self._unit))
