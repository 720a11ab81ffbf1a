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
    "amplifier-transcript/transcript.jsonl": ("amplifier-transcript", "LINES", {"anthropic": 4}),
    "amplifier/older.jsonl": ("amplifier", "LINES", {"anthropic": 6}),
    "amplifier/raw.jsonl": ("amplifier", "LINES", {"anthropic": 5}),
    "claude-trace-html/atob.html": ("claude-trace-html", "TEXT", {"anthropic": 3}),
    "claude-trace-html/base64-to-utf8.html": ("claude-trace-html", "TEXT", {"anthropic": 3}),
    "claude-trace-html/cut.html": ("claude-trace-html", "TEXT", {"anthropic": 2}),
    "claude-trace-html/escape.html": ("claude-trace-html", "TEXT", {"anthropic": 3}),
    "envelope/anyclaude.json": ("envelope", "OBJECT", {"anthropic": 1}),
    "envelope/contextio.json": ("envelope", "OBJECT", {"anthropic": 1}),
    "har/proxy.har": ("har", "OBJECT", {"anthropic": 4}),
    "headroom/lane.jsonl": ("headroom", "LINES", {"anthropic": 3}),
    "langfuse/batch.json": ("langfuse", "OBJECT", {"openai-chat": 2, "anthropic": 1}),
    "langfuse/observations.jsonl": ("langfuse", "LINES", {"openai-chat": 2}),
    "lhar/export.lhar.json": ("lhar", "OBJECT", {"anthropic": 1}),
    "lhar/session.lhar": ("lhar", "LINES", {"anthropic": 3}),
    "litellm/payloads.jsonl": ("litellm", "LINES", {"openai-chat": 3, "anthropic": 1, "openai-responses": 1}),
    "llm-interceptor/all_captured.jsonl": ("llm-interceptor", "LINES", {"anthropic": 4}),
    "llm-proxy/session.jsonl": ("llm-proxy", "LINES", {"anthropic": 3}),
    "lunaroute/session.jsonl": ("lunaroute", "LINES", {"anthropic": 2}),
    "stored-responses/list.json": ("stored-responses", "OBJECT", {"openai-responses": 4}),
    "vcr-json/cassette.json": ("vcr-json", "OBJECT", {"anthropic": 2}),
    "vcr/go-vcr.yaml": ("vcr", "TEXT", {"openai-chat": 2}),
    "vcr/parsed.yaml": ("vcr", "TEXT", {"anthropic": 1, "openai-responses": 1}),
    "vcr/ruby.yml": ("vcr", "TEXT", {"openai-chat": 1}),
    "vcr/vcrpy.yaml": ("vcr", "TEXT", {"anthropic": 3}),
    "anthropic-batch/input.jsonl": ("anthropic-batch", "LINES", {"anthropic": 4}),
    "atif/trajectory.json": ("atif", "OBJECT", {"openai-chat": 4}),
    "cline/api_conversation_history.json": ("cline", "ARRAY", {"anthropic": 3}),
    "cline/goes-on.compaction.json": ("cline", "LINES", {"anthropic": 1}),
    "cline/kept.compaction.json": ("cline", "OBJECT", {"anthropic": 1}),
    "cline/session.compaction.json": ("cline", "OBJECT", {"anthropic": 1}),
    "cline/session.messages.json": ("cline", "OBJECT", {"anthropic": 3}),
    "gemini-cli/session.json": ("gemini-cli", "OBJECT", {"openai-chat": 4}),
    "gemini-cli/session.jsonl": ("gemini-cli", "LINES", {"openai-chat": 7}),
    "mini-swe-agent/bare.traj.json": ("mini-swe-agent", "ARRAY", {"openai-chat": 2}),
    "mini-swe-agent/responses.traj.json": ("mini-swe-agent", "OBJECT", {"openai-responses": 2}),
    "mini-swe-agent/run.traj.json": ("mini-swe-agent", "OBJECT", {"openai-chat": 3}),
    "openhands-completions/claude-0.json": ("openhands-completions", "LINES", {"openai-chat": 1}),
    "openhands-completions/claude-1.json": ("openhands-completions", "LINES", {"openai-chat": 1}),
    "openhands/events.jsonl": ("openhands", "LINES", {"openai-chat": 7}),
    "openhands/output.jsonl": ("openhands", "LINES", {"openai-chat": 7}),
    "swe-agent/history.traj": ("swe-agent-history", "OBJECT", {"openai-chat": 3}),
    "swe-agent/messages.traj": ("swe-agent", "OBJECT", {"openai-chat": 3}),
    "swe-agent/query.traj": ("swe-agent", "LINES", {"openai-chat": 4}),
    "bodies/anthropic.jsonl": ("bodies", "LINES", {"anthropic": 4}),
    "bodies/array.json": ("bodies", "ARRAY", {"anthropic": 3}),
    "bodies/chat.jsonl": ("bodies", "LINES", {"openai-chat": 4}),
    "bodies/crlf.jsonl": ("bodies", "LINES", {"anthropic": 4}),
    "bodies/no-final-newline.jsonl": ("bodies", "LINES", {"anthropic": 4}),
    "bodies/object.json": ("bodies", "NAMED", {"anthropic": 6}),
    "bodies/responses.jsonl": ("bodies", "LINES", {"openai-responses": 4}),
    "bodies/single.json": ("bodies", "OBJECT", {"anthropic": 1}),
    "claude-code/agent-a1b2c3.jsonl": ("claude-code", "LINES", {"anthropic": 2}),
    "claude-code/broken.jsonl": ("claude-code", "LINES", {"anthropic": 4}),
    "claude-code/compacted.jsonl": ("claude-code", "LINES", {"anthropic": 6}),
    "claude-code/parallel.jsonl": ("claude-code", "LINES", {"anthropic": 4}),
    "claude-code/resumed.jsonl": ("claude-code", "LINES", {"anthropic": 3}),
    "claude-code/rewound.jsonl": ("claude-code", "LINES", {"anthropic": 4}),
    "claude-code/sidechains.jsonl": ("claude-code", "LINES", {"anthropic": 5}),
    "claude-trace/cold.jsonl": ("claude-trace", "LINES", {"anthropic": 5}),
    "claude-trace/odd.jsonl": ("claude-trace", "LINES", {"anthropic": 5}),
    "claude-trace/seven-lanes.jsonl": ("claude-trace", "LINES", {"anthropic": 64}),
    "codex/early.jsonl": ("codex", "LINES", {"openai-responses": 5}),
    "codex/fork.jsonl": ("codex", "LINES", {"openai-responses": 1}),
    "codex/new.jsonl": ("codex", "LINES", {"openai-responses": 7}),
    "codex/old.jsonl": ("codex", "LINES", {"openai-responses": 2}),
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
    "stream-json/array.json": ("stream-json", "ARRAY", {"anthropic": 4}),
    "stream-json/compacted.jsonl": ("stream-json", "LINES", {"anthropic": 2}),
    "stream-json/lines.jsonl": ("stream-json", "LINES", {"anthropic": 4}),
    "stream-json/objects.json": ("stream-json", "VALUES", {"anthropic": 4}),
    "stream-json/recording.json": ("stream-json", "OBJECT", {"anthropic": 2}),
    "pi/v1.jsonl": ("pi", "LINES", {"anthropic": 6}),
    "pi/v3.jsonl": ("pi", "LINES", {"anthropic": 8}),
    "ugly/agent.jsonl.gz": ("context-guru", "LINES", {"anthropic": 5}),
    "ugly/ansi-escapes.jsonl": ("bodies", "LINES", {"anthropic": 3}),
    "ugly/answers.jsonl": ("claude-trace", "LINES", {"anthropic": 5}),
    "ugly/crlf-in-text.jsonl": ("bodies", "LINES", {"anthropic": 3}),
    "ugly/middle.jsonl": ("bodies", "LINES", {"anthropic": 3}),
    "ugly/nul-escapes.jsonl": ("bodies", "LINES", {"anthropic": 3}),
    "ugly/screenshot.jsonl": ("bodies", "LINES", {"anthropic": 3}),
    "ugly/system-inside.jsonl": ("bodies", "LINES", {"anthropic": 3}),
    "ugly/bom.jsonl": ("bodies", "LINES", {"anthropic": 3}),
    "ugly/comments.jsonl": ("bodies", "LINES", {"anthropic": 3}),
    "ugly/crlf.jsonl": ("bodies", "LINES", {"anthropic": 3}),
    "ugly/deep.jsonl": ("bodies", "LINES", {"anthropic": 2}),
    "ugly/duplicate-keys.jsonl": ("bodies", "LINES", {"anthropic": 1}),
    "ugly/half-line.jsonl": ("bodies", "LINES", {"anthropic": 2}),
    "ugly/history.jsonl": ("claude-code", "LINES", {"anthropic": 2}),
    "ugly/invalid-utf8.jsonl": ("bodies", "LINES", {"anthropic": 1}),
    "ugly/lone-surrogate.jsonl": ("bodies", "LINES", {"anthropic": 3}),
    "ugly/nan.jsonl": ("bodies", "LINES", {"anthropic": 2}),
    "ugly/raw-nul.jsonl": ("bodies", "LINES", {"anthropic": 1}),
}
REFUSED: dict[str, tuple[type[InputError], str]] = {
    "amplifier/silent.jsonl": (FormatError, "Amplifier events without bodies: no bodies"),
    "refused/aider.llm.history": (FormatError, r"aider history \(.aider.llm.history\)"),
    "refused/analytics.jsonl": (FormatError, "analytics log"),
    "refused/anthropic-batch-results.jsonl": (FormatError, "batch results: it has the answers"),
    "refused/bodies.zip": (FormatError, "zip archive"),
    "refused/gemini.json": (FormatError, "Gemini request"),
    "refused/headroom-metrics.jsonl": (FormatError, "headroom metrics"),
    "refused/inspect.eval": (FormatError, r"Inspect log \(.eval\)"),
    "refused/langchain.json": (FormatError, "LangChain messages"),
    "refused/messages.jsonl": (FormatError, "list of messages"),
    "refused/openai-batch-output.jsonl": (FormatError, "OpenAI batch output: it has the answers"),
    "refused/requests.db": (FormatError, "SQLite database"),
    "refused/rollouts.ndjson": (FormatError, "rolloutviz log"),
    "refused/standard.lhar": (FormatError, "LHAR without bodies"),
    "refused/terminal.cast": (FormatError, "asciicast"),
    "cline/session.json": (FormatError, "Cline session without its messages"),
    "cline/ui_messages.json": (FormatError, "Cline's log for the screen"),
    "ugly/ansi.log": (FormatError, "not JSON"),
    "ugly/change-log.jsonl": (FormatError, "context-guru change log"),
    "ugly/dataset.jsonl": (FormatError, "no request in the file"),
    "ugly/empty.jsonl": (InputError, "the file is empty"),
    "ugly/newline.jsonl": (InputError, "the file is empty"),
    "ugly/utf16.jsonl": (InputError, "UTF-16"),
}
MESSAGE = '{"role":"user","content":"hi"}'
UNSUPPORTED = {
    '{"ts":"t","event":"llm:request","schema":{"name":"amplifier.log","ver":"1"},"data":{}}': "Amplifier events",
    '{"id":"b","custom_id":"c","response":{"body":{}},"error":null}': "OpenAI batch output",
    '{"custom_id":"c","result":{"type":"errored"}}': "batch results",
    '{"custom_id":"c","type":"message","content":"a"}': "batch results",
    '{"lhar":{"version":"0.1.0","entries":[]}}': "LHAR without bodies",
    '{"contents":[{"role":"user","parts":[]}]}': "Gemini request",
    '{"requestType":"checkpoint","chunks":"data: {}"}': "Context Lens answer",
    '{"version":2,"width":80,"height":24}': "asciicast",
    '{"lc":1,"kwargs":{},"id":[]}': "LangChain messages",
    '{"record_type":"run","id":"r"}': "rolloutviz log",
    '{"event":"exit","properties":{},"time":1}': "analytics log",
    MESSAGE: "list of messages",
    '{"version":1,"session_id":"s","messages_path":"p"}': "Cline session without its messages",
    '{"ts":1,"type":"say","say":"text","text":"t"}': "Cline's log for the screen",
    '{"session":"s","n_changed":1,"changes":[]}': "context-guru change log",
    '{"sessionId":"s","uuid":"u","type":"system","parentUuid":null}': "Claude Code session without its messages",
    '{"type":"summary","summary":"s","leafUuid":"u"}': "Claude Code session without its messages",
    '{"trajectory":[],"info":{}}': "SWE-agent trajectory",
    '{"stable_prefix_hash":"h","cached_tokens":1}': "headroom metrics",
}
FOUND = {
    '{"log":{"entries":[]}}': "har",
    '{"interactions":[{"request":{}}],"version":1}': "vcr-json",
    '{"ts":"t","event":"llm:request","data":{"raw":{}}}': "amplifier",
    '{"ts":"t","event":"x","schema":{"name":"amplifier.log"},"data":{}}': "amplifier",
    '{"role":"assistant","tool_calls":[{"id":"i","tool":"t","arguments":{}}]}': "amplifier-transcript",
    f'{{"messages":[{MESSAGE}],"model_parameters":{{}},"call_type":"acompletion"}}': "litellm",
    '{"batch":[{"type":"trace-create","body":{}}]}': "langfuse",
    '{"id":"o","traceId":"t","type":"GENERATION","input":[]}': "langfuse",
    '{"object":"response","output":[]}': "stored-responses",
    '{"object":"list","data":[{"object":"response","output":[]}]}': "stored-responses",
    '{"type":"entry","trace_id":"t","gen_ai":{},"raw":{"request_body":{}}}': "lhar",
    '{"type":"session_start","_meta":{"session":"s"}}': "llm-proxy",
    '{"type":"request","id":"i","method":"POST","url":"u","body":{}}': "llm-interceptor",
    '{"type":"request_recorded","request_json":{}}': "lunaroute",
    '{"request_body_b64":"e30=","request_json":null}': "headroom",
    f'{{"request_body_b64":"e30=","request_json":{{"messages":[{MESSAGE}]}}}}': "envelope",
    '{"timestamp":"t","type":"session_meta","payload":{}}': "codex",
    '{"id":"i","timestamp":"t","instructions":null}': "codex",
    '{"type":"session","id":"i","cwd":"/"}': "pi",
    '{"schema_version":"ATIF-v1.2","steps":[]}': "atif",
    f'{{"sessionId":"s","projectHash":"p","messages":[{MESSAGE}]}}': "gemini-cli",
    f'{{"messages":[{MESSAGE}],"sessionId":"s","agent":"lead","system_prompt":"p"}}': "cline",
    f'{{"messages":[{MESSAGE}],"kwargs":{{}},"response":{{}}}}': "openhands-completions",
    '{"instance_id":"i","history":[]}': "openhands",
    '{"id":0,"source":"user","action":"message","args":{"content":"c"}}': "openhands",
    f'{{"trajectory":[{{"query":[{MESSAGE}]}}],"history":[{MESSAGE}],"info":{{}}}}': "swe-agent",
    f'{{"trajectory":[{{}}],"history":[{MESSAGE}],"info":{{}}}}': "swe-agent-history",
    f'{{"info":{{}},"messages":[{MESSAGE}],"trajectory_format":"mini-swe-agent-1.1"}}': "mini-swe-agent",
    f'{{"info":{{"mini_version":"1.9"}},"messages":[{MESSAGE}]}}': "mini-swe-agent",
    f'{{"body":{{"messages":[{MESSAGE}]}},"model":"m","provider":"openai"}}': "context-guru",
    f'{{"body":{{"messages":[{MESSAGE}]}},"id":7}}': "envelope",
    f'{{"custom_id":"c","method":"POST","url":"/v1/x","body":{{"messages":[{MESSAGE}]}}}}': "openai-batch",
    f'{{"custom_id":"c","params":{{"messages":[{MESSAGE}]}}}}': "anthropic-batch",
    f'{{"params":{{"messages":[{MESSAGE}]}},"id":7}}': "envelope",
    f'{{"messages":[{MESSAGE}]}}': "bodies",
    '{"model":"m","input":"hi"}': "bodies",
    '{"sessionId":"s","uuid":"u","type":"user","message":{}}': "claude-code",
    '{"type":"system","subtype":"init","session_id":"s","tools":[]}': "stream-json",
    '{"type":"assistant","session_id":"s","uuid":"u","parent_tool_use_id":null,"message":{}}': "stream-json",
    '{"messages":[{"direction":"send","message":{"type":"user"}}]}': "stream-json",
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
        b"7" * 5000,
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
