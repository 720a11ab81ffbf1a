"""Every ugly input that was seen for real has one right outcome."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from cgcli.errors import CgError
from cgcli.readers import open_bytes, read
from tests.running import FIXTURES

if TYPE_CHECKING:
    from cgcli.model import Exchange
    from cgcli.readers import Entry

# Usable requests; (line, reason) of skipped records; (line, reason) of records that are no requests.
READ: dict[str, tuple[int, list[tuple[int, str]], list[tuple[int, str]]]] = {
    "comments.jsonl": (3, [], []),
    "middle.jsonl": (3, [(2, "not_json"), (3, "cut"), (5, "not_an_object"), (6, "not_an_object")], []),
    "half-line.jsonl": (2, [(3, "half_written")], []),
    "screenshot.jsonl": (3, [], []),
    "crlf.jsonl": (3, [], []),
    "crlf-in-text.jsonl": (3, [], []),
    "lone-surrogate.jsonl": (3, [], []),
    "nul-escapes.jsonl": (3, [], []),
    "ansi-escapes.jsonl": (3, [], []),
    "system-inside.jsonl": (3, [], []),
    "answers.jsonl": (5, [], [(1, "not_a_messages_call"), (6, "not_a_messages_call")]),
    "bom.jsonl": (3, [], []),
    "duplicate-keys.jsonl": (1, [(2, "duplicate_key"), (3, "duplicate_key")], []),
    "nan.jsonl": (2, [(2, "not_json")], []),
    "invalid-utf8.jsonl": (1, [(2, "invalid_utf8"), (3, "invalid_utf8")], []),
    "raw-nul.jsonl": (1, [(2, "not_json"), (3, "not_json")], []),
    "deep.jsonl": (2, [(2, "too_deep")], []),
    "history.jsonl": (2, [], []),
}
REFUSED = {
    "newline.jsonl": "the file is empty",
    "empty.jsonl": "the file is empty",
    "utf16.jsonl": "the file is UTF-16, not UTF-8",
    "ansi.log": "not JSON",
    "dataset.jsonl": "no request in the file",
    "change-log.jsonl": "CONTEXT_GURU_DUMP",
}


def _entries(name: str) -> list[Entry]:
    with open_bytes(str(FIXTURES / "ugly" / name)) as stream:
        return list(read(stream, file=name))


def _exchanges(name: str) -> list[Exchange]:
    return [entry.exchange for entry in _entries(name) if entry.exchange is not None]


@pytest.mark.parametrize("name", sorted(READ))
def test_an_ugly_file_is_read(name: str) -> None:
    """What is usable is used; what is not is skipped, with its line and reason."""
    entries = _entries(name)
    passed = [(entry.line, entry.passed) for entry in entries if entry.passed is not None]
    skipped = [(line, why.reason) for line, why in passed if not why.usable]
    others = [(line, why.reason) for line, why in passed if why.usable]
    n_requests = sum(entry.exchange is not None for entry in entries)
    assert (n_requests, skipped, others) == READ[name]


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_is_no_transcript_is_refused_in_one_line(name: str) -> None:
    """It says what the file is, and what to try."""
    with pytest.raises(CgError) as caught:
        _entries(name)
    assert REFUSED[name] in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.hint


def test_every_ugly_fixture_has_its_outcome_here() -> None:
    """A new one cannot be forgotten."""
    packed = {"agent.jsonl.gz"}
    assert {path.name for path in (FIXTURES / "ugly").iterdir()} == {*READ, *REFUSED, *packed}


def test_usage_that_comes_last_in_a_stream_is_read() -> None:
    """Nothing in `message_start`, all in `message_delta`; an answer that is gzip, none, an error: no usage."""
    found = [one.usage for one in _exchanges("answers.jsonl")]
    assert found[1:] == [None] * 4
    first = found[0]
    assert first is not None
    assert (first.fresh, first.read, first.write_by_ttl_s, first.output) == (40, 900, {}, 7)


def test_a_message_of_the_system_among_the_messages_is_a_message() -> None:
    """Its mark counts, and it is no part of the system prompt."""
    request = _exchanges("system-inside.jsonl")[0].request
    assert [item.role for item in request.messages[:2]] == ["user", "system"]
    assert request.messages[1].parts[0].mark is not None
    assert "tide" not in " ".join(item.wire.decode() for item in request.system or ())


def test_escapes_in_values_stay_as_they_are_written() -> None:
    """NUL, ANSI and CR LF are text, and no byte of it changes."""
    for name, written in (
        ("nul-escapes.jsonl", rb"\u0000\u0000 tail "),
        ("ansi-escapes.jsonl", rb"\u001b[1;31mred\u001b[0m\r50%\r"),
        ("crlf-in-text.jsonl", rb"one\r\ntwo\r\n"),
    ):
        body = bytes(_exchanges(name)[-1].request.raw)
        assert written in body
        assert json.loads(body)["messages"]
