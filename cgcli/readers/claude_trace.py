"""claude-trace's log: request and response pairs, one a line; only the messages calls are requests.

The answer and its usage stand in `response.body`, or in the event stream under `response.body_raw`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cgcli.readers import answers, usage
from cgcli.readers.base import Known, Opened, Passed, stamp_s
from cgcli.readers.fields import members_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from cgcli.model import Usage
    from cgcli.wire.spans import Node

_PATHS = ("/messages", "/chat/completions", "/responses")


class ClaudeTrace:
    """claude-trace's log."""

    name: ClassVar[str] = "claude-trace"
    known: ClassVar[Known] = Known(tools=True, system=True, usage=True, response=True, time=True)
    independent: ClassVar[bool] = False
    go_escapes: ClassVar[bool] = False

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record pairs a request that has a url and a timestamp with a response."""
        return any(_is_pair(members) for members in sample)

    def open(self, record: Node) -> Opened | Passed:
        """The body of a messages call; every other call is passed."""
        members = members_of(record)
        request = members.get("request")
        if request is None or request.kind != "object":
            return Passed(reason="no_request", usable=False)
        call = request.members()
        url = call["url"].string() if "url" in call else None
        method = call["method"].string() if "method" in call else None
        if url is None or not url.split("?", 1)[0].rstrip("/").endswith(_PATHS) or (method or "POST").upper() != "POST":
            return Passed(reason="not_a_messages_call", usable=True)
        body = call.get("body")
        if body is None or body.kind not in ("object", "string"):
            return Passed(reason="no_body", usable=False)
        answer = members.get("response")
        answered = members_of(answer)
        return Opened(
            body=body,
            sent_s=stamp_s(call.get("timestamp")),
            answered_s=stamp_s(answered.get("timestamp")),
            find_answer=_answer(answered),
            usage=_usage(answered),
        )


def _is_pair(members: Mapping[str, Node]) -> bool:
    request = members.get("request")
    if request is None or request.kind != "object" or "response" not in members:
        return False
    call = request.members()
    return "url" in call and ("timestamp" in call or "logged_at" in members)


def _answer(answer: Mapping[str, Node]) -> Callable[[], bytes | None] | None:
    body = answer.get("body")
    if body is not None and body.kind == "object":
        return partial(answers.of_body, body.bytes())
    raw = answer.get("body_raw")
    return partial(answers.of_stream, raw.text()) if raw is not None and raw.kind == "string" else None


def _usage(answer: Mapping[str, Node]) -> Usage | None:
    body = answer.get("body")
    if body is not None and body.kind == "object":
        return usage.of_answer(body.value())
    raw = answer.get("body_raw")
    if raw is not None and raw.kind == "string":
        return usage.of_stream(raw.text())
    return None
