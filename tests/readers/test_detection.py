"""Which format a file has: by content, or refused by name."""

from __future__ import annotations

import io
import json
from collections import Counter

import pytest

from cgcli.errors import FormatError, InputError, UsageError
from cgcli.readers import READERS, TEXTS, open_bytes, read
from tests.running import FIXTURE_FILES, FIXTURES

# Format, layout, requests by dialect.
READ: dict[str, tuple[str, str, dict[str, int]]] = {
    "anthropic-batch/input.jsonl": ("anthropic-batch", "LINES", {"anthropic": 4}),
    "bodies/anthropic.jsonl": ("bodies", "LINES", {"anthropic": 4}),
    "bodies/array.json": ("bodies", "ARRAY", {"anthropic": 3}),
    "bodies/chat.jsonl": ("bodies", "LINES", {"openai-chat": 4}),
    "bodies/crlf.jsonl": ("bodies", "LINES", {"anthropic": 4}),
    "bodies/no-final-newline.jsonl": ("bodies", "LINES", {"anthropic": 4}),
    "bodies/object.json": ("bodies", "NAMED", {"anthropic": 6}),
    "bodies/responses.jsonl": ("bodies", "LINES", {"openai-responses": 4}),
    "bodies/single.json": ("bodies", "OBJECT", {"anthropic": 1}),
    "claude-trace/cold.jsonl": ("claude-trace", "LINES", {"anthropic": 5}),
    "claude-trace/odd.jsonl": ("claude-trace", "LINES", {"anthropic": 5}),
    "claude-trace/seven-lanes.jsonl": ("claude-trace", "LINES", {"anthropic": 64}),
    "context-guru/agent.jsonl": ("context-guru", "LINES", {"anthropic": 17}),
    "context-guru/openai.jsonl": ("context-guru", "LINES", {"openai-chat": 7}),
    "context-guru/responses.jsonl": ("context-guru", "LINES", {"openai-responses": 7}),
    "envelope/call-request.jsonl": ("envelope", "LINES", {"openai-chat": 3}),
    "envelope/params.jsonl": ("envelope", "LINES", {"anthropic": 3}),
    "envelope/raw-request.jsonl": ("envelope", "LINES", {"anthropic": 3}),
    "envelope/request-body.jsonl": ("envelope", "LINES", {"anthropic": 3}),
    "envelope/requestBody-single.json": ("envelope", "OBJECT", {"anthropic": 1}),
    "envelope/requestBody.jsonl": ("envelope", "LINES", {"anthropic": 3}),
    "envelope/request_json.jsonl": ("envelope", "LINES", {"anthropic": 3}),
    "envelope/string-body.jsonl": ("envelope", "LINES", {"anthropic": 3}),
    "envelope/string-request-body.jsonl": ("envelope", "LINES", {"anthropic": 3}),
    "envelope/string-request_json.jsonl": ("envelope", "LINES", {"anthropic": 3}),
    "lanes/dated-system.jsonl": ("bodies", "LINES", {"anthropic": 4}),
    "lanes/eliding.jsonl": ("bodies", "LINES", {"anthropic": 7}),
    "lanes/fork-summary.jsonl": ("bodies", "LINES", {"anthropic": 7}),
    "lanes/mixed-content.jsonl": ("bodies", "LINES", {"anthropic": 4}),
    "lanes/nonce-first.jsonl": ("bodies", "LINES", {"anthropic": 4}),
    "lanes/reordered-tools.jsonl": ("bodies", "LINES", {"anthropic": 5}),
    "lanes/retries.jsonl": ("bodies", "LINES", {"anthropic": 8}),
    "lanes/rewind.jsonl": ("bodies", "LINES", {"anthropic": 7}),
    "lanes/sliding-window.jsonl": ("bodies", "LINES", {"anthropic": 7}),
    "lanes/tools-last.jsonl": ("bodies", "LINES", {"anthropic": 4}),
    "lanes/two-conversations.jsonl": ("bodies", "LINES", {"anthropic": 8}),
    "openai-batch/input.jsonl": ("openai-batch", "LINES", {"openai-chat": 4, "openai-responses": 2}),
    "ugly/agent.jsonl.gz": ("context-guru", "LINES", {"anthropic": 5}),
    "ugly/bom.jsonl": ("bodies", "LINES", {"anthropic": 3}),
    "ugly/comments.jsonl": ("bodies", "LINES", {"anthropic": 3}),
    "ugly/crlf.jsonl": ("bodies", "LINES", {"anthropic": 3}),
    "ugly/deep.jsonl": ("bodies", "LINES", {"anthropic": 2}),
    "ugly/duplicate-keys.jsonl": ("bodies", "LINES", {"anthropic": 1}),
    "ugly/half-line.jsonl": ("bodies", "LINES", {"anthropic": 2}),
    "ugly/invalid-utf8.jsonl": ("bodies", "LINES", {"anthropic": 1}),
    "ugly/lone-surrogate.jsonl": ("bodies", "LINES", {"anthropic": 3}),
    "ugly/nan.jsonl": ("bodies", "LINES", {"anthropic": 2}),
    "ugly/raw-nul.jsonl": ("bodies", "LINES", {"anthropic": 1}),
}
REFUSED: dict[str, tuple[type[InputError], str]] = {
    "ugly/ansi.log": (InputError, "not JSON"),
    "ugly/change-log.jsonl": (FormatError, "context-guru change log"),
    "ugly/dataset.jsonl": (FormatError, "no request in the file"),
    "ugly/empty.jsonl": (InputError, "the file is empty"),
    "ugly/history.jsonl": (FormatError, "Claude Code session"),
    "ugly/newline.jsonl": (InputError, "the file is empty"),
    "ugly/utf16.jsonl": (InputError, "UTF-16"),
}
MESSAGE = '{"role":"user","content":"hi"}'
UNSUPPORTED = {
    '{"session":"s","n_changed":1,"changes":[]}': "context-guru change log",
    '{"sessionId":"s","uuid":"u","type":"user","message":{}}': "Claude Code session",
    '{"timestamp":"t","type":"session_meta","payload":{}}': "Codex rollout",
    '{"id":"i","timestamp":"t","instructions":null}': "Codex rollout \\(old\\)",
    '{"trajectory":[],"info":{}}': "SWE-agent trajectory",
    '{"schema_version":"ATIF-v1.2","steps":[]}': "ATIF trajectory",
    f'{{"sessionId":"s","projectHash":"p","messages":[{MESSAGE}]}}': "Gemini CLI session",
    f'{{"messages":[{MESSAGE}],"sessionId":"s","agent":"lead"}}': "Cline session",
    '{"stable_prefix_hash":"h","cached_tokens":1}': "headroom metrics",
    '{"instance_id":"i","history":[]}': "OpenHands output",
    '{"type":"system","session_id":"s","tools":[]}': "stream-json transcript",
    '{"type":"session","id":"i","cwd":"/"}': "pi session",
}
FOUND = {
    f'{{"body":{{"messages":[{MESSAGE}]}},"model":"m","provider":"openai"}}': "context-guru",
    f'{{"body":{{"messages":[{MESSAGE}]}},"id":7}}': "envelope",
    f'{{"custom_id":"c","method":"POST","url":"/v1/x","body":{{"messages":[{MESSAGE}]}}}}': "openai-batch",
    f'{{"custom_id":"c","params":{{"messages":[{MESSAGE}]}}}}': "anthropic-batch",
    f'{{"params":{{"messages":[{MESSAGE}]}},"id":7}}': "envelope",
    f'{{"messages":[{MESSAGE}]}}': "bodies",
    '{"model":"m","input":"hi"}': "bodies",
    '{"request":{"url":"https://h/v1/messages","timestamp":1,"body":{}},"response":null}': "claude-trace",
    f'{{"request":{{"url":"https://h/v1/messages","body":{{"messages":[{MESSAGE}]}}}},"response":null}}': "envelope",
}


