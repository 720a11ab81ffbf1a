"""Parse each record once: what is byte-equal to a recent request is compared, not parsed again.

A record is compared with a few recent ones (*tips*). The leading messages that are byte-equal are cut out and one digit
put in their place; the short text that remains is parsed, and must have the digit back as the first message: the same
bytes before it mean the same parser state. Fields after the messages, containers and answers need no special case.
"""

from __future__ import annotations

from array import array
from hashlib import sha256
from typing import TYPE_CHECKING

from cgcli import prefix
from cgcli.dialects import detect, head_of
from cgcli.model import Request, Section, value
from cgcli.prefix.params import params
from cgcli.readers.base import Passed
from cgcli.readers.tips import Match, Tip, compare
from cgcli.rope import Rope
from cgcli.wire.long import LONG_BYTES
from cgcli.wire.spans import Document, Malformed, Node

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.dialects.base import Dialect
    from cgcli.model import Item
    from cgcli.readers.base import Opened
    from cgcli.readers.piece import ReadBefore

_HOLE = b"0"
_TIPS_BYTES = 32 << 20
_TIPS = 48
_STATIC_MEMO = 64
_NEARLY_WHOLE = 4
"""A tip that differs in its last few messages only (marks move, reminders change) has served: the new one replaces
it."""


@value
class Read:
    """A record with its request, whose body is bytes `start:stop` of the record."""

    request: Request
    start: int
    stop: int
    shared: int
    opened: Opened


@value
class Quoted:
    """A record whose body is a string that holds JSON: bytes `start:stop` of the record, quotes included."""

    start: int
    stop: int
    opened: Opened


@value
class _Frame:
    """One parse: the body, in a text from which the messages of *match* were cut."""

    node: Node
    body: dict[str, Node]
    dialect: Dialect
    match: Match | None
    unrecorded: frozenset[Section]

    @property
    def growth(self) -> int:
        """How many bytes what follows the hole stands further on in the record."""
        return self.match.size_bytes - len(_HOLE) if self.match is not None else 0


