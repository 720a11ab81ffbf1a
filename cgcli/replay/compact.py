"""Write a compacted capture: the edits of a run spliced into the bytes of its input, the originals into the stash."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol

from cgcli.model import value
from cgcli.replay.undo import Replaced, Undo
from cgcli.stash.slots import SlotRecord
from cgcli.wire.digesting import Digesting
from cgcli.wire.spans import Malformed, decode_text
from cgcli.wire.splice import pieces
from cgcli.wire.strings import utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cgcli.compaction.pipeline import Evaluation
    from cgcli.compaction.state import Decision
    from cgcli.compaction.step import Outcome
    from cgcli.readers import Entry
    from cgcli.replay.run import Run
    from cgcli.stash.store import Stash


class Sink(Protocol):
    """What takes the product."""

    @property
    def n_bytes(self) -> int:
        """What was written so far."""

    def write(self, pieces: Sequence[bytes | memoryview]) -> None:
        """Append *pieces*."""

    def hexdigest(self) -> str:
        """The sha256 of all that was written."""

    def finish(self) -> None:
        """All is written, and every original is safe: put the product in its place."""


@value
class Stashed:
    """What the stash got."""

    n_new: int
    new_bytes: int
    n_known: int


@dataclass(slots=True)
class Written:
    """What a compaction wrote."""

    input_bytes: int = 0
    output_bytes: int = 0
    output_digest: str = ""
    passed: Counter[str] = field(default_factory=Counter)
    """Records that are no requests, by reason."""
    skipped: list[tuple[int, str, str]] = field(default_factory=list)
    """(line, reason, detail) of records that should have been requests and are not usable."""
    stashed: Stashed | None = None
    """None where nothing had to be stashed."""
    is_placed: bool = False
    """True where the product was put in its place."""
    example_key: str | None = None
    """A marker's key that the output has, to try `cg expand` with."""


