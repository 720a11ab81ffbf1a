"""Objects: originals under the sha256 of their bytes. Reading, finding and listing them."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING

from cgcli.errors import StashCorrupt, StashError, StashMiss
from cgcli.model import value
from cgcli.stash.layout import DIGEST_HEX, is_digest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cgcli.stash.layout import Layout

MIN_PREFIX_HEX = 4
"""The shortest beginning of a digest that is looked up."""
_N_CANDIDATES = 8

_MARKER = re.compile(r"(?:<|\\u003[cC]){2}cg:(?P<key>[^<>\\]*)(?:>|\\u003[eE]){2}")
_PREFIX = re.compile(rf"[0-9a-f]{{{MIN_PREFIX_HEX},{DIGEST_HEX}}}")


@value
class StashedObject:
    """An object as the directory shows it; its content is not read."""

    digest: str
    """64 hex digits."""
    size_bytes: int
    modified_s: float
    """Seconds since 1970."""


def read(layout: Layout, digest: str) -> bytes:
    """The content of the object with *digest*.

    Raises:
        StashMiss: There is none.
        StashCorrupt: What stands there has another digest.
        StashError: It cannot be read.
    """
    path = layout.object(digest)
    content = read_file(path)
    if content is None:
        raise _miss(layout, digest)
    if sha256(content).hexdigest() != digest:
        raise StashCorrupt(
            f"the object {digest[:16]} is not what was stashed ({len(content)} bytes, another digest)",
            where=str(path),
            hint="the next run over the same input heals it, so does `cg stash import` of an export",
        )
    return content


def read_file(path: Path) -> bytes | None:
    """The bytes of a file of the stash; None where there is none.

    Raises:
        StashError: It cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StashError(
            f"the stash cannot be read: {error.strerror}", where=str(path), hint="look at its permissions"
        ) from error


def holds(path: Path, content: bytes) -> bool:
    """True where the file at *path* has exactly *content*; False where it cannot be read."""
    try:
        return path.stat().st_size == len(content) and path.read_bytes() == content
    except OSError:
        return False


def listed(layout: Layout) -> Iterator[StashedObject]:
    """All objects in the order of their digests; files with other names are passed over."""
    for folder in _children(layout.objects):
        for path in _children(folder):
            digest = folder.name + path.name
            if is_digest(digest) and path.is_file():
                status = path.stat()
                yield StashedObject(digest=digest, size_bytes=status.st_size, modified_s=status.st_mtime)


def strangers(layout: Layout) -> Iterator[Path]:
    """What stands among the objects and is none."""
    for folder in _children(layout.objects):
        if not folder.is_dir():
            yield folder
        yield from (path for path in _children(folder) if not (is_digest(folder.name + path.name) and path.is_file()))


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []


def resolve(layout: Layout, short: str) -> str:
    """The digest that *short* means: a marker in either spelling, a key, or any beginning of a digest.

    Raises:
        StashMiss: It is none of these, nothing begins with it, or several do.
    """
    stripped = short.strip()
    match = _MARKER.fullmatch(stripped)
    prefix = (match["key"] if match else stripped).lower()
    if not _PREFIX.fullmatch(prefix):
        raise StashMiss(
            f"not a marker and not the beginning of a digest: {stripped[:80]!r}",
            hint=f"give {MIN_PREFIX_HEX} to {DIGEST_HEX} hex digits, or a whole marker such as <<cg:KEY>>",
        )
    shard = layout.objects / prefix[:2]
    found = [shard.name + path.name for path in _children(shard) if path.name.startswith(prefix[2:])]
    found = [digest for digest in found if is_digest(digest)]
    if not found:
        raise _miss(layout, prefix)
    if len(found) > 1:
        shown = ", ".join(found[:_N_CANDIDATES]) + (", …" if len(found) > _N_CANDIDATES else "")
        raise StashMiss(
            f"{len(found)} objects begin with {prefix}: {shown}",
            where=str(layout.root),
            hint="give more digits",
        )
    return found[0]


def _miss(layout: Layout, prefix: str) -> StashMiss:
    return StashMiss(
        f"nothing in the stash begins with {prefix}",
        where=str(layout.root),
        hint="`cg stash ls` lists what it holds; another stash is named with --stash or CG_STASH",
    )
