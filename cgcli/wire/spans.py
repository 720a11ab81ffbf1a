"""Lossless JSON: where each value stands, decoded only on demand.

msgspec skips a value at about 1 GB/s but does not say where it stood: the offsets follow from the lengths
and the separators between them. A walk must end on the container's last byte, which exposes duplicate keys.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from cgcli.wire import strings
from cgcli.wire.long import LONG_BYTES, cut

if TYPE_CHECKING:
    from collections.abc import Iterator

_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])
_ANY = msgspec.json.Decoder()
_KEY = re.compile(rb'[ \t\n\r]*"(?:[^"\\]++|\\.)*+"[ \t\n\r]*:[ \t\n\r]*', re.DOTALL)
_NEXT_KEY = re.compile(rb"[ \t\n\r]*," + _KEY.pattern, re.DOTALL)
_GAP = re.compile(rb"[ \t\n\r]*")
_NEXT = re.compile(rb"[ \t\n\r]*,[ \t\n\r]*")
_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_QUOTE = ord('"')
_WORD_BYTES = 32
_MOST_WORDS = 4096
"""Roles, types and names come in every message: so many short strings are remembered."""
_BEGINNINGS = frozenset(b'{["tfn-0123456789')
_KINDS = {0x7B: "object", 0x5B: "array", 0x22: "string", 0x74: "bool", 0x66: "bool", 0x6E: "null"}


class Malformed(ValueError):
    """Bytes that are no usable JSON; `reason` is a short name such as `duplicate_key`."""

    def __init__(self, reason: str, detail: str) -> None:
        """Keep the *reason* (a name) and the *detail* (a line for a person)."""
        super().__init__(detail)
        self.reason = reason


class Document:
    r"""The bytes of one JSON text, and a twin of the same length that the parser accepts.

    msgspec refuses a lone surrogate escape even in what it skips; in `parsed` such an escape reads `\ufffd`.
    """

    __slots__ = ("parsed", "raw")

    def __init__(self, raw: bytes) -> None:
        """Hold *raw* as it is."""
        self.raw = raw
        self.parsed = raw

    def patch_surrogates(self) -> bool:
        """Give the parser a twin without lone surrogate escapes; False where there was none to replace."""
        patched = without_lone_surrogates(self.raw)
        changed = patched != self.parsed
        self.parsed = patched
        return changed

    def root(self) -> Node:
        """The value that the document is.

        Raises:
            Malformed: there is none.
        """
        start = _after_gap(self.raw, 0)
        stop = len(self.raw)
        while stop > start and self.raw[stop - 1] in b" \t\n\r":
            stop -= 1
        if start >= stop:
            raise Malformed("empty", "no JSON value")
        if self.raw[start] not in _BEGINNINGS:
            raise Malformed("not_json", f"no JSON value begins as byte {start} does")
        return Node(self, start, stop)


class Node:
    """One JSON value: bytes `start:stop` of its document."""

    __slots__ = ("doc", "start", "stop")

    def __init__(self, doc: Document, start: int, stop: int) -> None:
        """The value at `start:stop` of *doc*."""
        self.doc = doc
        self.start = start
        self.stop = stop

    @property
    def kind(self) -> str:
        """`object`, `array`, `string`, `number`, `bool` or `null`, told by the first byte."""
        return _KINDS.get(self.doc.raw[self.start], "number")

    def bytes(self) -> bytes:
        """The value as it is written."""
        return self.doc.raw[self.start : self.stop]

    def view(self) -> memoryview:
        """The same, uncopied."""
        return memoryview(self.doc.raw)[self.start : self.stop]

    def members(self) -> dict[str, Node]:
        """The members of an object, in order.

        Raises:
            Malformed: not an object, not JSON, a key twice, or nested too deeply.
        """
        doc = self.doc
        decoded = self._decode(_OBJECT)
        found: dict[str, Node] = {}
        at = self.start + 1
        data = doc.parsed
        for key, raw in decoded.items():
            match = (_NEXT_KEY if found else _KEY).match(data, at)
            if match is None:
                raise Malformed("duplicate_key", f"a key stands twice in the object at byte {self.start}")
            at = match.end()
            if not data.startswith(raw, at):  # a later value of the same key: lengths alone could be made to fit
                raise Malformed("duplicate_key", f"a key stands twice in the object at byte {self.start}")
            stop = at + memoryview(raw).nbytes
            found[key] = Node(doc, at, stop)
            at = stop
        self._ends(at)
        return found

    def elements(self) -> list[Node]:
        """The elements of an array, in order.

        Raises:
            Malformed: not an array, not JSON, or nested too deeply.
        """
        doc = self.doc
        at = _after_gap(doc.parsed, self.start + 1)
        found: list[Node] = []
        for raw in self._decode(_ARRAY):
            if found:
                at = self._after_comma(at)
            stop = at + memoryview(raw).nbytes
            found.append(Node(doc, at, stop))
            at = stop
        self._ends(at)
        return found

    def text(self) -> str:
        """The string, decoded; lone surrogates as they are.

        Raises:
            Malformed: not a string, or not UTF-8.
        """
        if self.doc.raw[self.start] != _QUOTE:
            raise Malformed("not_a_string", f"the value at byte {self.start} is no string")
        size_bytes = self.stop - self.start
        if size_bytes <= _WORD_BYTES:
            try:
                return _word(self.bytes())
            except Malformed:
                pass  # said below, with its place
        is_long = size_bytes > LONG_BYTES
        return decode_text(self.view() if is_long else self.bytes(), at=self.start)

    def string(self) -> str | None:
        """The string, decoded, or None where the value is none."""
        return self.text() if self.doc.raw[self.start] == _QUOTE else None

    def value(self) -> Any:
        """The value as Python objects.

        Raises:
            Malformed: not JSON, not UTF-8, or nested too deeply.
        """
        try:
            return _ANY.decode(self.view())
        except (msgspec.DecodeError, RecursionError):
            pass
        try:
            return json.loads(self.bytes().decode("utf-8"), parse_constant=_no_constant)
        except UnicodeDecodeError as error:
            raise Malformed("invalid_utf8", f"not UTF-8 at byte {self.start + error.start}") from error
        except RecursionError as error:
            raise Malformed("too_deep", "nested too deeply to read") from error
        except ValueError as error:
            raise Malformed("not_json", str(error)) from error

    def _decode(self, decoder: msgspec.json.Decoder[Any]) -> Any:
        doc = self.doc
        whole = self.start == 0 and self.stop == len(doc.parsed)
        while True:
            data = doc.parsed if whole else memoryview(doc.parsed)[self.start : self.stop]
            try:
                return decoder.decode(data)
            except RecursionError as error:
                raise Malformed("too_deep", "nested too deeply to read") from error
            except msgspec.ValidationError as error:
                raise Malformed("not_a_container", str(error)) from error
            except msgspec.DecodeError as error:
                if doc.patch_surrogates():
                    continue
                raise Malformed(*_why(doc, error)) from error

    def _after_comma(self, at: int) -> int:
        match = _NEXT.match(self.doc.parsed, at)
        if match is None:
            raise Malformed("duplicate_key", f"a key stands twice in the object at byte {self.start}")
        return match.end()

    def _ends(self, at: int) -> None:
        if _after_gap(self.doc.parsed, at) != self.stop - 1:
            raise Malformed("duplicate_key", f"a key stands twice in the object at byte {self.start}")


def _after_gap(data: bytes, at: int) -> int:
    """Where the white space that may stand at *at* ends."""
    match = _GAP.match(data, at)
    return match.end() if match is not None else at


def _why(doc: Document, error: msgspec.DecodeError) -> tuple[str, str]:
    """The name of what is wrong with *doc*, and a line about it."""
    try:
        doc.raw.decode("utf-8")
    except UnicodeDecodeError as bad:
        return "invalid_utf8", f"not UTF-8 at byte {bad.start}"
    text = str(error)
    if "truncated" in text:
        return "cut", "the JSON ends in the middle"
    return "not_json", text.removeprefix("JSON is malformed: ")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def decode_text(literal: bytes | memoryview, *, at: int = 0) -> str:
    """The text of a JSON string *literal*, quotes included, which stands at byte *at* of its document.

    Raises:
        Malformed: it is none, or not UTF-8.
    """
    if len(literal) <= LONG_BYTES:
        return _decoded(bytes(literal), at)
    return "".join(texts(literal, at=at))


def _decoded(literal: bytes, at: int) -> str:
    try:
        return strings.decode(literal)
    except UnicodeDecodeError as error:
        raise Malformed("invalid_utf8", f"not UTF-8 at byte {at + error.start}") from error
    except ValueError as error:
        reason = "invalid_utf8" if "utf" in str(error).lower() else "not_json"
        raise Malformed(reason, str(error)) from error


@lru_cache(maxsize=_MOST_WORDS)
def _word(literal: bytes) -> str:
    return _decoded(literal, 0)


def texts(literal: bytes | memoryview, *, at: int = 0) -> Iterator[str]:
    """What `decode_text` gives, in pieces, each of which is decoded when its turn comes.

    Raises:
        Malformed: it is no JSON string, or not UTF-8.
    """
    if len(literal) <= LONG_BYTES or not literal[0] == literal[-1] == _QUOTE:
        yield _decoded(bytes(literal), at)
        return
    for begins, piece in cut(literal):
        yield _decoded(piece, at + begins)


def without_lone_surrogates(raw: bytes) -> bytes:
    r"""*raw* with each surrogate escape that has no partner as `\ufffd`, so that all lengths stay.

    >>> without_lone_surrogates(rb'["\ud83d", "\ud83d\ude00"]')
    b'["\\ufffd", "\\ud83d\\ude00"]'
    """
    lone: list[int] = []
    high: int | None = None
    for match in _ESCAPE.finditer(raw):
        code = int(match[1], 16) if match[1] else 0
        if high is not None and code in strings.LOW_SURROGATES and match.start() == high + 6:
            high = None
            continue
        if high is not None:
            lone.append(high)
            high = None
        if code in strings.HIGH_SURROGATES:
            high = match.start()
        elif code in strings.LOW_SURROGATES:
            lone.append(match.start())
    if high is not None:
        lone.append(high)
    if not lone:
        return raw
    out = bytearray(raw)
    for at in lone:
        out[at : at + 6] = b"\\ufffd"
    return bytes(out)
