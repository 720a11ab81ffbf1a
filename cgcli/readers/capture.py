"""Read a saved file as entries: every byte of it once, in order, with the requests found in it.

Joining the `raw` of all entries gives the file again; a writer replaces bytes inside an entry and nothing else.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, BinaryIO

from cgcli.errors import FormatError, InputError
from cgcli.model import Exchange, Section, Source, value
from cgcli.readers.base import Opened, Passed, unusable
from cgcli.readers.derived import Deriving, DerivingText, Spread
from cgcli.readers.deriving import derived_lines
from cgcli.readers.fields import is_true
from cgcli.readers.incremental import Incremental, Read
from cgcli.readers.layout import Layout, choose, lay_out
from cgcli.readers.requests import Requests, known_in
from cgcli.wire.quoted import Quoted
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from cgcli.readers.base import Known, Reader
    from cgcli.readers.layout import AnyReader
    from cgcli.readers.piece import Piece
    from cgcli.rope import Rope
    from cgcli.wire.spans import Node


@value
class Entry:
    """One stretch of the file: a record, or what stands between two."""

    record: bytes | Rope
    line: int
    exchange: Exchange | None = None
    body_at: int = 0
    """Where in `raw` the body begins (or the string literal that holds it)."""
    quoted: Quoted | None = None
    """The literal, where the body stands in a string."""
    passed: Passed | None = None
    """Why a record is no request."""

    @property
    def raw(self) -> bytes:
        """The bytes of it; put together when they are first asked for, where they are kept in pieces."""
        return bytes(self.record)


@value
class About:
    """What a file is, and what it records."""

    file: str
    format_name: str
    layout: Layout
    known: Known
    is_independent: bool
    """The records are no conversation (a batch)."""
    is_derived: bool
    """The entries are not the file's own bytes, but lines that say what was found in it."""
    is_reconstructed: bool
    """The requests were put together from a history."""
    part_of: Spread | None = None
    """Reads the history, where the file is one part of it and the others lie beside it."""


class Tally:
    """What was read so far."""

    def __init__(self, watch: Callable[[int], None] | None = None) -> None:
        """Nothing yet; *watch* is told how much it is, with every record."""
        self.n_bytes = 0
        """Of the files themselves, unpacked."""
        self._watch = watch

    def over(self, pieces: Iterator[Piece]) -> Iterator[Piece]:
        """*pieces*, counted as they come."""
        for piece in pieces:
            self.add(len(piece.raw))
            yield piece

    def add(self, n_bytes: int) -> None:
        """So many bytes more."""
        self.n_bytes += n_bytes
        if self._watch is not None:
            self._watch(self.n_bytes)


