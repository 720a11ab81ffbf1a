"""A whole stash as one file: an uncompressed tar, the same bytes for the same content.

An archive is not trusted: every name must be one that a stash has, every content must have the digest that
it stands under, a manifest tells what is missing, and nothing is imported unless all of it is right.
"""

from __future__ import annotations

import io
import os
import re
import tarfile
from hashlib import sha256
from typing import TYPE_CHECKING

from cgcli.errors import InputError, OutputError, StashCorrupt
from cgcli.model import value
from cgcli.stash import objects, slots, undo
from cgcli.stash.durable import Move, settle
from cgcli.stash.layout import FORMAT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cgcli.stash.store import Stash

_OBJECT = re.compile(r"objects/([0-9a-f]{2})/([0-9a-f]{62})")
_JOURNAL = re.compile(r"slots/[0-9a-f]{64}\.jsonl")
_UNDO = re.compile(r"undo/[0-9a-f]{64}\.[0-9a-f]{16}")


@value
class Exported:
    """What went into an archive."""

    n_objects: int
    object_bytes: int
    n_journals: int
    n_undo_records: int


@value
class Imported:
    """What came out of an archive."""

    n_new: int
    """Objects that were not in the stash, or damaged there."""
    new_bytes: int
    n_known: int
    n_journals: int
    n_undo_records: int


def export(stash: Stash, archive: Path) -> Exported:
    """Write everything in *stash* to the file *archive*, replacing it once all is written.

    Raises:
        StashCorrupt: Something in the stash is damaged; `verify` names all of it.
        OutputError: The archive cannot be written.
    """
    temp = archive.with_name(f".{archive.name}.{os.getpid()}.tmp")
    try:
        try:
            with temp.open("xb") as file:
                done = _write(stash, file)
            settle([Move(temp=temp, final=archive)])
        finally:
            temp.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(
            f"the archive cannot be written: {error.strerror or error}",
            where=str(archive),
            hint="name a file in a folder that you may write to",
        ) from error
    return done


def _write(stash: Stash, file: io.BufferedWriter) -> Exported:
    listed = tuple(stash.ls())
    journals = tuple(slots.journals(stash.layout))
    undos = tuple(undo.records(stash.layout))
    names = [f"objects/{one.digest[:2]}/{one.digest[2:]}" for one in listed]
    names += [path.relative_to(stash.root).as_posix() for path in (*journals, *undos)]
    with tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        _add(tar, "format", FORMAT)
        _add(tar, "manifest", "".join(f"{name}\n" for name in names).encode())
        for name in names:
            _add(tar, name, _checked(stash, name, objects.read_file(stash.root / name) or b""))
    return Exported(
        n_objects=len(listed),
        object_bytes=sum(one.size_bytes for one in listed),
        n_journals=len(journals),
        n_undo_records=len(undos),
    )


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    info = tarfile.TarInfo(name)  # times and owners are 0 here
    info.size = len(content)
    info.mode = 0o600
    tar.addfile(info, io.BytesIO(content))


def import_(stash: Stash, archive: Path) -> Imported:
    """Add everything in the file *archive* to *stash*; what stands there and is right stays as it is.

    Raises:
        InputError: It is no archive of a stash, not whole, or names something that no stash has.
        StashCorrupt: A content in it has another digest than its name; nothing is imported.
        StashUnwritable: It cannot be written.
    """
    n_journals = n_undo_records = 0
    with stash:
        for name, content in _members(archive):
            if _OBJECT.fullmatch(name):
                stash.put(_checked(stash, name, content))
                continue
            n_journals += name.startswith("slots/")
            n_undo_records += name.startswith("undo/")
            stash.add_document(stash.root / name, _checked(stash, name, content))
        done = stash.commit()
    return Imported(
        n_new=done.n_new,
        new_bytes=done.new_bytes,
        n_known=done.n_known,
        n_journals=n_journals,
        n_undo_records=n_undo_records,
    )


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Name and content of everything in the manifest, once all before it has been checked."""
    try:
        with tarfile.open(archive, mode="r:") as tar:
            if _next(tar, "format") != FORMAT:
                raise _no_archive(archive, "its format is another one")
            missing = set(_next(tar, "manifest").decode("ascii", "replace").splitlines())
            while (member := tar.next()) is not None:  # iterating would begin anew
                if member.name not in missing or not member.isreg() or member.issparse():
                    raise _no_archive(archive, f"{member.name[:80]!r} does not belong in it")
                missing.discard(member.name)
                yield member.name, _content(tar, member)
    except tarfile.TarError as error:
        raise _no_archive(archive, str(error)) from error
    except OSError as error:
        raise InputError(
            f"the archive cannot be read: {error.strerror or error}",
            where=str(archive),
            hint="check the path",
        ) from error
    if missing:
        raise _no_archive(archive, f"it is cut: {len(missing)} files of its manifest are missing")


def _next(tar: tarfile.TarFile, name: str) -> bytes:
    """The content of the next member, which must have that name; empty where it has another."""
    member = tar.next()
    return _content(tar, member) if member is not None and member.name == name and member.isreg() else b""


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(member)
    return file.read() if file is not None else b""


def _checked(stash: Stash, name: str, content: bytes) -> bytes:
    """*content*, if it is what its name says.

    Raises:
        InputError: No stash has such a name.
        StashCorrupt: The name says another digest.
    """
    path = stash.root / name
    if match := _OBJECT.fullmatch(name):
        if sha256(content).hexdigest() != match[1] + match[2]:
            raise StashCorrupt(
                "an object has another digest than its name",
                where=name,
                hint="`cg stash verify` names all damage",
            )
    elif _JOURNAL.fullmatch(name):
        slots.parse(content, path)
    elif _UNDO.fullmatch(name):
        undo.decode(content, path)
    else:
        raise InputError(f"no stash has a file of this name: {name[:80]!r}", hint="make one with `cg stash export`")
    return content


def _no_archive(archive: Path, why: str) -> InputError:
    return InputError(
        f"not an archive of a stash: {why}",
        where=str(archive),
        hint="make one with `cg stash export ARCHIVE`",
    )
