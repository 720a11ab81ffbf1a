"""The shared nouns: what a request is made of, and how a number is known.

All are frozen. `None` means "the file does not say"; an empty tuple means "it says there is none".
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, NewType, TypeVar, dataclass_transform

from msgspec import Struct, field, structs

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from cgcli.rope import Raw

T = TypeVar("T")

Digest = NewType("Digest", bytes)
"""A sha256, 32 bytes."""


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def value(cls: type[T]) -> type[T]:
    """Make *cls* a frozen record that takes keywords only and compares by its fields.

    A msgspec struct: the class is made in a tenth of the time that a dataclass takes, and so are its instances.
    """
    return _struct(cls, by_fields=True)


@dataclass_transform(frozen_default=True, kw_only_default=True, eq_default=False, field_specifiers=(field,))
def unique(cls: type[T]) -> type[T]:
    """Make *cls* a frozen record that takes keywords only and is equal only to itself."""
    return _struct(cls, by_fields=False)


def _struct(cls: type[T], *, by_fields: bool) -> type[T]:
    namespace = {name: held for name, held in vars(cls).items() if name not in ("__dict__", "__weakref__")}
    make: Any = type(Struct)
    made: type[T] = make(cls.__name__, (Struct,), namespace, frozen=True, kw_only=True, eq=by_fields)
    return made


def changed(record: T, **fields: Any) -> T:
    """*record* with other values in *fields*."""
    changing: Any = structs.replace
    with_them: T = changing(record, **fields)
    return with_them


class Basis(StrEnum):
    """How a number is known."""

    MEASURED = "measured"
    COUNTED = "counted"
    ESTIMATED = "estimated"
    SIMULATED = "simulated"


class Section(StrEnum):
    """The parts of a request in the provider's cache order."""

    TOOLS = "tools"
    SYSTEM = "system"
    MESSAGES = "messages"


class Kind(StrEnum):
    """What a part is."""

    SYSTEM = "system"
    TOOL_SPEC = "tool_spec"
    USER_TEXT = "user_text"
    ASSISTANT_TEXT = "assistant_text"
    THINKING = "thinking"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    IMAGE = "image"
    OTHER = "other"


@value
class Span:
    """A half-open range of bytes."""

    start: int
    stop: int

    def shifted(self, by: int) -> Span:
        """The same range, *by* bytes further on."""
        return Span(start=self.start + by, stop=self.stop + by)


@value
class Count:
    """A number of tokens, and how it is known."""

    tokens: int
    basis: Basis


@value
class Mark:
    """A cache breakpoint that the request sets on a part."""

    ttl: str | None
    """As written (`5m`, `1h`, …); None where the request leaves it to the provider."""


@value
class Refusal:
    """Why something safe could not be done."""

    reason: str
    """A short name such as `tools_not_recorded`."""
    detail: str
    """One line for a person."""
    is_decline: bool = False
    """It could be done, and would not pay."""


@value
class Part:
    """One piece of a request.

    Spans are bytes, relative to the first byte of the item (tool, system block, message) that the part
    stands in; `Request.parts` gives them relative to the body.
    """

    kind: Kind
    role: str
    path: str
    """Where it stands, as `messages.3.content.0.content`; relative to its item in an `Item`."""
    span: Span
    slot: Span | None = None
    """The JSON string, quotes included, that may be edited; None where there is none."""
    pair_id: str | None = None
    """What joins a tool call with its result."""
    name: str | None = None
    """The tool's name, of a call or a tool spec."""
    mark: Mark | None = None


@value
class Usage:
    """What the provider says it billed; disjoint counts in tokens.

    Anthropic's `input_tokens` excludes reads and writes, OpenAI's includes them: both are resolved here.
    """

    fresh: int | None
    read: int | None
    write_by_ttl_s: Mapping[int, int] | None
    output: int | None
    basis: Basis = Basis.MEASURED
    iterations: tuple[Usage, ...] = ()

    @property
    def input(self) -> int | None:
        """Fresh, read and written together; None where nothing of them is recorded."""
        if self.fresh is None:
            return None
        written = sum(self.write_by_ttl_s.values()) if self.write_by_ttl_s else 0
        return self.fresh + (self.read or 0) + written


