"""The same work for many files at once, a process a core, with a bar on stderr where that takes long."""

from __future__ import annotations

import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from cgcli.cli.opening import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

T = TypeVar("T")
R = TypeVar("R")


def n_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def results(work: Callable[[T], R], items: Sequence[T], *, n_jobs: int, doing: str) -> list[R]:
    """What *work* gives for each of *items*, in their order; *n_jobs* at once. *doing* is a word for the bar.

    *work* and *items* go to other processes, so they must be what pickle takes.
    """
    # Fresh processes: what the parent has loaded, threads and locks with it, is not theirs.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_jobs, mp_context=context, initializer=_quietly) as pool:
        futures = [pool.submit(partial(work, item)) for item in items]
        try:
            with _bar(len(items), doing) as told:
                return list(told(future.result() for future in futures))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in multiprocessing.active_children():  # an interrupt waits for nobody
                worker.terminate()
            raise


def _quietly() -> None:
    """A worker says nothing: its parent has the terminal."""
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for the process's life


@contextmanager
def _bar(n: int, doing: str) -> Iterator[Callable[[Iterable[R]], Iterator[R]]]:
    """What passes results on, and shows how many of *n* there are once that takes long."""
    begun_s = monotonic()
    shown: list[tuple[Any, Any]] = []

    def passing(found: Iterable[R]) -> Iterator[R]:
        for i, one in enumerate(found, 1):
            if sys.stderr is not None and sys.stderr.isatty() and monotonic() - begun_s > PATIENCE_S:
                if not shown:
                    shown.append(_begun(n, doing))
                bar, task = shown[0]
                bar.update(task, completed=i)
            yield one

    try:
        yield passing
    finally:
        for bar, _ in shown:
            bar.stop()


def _begun(n: int, doing: str) -> tuple[Any, Any]:
    from rich.console import Console  # noqa: PLC0415 - only where it takes long
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("files"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(doing, total=n)
    bar.start()
    return bar, task
