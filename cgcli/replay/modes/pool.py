"""A bounded queue and its workers, in simulated time: nobody waits for it; what does not fit is dropped and counted."""

from __future__ import annotations

import heapq
from collections import deque
from enum import StrEnum
from typing import TYPE_CHECKING, Generic, TypeVar

from cgcli.errors import CgError
from cgcli.model import unique

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

T = TypeVar("T")

DEFAULT_MAX_QUEUE = 256
DEFAULT_WORKERS = 1


class Offered(StrEnum):
    """What became of a job that was offered."""

    QUEUED = "queued"
    DROPPED = "dropped"
    """The queue was full."""
    DEDUPLICATED = "deduplicated"
    """One of the same key is waiting or at work."""


@unique
class Work(Generic[T]):
    """What a job comes to, once a worker has begun it."""

    result: T | None
    """None where it failed: fail open, nothing is done."""
    duration_s: float


@unique
class Job(Generic[T]):
    """Something to be done off the path of the requests."""

    key: Hashable
    start: Callable[[float], Work[T]]
    """Told when a worker begins it. It sees what was known when it was offered, and nothing later."""


@unique
class Done(Generic[T]):
    """A job that ended."""

    job: Job[T]
    result: T | None
    ended_s: float
    duration_s: float


class Pool(Generic[T]):
    """Jobs in the order in which they were offered, so many at once."""

    def __init__(self, *, max_queue: int = DEFAULT_MAX_QUEUE, workers: int = DEFAULT_WORKERS) -> None:
        """Nothing waits; every worker is free."""
        self._max_queue = max_queue
        self._n_free = workers
        self._waiting: deque[Job[T]] = deque()
        self._running: list[tuple[float, int, Done[T]]] = []
        self._claimed: set[Hashable] = set()
        self._n_begun = 0

    def __len__(self) -> int:
        """How many wait or are at work."""
        return len(self._waiting) + len(self._running)

    def is_claimed(self, key: Hashable) -> bool:
        """True where a job of that key waits or is at work."""
        return key in self._claimed

    def offer(self, job: Job[T]) -> Offered:
        """Take *job* in, or say why not. Where a worker is free it begins with the next call of `begin` or `until`."""
        if job.key in self._claimed:
            return Offered.DEDUPLICATED
        if len(self._waiting) >= self._max_queue + self._n_free:
            return Offered.DROPPED
        self._claimed.add(job.key)  # before anybody can see the job
        self._waiting.append(job)
        return Offered.QUEUED

    def until(self, now_s: float) -> Iterator[Done[T]]:
        """What ends up to *now_s*, in the order in which it ends; waiting jobs begin as workers become free."""
        while self._running and self._running[0][0] <= now_s:
            ended_s, _, done = heapq.heappop(self._running)
            self._n_free += 1
            self._claimed.discard(done.job.key)
            self.begin(ended_s)
            yield done

    def abandon(self) -> int:
        """Give up whatever waits or is at work; how many those are."""
        n = len(self)
        self._waiting.clear()
        self._n_free += len(self._running)
        self._running.clear()
        self._claimed.clear()
        return n

    def begin(self, now_s: float) -> None:
        """Let free workers begin what waits; `until` has come to *now_s*."""
        while self._n_free and self._waiting:
            job = self._waiting.popleft()
            self._n_free -= 1
            work = started(job, now_s)
            ended_s = now_s + work.duration_s
            done = Done(job=job, result=work.result, ended_s=ended_s, duration_s=work.duration_s)
            self._n_begun += 1
            heapq.heappush(self._running, (ended_s, self._n_begun, done))


def started(job: Job[T], now_s: float) -> Work[T]:
    """What *job* comes to, begun at *now_s*; nothing where it has a fault."""
    try:
        return job.start(now_s)
    except CgError:
        raise
    except Exception:  # noqa: BLE001 - fail open: the requests go on as they were
        return Work(result=None, duration_s=0.0)
