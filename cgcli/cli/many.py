"""The same work for many files at once, a process a core, with a bar on stderr where that takes long."""

from __future__ import annotations

import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from cgcli.cli.bars import Bar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
        futures = [pool.submit(work, item) for item in items]
        found: list[R] = []
        try:
            with Bar(doing, total=lambda: len(items), unit="files") as bar:
                for future in futures:
                    found.append(future.result())
                    bar(len(found))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in multiprocessing.active_children():  # an interrupt waits for nobody
                worker.terminate()
            raise
    return found


def _quietly() -> None:
    """A worker says nothing: its parent has the terminal."""
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for the process's life
