"""`cg`'s own lines: one exchange each, as `cg convert` writes it, with what is known about it.

`{"cg":"requests/1","from":"claude-code","line":12,"reconstructed":true,"unrecorded":["tools","system"],"provider":…,
"session_id":…,"sent_s":…,"answered_s":…,"usage":{"fresh":…,"read":…,"write_by_ttl_s":{"300":…},"output":…},
"answer":{…},"body":{…}}`; what is not known is left out.
"""

from __future__ import annotations

import json
from array import array
from typing import TYPE_CHECKING, Any, ClassVar

from cgcli.dialects.base import string_of
from cgcli.model import Section, Usage
from cgcli.readers.base import Known, Opened, Passed, stamp_s
from cgcli.readers.derived import Derived
from cgcli.readers.fields import is_true, members_of
from cgcli.rope import Rope, ends_of, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.model import Exchange
    from cgcli.wire.spans import Node

VERSION = "requests/1"
_STRETCH_BYTES = 1 << 20
_ON_ONE = bytes.maketrans(b"\r\n", b"  ")
_COUNTS = ("fresh", "read", "output")


class Requests:
    """Requests as `cg convert` writes them."""

    name: ClassVar[str] = "requests"
    known: ClassVar[Known] = Known(tools=True, system=True, usage=True, response=True, time=True)
    independent: ClassVar[bool] = False
    go_escapes: ClassVar[bool] = False

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record has `cg` with the version that is read."""
        return any("cg" in members and members["cg"].string() == VERSION for members in sample)

    def open(self, record: Node) -> Opened | Passed:
        """The body, with what the line says of it."""
        members = members_of(record)
        body = members.get("body")
        if body is None or body.kind != "object":
            return Passed(reason="no_body", usable=False)
        answer = members.get("answer")
        return Opened(
            body=body,
            provider=string_of(members, "provider"),
            session_id=string_of(members, "session_id"),
            sent_s=stamp_s(members.get("sent_s")),
            answered_s=stamp_s(members.get("answered_s")),
            find_answer=answer.bytes if answer is not None and answer.kind == "object" else None,
            usage=_usage(members["usage"].value()) if "usage" in members else None,
            unrecorded=_sections(members.get("unrecorded")),
            reconstructed=is_true(members, "reconstructed"),
        )


def known_in(sample: Sequence[Mapping[str, Node]]) -> Known:
    """What the first lines of a file of this format say to be recorded."""
    first = next((members for members in sample if "cg" in members), {})
    unrecorded = _sections(first.get("unrecorded"))
    return Known(
        tools=Section.TOOLS not in unrecorded,
        system=Section.SYSTEM not in unrecorded,
        usage=any("usage" in members for members in sample),
        response=any("answer" in members for members in sample),
        time=any("sent_s" in members for members in sample),
    )


class Speller:
    """Spells the exchanges of one file, each as a line."""

    def __init__(self, *, format_name: str, reconstructed: bool) -> None:
        """They come from a file of that format; *reconstructed*: its requests were put together."""
        self._format_name = format_name
        self._reconstructed = reconstructed
        self._body: tuple[bytes, ...] = ()
        self._written: tuple[bytes, ...] = ()
        """The last body in pieces: as it came, and on one line."""
        self._ends = array("q")
        """Where those behind the first one end, counted from there."""

    def line(self, found: Derived) -> bytes | Rope:
        """The line that says *found*, with its line end; a body that takes several lines takes one here.

        The pieces that a body has in common with the one before are not looked through again.
        """
        if not isinstance(found.body, tuple):
            return b"".join(self._around(found, (one_line(found.body),)))
        body = found.body
        n = len(self._body) - 1  # its last piece closes it
        if n < 1 or body[:n] != self._body[:n]:
            n = 0
        written = (*self._written[:n], *map(bytes, map(one_line, body[n:])))
        ends = ends_of(written[max(1, n) :], self._ends[: max(0, n - 1)])
        self._body, self._written, self._ends = body, written, ends
        *before, end = self._around(found, written[:1])
        return Rope(b"".join(before), (*written[1:], bytes(end)), ends_of((bytes(end),), ends))

    def _around(self, found: Derived, body: tuple[bytes | memoryview, ...]) -> tuple[bytes | memoryview, ...]:
        return _pieces(found, body, format_name=self._format_name, reconstructed=self._reconstructed)


def _pieces(
    found: Derived, body: tuple[bytes | memoryview, ...], *, format_name: str, reconstructed: bool
) -> tuple[bytes | memoryview, ...]:
    """The line around *body*, which is on one line already."""
    head: dict[str, Any] = {"cg": VERSION, "from": format_name, "line": found.line}
    if reconstructed:
        head["reconstructed"] = True
    if found.unrecorded:
        head["unrecorded"] = [section.value for section in Section if section in found.unrecorded]
    told = {
        "provider": found.provider,
        "session_id": found.session_id,
        "sent_s": found.sent_s,
        "answered_s": found.answered_s,
        "usage": _spelled_usage(found.usage) if found.usage is not None else None,
    }
    head |= {key: given for key, given in told.items() if given is not None}
    answer = found.find_answer() if found.find_answer is not None else None
    begin = json.dumps(head, separators=(",", ":")).encode()[:-1]
    middle = (b',"answer":', one_line(answer)) if answer is not None else ()
    return (begin, *middle, b',"body":', *body, b"}\n")


def line_of(exchange: Exchange, *, format_name: str) -> bytes:
    """The line that says *exchange*, which was read from a file of that format."""
    return b"".join(pieces_of(exchange, format_name=format_name))


def pieces_of(exchange: Exchange, *, format_name: str) -> tuple[bytes | memoryview, ...]:
    """The pieces of that line, the body uncopied."""
    request = exchange.request
    recorded = {Section.TOOLS: request.tools, Section.SYSTEM: request.system}
    found = Derived(
        body=b"",
        line=exchange.source.line,
        provider="anthropic" if request.dialect == "anthropic" else "openai",
        session_id=exchange.session_id,
        sent_s=exchange.sent_s,
        answered_s=exchange.answered_s,
        find_answer=exchange.find_answer,
        usage=exchange.usage,
        unrecorded=frozenset(section for section, items in recorded.items() if items is None),
    )
    is_rebuilt = exchange.source.reconstructed
    return _pieces(found, (one_line(plain(request.raw)),), format_name=format_name, reconstructed=is_rebuilt)


def one_line(written: bytes | memoryview) -> bytes | memoryview:
    """JSON *written* on one line: a line end can only stand between its tokens, and becomes a space."""
    return bytes(written).translate(_ON_ONE) if _has_line_end(written) else written


def _has_line_end(written: bytes | memoryview) -> bool:
    # Looking for one byte is many times as fast as a regular expression, and a view cannot be searched: in stretches.
    if isinstance(written, bytes):
        return b"\n" in written or b"\r" in written
    stretches = (bytes(written[at : at + _STRETCH_BYTES]) for at in range(0, len(written), _STRETCH_BYTES))
    return any(b"\n" in one or b"\r" in one for one in stretches)


def _spelled_usage(usage: Usage) -> dict[str, Any]:
    told: dict[str, Any] = {name: n for name in _COUNTS if (n := getattr(usage, name)) is not None}
    if usage.write_by_ttl_s is not None:
        told["write_by_ttl_s"] = {str(ttl_s): n for ttl_s, n in usage.write_by_ttl_s.items()}
    if usage.iterations:
        told["iterations"] = [_spelled_usage(step) for step in usage.iterations]
    return told


def _usage(told: Any) -> Usage | None:
    """The usage as it was spelled; None for what is none."""
    if not isinstance(told, dict):
        return None
    fresh, read, output = (n if isinstance(n := told.get(name), int) else None for name in _COUNTS)
    writes = told.get("write_by_ttl_s")
    steps = told.get("iterations")
    return Usage(
        fresh=fresh,
        read=read,
        output=output,
        write_by_ttl_s=(
            {int(ttl_s): n for ttl_s, n in writes.items() if ttl_s.isdecimal() and isinstance(n, int)}
            if isinstance(writes, dict)
            else None
        ),
        iterations=tuple(step for one in steps if (step := _usage(one)) is not None) if isinstance(steps, list) else (),
    )


def _sections(node: Node | None) -> frozenset[Section]:
    named = node.value() if node is not None and node.kind == "array" else ()
    return frozenset(section for section in Section if section.value in named)
