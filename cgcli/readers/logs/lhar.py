"""LHAR (LLM HTTP Archive) 0.1, as Context Lens writes it: entries with the bodies in `raw`, where it keeps them.

Without `CONTEXT_LENS_PRIVACY=full` both bodies are null, and an entry has only figures.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cgcli.dialects.base import string_of
from cgcli.model import Usage
from cgcli.readers import usage as usages
from cgcli.readers.base import Known
from cgcli.readers.derived import Derived, Missed
from cgcli.readers.fields import Lines, count_at, elements_of, members_of, or_missed, value_at
from cgcli.readers.logs import calls
from cgcli.readers.records import records
from cgcli.readers.stamps import iso_s, number_s
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.piece import Piece
    from cgcli.readers.records import Record
    from cgcli.wire.spans import Node

_NO_BODY = "the entry has no bodies: record with CONTEXT_LENS_PRIVACY=full"


class Lhar:
    """LHAR."""

    name: ClassVar[str] = "lhar"
    known: ClassVar[Known] = Known(tools=True, system=True, usage=True, response=True, time=True)
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = False

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where an entry has the body of its request."""
        found = (entry for members in sample for entry in (members, *map(members_of, _listed(members))))
        return any(is_entry(entry) and _has_body(entry) for entry in found)

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request for each entry, in the order of the file."""
        for record in records(pieces):
            if isinstance(record, Missed):
                yield record
                continue
            entries = or_missed(record.line, partial(_entries, record))
            for entry, line in [(entries, 0)] if isinstance(entries, Missed) else entries:
                yield entry if isinstance(entry, Missed) else or_missed(line, partial(_call, entry, line))


def is_entry(members: Mapping[str, Node]) -> bool:
    """True for an entry, whether it has bodies or not."""
    return string_of(members, "type") == "entry" and {"raw", "gen_ai", "trace_id"} <= members.keys()


def _has_body(entry: Mapping[str, Node]) -> bool:
    body = members_of(entry["raw"]).get("request_body")
    return body is not None and body.kind in ("object", "string")


def _listed(members: Mapping[str, Node]) -> list[Node]:
    return elements_of(members_of(members.get("lhar")).get("entries"))


def _entries(record: Record) -> list[tuple[Mapping[str, Node] | Missed, int]]:
    """The entries of a record, which is one or has a list of them, with their lines."""
    if "lhar" not in record.members:
        return [(record.members, record.line)] if is_entry(record.members) else []
    lines = Lines(record.node.doc.raw, record.line)
    return [(members_of(node), lines.of(node)) for node in _listed(record.members)]


def _call(entry: Mapping[str, Node], line: int) -> Derived | Missed:
    raw = members_of(entry.get("raw"))
    body = raw.get("request_body")
    if body is None or body.kind not in ("object", "string"):
        raise Malformed("no_body", _NO_BODY)
    answer = calls.answered(calls.json_of(raw.get("response_body")))
    sent_s = iso_s(string_of(entry, "timestamp"))
    took_s = number_s(value_at(members_of(entry.get("timings")), "total_ms"), units_per_s=1000)
    return Derived(
        body=calls.checked_body(calls.json_of(body)),
        line=line,
        provider=string_of(members_of(entry.get("gen_ai")), "system"),
        session_id=string_of(entry, "trace_id"),
        sent_s=sent_s,
        answered_s=sent_s + took_s if sent_s is not None and took_s is not None else None,
        find_answer=answer.find,
        usage=answer.usage or _usage(entry),
    )


def _usage(entry: Mapping[str, Node]) -> Usage | None:
    """The entry's own figures: the input is without what was read and written."""
    usage, more = members_of(members_of(entry.get("gen_ai")).get("usage")), members_of(entry.get("usage_ext"))
    fresh, written = count_at(usage, "input_tokens"), count_at(more, "cache_write_tokens")
    if fresh is None:
        return None
    return Usage(
        fresh=fresh,
        read=count_at(more, "cache_read_tokens"),
        write_by_ttl_s=usages.by_ttl(written),
        output=count_at(usage, "output_tokens"),
    )
