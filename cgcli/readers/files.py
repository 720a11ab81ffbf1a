"""Open a file as bytes: a path, stdin, gzip or zstandard, told by the first bytes."""

from __future__ import annotations

import gzip
import shlex
import sys
import zlib
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO, cast

from cgcli.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader, FileIO

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_WIDE = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
"""Byte-order marks."""
_BLOCK_BYTES = 4 << 20
_SEEN_BYTES = 31 << 20
"""Just below the most that glibc learns from (32 MB)."""


def open_bytes(file: str) -> BinaryIO:
    """The content of *file* (`-` is stdin), unpacked where it is packed.

    Raises:
        InputError: missing, a folder, unreadable, or text in UTF-16 or UTF-32.
    """
    stream = _stdin() if file == "-" else _open(file)
    try:
        return _unpacked(stream, file)
    except InputError:
        stream.close()
        raise


def _unpacked(stream: BufferedReader, file: str) -> BinaryIO:
    with reading(file):
        head = stream.peek(4)[:4]
    if head.startswith(_GZIP):
        packed = gzip.GzipFile(fileobj=stream, mode="rb")
        packed.myfileobj = cast("FileIO", stream)  # closed with it
        return cast("BinaryIO", packed)
    if head.startswith(_ZSTD):
        return _zstd(stream, file)
    encoding = _wide(head)
    if encoding is not None:
        raise InputError(
            f"the file is {encoding}, not UTF-8",
            where=file,
            hint=f"iconv -f {encoding} -t UTF-8 {shlex.quote(file)} > utf8.jsonl",
        )
    return stream


def _wide(head: bytes) -> str | None:
    """The encoding of text that takes two or four bytes a character, told by its mark or its zeros; else None."""
    for mark, encoding in _WIDE:
        if head.startswith(mark):
            return encoding
    if len(head) == 4 and head[1:4:2] == b"\x00\x00" != head[:4:2]:  # noqa: PLR2004 - two UTF-16 units
        return "UTF-16LE"
    return "UTF-16BE" if len(head) == 4 and head[:4:2] == b"\x00\x00" != head[1:4:2] else None  # noqa: PLR2004 - as above


@contextmanager
def reading(file: str) -> Iterator[None]:
    """Turn what goes wrong while *file* is read, packed or not, into `InputError`."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            f"the packed file is damaged: {error}",
            where=file,
            hint="copy it anew; `gzip -cd` gives what can be saved of it",
        ) from error
    except OSError as error:
        raise InputError(
            f"cannot read: {error.strerror or error}", where=file, hint="look at the disk and the file"
        ) from error


def _stdin() -> BufferedReader:
    if sys.stdin is None:
        raise InputError("stdin is closed", where="-", hint="name a file, or pipe one in")
    return cast("BufferedReader", sys.stdin.buffer)


def _open(file: str) -> BufferedReader:
    try:
        return open(file, "rb")  # noqa: PTH123 - the caller reads on and closes
    except FileNotFoundError as error:
        raise InputError("no such file", where=file, hint="check the path; `-` reads stdin") from error
    except IsADirectoryError as error:
        raise InputError(
            "a folder, not a file", where=file, hint=f"name one of its files: ls {shlex.quote(file)}"
        ) from error
    except OSError as error:
        raise InputError(error.strerror or str(error), where=file, hint="look at its permissions") from error


def _zstd(stream: BufferedReader, file: str) -> BinaryIO:
    try:
        zstandard = import_module("zstandard")  # an optional package, for this kind of file alone
    except ImportError as error:
        raise InputError(
            "the file is zstandard-packed", where=file, hint=f"zstd -d {shlex.quote(file)}, or pip install zstandard"
        ) from error
    return cast("BinaryIO", zstandard.ZstdDecompressor().stream_reader(stream))


def split_lines(stream: BinaryIO, *, file: str) -> Iterator[bytes]:
    """The lines of *stream* with their ends; the last one may have none. *file* is the name that errors say.

    Reads large blocks into one buffer that is used again: a third of the time of the stream's own iterator on
    lines of a megabyte. A line over several blocks is collected in memory that grows in place and is given away
    uncopied, so that a long line is there once.

    Raises:
        InputError: it cannot be read to its end.
    """
    _teach_allocator()
    block = bytearray(_BLOCK_BYTES)
    buffer = memoryview(block)
    begun = BytesIO()
    # One read of the system a call: between two, Python sees an interrupt.
    readinto = cast("BufferedReader", stream).readinto1
    while True:
        with reading(file):
            got = readinto(buffer)
        if not got:
            break
        at = 0
        while (end := block.find(b"\n", at, got)) >= 0:
            if begun.tell():
                begun.write(buffer[at : end + 1])
                line, begun = begun.getvalue(), BytesIO()
            else:
                line = bytes(buffer[at : end + 1])
            at = end + 1
            yield line
            del line
        begun.write(buffer[at:got])
    if begun.tell():
        yield begun.getvalue()


@cache
def _teach_allocator() -> None:
    """Tell it to keep large objects on its heap; once, for from then on they are cleared as they are made.

    One that maps every large object anew (glibc's, until it has seen one freed) costs a page fault for each 4 KB of
    each line. What is freed here was never touched.
    """
    bytes(_SEEN_BYTES)
