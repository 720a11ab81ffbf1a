"""The stash: originals are safe here before they leave a request."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Self

from cgcli.errors import StashMiss
from cgcli.model import value
from cgcli.stash import objects, slots, undo
from cgcli.stash.durable import Lock, Move, settle, write_all, write_temp, writing
from cgcli.stash.layout import open_layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path
    from types import TracebackType

    from cgcli.stash.layout import Layout
    from cgcli.stash.objects import StashedObject
    from cgcli.stash.slots import SlotRecord


@value
class Committed:
    """What a commit made safe; the objects are those of `put` since the last one, each once."""

    n_new: int
    new_bytes: int
    n_known: int
    """Objects that stood there already, with the right content."""


class Stash:
    """A directory of originals, open for one run; several processes may write to one directory at once.

    What is put is invisible until `commit`. Leaving the `with` block discards what is not committed.
    Not for use from several threads.
    """

    def __init__(self, layout: Layout) -> None:
        """Use `Stash.open`."""
        self.layout = layout
        self._lock: Lock | None = None
        self._temps: dict[str, Path] = {}
        self._new_bytes = 0
        self._known: set[str] = set()
        self._records: set[SlotRecord] = set()
        self._documents: dict[Path, bytes] = {}
        self._needs: set[str] = set()
        self._slots: Mapping[str, tuple[SlotRecord, ...]] | None = None

    @classmethod
    def open(cls, root: Path, *, create: bool) -> Stash:
        """The stash at *root*; begun there, with a `.gitignore` of `*`, where *create* says so.

        Raises:
            StashMiss: There is none, and none was to be begun.
            StashError: Its format is unknown, or it cannot be read.
            StashUnwritable: It cannot be begun there.
        """
        return cls(open_layout(root, create=create))

    @property
    def root(self) -> Path:
        """The directory."""
        return self.layout.root

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.discard()

    # Writing

    def put(self, content: bytes) -> str:
        """Write *content* to a temporary name, and return its digest in 64 hex digits.

        What stands under that digest already is compared; a damaged object is replaced by the commit.

        Raises:
            StashUnwritable: It cannot be written; nothing of it is left behind.
        """
        digest = sha256(content).hexdigest()
        if digest in self._temps or digest in self._known:
            return digest
        with writing(self.root):
            self._share()
            if objects.holds(self.layout.object(digest), content):
                self._known.add(digest)
            else:
                self._temps[digest] = write_temp(self.layout.temps, content)
                self._new_bytes += len(content)
        return digest

    def add_slot(self, record: SlotRecord) -> None:
        """Note which text replaced which original; written by the commit, after the objects."""
        self._records.add(record)
        self._needs.update(digest for digest in (record.original, record.raw) if digest is not None)

    def write_undo(self, output: str, payload: bytes, *, needs: Iterable[str]) -> None:
        """Note what gives back the input of the output with the digest *output*; written by the commit, last.

        Args:
            output: sha256 of the output, 64 hex digits.
            payload: Opaque; `read_undo` gives it back.
            needs: Digests of the objects that the payload refers to; `gc` keeps them.
        """
        record = undo.record(payload, needs)
        data = undo.encode(record)
        self._documents[undo.record_path(self.layout, output, data)] = data
        self._needs.update(record.needs)

    def add_document(self, path: Path, data: bytes) -> None:
        """Have the commit write an encoded journal or undo record to *path*, as an import does."""
        self._documents[path] = data

    def commit(self) -> Committed:
        """Make all since the last commit durable and visible: objects, then the journal, then undo records.

        Raises:
            StashMiss: A slot record or an undo record names an object that is not in the stash.
            StashUnwritable: Something could not be written; whatever is visible is whole.
        """
        if self._records:
            lines = slots.journal(self._records)
            self._documents[slots.journal_path(self.layout, lines)] = lines
        with writing(self.root):
            self._share()
            self._check_needs()
            known = {self.layout.object(digest).parent for digest in self._known}
            settle(
                [Move(temp=temp, final=self.layout.object(digest)) for digest, temp in self._temps.items()],
                folders=known,
            )
            self._settle_documents(self.layout.slots)
            self._settle_documents(self.layout.undo)
        done = Committed(n_new=len(self._temps), new_bytes=self._new_bytes, n_known=len(self._known))
        self._temps.clear()  # renamed: nothing to remove
        self.discard()
        self._slots = None
        return done

    def discard(self) -> None:
        """Forget, and remove, what was put since the last commit."""
        for temp in self._temps.values():
            temp.unlink(missing_ok=True)
        self._temps.clear()
        self._new_bytes = 0
        self._known.clear()
        self._records.clear()
        self._documents.clear()
        self._needs.clear()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _share(self) -> None:
        """Keep `gc` away until the commit: what stands there now may be what this run relies on."""
        if self._lock is None:
            self._lock = Lock(self.layout.lock, alone=False)

    def _check_needs(self) -> None:
        for digest in sorted(self._needs - self._temps.keys() - self._known):
            if not self.has(digest):
                raise StashMiss(f"a record needs an object that was never stashed: {digest}", where=str(self.root))

    def _settle_documents(self, folder: Path) -> None:
        new = {
            path: data
            for path, data in self._documents.items()
            if path.parent == folder and not objects.holds(path, data)
        }
        write_all(new, temps=self.layout.temps)

    # Reading

    def has(self, digest: str) -> bool:
        """True where a committed object has that digest; its content is not read."""
        return self.layout.object(digest).is_file()

    def get(self, digest: str) -> bytes:
        """The content of the committed object with *digest* (64 hex digits), verified.

        Raises:
            StashMiss: There is none.
            StashCorrupt: What stands there has another digest.
        """
        return objects.read(self.layout, digest)

    def resolve(self, short: str) -> str:
        """The digest that *short* means: a marker in either spelling, a key, 4 or more leading digits.

        Raises:
            StashMiss: It is none of these, nothing begins with it, or several do.
        """
        return objects.resolve(self.layout, short)

    def ls(self) -> Iterator[StashedObject]:
        """All committed objects in the order of their digests."""
        return objects.listed(self.layout)

    def slots(self) -> Mapping[str, tuple[SlotRecord, ...]]:
        """All slot records by the digest of the replacing text; read once, then again after a commit.

        Raises:
            StashCorrupt: A journal is damaged.
        """
        if self._slots is None:
            self._slots = slots.load(self.layout)
        return self._slots

    def read_undos(self, output: str) -> tuple[bytes, ...]:
        """The payloads for the output with that digest: several where several inputs became this output.

        Raises:
            StashCorrupt: One of them is damaged.
        """
        found = (self._undo(path).payload for path in undo.records(self.layout, output))
        return tuple(dict.fromkeys(found))

    def read_undo(self, output: str) -> bytes | None:
        """The payload for the output with that digest; None where there is none.

        Raises:
            StashMiss: Several inputs became this output.
            StashCorrupt: It is damaged.
        """
        found = self.read_undos(output)
        if len(found) > 1:
            raise StashMiss(f"{len(found)} inputs became the output {output[:16]}", where=str(self.root))
        return found[0] if found else None

    def undo_needs(self) -> frozenset[str]:
        """The digests of all objects that some undo record needs: the roots of `gc`.

        Raises:
            StashCorrupt: An undo record is damaged, so that its needs are unknown.
        """
        return frozenset(need for path in undo.records(self.layout) for need in self._undo(path).needs)

    def _undo(self, path: Path) -> undo.UndoRecord:
        return undo.decode(objects.read_file(path) or b"", path)
