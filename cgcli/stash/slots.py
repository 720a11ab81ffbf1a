"""Journals: which text replaced which original, so that it is restored where no marker tells.

A journal is one file for each run, one JSON object a line, under the sha256 of its bytes: the same run
writes the same journal.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Literal

import msgspec

from cgcli.errors import StashCorrupt
from cgcli.model import value
from cgcli.stash.objects import read_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from cgcli.stash.layout import Layout

_SUFFIX = ".jsonl"


@value
class SlotRecord:
    """One replaced slot; digests are sha256 in 64 hex digits."""

    original: str
    """The object with the text that stood in the slot, in UTF-8."""
    replacement: str
    """The digest of the UTF-8 of the text that stands there now; no object."""
    style: str | None
    """The escape style that spells the original as it was; None where none does."""
    raw: str | None
    """The object with the literal as it was, quotes included, where no style spells it."""
    component: str
    """What replaced it."""
    covers: Literal["slot", "messages"] = "slot"
    """What stands again where it is restored: the slot's text, or whole messages in the place of the one with the
    slot; `original` is then their bytes as they were written."""
    before: tuple[str, ...] = ()
    """Of messages: the digest of the text of each message right before the one with the slot that goes with it."""


def journal(records: Iterable[SlotRecord]) -> bytes:
    """The lines of a journal: each record once, in a fixed order."""
    return b"".join(sorted({_line(record) for record in records}))


def _line(record: SlotRecord) -> bytes:
    """*record* as JSON; that it covers its slot alone is not written, so that journals stay what they were."""
    told = msgspec.to_builtins(record)
    if record.covers == "slot":
        del told["covers"]
    if not record.before:
        del told["before"]
    return msgspec.json.encode(told) + b"\n"


def journal_path(layout: Layout, content: bytes) -> Path:
    """Where a journal with these lines stands."""
    return layout.slots / f"{sha256(content).hexdigest()}{_SUFFIX}"


def parse(content: bytes, path: Path) -> tuple[SlotRecord, ...]:
    """The records of a journal that was found at *path*.

    Raises:
        StashCorrupt: Its content is not what its name says, or no journal.
    """
    if path.name != sha256(content).hexdigest() + _SUFFIX:
        raise _corrupt(path)
    try:
        return tuple(msgspec.json.decode(line, type=SlotRecord) for line in content.splitlines())
    except msgspec.DecodeError as error:
        raise _corrupt(path) from error


def journals(layout: Layout) -> Iterator[Path]:
    """All journals, in the order of their names."""
    yield from sorted(layout.slots.glob(f"*{_SUFFIX}"))


def load(layout: Layout) -> Mapping[str, tuple[SlotRecord, ...]]:
    """All records by the digest of their replacement.

    There are several where two originals became the same text, or one original was spelled in two ways: they
    stand in a fixed order, and the caller tells which one applies.

    Raises:
        StashCorrupt: A journal is damaged.
    """
    found: dict[str, set[SlotRecord]] = {}
    for path in journals(layout):
        for record in parse(read_file(path) or b"", path):
            found.setdefault(record.replacement, set()).add(record)
    return {digest: tuple(sorted(records, key=msgspec.json.encode)) for digest, records in found.items()}


def _corrupt(path: Path) -> StashCorrupt:
    return StashCorrupt(
        "the journal is not what was written",
        where=str(path),
        hint="the next run over the same input writes it anew; this file may then be removed",
    )
