"""Files that `cg` recognises and cannot use: what they are, and the way to a capture that it can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import value

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


_HISTORY = "a session history: it has no tools and not the whole system prompt"
_KINDS: tuple[tuple[Callable[[Mapping[str, Node]], bool], Unsupported], ...] = (
    (
        _has("session", "n_changed", "changes"),
        Unsupported(
            name="context-guru change log (CONTEXT_GURU_DUMP)",
            why="it has excerpts of changes, no requests",
            hint="set CONTEXT_GURU_CAPTURE=FILE instead of CONTEXT_GURU_DUMP",
        ),
    ),
    (_has("sessionId", "uuid", "type"), Unsupported(name="Claude Code session", why=_HISTORY)),
    (_has("timestamp", "type", "payload"), Unsupported(name="Codex rollout", why=_HISTORY)),
    (_has("id", "timestamp", "instructions"), Unsupported(name="Codex rollout (old)", why=_HISTORY)),
    (_has("trajectory", "info"), Unsupported(name="SWE-agent trajectory", why=_HISTORY)),
    (_has("schema_version", "steps"), Unsupported(name="ATIF trajectory", why=_HISTORY)),
    (_has("sessionId", "projectHash"), Unsupported(name="Gemini CLI session", why=_HISTORY)),
    (_has("messages", "sessionId", "agent"), Unsupported(name="Cline session", why=_HISTORY)),
    (
        _has("stable_prefix_hash"),
        Unsupported(
            name="headroom metrics",
            why="it has hashes of prefixes, no requests",
            hint="use headroom's request capture (`request_json`)",
        ),
    ),
    (_has("log"), Unsupported(name="HAR", why="HAR is not read yet")),
    (_has("instance_id", "history"), Unsupported(name="OpenHands output", why=_HISTORY)),
    (_has("history", "git_patch"), Unsupported(name="OpenHands output", why=_HISTORY)),
    (_has("type", "session_id"), Unsupported(name="stream-json transcript", why=_HISTORY)),
)


def recognise(sample: Sequence[Mapping[str, Node]]) -> Unsupported | None:
    """What the file is, where it is a known kind without usable requests; None where it is not known."""
    for matches, kind in _KINDS:
        if any(matches(members) for members in sample):
            return kind
    first = sample[0] if sample else {}
    if "type" in first and first["type"].kind == "string" and first["type"].bytes() == b'"session"':
        return Unsupported(name="pi session", why=_HISTORY)
    return None