def test_every_fixture_is_in_one_of_the_tables() -> None:
    """A new fixture needs a row here."""
    names = [f"{path.parent.name}/{path.name}" for path in FIXTURE_FILES]
    assert sorted([*READ, *REFUSED]) == sorted(names)


@pytest.mark.parametrize("path", READ)
def test_fixtures_are_what_they_are(path: str) -> None:
    """Format, layout and dialects, found by content alone."""
    with open_bytes(str(FIXTURES / path)) as stream:
        capture = read(stream, file=path)
        dialects = Counter(entry.exchange.request.dialect for entry in capture if entry.exchange)
    assert (capture.format_name, capture.layout.name, dict(dialects)) == READ[path]


@pytest.mark.parametrize("path", REFUSED)
def test_fixtures_without_requests_are_refused_by_name(path: str) -> None:
    """Exit code 4, with what it is and what to try."""
    kind, message = REFUSED[path]

    def read_all() -> None:
        with open_bytes(str(FIXTURES / path)) as stream:
            read(stream, file=path)

    with pytest.raises(kind, match=message) as caught:
        read_all()
    assert (caught.value.exit_code, type(caught.value)) == (4, kind)
    assert caught.value.hint


@pytest.mark.parametrize("record", UNSUPPORTED)
def test_recognised_kinds_without_requests_are_named(record: str) -> None:
    """What it is, why it is no use, and the way to a capture that is."""
    with pytest.raises(FormatError, match=f"^f: {UNSUPPORTED[record]}") as caught:
        read(io.BytesIO(record.encode() + b"\n" + record.encode() + b"\n"), file="f")
    assert caught.value.hint


