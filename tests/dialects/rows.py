"""One line of text read as a message, a tool list, a system prompt or a whole body; its parts as plain rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from cgcli.dialects import named
from cgcli.readers.base import Opened
from cgcli.readers.incremental import Incremental, Read
from cgcli.wire.spans import Document

if TYPE_CHECKING:
    from cgcli.dialects.base import Parsed
    from cgcli.model import Digest, Request


class Row(NamedTuple):
    """A part, without its spans."""

    kind: str
    role: str
    path: str
    slot: str | None = None
    """The text of the slot."""
    pair_id: str | None = None
    name: str | None = None
    mark: str | None = None
    """The ttl of the mark, `unsaid` where the mark has none."""


def message_rows(dialect: str, message: str) -> list[Row]:
    """The parts of one message."""
    return _rows(named(dialect).message(Document(message.encode()).root()), message)


def tool_rows(dialect: str, tools: str) -> list[list[Row]]:
    """The parts of each tool spec."""
    return [_rows(one, tools) for one in named(dialect).tools(Document(tools.encode()).root())]


def system_rows(dialect: str, system: str) -> list[list[Row]]:
    """The parts of each block of the system prompt."""
    return [_rows(one, system) for one in named(dialect).system(Document(system.encode()).root())]


def _rows(parsed: Parsed, text: str) -> list[Row]:
    raw = text.encode()[parsed.start : parsed.stop]
    rows = []
    for part in parsed.parts:
        json.loads(raw[part.span.start : part.span.stop])
        slot = None if part.slot is None else json.loads(raw[part.slot.start : part.slot.stop])
        mark = None if part.mark is None else part.mark.ttl or "unsaid"
        rows.append(Row(part.kind.value, part.role, part.path, slot, part.pair_id, part.name, mark))
    return rows


def request(body: str | dict[str, Any]) -> Request:
    """*body* read as a request, by a reader that has seen nothing else."""
    text = body if isinstance(body, str) else json.dumps(body)
    read = Incremental(lambda node: Opened(body=node)).read(text.encode("utf-8", "surrogatepass"))
    assert isinstance(read, Read)
    return read.request


def chain(body: str | dict[str, Any]) -> tuple[Digest, ...]:
    """The whole running digest of *body*: what stands before the messages, then each message."""
    read = request(body)
    return (read.static, *read.states)
