"""Files that `cg` recognises and cannot use: what they are, and the way to a capture that it can."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.model import value
from cgcli.readers.fields import members_of
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from cgcli.wire.spans import Node

_CAPTURE = "record requests: CONTEXT_GURU_CAPTURE=FILE with context-guru, or claude-trace for Claude Code"


@value
class Unsupported:
    """A kind of file without usable requests."""

    name: str
    why: str
    hint: str = _CAPTURE


def _has(*keys: str) -> Callable[[Mapping[str, Node]], bool]:
    return lambda members: all(key in members for key in keys)


_KINDS: tuple[tuple[Callable[[Mapping[str, Node]], bool], Unsupported], ...] = (
    (
        _has("session", "n_changed", "changes"),
        Unsupported(
            name="context-guru change log (CONTEXT_GURU_DUMP)",
            why="it has excerpts of changes, no requests",
            hint="set CONTEXT_GURU_CAPTURE=FILE instead of CONTEXT_GURU_DUMP",
        ),
    ),
    (
        lambda members: _has("type", "leafUuid")(members) or _has("type", "sessionId", "uuid")(members),
        Unsupported(
            name="Claude Code session without its messages",
            why="it has notes, and no row of a user or a model",
            hint="give the session's own file: ~/.claude/projects/FOLDER/SESSION.jsonl",
        ),
    ),
    (
        _has("trajectory", "info"),
        Unsupported(name="SWE-agent trajectory", why="it has no messages, neither in its steps nor as a history"),
    ),
    (
        _has("session_id", "messages_path"),
        Unsupported(
            name="Cline session without its messages",
            why="it says where the messages are, and has none",
            hint="give the file that its `messages_path` names",
        ),
    ),
    (
        _has("ts", "type", "say"),
        Unsupported(
            name="Cline's log for the screen (ui_messages.json)",
            why="it has what was shown, not what was sent",
            hint="give api_conversation_history.json, which stands beside it",
        ),
    ),
    (
        _has("stable_prefix_hash"),
        Unsupported(
            name="headroom metrics",
            why="it has hashes of prefixes, no requests",
            hint="use headroom's request capture (`request_json`)",
        ),
    ),
    (
        lambda members: "event" in members and members_of(members.get("schema")).keys() == {"name", "ver"},
        Unsupported(
            name="Amplifier events without bodies",
            why="no bodies: `raw` was off",
            hint="set `raw: true` in the provider's configuration, and record anew",
        ),
    ),
    (
        _has("custom_id", "response"),
        Unsupported(
            name="OpenAI batch output",
            why="it has the answers, not the requests",
            hint="give the batch's input, the file that its `input_file_id` names",
        ),
    ),
    (
        _has("custom_id"),
        Unsupported(
            name="batch results",
            why="it has the answers, not the requests",
            hint="give the file that was sent: {custom_id, params} or {custom_id, body} on each line",
        ),
    ),
    (
        lambda members: "lhar" in members or ("gen_ai" in members and "trace_id" in members),
        Unsupported(
            name="LHAR without bodies",
            why="its entries have figures, no requests",
            hint="record with CONTEXT_LENS_PRIVACY=full, and give the session's .lhar file",
        ),
    ),
    (
        lambda members: "contents" in members or "contents" in members_of(members.get("request")),
        Unsupported(
            name="Gemini request",
            why="it is none of the shapes that are read: Anthropic Messages, Chat Completions, Responses",
        ),
    ),
    (
        _has("kind", "id", "timestamp", "source"),
        Unsupported(name="event of OpenHands' agent SDK", why="its shape is not read, only that of OpenHands itself"),
    ),
    (
        _has("requestType", "chunks"),
        Unsupported(name="Context Lens answer", why="it has chunks of an answer, no request"),
    ),
    (
        _has("version", "width", "height"),
        Unsupported(name="asciicast", why="it has what a terminal showed, no requests"),
    ),
    (
        _has("lc", "kwargs"),
        Unsupported(
            name="LangChain messages",
            why="it has messages, and neither the tools nor which of them were sent together",
            hint="record the calls: a HAR from a proxy such as mitmproxy, or a cassette of vcrpy",
        ),
    ),
    (
        _has("record_type", "id"),
        Unsupported(name="rolloutviz log", why="it has events of rollouts with excerpts, no requests"),
    ),
    (
        _has("event", "properties"),
        Unsupported(name="analytics log", why="it counts what was done, and has no requests"),
    ),
    (
        _has("role", "content"),
        Unsupported(
            name="list of messages",
            why="it does not say which of them were sent together, nor the tools",
            hint="put them in a body: {model, tools, messages}",
        ),
    ),
)


_TEXTS: tuple[tuple[re.Pattern[bytes], Unsupported], ...] = (
    (
        re.compile(rb"PK\x03\x04.{26}(?:_journal/|header\.json|samples/|summaries\.json)", re.DOTALL),
        Unsupported(
            name="Inspect log (.eval)",
            why="it is an archive, whose long texts stand apart",
            hint="inspect log dump --resolve-attachments FILE | jq -c '.samples[].events[] "
            """| select(.event == "model") | .call' > calls.jsonl""",
        ),
    ),
    (
        re.compile(rb"PK\x03\x04"),
        Unsupported(name="zip archive", why="it is packed", hint="unpack it, and give the folder"),
    ),
    (
        re.compile(rb"SQLite format 3\0"),
        Unsupported(
            name="SQLite database",
            why="its requests stand in tables",
            hint="write the bodies out; with claude-code-proxy: "
            "sqlite3 requests.db 'SELECT body FROM requests' > bodies.jsonl",
        ),
    ),
    (
        re.compile(rb"\s*TO LLM \d{4}-\d\d-\d\dT", re.ASCII),
        Unsupported(
            name="aider history (.aider.llm.history)",
            why="it has messages as lines of text, which cannot be told from what they say",
            hint="record the calls: a HAR from a proxy such as mitmproxy",
        ),
    ),
    (
        re.compile(rb"\s*# aider chat started at "),
        Unsupported(
            name="aider chat (.aider.chat.history.md)",
            why="it has what was shown, not what was sent",
            hint="record the calls: a HAR from a proxy such as mitmproxy",
        ),
    ),
)


def recognise(sample: Sequence[Mapping[str, Node]]) -> Unsupported | None:
    """What the file is, where it is a known kind without usable requests; None where it is not known."""
    for matches, kind in _KINDS:
        try:
            if any(matches(members) for members in sample):
                return kind
        except Malformed:
            continue
    return None


def recognise_text(head: bytes) -> Unsupported | None:
    """The same for a file that is no JSON and begins with *head*."""
    return next((kind for pattern, kind in _TEXTS if pattern.match(head)), None)
