"""headroom's capture, where a record has the body as bytes (`request_body_b64`) and not, or not always, parsed.

The bytes are those that were sent. They are cut at 262,144, which `request_body_truncated` says; then only
`request_json` has the whole body. A file whose records all have `request_json` is read as an envelope.
"""

from __future__ import annotations

import hashlib
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cgcli.readers.base import Known
from cgcli.readers.derived import Derived, Missed
from cgcli.readers.fields import or_missed
from cgcli.readers.logs import calls
from cgcli.readers.records import records
from cgcli.readers.stamps import time_s
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.piece import Piece
    from cgcli.readers.records import Record
    from cgcli.wire.spans import Node

_PARSED, _BYTES = "request_json", "request_body_b64"
_SESSIONS = ("session_id", "session", "lane")
_TIMES = ("timestamp", "ts")


class Headroom:
    """headroom's capture, with bytes."""

    name: ClassVar[str] = "headroom"
    known: ClassVar[Known] = Known(tools=True, system=True, usage=False, response=False, time=True)
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = False

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record has `request_body_b64` and no `request_json`."""
        return any(
            _BYTES in members
            and members[_BYTES].kind == "string"
            and (_PARSED not in members or members[_PARSED].kind == "null")
            for members in sample
        )

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request a record."""
        for record in records(pieces):
            yield record if isinstance(record, Missed) else or_missed(record.line, partial(_call, record))


def _call(record: Record) -> Derived:
    """The request of *record*.

    Raises:
        Malformed: it has no whole body.
    """
    parsed = record.members.get(_PARSED)
    body = parsed.bytes() if parsed is not None and parsed.kind == "object" else _sent(record)
    time = next((record.value(key) for key in _TIMES if key in record.members), None)
    return Derived(
        body=calls.checked_body(body),
        line=record.line,
        session_id=next((named for key in _SESSIONS if (named := record.string(key))), None),
        sent_s=time_s(time),
    )


def _sent(record: Record) -> bytes:
    text = record.string(_BYTES)
    if text is None:
        raise Malformed("no_body", "neither `request_json` nor `request_body_b64`")
    if record.value("request_body_truncated") is True:
        raise Malformed("cut", "`request_body_truncated`: the body was cut before it was written")
    body = calls.from_base64(text)
    digest = record.string("request_body_sha256")
    if body is None or (digest is not None and hashlib.sha256(body).hexdigest() != digest.lower()):
        raise Malformed("cut", "`request_body_b64` is not what `request_body_sha256` was taken of")
    return calls.unpacked(body)