Wrap = Literal["object", "json_string", "read_only"]
"""How edits go back into the container: the body is an object there, or a string that holds JSON."""


@value
class Block:
    """A part (or a tool result's parts together) in the provider's cache order."""

    i_part: int
    """The first part it is made of, in its item."""
    rendered: Digest
    """Its digest as the provider reads it: `cg-chain/1`."""


@unique
class Item:
    """One element of `tools`, `system` or the message list: parsed once, shared by every request that has it."""

    section: Section
    role: str
    within: bytes
    """What has its bytes: they alone, or the record of which a long item is the most."""
    at: int
    """Where they begin in it."""
    size_bytes: int
    """How many they are."""
    parts: tuple[Part, ...]
    blocks: tuple[Block, ...]
    rendered: Digest
    """Over the digests of its blocks."""

    def has(self, needle: bytes) -> bool:
        """True where *needle* stands in what is written."""
        return self.within.find(needle, self.at, self.at + self.size_bytes) >= 0

    def view(self) -> memoryview:
        """As it is written, uncopied."""
        return memoryview(self.within)[self.at : self.at + self.size_bytes]

    @property
    def wire(self) -> bytes:
        """As it is written; made anew each time where it is long, kept where not: only distinct items are."""
        if self.size_bytes == len(self.within):
            return self.within
        return self.within[self.at : self.at + self.size_bytes]


@value
class Param:
    """A parameter that a change of breaks a part of the cache."""

    path: str
    """Where it stands in the body, as `output_config.effort`."""
    written: bytes
    """Its value, white space, escapes and (but for schemas) the order of keys normalised."""
    breaks: tuple[Section, ...]
    """The sections whose cached prefix a change breaks."""


@unique
class Request:
    """One body, as bytes with spans into them.

    `raw` are the body's bytes, a view of the record they were saved in, or a rope of what they were put together from.
    Items come in cache order; `starts` are the offsets of the messages in `raw`.
    """

    raw: Raw
    dialect: str
    model: str | None
    tools: tuple[Item, ...] | None
    tools_starts: tuple[int, ...]
    system: tuple[Item, ...] | None
    system_starts: tuple[int, ...]
    messages: tuple[Item, ...]
    starts: array[int]
    params: tuple[Param, ...]
    """What the body says of the parameters that a provider's cache depends on, in the table's order."""
    static: Digest
    """Over model, tools and system: what a lane's requests have in common before the first message."""
    states: tuple[Digest, ...]
    """The chain over the messages: `states[i]` stands for messages 0 to i."""

    @property
    def is_whole(self) -> bool:
        """True where tools and system prompt are recorded; else what was billed is more than what is here."""
        return self.tools is not None and self.system is not None

    def head(self) -> Iterator[tuple[Item, int]]:
        """What stands before the messages, in cache order, each with its first byte in `raw`."""
        yield from zip(self.tools or (), self.tools_starts, strict=True)
        yield from zip(self.system or (), self.system_starts, strict=True)

    def placed(self) -> Iterable[tuple[str, Item, int]]:
        """Each item in cache order with its path in the body and its first byte in `raw`."""
        for name, items, starts in (
            ("tools", self.tools or (), self.tools_starts),
            ("system", self.system or (), self.system_starts),
            ("messages", self.messages, self.starts),
        ):
            for i, item in enumerate(items):
                yield f"{name}.{i}", item, starts[i]


@value
class Source:
    """Where a request was saved."""

    file: str
    line: int
    """From 1; the line on which the record begins."""
    wrap: Wrap
    reconstructed: bool = False


@unique
class Exchange:
    """One request with what is known about its answer."""

    request: Request
    source: Source
    shared: int
    """How many leading messages are the very objects of an earlier request of this file."""
    session_id: str | None = None
    sent_s: float | None = None
    answered_s: float | None = None
    find_answer: Callable[[], bytes | None] | None = None
    """Puts the recorded answer together; None where none is recorded."""
    usage: Usage | None = None

    @property
    def answer(self) -> bytes | None:
        """The whole answer as the provider's JSON, put together anew each time; None where it is not recorded whole."""
        return self.find_answer() if self.find_answer is not None else None
