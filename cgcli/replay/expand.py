"""Give back a compacted file: by its undo record where it is unchanged, else slot by slot."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, BinaryIO

from cgcli.errors import FormatError, StashMiss
from cgcli.model import value
from cgcli.readers import open_bytes, read
from cgcli.readers.copying import copied, is_piped
from cgcli.readers.files import reading
from cgcli.replay.restore import BySlot, SlotRestorer, Whole, restore_whole
from cgcli.replay.undo import decode

if TYPE_CHECKING:
    from cgcli.replay.compact import Sink
    from cgcli.replay.undo import Recorded
    from cgcli.stash.store import Stash

SCHEMA = "cgcli/expand-all/v1"
_SHOWN_HEX = 16


@value
class Expanded:
    """How a file was given back: one of the two is set."""

    whole: Whole | None = None
    by_slot: BySlot | None = None

    def document(self, *, file: str, output: str, stash: str | None) -> dict[str, Any]:
        """The report as the versioned JSON document `cgcli/expand-all/v1`."""
        by_slot = self.by_slot
        return {
            "schema": SCHEMA,
            "file": file,
            "output": output,
            "stash": stash,
            "way": "undo_record" if self.whole is not None else "by_slot",
            "edits_undone": self.whole.n_edits if self.whole is not None else by_slot.n_restored if by_slot else 0,
            "left": [
                {"kind": left.kind, "line": left.line, "path": left.path, "text": left.text}
                for left in (by_slot.leftovers if by_slot is not None else [])
            ],
        }


def expand(file: str, stash: Stash | None, sink: Sink, *, source: str | None = None) -> Expanded:
    """Write what *file* was before compaction to *sink*.

    Several inputs may have become the same output: *source* begins the sha256 of the one that is meant.

    Raises:
        StashMiss, StashCorrupt: an original that an undo record needs is not there, or it is not said which input.
        InputError: without an undo record the file must be a capture, and is none.
    """
    with copied(file) if is_piped(file) else open_bytes(file) as content:
        with reading(file):
            digest = _digest(content)
        content.seek(0)
        if stash is not None:
            recorded = _recorded(stash, digest, source)
            if recorded is not None:
                return Expanded(whole=restore_whole(content, recorded, stash, sink))
        capture = read(content, file=file)
        if capture.is_derived:
            raise FormatError(
                f"{capture.format_name}: not a file that `cg compact` wrote",
                where=file,
                hint="give its output; what it makes of such a file are lines of requests",
            )
        return Expanded(by_slot=SlotRestorer(capture, stash, sink).restore())


def _recorded(stash: Stash, output: str, source: str | None) -> Recorded | None:
    """The undo record for the file with the digest *output*; None where there is none."""
    where = str(stash.root)
    records = [decode(payload, where=where) for payload in stash.read_undos(output)]
    by_source = {one.source: one for one in sorted(records, key=lambda one: -one.n_irreversible)}
    meant = [one for digest, one in by_source.items() if digest.startswith((source or "").lower())]
    if len(meant) == 1:
        return meant[0]
    if not by_source and source is None:
        return None
    known = ", ".join(f"{one.source[:_SHOWN_HEX]} ({one.source_bytes:,} bytes)" for one in by_source.values())
    if not meant:
        raise StashMiss(
            f"no input whose sha256 begins with {source} became this file",
            where=where,
            hint=f"known: {known or 'none'}",
        )
    raise StashMiss(
        f"{len(meant)} inputs became the output {output[:_SHOWN_HEX]}: {known}",
        where=where,
        hint=f"say which one by its sha256, such as --input {meant[0].source[:_SHOWN_HEX]}",
    )


def _digest(file: BinaryIO) -> str:
    running = sha256()
    while chunk := file.read(1 << 20):
        running.update(chunk)
    return running.hexdigest()
