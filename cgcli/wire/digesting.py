"""Work beside the work: hashing and writing large buffers lets other threads run, so a second core does it."""

from __future__ import annotations

from hashlib import sha256
from queue import Queue
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Pieces = Sequence[bytes | memoryview]

_WAITING = 4


class Digesting:
    """A running sha256 over buffers that nobody changes any more; at most a few batches wait.

    Each batch is first handed to *then*, in the same thread and in order: a writer, for example.
    """

    def __init__(self, then: Callable[[Pieces], None] | None = None) -> None:
        """Start with nothing hashed."""
        self.n_bytes = 0
        self._then = then
        self._hash = sha256()
        self._failure: Exception | None = None
        self._queue: Queue[Pieces | None] = Queue(_WAITING)
        self._thread = Thread(target=self._work, daemon=True)
        self._thread.start()

    def update(self, pieces: Pieces) -> None:
        """Take *pieces* after what came before.

        Raises:
            Exception: what *then* raised on an earlier batch; an OSError where it writes.
        """
        if self._failure is not None:
            raise self._failure
        self.n_bytes += sum(map(len, pieces))
        self._queue.put(pieces)

    def close(self) -> None:
        """Wait until all is done; nothing can be added after."""
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join()

    def hexdigest(self) -> str:
        """The digest of all pieces, in 64 hex digits; nothing can be added after.

        Raises:
            Exception: what *then* raised; an OSError where it writes.
        """
        self.close()
        if self._failure is not None:
            raise self._failure
        return self._hash.hexdigest()

    def _work(self) -> None:
        while (batch := self._queue.get()) is not None:
            if self._failure is not None:
                continue
            try:
                if self._then is not None:
                    self._then(batch)
                for piece in batch:
                    self._hash.update(piece)
            except Exception as error:  # noqa: BLE001 - the next call raises it; a dead thread would block that one
                self._failure = error