class Capture:
    """A file that is being read: what it is, then its entries once."""

    def __init__(self, about: About, *, reader: Reader, pieces: Iterator[Piece], tally: Tally) -> None:
        """Read *pieces* with *reader*; *tally* counts what is read of the file itself."""
        self.about = about
        self.file = about.file
        self.format_name = about.format_name
        self.layout = about.layout
        self.known = about.known
        self.is_independent = about.is_independent
        self.is_derived = about.is_derived
        self.is_reconstructed = about.is_reconstructed
        self.reader = reader
        """Opens the records of `pieces`: the file's own, or the lines that say what was found in it."""
        self.tally = tally
        self.n_requests = 0
        """How many were found so far."""
        self._without: Counter[Section] = Counter()
        self._pieces = pieces
        self._outer = Incremental(reader.open)
        self._inner = Incremental(_itself)

    @property
    def not_recorded(self) -> tuple[Section, ...]:
        """The sections that a request so far lacks, or, before the first one, that the format does not record."""
        if self.n_requests:
            return tuple(section for section in Section if self._without[section])
        recorded = {Section.TOOLS: self.known.tools, Section.SYSTEM: self.known.system}
        return tuple(section for section, is_known in recorded.items() if not is_known)

    def __iter__(self) -> Iterator[Entry]:
        """Every entry in order."""
        for piece in self._pieces:
            if piece.is_record:
                yield self._entry(piece)
            else:
                yield Entry(record=piece.record, line=piece.line, passed=piece.passed)

    def _entry(self, piece: Piece) -> Entry:
        try:
            read = self._outer.read(piece.record, read_before=piece.read_before)
            if isinstance(read, Passed):
                return Entry(record=piece.record, line=piece.line, passed=read)
            if isinstance(read, Read):
                return self._found(piece, read, body_at=read.start, quoted=None, opened=read.opened)
            quoted = Quoted(memoryview(bytes(piece.record))[read.start : read.stop])
            inner = self._inner.read(quoted.inner, provider=read.opened.provider)
            if isinstance(inner, Read):
                return self._found(piece, inner, body_at=read.start, quoted=quoted, opened=read.opened)
            passed = Passed(reason="no_body", usable=False, detail="the string holds no request body")
            return Entry(record=piece.record, line=piece.line, passed=passed)
        except Malformed as error:
            return Entry(record=piece.record, line=piece.line, passed=unusable(error, is_cut=piece.is_cut))

    def _found(self, piece: Piece, read: Read, *, body_at: int, quoted: Quoted | None, opened: Opened) -> Entry:
        self.n_requests += 1
        self._without[Section.TOOLS] += read.request.tools is None
        self._without[Section.SYSTEM] += read.request.system is None
        exchange = Exchange(
            request=read.request,
            source=Source(
                file=piece.file or self.file,
                line=piece.line,
                wrap="json_string" if quoted else "object",
                reconstructed=opened.reconstructed,
            ),
            shared=read.shared,
            session_id=opened.session_id,
            sent_s=opened.sent_s,
            answered_s=opened.answered_s,
            find_answer=opened.find_answer,
            usage=opened.usage,
        )
        return Entry(record=piece.record, line=piece.line, exchange=exchange, body_at=body_at, quoted=quoted)


def _itself(node: Node) -> Opened | Passed:
    return Opened(body=node)


def read(
    stream: BinaryIO,
    *,
    file: str,
    format: str | None = None,  # noqa: A002 - the option's name
    watch: Callable[[int], None] | None = None,
) -> Capture:
    """The capture in *stream*; *format* names a reader instead of detecting one; *watch* is told how much was read.

    Raises:
        InputError: empty, or no JSON in it.
        FormatError: JSON, but no request in it; names the kind where it is known.
    """
    laid = lay_out(stream, file=file)
    reader = choose(laid, file=file, format_name=format)
    if laid.layout is Layout.OBJECT and not _fits(reader, laid.sample[:1]):
        raise FormatError("no request in the file", where=file)
    tally = Tally(watch)
    pieces = tally.over(laid.pieces)
    about = About(
        file=file,
        format_name=reader.name,
        layout=laid.layout,
        known=known_in(laid.sample) if isinstance(reader, Requests) else reader.known,
        is_independent=reader.independent,
        is_derived=isinstance(reader, (Deriving, DerivingText)),
        is_reconstructed=_reconstructs(reader, laid.sample),
        part_of=reader if isinstance(reader, Spread) and reader.is_part(laid.sample) else None,
    )
    if isinstance(reader, (Deriving, DerivingText)):
        return Capture(about, reader=Requests(), pieces=derived_lines(reader, pieces), tally=tally)
    return Capture(about, reader=reader, pieces=pieces, tally=tally)


def _fits(reader: AnyReader, sample: Sequence[Mapping[str, Node]]) -> bool:
    """True where *reader*, which may have been named, takes the record in *sample*; not where that cannot be used."""
    try:
        return isinstance(reader, DerivingText) or reader.matches(sample)
    except Malformed:
        return False


def _reconstructs(reader: AnyReader, sample: Sequence[Mapping[str, Node]]) -> bool:
    """True where the requests are put together, or a file of ours says that they were."""
    if isinstance(reader, (Deriving, DerivingText)):
        return reader.reconstructs
    return isinstance(reader, Requests) and any(is_true(members, "reconstructed") for members in sample)


__all__ = ["Capture", "Entry", "InputError", "read"]
