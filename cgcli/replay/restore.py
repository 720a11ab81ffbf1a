"""Give back what compaction took out: a whole file by its undo record, or each slot that the stash knows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, BinaryIO

from cgcli.errors import StashCorrupt, StashMiss
from cgcli.markers import FoundKind, find, has_marker_bytes
from cgcli.model import Kind, value
from cgcli.tokens.meter import slot_literal
from cgcli.wire.spans import decode_text
from cgcli.wire.splice import pieces
from cgcli.wire.strings import Style, encode, text, utf8

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.model import Digest, Item, Part, Request
    from cgcli.readers import Capture, Entry
    from cgcli.replay.compact import Sink
    from cgcli.replay.undo import Recorded, Replaced
    from cgcli.rope import Raw
    from cgcli.stash.slots import SlotRecord
    from cgcli.stash.store import Stash


@value
class Whole:
    """A file that was restored by its undo record."""

    n_edits: int
    input_bytes: int
    output_bytes: int


def restore_whole(file: BinaryIO, recorded: Recorded, stash: Stash, sink: Sink) -> Whole:
    """Write the input that *recorded* tells of to *sink*; *file* is the unchanged output.

    Raises:
        StashMiss, StashCorrupt: an original is not there, or the result is not the recorded input.
    """
    originals: dict[Replaced, bytes] = {}
    at = 0
    n_edits = 0
    for offset, edit in recorded.placed():
        _copy(file, offset - at, sink)
        file.seek(edit.length, 1)
        at = offset + edit.length
        literal = originals.get(edit)
        if literal is None:
            literal = originals[edit] = _literal(edit, stash)
        sink.write((literal,))
        n_edits += 1
    while chunk := file.read(1 << 20):
        at += len(chunk)
        sink.write((chunk,))
    if sink.hexdigest() != recorded.source:
        if recorded.n_irreversible:
            n = recorded.n_irreversible
            edits = "1 edit was" if n == 1 else f"{n} edits were"
            raise StashMiss(
                f"{edits} irreversible (marker mode `summary` or `off`, or compaction by the provider)",
                hint="nothing can bring those back; what the stash has: cg stash ls, cg expand HASH",
            )
        raise StashCorrupt("the result is not the input that was recorded", hint="cg stash verify")
    return Whole(n_edits=n_edits, input_bytes=at, output_bytes=sink.n_bytes)


def _copy(file: BinaryIO, n_bytes: int, sink: Sink) -> None:
    while n_bytes > 0:
        chunk = file.read(min(n_bytes, 1 << 20))
        if not chunk:
            raise StashCorrupt("the undo record reaches beyond the file", hint="cg stash verify")
        sink.write((chunk,))
        n_bytes -= len(chunk)


def _literal(edit: Replaced, stash: Stash) -> bytes:
    if edit.raw is not None:
        return stash.get(edit.raw)
    assert edit.style is not None, "an edit has a style or its raw literal"  # noqa: S101
    return encode(text(stash.get(edit.original)), Style(edit.style))


@value
class Leftover:
    """A marker that stays where it is."""

    kind: str
    """`dangling`, `cut`, `foreign`, `malformed`, `sentinel`, `quoted` or `ambiguous`."""
    line: int
    path: str
    """In the body; empty in a record that is no request."""
    text: str


@dataclass(slots=True)
class BySlot:
    """A file whose slots were restored one by one."""

    n_restored: int = 0
    """Slots, again in each request that repeats them."""
    leftovers: list[Leftover] = field(default_factory=list)
    """Each distinct one once."""
    kinds: Counter[str] = field(default_factory=Counter)


class SlotRestorer:
    """Restores each whole slot whose text is one that the stash wrote, in any role; every other marker stays."""

    def __init__(self, capture: Capture, stash: Stash | None, sink: Sink) -> None:
        """Restore *capture* from *stash* into *sink*."""
        self._capture = capture
        self._stash = stash
        self._sink = sink
        self._slots = stash.slots() if stash is not None else {}
        self._known: dict[Digest, tuple[tuple[int, bytes], ...]] = {}
        self._done = BySlot()

    def restore(self) -> BySlot:
        """Write every entry, its slots restored."""
        for entry in self._capture:
            edits = self._edits(entry)
            self._done.n_restored += len(edits)
            self._sink.write(list(pieces(memoryview(entry.raw), edits, 0, len(entry.raw))))
        return self._done

    def _edits(self, entry: Entry) -> list[tuple[int, int, bytes]]:
        if entry.exchange is None:
            self._audit(entry.raw.decode("utf-8", "replace"), "", entry.line)
            return []
        request = entry.exchange.request
        edits = list(self._spans(request))
        gone = [edit[:2] for edit in edits]
        for path, item, start in request.placed():
            if any(first <= start < last for first, last in gone):
                continue
            for i_part, new in self._of_item(item, request.raw, start, path, entry.line):
                slot = item.parts[i_part].slot
                if slot is not None:
                    edits.append((start + slot.start, start + slot.stop, new))
        edits.sort()
        if entry.quoted is None:
            return [(entry.body_at + start, entry.body_at + stop, new) for start, stop, new in edits]
        quoted = entry.quoted
        return [
            (entry.body_at + quoted.outer(start), entry.body_at + quoted.outer(stop), quoted.quote(new))
            for start, stop, new in edits
        ]

    def _spans(self, request: Request) -> Iterator[tuple[int, int, bytes]]:
        """Where a summary of ours stands, with the messages that go with it, and the messages that it stands for."""
        if self._stash is None:
            return
        behind = 0
        for i, item in enumerate(request.messages):
            is_one = len(item.parts) == 1 and has_marker_bytes(item.wire)
            records = self._records(request, i) if is_one else ()
            fitting = [record for record in records if self._follows(request, i, record.before, behind)]
            n_before = max((len(record.before) for record in fitting), default=0)
            originals = {record.original for record in fitting if len(record.before) == n_before}
            if len(originals) == 1:
                end = request.starts[i] + item.size_bytes
                yield request.starts[i - n_before], end, self._stash.get(originals.pop())
                behind = i + 1

    def _records(self, request: Request, i: int) -> tuple[SlotRecord, ...]:
        """What is known of message *i* as one that stands for messages."""
        digest = _only_text(request, i)
        return tuple(record for record in self._slots.get(digest or "", ()) if record.covers == "messages")

    def _follows(self, request: Request, i: int, before: tuple[str, ...], behind: int) -> bool:
        """True where messages with the texts *before* stand right before message *i*, from message *behind* on."""
        first = i - len(before)
        return first >= behind and all(_only_text(request, first + k) == digest for k, digest in enumerate(before))

    def _of_item(self, item: Item, raw: Raw, start: int, path: str, line: int) -> tuple[tuple[int, bytes], ...]:
        known = self._known.get(item.rendered)
        if known is None:
            found = (
                (i, self._of_part(part, raw, start, f"{path}.{part.path}", line)) for i, part in enumerate(item.parts)
            )
            known = tuple((i, new) for i, new in found if new is not None)
            self._known[item.rendered] = known
        return known

    def _of_part(self, part: Part, raw: Raw, start: int, path: str, line: int) -> bytes | None:
        if part.slot is None:
            self._audit(
                bytes(raw[start + part.span.start : start + part.span.stop]).decode("utf-8", "replace"),
                path,
                line,
                is_quoted=part.kind is Kind.TOOL_SPEC,
            )
            return None
        content = decode_text(slot_literal(part, raw, start))
        digest = sha256(utf8(content)).hexdigest()
        records = [record for record in self._slots.get(digest, ()) if record.covers == "slot"]
        if self._stash is not None and records:
            n_originals = len({record.original for record in records})
            if n_originals == 1:
                return _original(records[0], self._stash)
            self._leave("ambiguous", line, path, f"{n_originals} originals became this text")
            return None
        self._audit(content, path, line)
        return None

    def _leave(self, kind: str, line: int, path: str, shown: str) -> None:
        self._done.kinds[kind] += 1
        self._done.leftovers.append(Leftover(kind=kind, line=line, path=path.rstrip("."), text=shown))

    def _audit(self, content: str, path: str, line: int, *, is_quoted: bool = False) -> None:
        """Note the markers in a text that stays as it is; in a tool's description they are examples."""
        for found in find(content):
            kind = found.kind.value
            if found.kind is FoundKind.OWN:
                kind = "quoted" if is_quoted or self._resolves(found.key) else "dangling"
            self._leave(kind, line, path, content[found.start : found.stop])

    def _resolves(self, key: str | None) -> bool:
        if self._stash is None or key is None:
            return False
        try:
            self._stash.resolve(key)
        except StashMiss:
            return False
        return True


def _only_text(request: Request, i: int) -> str | None:
    """The digest of the one text that message *i* is; None where it is another kind of message."""
    item = request.messages[i]
    if len(item.parts) != 1 or item.parts[0].slot is None:
        return None
    content = decode_text(slot_literal(item.parts[0], request.raw, request.starts[i]))
    return sha256(utf8(content)).hexdigest()


def _original(record: SlotRecord, stash: Stash) -> bytes:
    if record.raw is not None:
        return stash.get(record.raw)
    style = Style(record.style) if record.style is not None else Style.ASCII
    return encode(text(stash.get(record.original)), style)
