"""How records stand in a file: one a line, or in one JSON document; and which reader opens them."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO

from cgcli.errors import FormatError, InputError, UsageError, did_you_mean
from cgcli.model import value
from cgcli.readers.bodies import is_body
from cgcli.readers.files import split_lines
from cgcli.readers.piece import Piece
from cgcli.readers.registry import READERS, TEXTS
from cgcli.readers.unsupported import recognise, recognise_text
from cgcli.readers.values import value_pieces, value_sample, value_spans
from cgcli.wire.spans import Document, Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.base import Reader
    from cgcli.readers.derived import Deriving, DerivingText
    from cgcli.wire.spans import Node

    AnyReader = Reader | Deriving | DerivingText
    Sample = list[Mapping[str, Node]]

_BOM = b"\xef\xbb\xbf"
_DOCUMENT_HINT = "mend it, or give one request a line: a line that is not usable is then skipped alone"
_TALK = re.compile(rb"[\xef\xbb\xbf \t\r\n]*+(?://|\Z)")
_CONTAINER = re.compile(rb"[\xef\xbb\xbf \t]*+[{\[]")
_SAMPLE_LINES = 200
_SAMPLE_RECORDS = 50
_SAMPLE_BYTES = 8 << 20
_HEAD_BYTES = 1 << 16


class Layout(StrEnum):
    """How the records stand in the file."""

    LINES = "one a line"
    OBJECT = "one object"
    ARRAY = "an array"
    NAMED = "an object of named bodies"
    VALUES = "objects one after another"
    TEXT = "one text"
    FILES = "several files"


@value
class Laid:
    """A file, laid out."""

    layout: Layout
    sample: Sample
    """The members of the first records."""
    pieces: Iterator[Piece]
    """Every stretch of it, once."""
    text: DerivingText | None = None
    """The reader of a file that is no JSON."""


def lay_out(stream: BinaryIO, *, file: str) -> Laid:
    """How the records stand in *stream*.

    Raises:
        InputError: nothing in it, or no JSON.
    """
    all_lines = split_lines(stream, file=file)
    lines = _first_lines(all_lines)
    if all(_is_talk(line) for line in lines):
        what = "nothing but comments in the file" if any(b"//" in line for line in lines) else "the file is empty"
        raise InputError(what, where=file, hint="record a capture first")
    sample = _sample(lines)
    i_first = next((i for i, line in enumerate(lines) if not _is_talk(line)), 0)
    first = lines[i_first]
    text = None if _CONTAINER.match(first) else _text_reader(lines, file=file)
    if text is not None:
        whole = b"".join(chain(lines, all_lines))
        return Laid(layout=Layout.TEXT, sample=[], pieces=iter([Piece(raw=whole, line=1, is_record=True)]), text=text)
    alone = all(line.isspace() for line in lines[i_first + 1 :])
    if _is_json(first) and not (alone and _opens_container(first)):
        return Laid(layout=Layout.LINES, sample=sample, pieces=_line_pieces(chain(lines, all_lines)))
    whole = b"".join(chain(lines, all_lines))
    document = _document(whole, file=file)
    if document is not None:
        return document
    if len(spans := value_spans(whole)) > 1:
        sample = value_sample(whole, spans[:_SAMPLE_RECORDS])
        return Laid(layout=Layout.VALUES, sample=sample, pieces=value_pieces(whole, spans))
    if sample:
        pieces = _line_pieces(split_lines(BytesIO(whole), file=file))
        return Laid(layout=Layout.LINES, sample=sample, pieces=pieces)
    raise _no_json(whole, file=file)


def _text_reader(lines: Sequence[bytes], *, file: str) -> DerivingText | None:
    """The reader of a file that is no JSON and begins with *lines*; None where there is none.

    Raises:
        FormatError: it is known to have no requests that can be used.
    """
    head = b"".join(lines)[:_HEAD_BYTES]
    kind = recognise_text(head)
    if kind is not None:
        raise FormatError(f"{kind.name}: {kind.why}", where=file, hint=kind.hint)
    return next((reader for reader in TEXTS if reader.recognises(head)), None)


def choose(laid: Laid, *, file: str, format_name: str | None) -> AnyReader:
    """The reader whose format the file has, or the one that is named.

    Raises:
        UsageError: no reader has that name.
        FormatError: no reader opens it.
    """
    if format_name is not None:
        by_name: dict[str, AnyReader] = {reader.name: reader for reader in (*READERS, *TEXTS)}
        if format_name in by_name:
            return by_name[format_name]
        raise UsageError(f"there is no format {format_name!r}", hint=did_you_mean(format_name, by_name))
    if laid.text is not None:
        return laid.text
    sample = laid.sample
    for reader in READERS:
        try:
            if reader.matches(sample):
                return reader
        except Malformed:
            continue
    kind = recognise(sample)
    if kind is not None:
        raise FormatError(f"{kind.name}: {kind.why}", where=file, hint=kind.hint)
    raise FormatError(
        "no request in the file: no record has a list of messages or input items",
        where=file,
        hint="give a capture of whole requests: docs/reference/formats.md has every format",
    )


def _first_lines(stream: Iterator[bytes]) -> list[bytes]:
    """The lines of *stream* up to as many records as are looked at; blank lines and comments do not count."""
    lines: list[bytes] = []
    n_records = size = 0
    for line in stream:
        lines.append(line)
        if not _is_talk(line):
            n_records += 1
            size += len(line)
        if n_records >= _SAMPLE_LINES or size >= _SAMPLE_BYTES:
            break
    return lines


def _no_json(whole: bytes, *, file: str) -> FormatError:
    """The error for a file without any JSON in it; says where it stops being some."""
    text = whole.removeprefix(_BOM).decode("utf-8", "replace")
    line, column, why = 1, 1, "neither an object nor an array"
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        line, column, why = error.lineno, error.colno, error.msg
    except RecursionError:
        why = "nested too deeply to read"
    except ValueError:
        why = "a number with too many digits"
    return FormatError(
        f"not JSON: {why}", where=f"{file}:{line}:{column}", hint="give saved requests: JSON, or one JSON object a line"
    )


def _sample(lines: Iterable[bytes]) -> Sample:
    """The members of the first records among *lines*."""
    sample: Sample = []
    for line in lines:
        if _is_talk(line):
            continue
        try:
            root = Document(line.removeprefix(_BOM)).root()
            if root.kind == "object":
                sample.append(root.members())
            elif root.kind == "array":
                sample += [node.members() for node in root.elements()[:1] if node.kind == "object"]
        except Malformed:
            continue
        if len(sample) >= _SAMPLE_RECORDS:
            break
    return sample


def _is_talk(line: bytes) -> bool:
    """True for a blank line and for a `//` comment, which some logs begin with."""
    return _TALK.match(line) is not None


def _is_json(line: bytes) -> bool:
    """True where the line by itself is a JSON object or array."""
    try:
        root = Document(line.removeprefix(_BOM)).root()
        return bool(root.members() if root.kind == "object" else root.elements())
    except Malformed as error:
        return error.reason in ("duplicate_key", "too_deep", "invalid_utf8")


def _opens_container(line: bytes) -> bool:
    """True where a lone line is an array or an object of bodies, which have more than one record in them."""
    try:
        root = Document(line.removeprefix(_BOM)).root()
        return root.kind == "array" or (root.kind == "object" and _named_bodies(root) is not None)
    except Malformed:
        return False


def _line_pieces(lines: Iterable[bytes]) -> Iterator[Piece]:
    """Each line as a piece; a byte-order mark goes through on its own."""
    for number, raw in enumerate(lines, 1):
        line = raw
        if number == 1 and line.startswith(_BOM):
            yield Piece(raw=_BOM, line=1, is_record=False)
            line = line[len(_BOM) :]
        if _is_talk(line):
            yield Piece(raw=line, line=number, is_record=False)
        else:
            yield Piece(raw=line, line=number, is_record=True, is_cut=not line.endswith(b"\n"))


def _document(whole: bytes, *, file: str) -> Laid | None:
    """*whole* as one JSON document, or None where it is none."""
    start = len(_BOM) if whole.startswith(_BOM) else 0
    doc = Document(whole[start:])
    try:
        root = doc.root()
        if root.kind == "object":
            members = root.members()
            named = _named_bodies(root)
            layout, nodes = (Layout.NAMED, named) if named is not None else (Layout.OBJECT, [root])
            sample: Sample = [members] if named is None else [node.members() for node in named[:_SAMPLE_RECORDS]]
        elif root.kind == "array":
            nodes = [node for node in root.elements() if node.kind == "object"]
            layout, sample = Layout.ARRAY, [node.members() for node in nodes[:_SAMPLE_RECORDS]]
        else:
            return None
    except Malformed as error:
        if error.reason in ("duplicate_key", "too_deep", "invalid_utf8"):
            raise InputError(f"the document is not usable: {error}", where=file, hint=_DOCUMENT_HINT) from error
        return None
    return Laid(layout=layout, sample=sample, pieces=_document_pieces(whole, start, nodes))


def _named_bodies(root: Node) -> list[Node] | None:
    """The bodies of an object whose every member is one, or None."""
    members = list(root.members().values())
    if not members or any(node.kind != "object" for node in members):
        return None
    return members if all(is_body(node.members()) for node in members) else None


def _document_pieces(whole: bytes, offset: int, nodes: Sequence[Node]) -> Iterator[Piece]:
    at = 0
    line = 1
    for node in nodes:
        start, stop = node.start + offset, node.stop + offset
        if start > at:
            yield Piece(raw=whole[at:start], line=line, is_record=False)
            line += whole.count(b"\n", at, start)
        yield Piece(raw=whole[start:stop], line=line, is_record=True)
        line += whole.count(b"\n", start, stop)
        at = stop
    if at < len(whole):
        yield Piece(raw=whole[at:], line=line, is_record=False)
