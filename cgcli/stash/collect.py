"""Removing what nothing refers to any more."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from cgcli.errors import StashCorrupt, StashUnwritable
from cgcli.markers import keys_in_bytes
from cgcli.model import value
from cgcli.stash import slots
from cgcli.stash.durable import Lock, write_all, writing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from cgcli.stash.objects import StashedObject
    from cgcli.stash.slots import SlotRecord
    from cgcli.stash.store import Stash

STALE_TEMP_S = 86_400.0
"""A temporary file of this age belongs to a process that was killed: no run takes a day."""


@value
class Collected:
    """What `gc` removed, or would."""

    removed: tuple[StashedObject, ...]
    kept: tuple[StashedObject, ...]
    stale_temps: tuple[str, ...]
    """Names of temporary files that a killed process left."""


def gc(stash: Stash, *, keep: Iterable[str], now_s: float, dry_run: bool = False) -> Collected:
    """Remove the objects that nothing refers to.

    Kept are the objects that an undo record needs, those that *keep* names, and those that a kept object
    leads to: by a marker in its content, or as the raw spelling of the same original.

    Args:
        stash: Where; nothing may be pending in it.
        keep: Digests, marker keys or any beginnings of digests, in lower case; all that begin so are kept.
        now_s: The time, in seconds since 1970; only the age of temporary files depends on it.
        dry_run: Only say what would be removed.

    Raises:
        StashUnwritable: Another process is writing to the stash, or removing failed.
        StashCorrupt: An undo record or a journal is damaged, so that what it needs is unknown.
    """
    lock = _lock(stash)
    try:
        listed = tuple(stash.ls())
        live = _live(stash, [one.digest for one in listed], {*keep, *stash.undo_needs()})
        done = Collected(
            removed=tuple(one for one in listed if one.digest not in live),
            kept=tuple(one for one in listed if one.digest in live),
            stale_temps=tuple(path.name for path in _stale_temps(stash, now_s)),
        )
        if not dry_run:
            with writing(stash.root):
                _merge_journals(stash, live)
                _remove(stash, done)
    finally:
        lock.release()
    return done


def _lock(stash: Stash) -> Lock:
    with writing(stash.root):
        try:
            return Lock(stash.layout.lock, alone=True)
        except BlockingIOError as error:
            raise StashUnwritable(
                "another process is writing to the stash",
                where=str(stash.root),
                hint="run it again afterwards",
            ) from error


def _live(stash: Stash, digests: list[str], roots: set[str]) -> set[str]:
    """Every digest that a root means or leads to; *digests* are sorted."""
    raw_of: dict[str, set[str]] = {}
    for record in _records(stash):
        if record.raw is not None:
            raw_of.setdefault(record.original, set()).add(record.raw)
    live: set[str] = set()
    todo = sorted(roots)
    while todo:
        for digest in _matching(digests, todo.pop()):
            if digest not in live:
                live.add(digest)
                todo += raw_of.get(digest, ())
                todo += _keys_in(stash, digest)
    return live


def _matching(digests: list[str], prefix: str) -> Iterator[str]:
    i = bisect_left(digests, prefix)
    while i < len(digests) and digests[i].startswith(prefix):
        yield digests[i]
        i += 1


def _keys_in(stash: Stash, digest: str) -> frozenset[str]:
    try:
        return keys_in_bytes(stash.get(digest))
    except StashCorrupt:  # stays, for `verify` to report
        return frozenset()


def _records(stash: Stash) -> Iterator[SlotRecord]:
    for records in stash.slots().values():
        yield from records


def _stale_temps(stash: Stash, now_s: float) -> list[Path]:
    with writing(stash.root):
        temps = sorted(stash.layout.temps.iterdir()) if stash.layout.temps.is_dir() else []
        return [path for path in temps if now_s - path.stat().st_mtime > STALE_TEMP_S]


def _merge_journals(stash: Stash, live: set[str]) -> None:
    """Leave one journal with the records of kept originals, before the others lose theirs."""
    old = set(slots.journals(stash.layout))
    merged = slots.journal(record for record in _records(stash) if record.original in live)
    path = slots.journal_path(stash.layout, merged)
    if merged and path not in old:
        write_all({path: merged}, temps=stash.layout.temps)
    for stale in old - ({path} if merged else set()):
        stale.unlink()


def _remove(stash: Stash, done: Collected) -> None:
    for name in done.stale_temps:
        (stash.layout.temps / name).unlink(missing_ok=True)
    for one in done.removed:
        stash.layout.object(one.digest).unlink(missing_ok=True)
