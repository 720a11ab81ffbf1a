"""Undo records: under an output's digest, what gives back its input.

The payload is the writer's; here it is only compressed and guarded. The header lists the objects that the
record needs, so that `gc` knows them without understanding the payload:

    cg-undo/1 LF | sha256 of needs and payload | n_needs, 4 bytes | needs, 32 bytes each | zlib(payload)
"""

from __future__ import annotations

import struct
import zlib
from hashlib import sha256
from typing import TYPE_CHECKING

from cgcli.errors import StashCorrupt
from cgcli.model import value
from cgcli.stash.layout import is_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from cgcli.stash.layout import Layout

_MAGIC = b"cg-undo/1\n"
_HEAD = struct.Struct(">32sI")
_NEED_BYTES = 32
_NAME_HEX = 16


@value
class UndoRecord:
    """What is kept for one output."""

    payload: bytes
    needs: tuple[str, ...]
    """Digests of the objects it needs, 64 hex digits, sorted."""


def encode(record: UndoRecord) -> bytes:
    """The bytes of the file; the same record gives the same bytes with the same zlib."""
    needs = b"".join(bytes.fromhex(need) for need in record.needs)
    digest = sha256(needs + record.payload).digest()
    head = _HEAD.pack(digest, len(record.needs))
    return _MAGIC + head + needs + zlib.compress(record.payload)


def decode(data: bytes, path: Path) -> UndoRecord:
    """The record in *data*, which was read from *path*.

    Raises:
        StashCorrupt: It is not what was written.
    """
    try:
        digest, n_needs = _HEAD.unpack_from(data, len(_MAGIC))
        start = len(_MAGIC) + _HEAD.size
        needs = data[start : start + n_needs * _NEED_BYTES]
        payload = zlib.decompress(data[start + n_needs * _NEED_BYTES :])
    except (struct.error, zlib.error) as error:
        raise _corrupt(path) from error
    right_name = path.name.endswith("." + digest.hex()[:_NAME_HEX])
    if not data.startswith(_MAGIC) or sha256(needs + payload).digest() != digest or not right_name:
        raise _corrupt(path)
    starts = range(0, len(needs), _NEED_BYTES)
    return UndoRecord(payload=payload, needs=tuple(needs[at : at + _NEED_BYTES].hex() for at in starts))


def record(payload: bytes, needs: Iterable[str]) -> UndoRecord:
    """A record with each need once, in order."""
    return UndoRecord(payload=payload, needs=tuple(sorted(set(needs))))


def record_path(layout: Layout, output: str, data: bytes) -> Path:
    """Where the encoded record *data* for the output with the digest *output* stands.

    Two inputs may become the same output: each has a record of its own.

    Raises:
        ValueError: *output* is not a digest.
    """
    if not is_digest(output):
        raise ValueError(f"not 64 hex digits in lower case: {output[:80]!r}")
    digest: bytes = _HEAD.unpack_from(data, len(_MAGIC))[0]
    return layout.undo / f"{output}.{digest.hex()[:_NAME_HEX]}"


def records(layout: Layout, output: str | None = None) -> Iterator[Path]:
    """The files of the records for one output, or of all, in the order of their names."""
    yield from sorted(layout.undo.glob(f"{output}.*" if output else "*.*"))


def _corrupt(path: Path) -> StashCorrupt:
    return StashCorrupt(
        "the undo record is not what was written",
        where=str(path),
        hint="the next run over the same input writes it anew; markers resolve one by one with `cg expand`",
    )
