"""Amplifier's `transcript.jsonl`: the messages of a session, one a line, as they were before any compaction.

Neither system nor developer messages are in it, and not which provider was asked: the requests are spelled as
Anthropic's, in whose blocks everything that a transcript has can be said.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cgcli.dialects import named
from cgcli.dialects.base import string_of
from cgcli.readers import spelling
from cgcli.readers.base import Known
from cgcli.readers.derived import NEITHER, Derived, Missed
from cgcli.readers.fields import elements_of, members_of, or_missed
from cgcli.readers.histories.sound import check_message
from cgcli.readers.records import records
from cgcli.readers.spelling import object_of, spell
from cgcli.readers.stamps import iso_s
from cgcli.wire.spans import Document, Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.piece import Piece
    from cgcli.readers.records import Record
    from cgcli.wire.spans import Node

_ANTHROPIC = named("anthropic")
_ROLES = frozenset({"user", "assistant", "tool", "function"})
_UNSEEN = frozenset({"system", "developer"})
_KEPT_BLOCK_KEYS = frozenset({"text", "thinking", "signature", "data", "source", "cache_control"})


class AmplifierTranscript:
    """Amplifier's transcript."""

    name: ClassVar[str] = "amplifier-transcript"
    known: ClassVar[Known] = Known(tools=False, system=False, usage=False, response=True, time=True)
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = True

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where most records are messages, and one has a call as only Amplifier writes it, or `metadata`."""
        messages = [members for members in sample if string_of(members, "role") in _ROLES | _UNSEEN]
        return len(messages) * 2 > len(sample) and any(_is_amplifiers(members) for members in messages)

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request for each answer."""
        said = _Said()
        for record in records(pieces):
            if isinstance(record, Missed):
                yield record
                continue
            found = or_missed(record.line, partial(said.take, record))
            if found is not None:
                yield found


def _is_amplifiers(members: Mapping[str, Node]) -> bool:
    if any("tool" in members_of(call) for call in elements_of(members.get("tool_calls"))):
        return True
    if any(string_of(members_of(block), "type") == "tool_call" for block in elements_of(members.get("content"))):
        return True
    has_stamp = "timestamp" in members_of(members.get("metadata"))
    return has_stamp and not {"id", "ts", "model", "usage"} & members.keys()


class _Said:
    """The messages so far, as they are written; tool results wait for the next ones, to stand in one message."""

    def __init__(self) -> None:
        self._said: list[bytes] = []
        self._results: list[bytes] = []
        self._last_s: float | None = None

    def take(self, record: Record) -> Derived | None:
        """The request that the message in *record* answers, where it is an answer.

        Raises:
            Malformed: it cannot be used.
        """
        role = record.string("role")
        if role in _UNSEEN:
            return None
        if role not in _ROLES:
            raise Malformed("bad_shape", "the message has no role of Amplifier's")
        stamp_s = iso_s(string_of(members_of(record.members.get("metadata")), "timestamp"))
        if role in ("tool", "function"):
            result = _result(record.members)
            check_message(spelling.message("user", (result,)), _ANTHROPIC)
            self._results.append(result)
            self._last_s = stamp_s
            return None
        blocks = _blocks(record.members)
        written = spelling.message(role, blocks)
        check_message(written, _ANTHROPIC)
        if self._results:
            self._said.append(spelling.message("user", self._results))
            self._results = []
        found = self._derived(record.line, written, stamp_s) if role == "assistant" and self._said else None
        self._said.append(written)
        self._last_s = stamp_s
        return found

    def _derived(self, line: int, answer: bytes, stamp_s: float | None) -> Derived:
        return Derived(
            body=spelling.body(self._said),
            line=line,
            provider="anthropic",
            sent_s=self._last_s,
            answered_s=stamp_s,
            find_answer=lambda: answer,
            unrecorded=NEITHER,
        )


def _blocks(members: Mapping[str, Node]) -> list[bytes]:
    """The content of a message as Anthropic's blocks; its calls come last, each once."""
    content = members.get("content")
    if content is not None and content.kind == "string":
        found = [spelling.text_block(content.bytes())] if content.text() else []
    else:
        found = [_block(members_of(one)) for one in elements_of(content)]
    known = {string_of(members_of(one), "id") for one in elements_of(content)}
    for one in elements_of(members.get("tool_calls")):
        call = members_of(one)
        function = members_of(call.get("function"))
        if string_of(call, "id") not in known:
            name = call.get("tool") or call.get("name") or function.get("name")
            found.append(_call(call.get("id"), name, call.get("arguments") or function.get("arguments")))
    return found


def _block(block: Mapping[str, Node]) -> bytes:
    kind = string_of(block, "type")
    if kind == "tool_call":
        return _call(block.get("id"), block.get("name"), block.get("input"))
    if kind == "tool_result":
        return _result(block)
    kept = {key: node.bytes() for key, node in block.items() if key in _KEPT_BLOCK_KEYS and node.kind != "null"}
    return object_of({"type": spell(kind or "unknown"), **(kept or _all_of(block))})


def _all_of(block: Mapping[str, Node]) -> dict[str, bytes]:
    return {key: node.bytes() for key, node in block.items() if key not in ("type", "visibility")}


def _call(call_id: Node | None, name: Node | None, arguments: Node | None) -> bytes:
    """A tool use; *arguments* are an object, or a string that holds one."""
    given = b"{}"
    if arguments is not None and arguments.kind == "object":
        given = arguments.bytes()
    elif arguments is not None and arguments.kind == "string":
        given = _object_in(arguments) or object_of({"arguments": arguments.bytes()})
    return object_of(
        {
            "type": spell("tool_use"),
            "id": call_id.bytes() if call_id is not None else None,
            "name": name.bytes() if name is not None else None,
            "input": given,
        }
    )


def _object_in(node: Node) -> bytes | None:
    try:
        written = node.text().encode()
        Document(written).root().members()
    except (Malformed, UnicodeEncodeError):
        return None
    return written


def _result(members: Mapping[str, Node]) -> bytes:
    """A tool's result, from a message or from a block of one."""
    content = members.get("content", members.get("output"))
    blocks = content is not None and content.kind == "array"
    if content is not None and content.kind in ("object", "number", "bool"):
        given = spell(content.bytes().decode("utf-8", "replace"))
    else:
        given = content.bytes() if content is not None and (blocks or content.kind == "string") else spell("")
    call_id = members.get("tool_call_id")
    return object_of(
        {
            "type": spell("tool_result"),
            "tool_use_id": call_id.bytes() if call_id is not None else None,
            "content": given,
        }
    )
