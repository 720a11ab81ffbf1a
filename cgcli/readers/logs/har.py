"""HAR (HTTP Archive 1.2), as browsers and proxies export it: the model calls among its entries.

A request's body stands in `postData.text`, an answer in `response.content.text`; both may be base64.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cgcli.dialects.base import string_of
from cgcli.readers.base import Known
from cgcli.readers.derived import Derived, Missed
from cgcli.readers.fields import Lines, elements_of, members_of, or_missed, value_at
from cgcli.readers.logs import calls
from cgcli.readers.records import records
from cgcli.readers.stamps import iso_s, number_s
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.piece import Piece
    from cgcli.readers.records import Record
    from cgcli.wire.spans import Node


class Har:
    """HTTP archives."""

    name: ClassVar[str] = "har"
    known: ClassVar[Known] = Known(tools=True, system=True, usage=True, response=True, time=True)
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = False

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record has a `log` with `entries`."""
        return any("entries" in members_of(members.get("log")) for members in sample)

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request for each call of a model, by the time at which it was sent."""
        for record in records(pieces):
            if isinstance(record, Missed):
                yield record
                continue
            entries = or_missed(record.line, partial(_entries, record))
            if isinstance(entries, Missed):
                yield entries
                continue
            lines = Lines(record.node.doc.raw, record.line)
            for entry in entries:
                line = lines.of(entry)
                yield or_missed(line, partial(_call, entry, line))


def _entries(record: Record) -> list[Node]:
    """The entries by time; as they stand where one has none."""
    entries = elements_of(members_of(record.members.get("log")).get("entries"))
    times = [iso_s(string_of(members_of(entry), "startedDateTime")) for entry in entries]
    timed = [(sent_s, i) for i, sent_s in enumerate(times) if sent_s is not None]
    return [entries[i] for _, i in sorted(timed)] if len(timed) == len(entries) else entries


def _call(entry: Node, line: int) -> Derived | Missed:
    members = members_of(entry)
    request = members_of(members.get("request"))
    if not calls.is_model_call(string_of(request, "method"), string_of(request, "url")):
        return Missed(line=line, passed=calls.NOT_A_CALL)
    found = calls.answered(_content(members_of(members.get("response"))))
    sent_s = iso_s(string_of(members, "startedDateTime"))
    took_s = number_s(value_at(members, "time"), units_per_s=1000)
    return Derived(
        body=calls.checked_body(_posted(members_of(request.get("postData")))),
        line=line,
        sent_s=sent_s,
        answered_s=sent_s + took_s if sent_s is not None and took_s is not None and took_s >= 0 else None,
        find_answer=found.find,
        usage=found.usage,
    )


def _posted(post: Mapping[str, Node]) -> bytes:
    """The body that was sent.

    Raises:
        Malformed: none is recorded.
    """
    text = string_of(post, "text")
    if text is None:
        raise Malformed("no_body", "the entry does not have what was posted")
    content = _decoded(text, is_base64=string_of(post, "encoding") == "base64")
    return calls.unpacked(content)


def _content(response: Mapping[str, Node]) -> bytes:
    content = members_of(response.get("content"))
    text = string_of(content, "text") or ""
    try:
        return calls.unpacked(_decoded(text, is_base64=string_of(content, "encoding") == "base64"))
    except Malformed:
        return b""


def _decoded(text: str, *, is_base64: bool) -> bytes:
    """*text* as bytes; some proxies write base64 without saying so, which no JSON and no event stream looks like."""
    decoded = (
        calls.from_base64(text) if is_base64 or not text.lstrip().startswith(("{", "data:", "event:", ":")) else None
    )
    return decoded if decoded is not None else calls.utf8(text)
