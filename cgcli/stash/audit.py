"""Whether everything in a stash is what was written, and everything that is referred to is there."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from cgcli.errors import StashCorrupt, StashError
from cgcli.model import value
from cgcli.stash import objects, slots, undo

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cgcli.stash.store import Stash


class Trouble(StrEnum):
    """What may be wrong in a stash."""

    CORRUPT = "corrupt"
    """Not what was written."""
    MISSING = "missing"
    """Referred to, and not there."""
    STRANGER = "stranger"
    """Among the objects, and none."""


@value
class Problem:
    """One thing that is wrong in a stash."""

    trouble: Trouble
    path: str
    """The file that is wrong, or that refers to what is missing; relative to the stash."""
    digest: str | None
    """The object meant, 64 hex digits."""
    detail: str


def verify(stash: Stash) -> list[Problem]:
    """Every problem of *stash*, having read and hashed every byte of it; none is an empty list."""
    return [*_objects(stash), *_journals(stash), *_undos(stash)]


def _objects(stash: Stash) -> Iterator[Problem]:
    for one in stash.ls():
        try:
            stash.get(one.digest)
        except StashError as error:
            yield _problem(stash, Trouble.CORRUPT, error, digest=one.digest)
    for path in objects.strangers(stash.layout):
        yield Problem(
            trouble=Trouble.STRANGER,
            path=str(path.relative_to(stash.root)),
            digest=None,
            detail="stands among the objects and is none",
        )


def _journals(stash: Stash) -> Iterator[Problem]:
    for path in slots.journals(stash.layout):
        try:
            records = slots.parse(objects.read_file(path) or b"", path)
        except StashError as error:
            yield _problem(stash, Trouble.CORRUPT, error)
            continue
        needs = {need for record in records for need in (record.original, record.raw) if need is not None}
        yield from _missing(stash, str(path.relative_to(stash.root)), needs)


def _undos(stash: Stash) -> Iterator[Problem]:
    for path in undo.records(stash.layout):
        try:
            record = undo.decode(objects.read_file(path) or b"", path)
        except StashError as error:
            yield _problem(stash, Trouble.CORRUPT, error)
            continue
        yield from _missing(stash, str(path.relative_to(stash.root)), record.needs)


def _missing(stash: Stash, path: str, needs: Iterable[str]) -> Iterator[Problem]:
    for need in sorted(needs):
        if not stash.has(need):
            yield Problem(
                trouble=Trouble.MISSING,
                path=path,
                digest=need,
                detail=f"needs the object {need[:16]}, not there",
            )


def _problem(stash: Stash, trouble: Trouble, error: StashError, *, digest: str | None = None) -> Problem:
    where = (error.where or "").removeprefix(f"{stash.root}/")
    detail = error.message if isinstance(error, StashCorrupt) else f"cannot be read: {error.message}"
    return Problem(trouble=trouble, path=where, digest=digest, detail=detail)
