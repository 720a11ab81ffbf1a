"""A file as entries: every byte once, and every span where it says."""

from __future__ import annotations

import gzip
import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.errors import CgError, FormatError
from cgcli.readers import open_bytes, read
from tests.captures import capture
from tests.running import CORPUS_CAPTURES, FIXTURE_CAPTURES, FIXTURES

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.model import Item, Request
    from cgcli.readers import Entry
    from tests.captures import Shape


def _is_readable(path: Path) -> bool:
    """True where a format with requests is found in the file."""
    try:
        with open_bytes(str(path)) as stream:
            read(stream, file=str(path))
    except CgError:
        return False
    return True


FILES = [path for path in (*FIXTURE_CAPTURES, *CORPUS_CAPTURES) if _is_readable(path)]


def _entries(data: bytes) -> list[Entry]:
    return list(read(io.BytesIO(data), file="f"))


def _content(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name[-40:]}")
def test_entries_are_the_file_and_spans_are_values(path: Path) -> None:
    """Joined they are the file; each item and part stands where the standard library finds its value."""
    content = _content(path)
    entries = _entries(content)
    assert b"".join(entry.raw for entry in entries) == content
    assert any(entry.exchange for entry in entries)
    at = 0
    for entry in entries:
        if entry.exchange is not None or entry.passed is not None:
            assert entry.line == content.count(b"\n", 0, at) + 1
        at += len(entry.raw)
        if entry.exchange is not None:
            assert entry.exchange.source.line == entry.line
            check_spans(entry)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["anthropic", "chat", "responses"]),
    st.sampled_from(["bodies", "ascii-bodies", "context-guru", "envelope", "string-envelope", "array"]),
    st.integers(0, 999),
)
def test_generated_captures_are_read_whole(dialect: Any, container: Any, seed: int) -> None:
    """In every container: the bytes, the number of requests, every span."""
    shape: Shape = {"dialect": dialect, "container": container, "seed": seed, "turns": 3, "thinking": True}
    data = capture(**shape)
    entries = _entries(data)
    assert b"".join(entry.raw for entry in entries) == data
    found = [entry for entry in entries if entry.exchange is not None]
    assert len(found) == 4
    for entry in found:
        check_spans(entry)


def check_spans(entry: Entry) -> None:
    """Every item and part of the request in *entry* is exactly the slice that means its value."""
    assert entry.exchange is not None
    request = entry.exchange.request
    raw = bytes(request.raw)
    body = json.loads(raw)
    _check_body(entry, raw)
    history = body["messages"] if "messages" in body else body["input"]
    history = history if isinstance(history, list) else [history]
    system = body.get("system", body.get("instructions")) or []
    system = system if isinstance(system, list) else [system]
    _check_items(request, request.messages, request.starts.tolist(), history)
    _check_items(request, request.tools or (), list(request.tools_starts), body.get("tools") or [])
    if request.dialect != "openai-chat":
        _check_items(request, request.system or (), list(request.system_starts), system)


def _check_body(entry: Entry, raw: bytes) -> None:
    """The body is where the entry says: in its bytes, or in its string."""
    if entry.quoted is None:
        assert entry.raw[entry.body_at : entry.body_at + len(raw)] == raw
        return
    literal = bytes(entry.quoted.literal)
    assert entry.raw[entry.body_at : entry.body_at + len(literal)] == literal
    inner = json.loads(literal)
    assert inner.encode("utf-8", "surrogatepass") == entry.quoted.inner
    assert json.loads(inner) == json.loads(raw)


def _check_items(request: Request, items: tuple[Item, ...], starts: list[int], values: list[Any]) -> None:
    assert len(items) == len(starts) == len(values)
    for item, start, value in zip(items, starts, values, strict=True):
        written = bytes(request.raw[start : start + item.size_bytes])
        assert json.loads(written) == value
        assert item.parts
        for part in item.parts:
            block = json.loads(written[part.span.start : part.span.stop])
            at, around = _at(value, part.path), _at(value, part.path.rpartition(".")[0])
            assert block in (at, around)
            if part.slot is not None:
                assert json.loads(written[part.slot.start : part.slot.stop]) == at
                assert isinstance(at, str)


def _at(value: Any, path: str) -> Any:
    """What stands at the dotted *path*."""
    for key in path.split(".") if path else ():
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


SKIPPED: dict[str, list[tuple[int, str]]] = {
    "ugly/deep.jsonl": [(2, "too_deep")],
    "ugly/duplicate-keys.jsonl": [(2, "duplicate_key"), (3, "duplicate_key")],
    "ugly/half-line.jsonl": [(3, "half_written")],
    "ugly/invalid-utf8.jsonl": [(2, "invalid_utf8"), (3, "invalid_utf8")],
    "ugly/middle.jsonl": [(2, "not_json"), (3, "cut"), (5, "not_an_object"), (6, "not_an_object")],
    "ugly/nan.jsonl": [(2, "not_json")],
    "ugly/raw-nul.jsonl": [(2, "not_json"), (3, "not_json")],
}
PASSED = {
    "claude-trace/seven-lanes.jsonl": [(line, "not_a_messages_call") for line in (1, 2, 67, 68, 69)],
    "ugly/answers.jsonl": [(1, "not_a_messages_call"), (6, "not_a_messages_call")],
}


