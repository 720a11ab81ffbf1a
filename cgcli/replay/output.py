"""Where a product goes: whole into its place, or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self

from cgcli.errors import OutputError, UsageError
from cgcli.wire.digesting import Digesting

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

_MOST_NAME_CHARS = 40
"""Of a product's name in that of its part: file systems take 255 bytes, a character may take four."""
_MOST_JOINED_BYTES = 16 << 20
_HINTS = {
    errno.ENOSPC: "free some space, or write elsewhere with -o",
    errno.EDQUOT: "your disk quota is used up: write elsewhere with -o",
    errno.EFBIG: "raise the file size limit (ulimit -f)",
    errno.ENOENT: "make the folder first",
    errno.ENOTDIR: "name a file in a folder with -o",
    errno.EISDIR: "name a file in it with -o",
}
_ANY_HINT = "name a file that you may write to with -o"


class Output:
    """A product being written. Leaving the `with` block without `finish` leaves nothing behind.

    A regular file is written under another name beside its place and renamed (not synced: it can be made again from its
    input); stdout and devices get a copy at the end. Writing goes on beside the work, so what is wrong with the disk is
    raised by a later call.
    """

    def __init__(self, target: str) -> None:
        """Write to *target*; `-` is stdout. Entering the `with` block begins it."""
        self.target = target
        path = Path(target)
        self._final = None if target == "-" or (path.exists() and not path.is_file()) else path
        # The name is known before the file is there, so that an interrupt at any moment leaves nothing.
        self._temp = path.parent / f".{path.name[:_MOST_NAME_CHARS]}.{os.urandom(6).hex()}.part"
        self._file: BinaryIO
        self._digest: Digesting

    def __enter__(self) -> Self:
        """Begin.

        Raises:
            OutputError: it cannot be begun.
        """
        try:
            self._begin()
        except OSError as error:
            raise _cannot(self.target, error) from error
        except BaseException:
            self._temp.unlink(missing_ok=True)
            raise
        return self

    def _begin(self) -> None:
        if self._final is not None:
            descriptor = os.open(self._temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            self._file = os.fdopen(descriptor, "wb", buffering=0)
        elif self.target != "-" and Path(self.target).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        else:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed by __exit__
        self._digest = Digesting(then=self._write_all)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            # An interrupt may have come while a lock was being taken, and then its thread would be waited for for ever:
            # it ends with the process.
            if kind is None or issubclass(kind, Exception):
                self._digest.close()
        finally:  # also where an interrupt ends the waiting
            self._temp.unlink(missing_ok=True)
            self._file.close()

    @property
    def n_bytes(self) -> int:
        """What was written so far."""
        return self._digest.n_bytes

    def hexdigest(self) -> str:
        """The sha256 of all that was written, in 64 hex digits; nothing can be written after.

        Raises:
            OutputError: the disk is full, or the like.
        """
        try:
            return self._digest.hexdigest()
        except OSError as error:
            raise _cannot(self.target, error) from error

    def write(self, pieces: Sequence[bytes | memoryview]) -> None:
        """Append *pieces*.

        Raises:
            OutputError: the disk is full, or the like.
        """
        # One buffer: the thread that hashes and writes has to wait for its turn after each; but no copy of a long line.
        is_long = sum(map(len, pieces)) > _MOST_JOINED_BYTES
        try:
            self._digest.update(pieces if is_long or len(pieces) < 2 else (b"".join(pieces),))  # noqa: PLR2004 - to join
        except OSError as error:
            raise _cannot(self.target, error) from error

    def _write_all(self, pieces: Sequence[bytes | memoryview]) -> None:
        for piece in pieces:
            rest = memoryview(piece)
            while rest:
                rest = rest[os.write(self._file.fileno(), rest) :]

    def finish(self) -> None:
        """Put the product in its place.

        Raises:
            OutputError: it cannot be put there.
        """
        self.hexdigest()
        try:
            if self._final is None:
                self._copy()
                return
            self._temp.chmod(0o666 & ~_umask())
            self._temp.replace(self._final)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _cannot(self.target, error) from error

    def _copy(self) -> None:
        self._file.seek(0)
        if self.target == "-":
            sys.stdout.flush()
            shutil.copyfileobj(self._file, sys.stdout.buffer, 1 << 20)
            sys.stdout.buffer.flush()
        else:
            with open(self.target, "wb") as device:  # noqa: PTH123 - a device, not a path to make
                shutil.copyfileobj(self._file, device, 1 << 20)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _cannot(target: str, error: OSError) -> OutputError:
    name = "stdout" if target == "-" else target
    hint = _HINTS.get(error.errno or 0, _ANY_HINT)
    return OutputError(f"cannot write: {error.strerror or error}", where=name, hint=hint)


def refuse_input_as_output(source: str, target: str | None) -> None:
    """Refuse to write over the file that is read, be it by name, by another name of it, or redirected.

    Raises:
        UsageError: both are the same file.
    """
    if target is None:
        return
    read, written = _file_of(source, 0), _file_of(target, 1)
    if read is not None and read == written:
        name = "stdout" if target == "-" else target
        raise UsageError("the output is the input", where=name, hint="give -o another name")


def _file_of(name: str, standard: int) -> tuple[int, int] | None:
    """What tells the regular file *name* from every other; `-` is the *standard* stream. None where there is none."""
    try:
        found = os.stat(standard if name == "-" else name)  # noqa: PTH116 - a path, or a descriptor
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None