@pytest.mark.parametrize("record", FOUND)
@pytest.mark.parametrize("n", [1, 3])
def test_formats_are_told_apart(record: str, n: int) -> None:
    """The more particular one first, for one record and for several."""
    assert read(io.BytesIO(b"\n".join([record.encode()] * n)), file="f").format_name == FOUND[record]


def test_an_object_of_nothing_but_bodies_is_one_of_named_bodies() -> None:
    """Whatever the names; also where there is only one."""
    for names in (["params"], ["turn 1", "turn 2"]):
        content = json.dumps({name: {"messages": [json.loads(MESSAGE)]} for name in names}, indent=1)
        capture = read(io.BytesIO(content.encode()), file="f")
        found = [entry.exchange.source.line for entry in capture if entry.exchange]
        assert (capture.layout.name, found) == ("NAMED", [2, 10][: len(names)])


def test_a_format_can_be_named() -> None:
    """What `--format` says counts, and a name that is none is refused with the nearest one."""
    record = f'{{"params":{{"messages":[{MESSAGE}]}}}}\n'.encode()
    assert read(io.BytesIO(record * 2), file="f", format="anthropic-batch").format_name == "anthropic-batch"
    with pytest.raises(UsageError, match="anthropic-bath") as caught:
        read(io.BytesIO(record), file="f", format="anthropic-bath")
    assert "anthropic-batch" in str(caught.value.hint)


def test_readers_have_names_of_their_own() -> None:
    """No two are called the same."""
    names = [reader.name for reader in (*READERS, *TEXTS)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "content",
    [
        b"// only a comment\n",
        b"\n\n",
        b"  ",
        b"hello\nworld\n",
        b"{",
        b"[1,",
        b"7\n",
        b'"text"\n',
        b"[]",
        b"{}",
        b"[[1]]",
    ],
)
def test_files_without_any_record_are_input_errors(content: bytes) -> None:
    """Comments, white space, words, cut JSON, scalars, empty containers: exit code 4."""
    with pytest.raises(InputError) as caught:
        list(read(io.BytesIO(content), file="f"))
    assert caught.value.exit_code == 4


def test_a_body_between_other_records_is_found() -> None:
    """The first lines need not be requests."""
    content = b'{"note":1}\n{}\n' + f'{{"model":"m","messages":[{MESSAGE}]}}\n'.encode()
    capture = read(io.BytesIO(content), file="f")
    assert [entry.passed.reason if entry.passed else "request" for entry in capture] == [
        "no_body",
        "no_body",
        "request",
    ]
