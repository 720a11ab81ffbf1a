"""Writing files so that they are either wholly there, after a power cut too, or not at all.

Content goes to a temporary name in the same file system, is synced, renamed, and the folder is synced.
"""

from __future__ import annotations

import errno
import itertools
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from cgcli.errors import StashUnwritable
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import TypeVar

    T = TypeVar("T")

N_THREADS = 8
"""Syncs wait for the disk: 200 took 140-200 ms one after the other, 70 ms with 4 to 16 threads."""

_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP})
_HINTS = {
    errno.ENOSPC: "free some space, or name a stash on another disk with --stash",
    errno.EDQUOT: "your disk quota is used up: free some space, or name another stash with --stash",
    errno.EFBIG: "the file size limit (ulimit -f) is too low for the originals",
    errno.ENOTDIR: "a file stands where a folder should be: name another stash with --stash",
    errno.EEXIST: "a file stands where a folder should be: name another stash with --stash",
}
_ANY_HINT = "name a folder that you may write to with --stash or CG_STASH"

_serial = itertools.count()


@value
class Move:
    """A temporary file, and the name it gets."""

    temp: Path
    final: Path


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the operating system says while *path* is written into `StashUnwritable`."""
    try:
        yield
    except OSError as error:
        raise StashUnwritable(
            f"the stash cannot be written: {error.strerror or error}",
            where=str(error.filename or path),
            hint=_HINTS.get(error.errno or 0, _ANY_HINT),
        ) from error


def make_folder(path: Path) -> None:
    """Make a folder that only its owner may read, durably, unless it stands there already."""
    if path.is_dir():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=0o700, exist_ok=True)
    with suppress(PermissionError):  # a parent that may be entered and not listed cannot be synced
        _sync(path.parent)


def write_temp(folder: Path, content: bytes) -> Path:
    """Write *content* to a new name in *folder* that no other process or run uses; not yet synced."""
    path = folder / f"{os.getpid()}-{next(_serial)}-{os.urandom(6).hex()}"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor has no path
            file.write(content)
    except BaseException:  # an interrupt too
        path.unlink(missing_ok=True)
        raise
    return path


def settle(moves: Sequence[Move], *, folders: Collection[Path] = ()) -> None:
    """Sync all files, rename them, sync the folders they went to and *folders*.

    After an error some may have their name already: each of those is whole.
    """
    for parent in {move.final.parent for move in moves}:
        make_folder(parent)
    _each(_sync, [move.temp for move in moves])
    for move in moves:
        move.temp.replace(move.final)
    _each(_sync, sorted({move.final.parent for move in moves}.union(folders)))


def write_all(contents: Mapping[Path, bytes], *, temps: Path) -> None:
    """Write whole files durably by way of the folder *temps*; after an error nothing is left in it."""
    moves: list[Move] = []
    try:
        for path, content in contents.items():
            moves.append(Move(temp=write_temp(temps, content), final=path))
        settle(moves)
    except BaseException:  # an interrupt too
        for move in moves:
            move.temp.unlink(missing_ok=True)
        raise


def _each(act: Callable[[T], None], items: Iterable[T]) -> None:
    todo = list(items)
    if len(todo) < 2:  # noqa: PLR2004 - one needs no threads
        for item in todo:
            act(item)
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - reading a stash needs no threads

    with ThreadPoolExecutor(min(N_THREADS, len(todo))) as pool:
        for done in [pool.submit(act, item) for item in todo]:
            done.result()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Lock:
    """A lock on a file that ends with the process; where the file system has none, it holds nothing back."""

    def __init__(self, path: Path, *, alone: bool) -> None:
        """Wait for the lock, shared; or get it *alone* at once.

        Raises:
            BlockingIOError: Another one has it, and it was wanted alone.
        """
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _flock(self._descriptor, alone=alone)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                self.release()
                raise

    def release(self) -> None:
        """Let others have it."""
        os.close(self._descriptor)


def _flock(descriptor: int, *, alone: bool) -> None:
    import fcntl  # noqa: PLC0415 - reading a stash needs no lock, and not every system has this module

    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB if alone else fcntl.LOCK_SH)
