"""What `cg convert` writes of each kind of file."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.convert.convert import Kind, convert
from cgcli.errors import FormatError
from cgcli.readers import open_bytes, read
from cgcli.readers.derived import Derived
from cgcli.readers.requests import Speller
from tests import oracle
from tests.running import CORPUS_FILES, FIXTURE_FILES, FIXTURES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

BODY = b'{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"a\\u003cb"}]}'


class Lines:
    """Keeps what is written."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.written = b""

    def write(self, pieces: Sequence[bytes | memoryview]) -> None:
        """Append."""
        self.written += b"".join(map(bytes, pieces))


def _of(data: bytes, kind: Kind) -> bytes:
    sink = Lines()
    convert(read(io.BytesIO(data), file="f"), kind, sink)
    return sink.written


def test_bare_bodies_are_the_bytes_that_were_sent() -> None:
    """Escapes and order as they are; one a line."""
    line = b'{"body":' + BODY + b',"model":"m","provider":"anthropic"}\n'
    assert _of(line * 2, Kind.CAPTURE) == (BODY + b"\n") * 2


def test_a_body_in_a_string_is_unquoted() -> None:
    """What the string holds is the body, byte for byte."""
    line = json.dumps({"request_json": BODY.decode()}).encode() + b"\n"
    assert _of(line, Kind.CAPTURE) == BODY + b"\n"


def test_bodies_of_several_lines_are_counted() -> None:
    """Their line ends become spaces, and the report says of how many."""
    sink = Lines()
    data = b'{"model":"m",\n "messages":[{"role":"user","content":"x"}]}'
    done = convert(read(io.BytesIO(data), file="f"), Kind.CAPTURE, sink)
    assert (done.n_requests, done.n_respaced) == (1, 1)
    assert sink.written == b'{"model":"m",  "messages":[{"role":"user","content":"x"}]}\n'


def test_a_history_is_no_capture() -> None:
    """Bare bodies of requests that nobody sent would pass for what was sent."""
    line = bytes(Speller(format_name="x", reconstructed=True).line(Derived(body=BODY, line=1)))
    with pytest.raises(FormatError, match="no request stands as it was sent"):
        _of(line, Kind.CAPTURE)


def test_unusable_records_are_counted_with_their_line() -> None:
    """They leave no line."""
    sink = Lines()
    done = convert(read(io.BytesIO(BODY + b"\n{cut\n" + BODY + b"\n"), file="f"), Kind.CAPTURE, sink)
    assert (done.n_requests, [(line, reason) for line, reason, _ in done.skipped]) == (2, [(2, "not_json")])
    assert sink.written.count(b"\n") == 2


FOLDERS = ("claude-trace", "context-guru", "bodies", "derived-cg-capture")
FULL = [path for path in (*FIXTURE_FILES, *CORPUS_FILES) if path.parent.name in FOLDERS]


@pytest.mark.parametrize("path", FULL, ids=lambda path: f"{path.parent.name}/{path.name[-40:]}")
@pytest.mark.parametrize("kind", list(Kind))
def test_the_bodies_of_a_file_come_through(path: Path, kind: Kind) -> None:
    """In order, each the same JSON; told by a parser that is not ours."""
    with open_bytes(str(path)) as stream:
        data = stream.read()
    before = [body for _, body in oracle.bodies(data)]
    lines = [json.loads(line) for line in _of(data, kind).splitlines()]
    after: list[Any] = [line["body"] if kind is Kind.REQUESTS else line for line in lines]
    assert after == before
    assert before


def test_converting_twice_changes_nothing_more() -> None:
    """But for the line that each request is said to stand on."""
    once = _of((FIXTURES / "claude-trace" / "cold.jsonl").read_bytes(), Kind.REQUESTS)
    twice = _of(once, Kind.REQUESTS)
    assert [{**json.loads(line), "line": 0, "from": ""} for line in twice.splitlines()] == [
        {**json.loads(line), "line": 0, "from": ""} for line in once.splitlines()
    ]
    assert _of(twice, Kind.CAPTURE) == _of(once, Kind.CAPTURE)