class Writer:
    """Writes one run; `stash` is opened only when the first original needs it."""

    def __init__(
        self, run: Run, sink: Sink | None, open_stash: Callable[[], Stash] | None, *, strict: bool = False
    ) -> None:
        """Write *run* to *sink*, originals to the stash that *open_stash* opens; None for a dry run.

        A file without a request, and with *strict* an unusable record, keeps everything from being put in its place.
        """
        self._run = run
        self._sink = sink
        self._open_stash = open_stash
        self._strict = strict
        self._stash: Stash | None = None
        self._undo = Undo()
        self._numbers: dict[Decision, int] = {}
        self._literals: dict[Decision, bytes] = {}
        """How each slot was spelled when it was decided about."""
        self._irreversible: set[Decision] = set()
        self._done = Written()

    def write(self) -> Written:
        """Run to the end.

        Raises:
            StashError: an original could not be made safe; nothing was written.
            OutputError: the product could not be written.
        """
        source = Digesting()
        try:
            for sent in self._run:
                source.update((sent.entry.raw,))
                self._entry(sent.entry, sent.outcome)
            self._done.input_bytes = source.n_bytes
            self._settle(source)
            source.close()
        except Exception:
            source.close()
            raise
        finally:  # an interrupt does not wait for the thread that hashes: see `Output`
            if self._stash is not None:
                self._stash.discard()
        return self._done

    def _entry(self, entry: Entry, outcome: Outcome | None) -> None:
        if entry.passed is not None:
            if entry.passed.usable:
                self._done.passed[entry.passed.reason] += 1
            else:
                self._done.skipped.append((entry.line, entry.passed.reason, entry.passed.detail))
        if outcome is None or not outcome.edits:
            self._emit([entry.raw])
            return
        for evaluation in outcome.decided:
            self._keep(evaluation)
        if self._stash is None and self._open_stash is not None and outcome.bodies and outcome.edits:
            self._stash = self._open_stash()
        edits = _outer(entry, outcome)
        if self._stash is None and self._open_stash is not None:
            self._stash = self._open_stash()  # nothing of ours to keep, but the undo record says what cannot come back
        if self._stash is not None:
            self._note(entry, outcome, edits)
        self._emit(list(pieces(memoryview(entry.raw), edits, 0, len(entry.raw))))

    def _emit(self, content: list[bytes | memoryview]) -> None:
        self._done.output_bytes += sum(map(len, content))
        if self._sink is not None:
            self._sink.write(content)

    def _keep(self, evaluation: Evaluation) -> None:
        """Put the original of a new decision into the stash."""
        decision = evaluation.slot.decision
        if decision is None:
            return
        if self._done.example_key is None and decision.is_reversible and b"cg:" in decision.literal:
            self._done.example_key = decision.original.hex()[:16]
        if self._open_stash is None:
            return
        # Also where nothing can be given back: the undo record is what says so.
        if self._stash is None:
            self._stash = self._open_stash()
        if not decision.is_reversible:
            return
        self._literals[decision] = evaluation.literal
        self._stash.put(evaluation.original)
        raw = None if decision.style is not None else self._stash.put(evaluation.literal)
        self._stash.add_slot(
            SlotRecord(
                original=decision.original.hex(),
                replacement=decision.replacement.hex(),
                style=decision.style.value if decision.style is not None else None,
                raw=raw,
                component="+".join(fired.component for fired in decision.fired),
                covers=evaluation.covers,
                before=tuple(digest.hex() for digest in evaluation.before),
            )
        )

    def _note(self, entry: Entry, outcome: Outcome, edits: Sequence[tuple[int, int, bytes]]) -> None:
        """Write the record's edits into the undo record."""
        shift = self._done.output_bytes
        offsets: list[int] = []
        numbers: list[int] = []
        for (start, stop, new), (at, end, decision) in zip(edits, outcome.edits, strict=True):
            if decision.is_reversible:
                if decision not in self._literals:
                    self._keep_beside(entry, at, end, decision)
                offsets.append(start + shift)
                numbers.append(self._number(entry, decision, start, stop, len(new)))
            else:
                self._irreversible.add(decision)
            shift += len(new) - (stop - start)
        if numbers:
            self._undo.add(outcome.thread, offsets, numbers)

    def _number(self, entry: Entry, decision: Decision, start: int, stop: int, length: int) -> int:
        """The number in the undo record of an edit of bytes *start* to *stop*, which now has *length* bytes."""
        literal = self._literals.get(decision)
        # A later record may spell the same text in another way; what stands beside slots is kept as it is.
        is_same = literal is not None and stop - start == len(literal) and entry.raw.startswith(literal, start)
        if is_same and decision in self._numbers:
            return self._numbers[decision]
        raw = None
        if decision.style is None or not is_same:
            assert self._stash is not None, "a decision that can be undone has a stash"  # noqa: S101
            raw = self._stash.put(entry.raw[start:stop])
        number = self._undo.number(
            Replaced(
                original=decision.original.hex(),
                style=None if raw is not None else decision.style,
                raw=raw,
                length=length,
            )
        )
        if is_same:
            self._numbers[decision] = number
        return number

    def _keep_beside(self, entry: Entry, start: int, stop: int, decision: Decision) -> None:
        """Keep bytes *start* to *stop* of the body, replaced beside the slots; their text, where they are one string.

        A marker there is the key of the one or the other, also where the body stands escaped in a string.
        """
        written = _inner(entry, start, stop)
        if self._stash is None:
            return
        if entry.quoted is not None:
            self._stash.put(written)
        original, new = _string(written), _string(decision.literal)
        if original is None or new is None:
            return
        self._stash.put(original)
        self._stash.add_slot(
            SlotRecord(
                original=sha256(original).hexdigest(),
                replacement=sha256(new).hexdigest(),
                style=None,
                raw=sha256(written).hexdigest(),
                component="+".join(fired.component for fired in decision.fired),
            )
        )

    def _settle(self, source: Digesting) -> None:
        """Make the originals safe, then put the product in its place."""
        if not self._run.ledger.rows or (self._strict and self._done.skipped):
            return
        if self._sink is not None:
            self._done.output_digest = self._sink.hexdigest()
        if self._stash is not None:
            self._undo.n_irreversible = len(self._irreversible)
            payload = self._undo.encode(source=source.hexdigest(), source_bytes=source.n_bytes)
            self._stash.write_undo(self._done.output_digest, payload, needs=self._undo.needs())
            committed = self._stash.commit()
            self._done.stashed = Stashed(
                n_new=committed.n_new, new_bytes=committed.new_bytes, n_known=committed.n_known
            )
        if self._sink is not None:
            self._sink.finish()
            self._done.is_placed = True


def _string(written: bytes) -> bytes | None:
    """The text of *written* in UTF-8; None where it is not one JSON string, but several members, say."""
    try:
        return utf8(decode_text(written)) if written.startswith(b'"') else None
    except Malformed:
        return None


def _inner(entry: Entry, start: int, stop: int) -> bytes:
    """Bytes *start* to *stop* of the entry's body."""
    if entry.quoted is not None:
        return entry.quoted.inner[start:stop]
    return entry.raw[entry.body_at + start : entry.body_at + stop]


def _outer(entry: Entry, outcome: Outcome) -> list[tuple[int, int, bytes]]:
    """The edits in bytes of the entry; inside a string they are spelled as the string is."""
    at = entry.body_at
    quoted = entry.quoted
    if quoted is None:
        return [(at + start, at + stop, decision.literal) for start, stop, decision in outcome.edits]
    return [
        (at + quoted.outer(start), at + quoted.outer(stop), quoted.quote(decision.literal))
        for start, stop, decision in outcome.edits
    ]
