"""What a file holds: every figure worked out a second time."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING

import pytest

from cgcli.inspection.inspect import Inspection, Inspector, known
from cgcli.readers import open_bytes, read
from tests import oracle
from tests.lanes.placing import Json, body, lines, said, turn, user
from tests.report.account import count, counted
from tests.running import FIXTURES

if TYPE_CHECKING:
    from pathlib import Path

ANTHROPIC = [
    "context-guru/agent.jsonl",
    "claude-trace/seven-lanes.jsonl",
    "lanes/fork-summary.jsonl",
    "lanes/rewind.jsonl",
    "lanes/eliding.jsonl",
    "lanes/dated-system.jsonl",
    "lanes/retries.jsonl",
]


def _of_file(path: Path) -> Inspection:
    with open_bytes(str(path)) as stream:
        return Inspector(read(stream, file=str(path))).inspect()


def _of(*records: Json) -> Inspection:
    return Inspector(read(BytesIO(lines(records)), file="made.jsonl")).inspect()


@pytest.mark.parametrize("file", ANTHROPIC)
def test_sent_tokens_are_those_of_every_request(file: str) -> None:
    """What is sent again counts again: the sum over all requests, as a plain walk has it."""
    done = _of_file(FIXTURES / file)
    bodies = [found for _, found in oracle.bodies((FIXTURES / file).read_bytes())]
    assert done.n_requests == len(bodies)
    assert sum(done.sent_tokens.values()) == sum(map(counted, bodies))
    assert done.sent_tokens["envelope"] == 3 * sum(len(one["messages"]) for one in bodies)
    outputs = [text for one in bodies for _, text in oracle.tool_outputs(one)]
    assert done.sent_tokens["tool_result"] == sum(map(count, outputs))


@pytest.mark.parametrize("file", ANTHROPIC)
def test_distinct_tokens_are_those_of_distinct_items(file: str) -> None:
    """Each message, tool and system block once, told apart by what the provider reads."""
    done = _of_file(FIXTURES / file)
    messages: dict[str, Json] = {}
    for _, one in oracle.bodies((FIXTURES / file).read_bytes()):
        messages.update(zip(oracle.rendered_messages(one), one["messages"], strict=True))
    alone = sum(counted({"messages": [message]}) for message in messages.values())
    heads = ("tool_spec", "system")
    assert sum(n for kind, n in done.distinct_tokens.items() if kind not in heads) == alone
    texts = {
        block["text"]
        for _, one in oracle.bodies((FIXTURES / file).read_bytes())
        for block in ([{"text": one["system"]}] if isinstance(one.get("system"), str) else one.get("system", []))
    }
    assert done.distinct_tokens["system"] == sum(map(count, texts))


@pytest.mark.parametrize(
    "file", ["context-guru/agent.jsonl", "claude-trace/seven-lanes.jsonl", "bodies/anthropic.jsonl"]
)
def test_breakpoints_are_counted(file: str) -> None:
    """Over all requests by what they ask for, and the most in one."""
    per_request = [
        json.dumps(found).count('"cache_control": {"type": "ephemeral"}')
        for _, found in oracle.bodies((FIXTURES / file).read_bytes())
    ]
    done = _of_file(FIXTURES / file)
    assert (sum(done.marks.values()), done.most_marks) == (sum(per_request), max(per_request))
    assert set(done.marks) <= {"default"}


def test_breakpoints_are_told_apart_by_their_life() -> None:
    """As written; `default` where the request leaves it to the provider."""
    system = [
        {"type": "text", "text": f"{ttl}", "cache_control": {"type": "ephemeral", **({"ttl": ttl} if ttl else {})}}
        for ttl in ("1h", "5m", None, None)
    ]
    done = _of(body(user("go"), system=system), body(user("other"), system=system[:1]))
    assert dict(done.marks) == {"1h": 2, "5m": 1, "default": 2}
    assert done.most_marks == 4


def test_markers_are_counted_in_distinct_items() -> None:
    """By kind, where a text has them; a history that is sent again counts once."""
    history = [user("go"), *turn(1, "a <<cg:0123456789abcdef>> and <<cg:HASH>>"), said("fine <<ccr:abc>>")]
    done = _of(body(*history), body(*history, user("more")))
    assert dict(done.markers) == {"own": 1, "malformed": 1, "foreign": 1}


def test_an_image_is_counted_as_one_and_as_no_tokens() -> None:
    """Distinct images; their size in tokens is not known here."""
    image: Json = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUFB"}}
    shown: Json = {"role": "user", "content": [image, {"type": "text", "text": "this?"}]}
    done = _of(body(shown), body(shown, said("yes"), user("sure?")))
    assert done.n_images == 1
    assert done.sent_tokens["image"] == 0


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("context-guru/agent.jsonl", {"tools", "system"}),
        ("claude-trace/seven-lanes.jsonl", {"tools", "system", "usage", "response", "time"}),
        ("bodies/chat.jsonl", {"tools", "system"}),
        ("cline/session.messages.json", {"system", "usage", "response", "time", "session"}),
        ("cline/kept.compaction.json", {"system", "time", "session"}),
    ],
)
def test_what_a_file_records_is_told(file: str, says: set[str]) -> None:
    """By its format, and by what was found in it."""
    assert {name for name, is_known in known(_of_file(FIXTURES / file)).items() if is_known} == says


def test_sessions_are_counted() -> None:
    """Distinct ids; a file without one says none."""
    records = [{"session_id": name, "request": {"body": body(user(name))}} for name in ("s", "t", "s")]
    done = _of(*records)
    assert (done.n_sessions, known(done)["session"]) == (2, True)
    assert known(_of(body(user("go"))))["session"] is False


def test_records_that_are_no_requests_are_counted_by_reason() -> None:
    """Usable ones by reason, unusable ones with their line."""
    done = _of_file(FIXTURES / "claude-trace" / "seven-lanes.jsonl")
    assert dict(done.passed) == {"not_a_messages_call": 5}
    done = _of_file(FIXTURES / "ugly" / "half-line.jsonl")
    assert [(line, reason) for line, reason, _ in done.skipped] == [(3, "half_written")]
    assert done.n_bytes == (FIXTURES / "ugly" / "half-line.jsonl").stat().st_size


def test_usage_and_times_are_counted_by_request() -> None:
    """Of 64 requests all have both; of a file without an answer, none."""
    done = _of_file(FIXTURES / "claude-trace" / "seven-lanes.jsonl")
    assert (done.n_usage, done.n_timed) == (64, 64)
    done = _of_file(FIXTURES / "context-guru" / "agent.jsonl")
    assert (done.n_usage, done.n_timed) == (0, 0)
