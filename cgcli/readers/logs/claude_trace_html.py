"""claude-trace's report: an HTML page that has the pairs of its log in it, as base64 in `window.claudeData`."""

from __future__ import annotations

import base64
import json
import re
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cgcli.readers.base import Known, Opened, Passed
from cgcli.readers.claude_trace import ClaudeTrace
from cgcli.readers.derived import Derived, Missed
from cgcli.readers.fields import elements_of, or_missed
from cgcli.readers.logs import calls
from cgcli.wire.spans import Document, Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cgcli.readers.piece import Piece

_PAGE = re.compile(rb"\s*<(?:!doctype\s+html|html|head|meta|script)\b", re.IGNORECASE)
_TELLS = (b"claudeData", b"claude-traffic", b"claude-trace")
_DATA = re.compile(
    rb"""window\.claudeData\s*=\s*JSON\.parse\(\s*
    (?:atob|base64ToUtf8|decodeURIComponent\(\s*escape\(\s*(?:window\.)?atob)
    \(\s*["'`]([A-Za-z0-9+/=\s]*)""",
    re.VERBOSE,
)
"""The three wrappers that its versions put around the base64."""
_FIRST_PAIR = re.compile(rb'"rawPairs"\s*:\s*\[')
_GAP = re.compile(r"[\s,]*")
_PAIRS = ClaudeTrace()


class ClaudeTraceHtml:
    """claude-trace's report."""

    name: ClassVar[str] = "claude-trace-html"
    known: ClassVar[Known] = ClaudeTrace.known
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = False

    def recognises(self, head: bytes) -> bool:
        """True for a page that names `claudeData`, or claude-trace, near its beginning."""
        return _PAGE.match(head) is not None and any(tell in head for tell in _TELLS)

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request for each pair that is a messages call; of cut base64, for each pair that is whole."""
        for piece in pieces:
            found = _DATA.search(piece.raw)
            if found is None:
                yield _missed(piece.line, "no_body", "the page has no `window.claudeData`")
                continue
            line = piece.line + piece.raw.count(b"\n", 0, found.start(1))
            yield from _pairs(found[1], line)


def _pairs(spelled: bytes, line: int) -> Iterator[Derived | Missed]:
    data = _decoded(spelled)
    cut: Missed | None = None
    try:
        pairs = [node.bytes() for node in elements_of(Document(data).root().members().get("rawPairs"))]
    except Malformed as error:
        pairs = _whole_pairs(data)
        where = f"the base64 ends after {len(spelled):,} characters" if error.reason == "cut" else str(error)
        cut = _missed(line, "cut", f"{where}; whole pairs before that: {len(pairs)}")
    for pair in pairs:
        yield or_missed(line, partial(_pair, pair, line))
    if cut is not None:
        yield cut


def _decoded(spelled: bytes) -> bytes:
    """The JSON in UTF-8. Characters without a partner at the end are left out."""
    letters = b"".join(spelled.split()).rstrip(b"=")
    letters = letters[: len(letters) - (len(letters) % 4 == 1)]
    data = base64.b64decode(letters + b"=" * (-len(letters) % 4))
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return data.decode("latin-1").encode()  # `btoa` of a text whose characters are all below 256
    return data


def _whole_pairs(data: bytes) -> list[bytes]:
    """The pairs in *data*, JSON that ends somewhere, up to the one that is not whole."""
    first = _FIRST_PAIR.search(data)
    if first is None:
        return []
    text = data[first.end() :].decode("utf-8", "replace")
    decoder = json.JSONDecoder()
    found: list[bytes] = []
    at = 0
    while True:
        gap = _GAP.match(text, at)
        start = gap.end() if gap is not None else at
        try:
            _, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            return found
        found.append(calls.utf8(text[start:at]))


def _pair(pair: bytes, line: int) -> Derived | Missed:
    """The request of one pair.

    Raises:
        Malformed: it cannot be used.
    """
    opened = _PAIRS.open(Document(pair).root())
    if not isinstance(opened, Opened):
        return Missed(line=line, passed=opened)
    return Derived(
        body=calls.checked_body(calls.json_of(opened.body)),
        line=line,
        sent_s=opened.sent_s,
        answered_s=opened.answered_s,
        find_answer=opened.find_answer,
        usage=opened.usage,
    )


def _missed(line: int, reason: str, detail: str) -> Missed:
    return Missed(line=line, passed=Passed(reason=reason, usable=False, detail=detail))
