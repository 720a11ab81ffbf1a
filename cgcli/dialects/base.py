"""What a dialect is: one provider's shape of a request body, read without decoding what is not needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

from cgcli.dialects.canonical import frame, free_content, free_json, long_string
from cgcli.model import Kind, Mark, Part, Span, value
from cgcli.wire.long import LONG_BYTES
from cgcli.wire.spans import Malformed
from cgcli.wire.strings import utf8

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.dialects.canonical import Content
    from cgcli.wire.spans import Node


@value
class Piece:
    """A block before it is hashed."""

    i_part: int
    canonical: Content


@value
class Parsed:
    """One item of a body: its role, its parts (spans relative to *start*) and its blocks."""

    role: str
    start: int
    stop: int
    within: bytes
    """What has its bytes."""
    at: int
    """Where they begin in it."""
    parts: tuple[Part, ...]
    pieces: tuple[Piece, ...]


@value
class Glance:
    """What one message says about the dialect of its body."""

    keys: frozenset[str]
    role: str | None
    block_types: frozenset[str]
    """The types of its content blocks."""
    is_marked: bool
    """True where a content block sets a cache breakpoint in Anthropic's spelling."""


class Dialect(Protocol):
    """One body shape."""

    name: ClassVar[str]
    history: ClassVar[str]
    """The key of the list that grows."""
    static: ClassVar[tuple[str, str]]
    """The keys of the tools and of the system prompt."""

    def fits(self, body: Mapping[str, Node], head: Sequence[Glance]) -> bool:
        """True where *body* can have this shape; *head* are its first messages."""

    def is_certain(self, body: Mapping[str, Node], head: Sequence[Glance]) -> bool:
        """True where it can have no other shape."""

    def tools(self, node: Node) -> list[Parsed]:
        """One item per tool spec."""

    def system(self, node: Node) -> list[Parsed]:
        """One item per system block; a string is one block."""

    def message(self, node: Node) -> Parsed:
        """One element of the history."""


def glance(message: Node) -> Glance:
    """*message* at a glance.

    Raises:
        Malformed: a key stands twice in it.
    """
    members = message.members()
    content = members.get("content")
    blocks = content.elements() if content is not None and content.kind == "array" else ()
    inner = [block.members() for block in blocks if block.kind == "object"]
    return Glance(
        keys=frozenset(members),
        role=string_of(members, "role"),
        block_types=frozenset(string_of(block, "type") or "" for block in inner),
        is_marked=any("cache_control" in block for block in inner),
    )


class Item:
    """Collects the parts and blocks of one item while it is walked."""

    def __init__(self, node: Node, role: str) -> None:
        """Start an item at *node* that *role* says."""
        self.node = node
        self.role = role
        self.parts: list[Part] = []
        self.pieces: list[Piece] = []

    def span(self, node: Node) -> Span:
        """Where *node* stands, relative to the item."""
        return Span(start=node.start - self.node.start, stop=node.stop - self.node.start)

    def part(
        self,
        kind: Kind,
        path: str,
        node: Node,
        *,
        slot: Node | None = None,
        pair_id: str | None = None,
        name: str | None = None,
        mark: Mark | None = None,
    ) -> None:
        """Add a part; *slot* is its editable string, ignored where that is no string."""
        self.parts.append(
            Part(
                kind=kind,
                role=self.role,
                path=path,
                span=self.span(node),
                slot=self.span(slot) if slot is not None and slot.kind == "string" else None,
                pair_id=pair_id,
                name=name,
                mark=mark,
            )
        )

    def block(self, i_part: int, kind: str, *fields: tuple[str, Content | None]) -> None:
        """Add a block of *kind* that begins at part *i_part*; whether it opens the message counts."""
        opens = b"1" if not self.pieces else b"0"
        canonical = frame((("role", utf8(self.role)), ("opens", opens), ("type", utf8(kind)), *fields))
        self.pieces.append(Piece(i_part=i_part, canonical=canonical))

    def parsed(self) -> Parsed:
        """What was collected; an item without a part or a block gets one, so that the chain sees it."""
        if not self.parts:
            self.part(Kind.OTHER, "", self.node)
        if not self.pieces:
            self.block(0, "empty")
        within, at = _held(self.node)
        return Parsed(
            role=self.role,
            start=self.node.start,
            stop=self.node.stop,
            within=within,
            at=at,
            parts=tuple(self.parts),
            pieces=tuple(self.pieces),
        )


def _held(node: Node) -> tuple[bytes, int]:
    """Bytes to keep that have *node* in them, and where: a copy, or the record, where *node* is long and most of it."""
    size_bytes = node.stop - node.start
    if size_bytes > LONG_BYTES and size_bytes * 2 > len(node.doc.raw):
        return node.doc.raw, node.start
    return node.bytes(), 0


def mark_of(members: Mapping[str, Node]) -> Mark | None:
    """The cache breakpoint that *members* set, in Anthropic's or OpenAI's spelling."""
    node = members.get("cache_control") or members.get("prompt_cache_breakpoint")
    if node is None or node.kind != "object":
        return None
    ttl = node.members().get("ttl")
    return Mark(ttl=ttl.string() if ttl is not None else None)


def string_of(members: Mapping[str, Node], key: str) -> str | None:
    """The string under *key*, or None where there is none."""
    node = members.get(key)
    return node.string() if node is not None else None


def text_bytes(node: Node) -> Content:
    """The decoded string, as the bytes that are hashed; what is no string (null) gives bytes that no string has."""
    if node.kind != "string":
        return b"\xff" + free_json(node)
    if node.stop - node.start > LONG_BYTES:
        return long_string(node)
    return utf8(node.text())


MARK_KEYS = frozenset({"cache_control", "prompt_cache_breakpoint"})


def others(members: Mapping[str, Node], known: frozenset[str]) -> Content | None:
    """The members that are neither *known* nor a mark, as free JSON in their order; None where there are none."""
    rest = [(key, free_content(node)) for key, node in members.items() if key not in known and key not in MARK_KEYS]
    return frame(rest) if rest else None


def block_members(node: Node) -> Mapping[str, Node]:
    """The members of a content block.

    Raises:
        Malformed: the block is no object.
    """
    if node.kind != "object":
        raise Malformed("bad_shape", f"a content block at byte {node.start} is no object")
    return node.members()