class Incremental:
    """Reads records that repeat each other; remembers a bounded number of recent ones."""

    def __init__(self, open_record: Callable[[Node], Opened | Passed]) -> None:
        """Find bodies in records with *open_record*."""
        self._open = open_record
        self._tips: list[Tip] = []  # the most recent first
        self._read_before: ReadBefore | None = None
        self._statics: dict[tuple[str, Section, bytes], tuple[tuple[Item, ...], tuple[int, ...]]] = {}

    def read(
        self, raw: bytes | Rope, *, provider: str | None = None, read_before: ReadBefore | None = None
    ) -> Read | Quoted | Passed:
        """The request in the record *raw*, the string it is in, or why there is none.

        *provider* is what a container around the record says, where the record itself says nothing. Messages that were
        *read_before* are not read again.

        Raises:
            Malformed: the record is not usable JSON.
        """
        self._read_before = read_before
        match = self._match(raw)
        if match is not None:
            doc = Document(raw[: match.at] + _HOLE + raw[match.at + match.size_bytes :])
            try:
                read = self._parse(doc, raw, match, provider)
            except Malformed:
                read = None
            if read is not None:
                return read
        read = self._parse(Document(bytes(raw)), raw, None, provider)
        if read is None:
            raise Malformed("bad_shape", "no request body in the record")
        return read

    def _match(self, raw: bytes | Rope) -> Match | None:
        best: Match | None = None
        for tip in self._tips:
            if best is not None and tip.stops[-1] <= best.size_bytes:
                continue
            found = compare(raw, tip)
            if found is not None and (best is None or found.size_bytes > best.size_bytes):
                best = found
                if len(tip.stops) - found.n <= _NEARLY_WHOLE:
                    break
        return best

    def _parse(
        self, doc: Document, raw: bytes | Rope, match: Match | None, provider: str | None
    ) -> Read | Quoted | Passed | None:
        """Parse *doc*; None where the hole of *match* did not come back as the first message."""
        opened = self._open(doc.root())
        if isinstance(opened, Passed):
            return opened if match is None else None  # the hole may be why no body was found
        node = opened.body
        if node.kind == "string":
            return None if match is not None else Quoted(start=node.start, stop=node.stop, opened=opened)
        if node.kind != "object":
            raise Malformed("bad_shape", "the body is no object")
        body = node.members()
        head = head_of(body, match.tip.head[: match.n] if match is not None else ())
        dialect = detect(body, head, provider=opened.provider or provider) if head is not None else None
        if head is None or dialect is None or (match is not None and dialect is not match.tip.dialect):
            if match is not None:
                return None
            raise Malformed("unknown_body", "the body has the shape of no known provider")
        history = body[dialect.history]
        elements = [history] if history.kind == "string" else history.elements()
        if match is not None:
            if not elements or elements[0].start != match.at or elements[0].bytes() != _HOLE:
                return None
            del elements[0]
        frame = _Frame(node=node, body=body, dialect=dialect, match=match, unrecorded=opened.unrecorded)
        request = self._request(raw, frame, elements)
        if request.messages:
            first = match.at if match is not None else request.starts[0] + node.start
            stops = match.tip.stops[: match.n] if match is not None else array("q")
            self._remember(Tip(raw, first, request, dialect, head, stops=stops), match)
        return Read(
            request=request,
            start=node.start,
            stop=node.stop + frame.growth,
            shared=match.n if match is not None else 0,
            opened=opened,
        )

    def _request(self, raw: bytes | Rope, frame: _Frame, elements: list[Node]) -> Request:
        """The request in the body of *frame*, whose new messages are *elements*."""
        match, base, dialect = frame.match, frame.node.start, frame.dialect
        tools, tools_starts = self._static(frame, Section.TOOLS)
        system, system_starts = self._static(frame, Section.SYSTEM)
        fresh = [self._message(dialect, element) for element in elements]
        starts = array("q", [element.start + frame.growth - base for element in elements])
        messages: tuple[Item, ...] = tuple(fresh)
        if match is None:
            states = prefix.extend((), fresh)
        else:
            tip = match.tip.request
            messages = tip.messages[: match.n] + messages
            states = prefix.extend(tip.states[: match.n], fresh)
            shift = match.at - base - tip.starts[0]
            kept = tip.starts[: match.n]
            starts = (kept if shift == 0 else array("q", [start + shift for start in kept])) + starts
        stop = frame.node.stop + frame.growth
        model_node = frame.body.get("model")
        model = model_node.string() if model_node is not None else None
        return Request(
            raw=raw.within(base, stop) if isinstance(raw, Rope) else memoryview(raw)[base:stop],
            dialect=dialect.name,
            model=model,
            tools=tools,
            tools_starts=tools_starts,
            system=system,
            system_starts=system_starts,
            messages=messages,
            starts=starts,
            params=params(dialect.name, frame.body),
            static=prefix.static(model, tools, system),
            states=states,
        )

    def _message(self, dialect: Dialect, node: Node) -> Item:
        """The message that *node* is."""
        before = self._read_before(dialect.name, node.bytes()) if self._read_before is not None else None
        return before if before is not None else prefix.item(Section.MESSAGES, dialect.message(node))

    def _static(self, frame: _Frame, section: Section) -> tuple[tuple[Item, ...] | None, tuple[int, ...]]:
        """The items of `tools` or of the system prompt, and where they stand in the body; None where not recorded."""
        dialect, match = frame.dialect, frame.match
        name = dialect.static[0 if section is Section.TOOLS else 1]
        field = frame.body.get(name) if name else None
        if field is None or field.kind == "null":
            return None if section in frame.unrecorded else (), ()
        key = (dialect.name, section, _told_apart(field))
        known = self._statics.get(key)
        if known is None:
            parsed = dialect.tools(field) if section is Section.TOOLS else dialect.system(field)
            items = tuple(prefix.item(section, one) for one in parsed)
            known = items, tuple(one.start - field.start for one in parsed)
            if len(self._statics) >= _STATIC_MEMO:
                del self._statics[next(iter(self._statics))]
            self._statics[key] = known
        behind = frame.growth if match is not None and field.start > match.at else 0
        base = field.start + behind - frame.node.start
        return known[0], tuple(base + start for start in known[1])

    def _remember(self, tip: Tip, match: Match | None) -> None:
        """Put *tip* first; it takes the place of the one it contains nearly whole."""
        if match is not None and len(match.tip.stops) - match.n <= _NEARLY_WHOLE:
            self._tips.remove(match.tip)
        self._tips.insert(0, tip)
        kept = 0
        for i, one in enumerate(self._tips):
            kept += len(one.raw)
            if i and (kept > _TIPS_BYTES or i >= _TIPS):
                del self._tips[i:]
                break


def _told_apart(field: Node) -> bytes:
    """What is kept to know *field* again: its bytes, or, where they are many, their digest."""
    return field.bytes() if field.stop - field.start <= LONG_BYTES else sha256(field.view()).digest()