@pytest.mark.parametrize("path", [path for path in FIXTURE_CAPTURES if path in FILES], ids=lambda path: path.name)
def test_fixtures_skip_exactly_what_is_wrong_with_them(path: Path) -> None:
    """Line and reason of each record that is no request; only those that should have been one are unusable."""
    name = f"{path.parent.name}/{path.name}"
    entries = _entries(_content(path))
    passed = [(entry.line, entry.passed) for entry in entries if entry.passed]
    assert [(line, one.reason) for line, one in passed if not one.usable] == SKIPPED.get(name, [])
    assert [(line, one.reason) for line, one in passed if one.usable] == PASSED.get(name, [])


GOOD = b'{"model":"claude-x","system":"s","messages":[{"role":"user","content":"hi"}]}'
BAD: dict[str, tuple[bytes, str]] = {
    "cut in the middle": (GOOD[:40], "cut"),
    "two on one line": (GOOD + GOOD, "not_json"),
    "an array": (b"[1]", "not_an_object"),
    "a string": (b'"text"', "not_an_object"),
    "no messages": (b'{"model":"m"}', "no_body"),
    "messages that are an object": (b'{"model":"m","messages":{}}', "unknown_body"),
    "a message that is a number": (b'{"model":"m","messages":[0]}', "unknown_body"),
    "content that is a number": (b'{"model":"m","messages":[{"role":"user","content":7}]}', "bad_shape"),
    "tools that are no list": (b'{"system":"","tools":5,"messages":[{"role":"user","content":""}]}', "not_a_container"),
    "a system prompt that is a number": (b'{"system":5,"messages":[{"role":"user","content":""}]}', "bad_shape"),
    "a key twice": (GOOD[:-1] + b',"model":"m"}', "duplicate_key"),
    "bytes that are not UTF-8": (GOOD.replace(b"hi", b"\xff"), "invalid_utf8"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_record_that_cannot_be_used_is_skipped_with_its_line(case: str) -> None:
    """Between good ones, which are read; its bytes stay where they are."""
    bad, reason = BAD[case]
    data = b"\n".join([GOOD, b"", bad, GOOD, b""])
    entries = _entries(data)
    assert b"".join(entry.raw for entry in entries) == data
    assert [(entry.line, entry.passed.reason, entry.passed.usable) for entry in entries if entry.passed] == [
        (3, reason, False)
    ]
    assert [entry.line for entry in entries if entry.exchange] == [1, 4]


def test_a_last_line_without_its_end_is_half_written() -> None:
    """Only the last one, and only where it is cut."""
    for last, reason in ((GOOD[:40], "half_written"), (GOOD[:40] + b"\n", "cut"), (b'{"model":"m"}', "no_body")):
        entries = _entries(GOOD + b"\n" + last)
        assert [entry.passed.reason for entry in entries if entry.passed] == [reason]


def test_lines_end_at_newlines_only() -> None:
    """A carriage return may be white space in a record, U+2028 and a form feed text in it."""
    record = GOOD.replace(b',"messages"', b',\r"messages"').replace(b"hi", "a\u2028b\x85".encode())
    for head in (b"", b"{}\n"):
        data = head + record + b"\r\n" + record
        entries = [entry for entry in _entries(data) if entry.exchange]
        assert [entry.line for entry in entries] == [1 + len(head) // 3, 2 + len(head) // 3]


def test_a_byte_order_mark_goes_through_on_its_own() -> None:
    """It is an entry without a record, before the first line or the document."""
    for data in (b"\xef\xbb\xbf" + GOOD + b"\n" + GOOD, b"\xef\xbb\xbf[" + GOOD + b"]", b"\xef\xbb\xbf" + GOOD):
        entries = _entries(data)
        assert b"".join(entry.raw for entry in entries) == data
        assert entries[0].raw.startswith(b"\xef\xbb\xbf")
        assert {bytes(entry.exchange.request.raw) for entry in entries if entry.exchange} == {GOOD}


def test_lines_of_a_document_are_counted() -> None:
    """Each body of a pretty array stands on its own line, and what is between them is kept."""
    data = b"\n[\n" + GOOD + b",\n\n" + GOOD + b"\n,7," + GOOD + b"]\n"
    entries = _entries(data)
    assert b"".join(entry.raw for entry in entries) == data
    assert [entry.line for entry in entries if entry.exchange] == [3, 5, 6]


def test_a_document_that_is_no_request_is_refused() -> None:
    """One object with something else in it."""
    with pytest.raises(FormatError, match="no request"):
        _entries(b'{\n"rows": [1, 2]\n}')


def test_the_packed_fixture_is_read_like_the_plain_one() -> None:
    """Its five requests are the first five of what was packed."""
    found = []
    for name in ("ugly/agent.jsonl.gz", "context-guru/agent.jsonl"):
        with open_bytes(str(FIXTURES / name)) as stream:
            requests = [entry.exchange.request for entry in read(stream, file=name) if entry.exchange]
        found.append([(request.static, request.states) for request in requests[:5]])
    assert found[0] == found[1]
