"""Reports of `cg check` to draw from: of real captures, of hostile ones, and of gates that say what a test wants."""

from __future__ import annotations

import json
from decimal import Decimal
from io import BytesIO
from typing import TYPE_CHECKING, Any

from cgcli.checks.base import Cost, Finding, Result, Verdict
from cgcli.checks.gates.append import RULE, Append
from cgcli.checks.run import Allowed, check
from cgcli.readers import open_bytes, read
from cgcli.report.check import Unread, document
from tests.running import FIXTURES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cgcli.checks.base import Context, Gate
    from cgcli.checks.run import Checked
    from cgcli.checks.turn import Turn
    from cgcli.lanes import Lane

SHOWN = ["lanes/eliding.jsonl", "claude-trace/seven-lanes.jsonl", "anthropic-batch/input.jsonl"]
SHOWN_IDS = ["eliding", "seven-lanes", "batch"]
"""A break on many turns, lanes that mix and only move marks, and requests that no turn joins."""
HOSTILE = (
    "a\x1b[31m\x00\x9b]]><script>alert(1)</script><!--&amp;\u202e\ufffe\ud800"
    "\r\n::error::%0A`|[x](http://evil.example){0}@all <img src=x>,:"
)
"""What terminals, XML, HTML, Markdown, SARIF and workflow commands would each take for theirs."""
HOSTILE_FILE = "a,b:c%\n::error::x[y](z){0}<b>`|\x1b.jsonl"
MISSING = Unread(file="gone.jsonl", message="no such file", where="gone.jsonl", hint="check the path; `-` reads stdin")


class Saying:
    """A gate that says what it is told, about the first request of the file."""

    rule = RULE

    def __init__(self, verdict: Verdict, findings: Sequence[Finding] = (), reason: str | None = None) -> None:
        """Say *verdict*, whatever is seen."""
        self._result = Result(
            gate=RULE.gate,
            verdict=verdict,
            checked=7,
            unit="pairs of requests",
            findings=tuple(findings),
            reason=reason,
        )

    def start(self, context: Context) -> Saying:
        """Begin, and change nothing."""
        del context
        return self

    def see(self, turn: Turn) -> Iterator[Finding]:
        """Look away."""
        del turn
        return iter(())

    def result(self, findings: tuple[Finding, ...], lanes: tuple[Lane, ...]) -> Result:
        """What it was told."""
        del findings, lanes
        return self._result


def finding(**given: Any) -> Finding:
    """A break at `messages.3`, on the first request, with *given* in place."""
    known: dict[str, Any] = {
        "message": "messages_changed (edited) at messages.3.content, 3 blocks shared",
        "line": 1,
        "i_exchange": 0,
        "path": "messages.3.content",
        "kind": "messages_changed",
        "change": "edited",
    }
    return Finding(**(known | given))


def cost(tokens: int, basis: str = "counted: o200k_base", usd: str | None = "0") -> Cost:
    """What a break re-bills; without *usd* its model has no price."""
    return Cost(tokens=tokens, basis=basis, usd=None if usd is None else Decimal(usd))


def request(*messages: tuple[str, Any]) -> bytes:
    """A line with a request of (role, content) *messages*, and no tools."""
    body = {
        "model": "gpt-5",
        "tools": [],
        "messages": [{"role": role, "content": content} for role, content in messages],
    }
    return json.dumps(body).encode() + b"\n"


def checked(
    content: bytes, *, file: str = "a.jsonl", gate: Gate | None = None, allowed: Allowed | None = None
) -> Checked:
    """What G-APPEND, or *gate*, says of a capture with that *content*."""
    return check(read(BytesIO(content), file=file), [gate or Append()], allowed or Allowed(), {})


def report(*done: Checked, unread: Sequence[Unread] = (), strict: bool = False) -> dict[str, Any]:
    """The document about *done*."""
    return document(done, unread, strict=strict, exit_zero=False)


def said(verdict: Verdict, *findings: Finding, reason: str | None = None, strict: bool = False) -> dict[str, Any]:
    """The document about one file of one request, of which a gate says *verdict*."""
    return report(checked(request(("user", "hi")), gate=Saying(verdict, findings, reason)), strict=strict)


def of_fixture(name: str) -> dict[str, Any]:
    """The document about a fixture, named as from the top of the tree."""
    with open_bytes(str(FIXTURES / name)) as stream:
        done = check(read(stream, file=f"fixtures/{name}"), [Append()], Allowed(), {})
    return report(done)


def of_hostile() -> dict[str, Any]:
    """The document about a conversation whose break stands under a hostile key, in a file of a hostile name."""
    calls = [
        [{"type": "tool_use", "id": "t", "name": HOSTILE, "input": {HOSTILE: f"{text}{HOSTILE}"}}] for text in "xy"
    ]
    content = b"".join(request(("user", "hi"), ("assistant", call), ("user", "on")) for call in calls)
    missing = Unread(file=HOSTILE_FILE, message=HOSTILE, where=HOSTILE_FILE, hint=HOSTILE)
    return report(checked(content + b'{"a": ', file=HOSTILE_FILE), unread=[missing])
