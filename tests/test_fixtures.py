"""The fixtures are what their scripts write, and hold what their README says."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests import oracle

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
BUILD = FIXTURES / "build" / "all.py"
ROW = re.compile(
    r"^\| `(?P<path>[^`]+)` \| `(?P<script>[^`]+)` \| (?P<requests>\d+) \| (?P<lanes>\d*) \|", re.MULTILINE
)
ROWS = {row["path"]: row for row in ROW.finditer((FIXTURES / "README.md").read_text(encoding="utf-8"))}
FILES = sorted(
    path.relative_to(FIXTURES).as_posix()
    for path in FIXTURES.rglob("*/*")
    if path.relative_to(FIXTURES).parts[0] != "build" and path.is_file()
)
PAIRED = [path for path in FILES if not path.startswith("gates/")]
"""The captures of gates have faults on purpose."""
APPEND_ONLY = [
    "bodies/anthropic.jsonl",
    "bodies/chat.jsonl",
    "bodies/crlf.jsonl",
    "bodies/responses.jsonl",
    "context-guru/openai.jsonl",
    "context-guru/responses.jsonl",
    "claude-trace/cold.jsonl",
    "envelope/string-request-body.jsonl",
    "lanes/mixed-content.jsonl",
    "lanes/nonce-first.jsonl",
    "lanes/retries.jsonl",
    "lanes/tools-last.jsonl",
]


def _found(path: str) -> list[dict[str, Any]]:
    return [body for _, body in oracle.bodies((FIXTURES / path).read_bytes())]


def _appends(path: str) -> list[bool]:
    found = _found(path)
    return [oracle.is_append(a, b) for a, b in pairwise(found)]


def test_scripts_write_what_stands_here() -> None:
    """`all.py --check` finds no difference."""
    done = subprocess.run([sys.executable, str(BUILD), "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_check_finds_a_changed_a_missing_and_a_stray_file(tmp_path: Path) -> None:
    """A copy with one byte changed, one file gone and one too many is refused, each file named."""
    copy = shutil.copytree(FIXTURES, tmp_path / "fixtures", ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "ugly" / "newline.jsonl").write_bytes(b"\n\n")
    (copy / "ugly" / "empty.jsonl").unlink()
    (copy / "lanes" / "new.jsonl").write_bytes(b"{}\n")
    command = [sys.executable, str(copy / "build" / "all.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.split("\n")[:3] == [
        "differs: ugly/empty.jsonl",
        "differs: ugly/newline.jsonl",
        "differs: lanes/new.jsonl (not built by any script)",
    ]


def test_every_file_has_its_checksum_and_its_row() -> None:
    """The list of checksums, the README and the folders name the same files."""
    sums = dict(line.split("  ")[::-1] for line in (FIXTURES / "SHA256SUMS").read_text().splitlines())
    assert sums == {path: hashlib.sha256((FIXTURES / path).read_bytes()).hexdigest() for path in FILES}
    assert sorted(ROWS) == FILES


@pytest.mark.parametrize("path", FILES)
def test_readme_counts_the_requests(path: str) -> None:
    """The README's number of requests is what strict reading finds."""
    assert len(_found(path)) == int(ROWS[path]["requests"])


@pytest.mark.parametrize("path", PAIRED)
def test_tool_calls_are_answered(path: str) -> None:
    """No generated request has a tool call or result without its other half."""
    assert [wrong for body in _found(path) for wrong in oracle.check_tool_pairs(body)] == []


@pytest.mark.parametrize("path", APPEND_ONLY)
def test_plain_lanes_only_grow(path: str) -> None:
    """Every request starts with all of the one before it."""
    assert set(_appends(path)) == {True}


def test_broken_lanes_break_where_the_readme_says() -> None:
    """Each of the breaking shapes breaks at the stated requests and nowhere else."""
    assert _appends("lanes/eliding.jsonl") == [True, True, False, False, False, False]
    assert _appends("lanes/sliding-window.jsonl") == [True, True, False, False, False, False]
    assert set(_appends("lanes/dated-system.jsonl")) == {False}
    assert _appends("lanes/rewind.jsonl") == [True, True, True, True, False, True]
    assert _appends("lanes/reordered-tools.jsonl") == [True, False, True, True]
    assert _appends("lanes/fork-summary.jsonl") == [True, True, True, True, False, True]


def test_fork_is_its_parent_with_one_message() -> None:
    """Request 5 is request 4's bytes and one message more; request 6 extends request 4."""
    found = _found("lanes/fork-summary.jsonl")
    lines = (FIXTURES / "lanes/fork-summary.jsonl").read_bytes().split(b"\n")
    assert lines[4].startswith(lines[3][:-2] + b',{"role":"user"')
    assert len(found[4]["messages"]) == len(found[3]["messages"]) + 1
    assert oracle.is_append(found[3], found[5])


def test_interleaved_conversations_are_two_lanes() -> None:
    """Odd and even lines are one conversation each, under one head."""
    found = oracle.bodies((FIXTURES / "lanes/two-conversations.jsonl").read_bytes())
    assert oracle.lanes_by_first_message(found) == [[1, 3, 5, 7], [2, 4, 6, 8]]


def test_demo_is_one_growing_session_beside_its_titles() -> None:
    """Fourteen requests of one lane, each an append, between three of another model."""
    found = _found("context-guru/agent.jsonl")
    main = [body for body in found if body["model"] == "claude-sonnet-4-5-20250929"]
    assert (len(main), len(found)) == (14, 17)
    assert all(oracle.is_append(a, b) for a, b in pairwise(main))
    texts = [text for _, text in oracle.tool_outputs(main[-1])]
    assert max(texts.count(text) for text in texts) == 3
    assert any("\r" in text for text in texts)
    assert max(map(len, texts)) > 10_000


def test_go_captures_hold_no_raw_angle_brackets() -> None:
    """Go escapes `<`, `>` and `&`, and writes an empty line for a body that is no JSON."""
    data = (FIXTURES / "context-guru/agent.jsonl").read_bytes()
    assert not set(data) & set(b"<>&")
    assert data.count(b"\\u003c") > 0
    assert data.count(b"\n\n") == 2


def _usage(pair: dict[str, Any]) -> dict[str, int]:
    """The input figures of an answer, out of the event stream where it is one."""
    response = pair["response"]
    if "body" in response:
        return dict(response["body"]["usage"])
    start = json.loads(re.search(r"^data: (.*message_start.*)$", response["body_raw"], re.MULTILINE)[1])  # type: ignore[index]
    return dict(start["message"]["usage"])


def _main_line(path: str) -> list[dict[str, Any]]:
    pairs = [json.loads(line) for line in (FIXTURES / path).read_bytes().splitlines()]
    sent = [p for p in pairs if p["request"]["url"].endswith("/v1/messages?beta=true")]
    return [p for p in sent if len(p["request"]["body"].get("tools", [])) > 1]


def test_seven_lanes_bill_what_they_repeat() -> None:
    """Each request of an epoch reads what its predecessor read and wrote; the restart reads the head."""
    main = _main_line("claude-trace/seven-lanes.jsonl")
    figures = [(u["cache_read_input_tokens"], u["cache_creation_input_tokens"]) for u in map(_usage, main)]
    assert len(main) == 16
    epochs = [figures[:13], figures[13:]]
    assert all(b[0] == sum(a) for epoch in epochs for a, b in pairwise(epoch))
    assert figures[0][0] == 0
    assert 0 < figures[13][0] < figures[0][1]


def test_seven_lanes_compaction_shares_nothing_but_the_first_system_block() -> None:
    """One tool of 17, another second system block, another first message, and nothing is read."""
    pairs = [json.loads(line) for line in (FIXTURES / "claude-trace/seven-lanes.jsonl").read_bytes().splitlines()]
    (call,) = [p for p in pairs if len((p["request"]["body"] or {}).get("tools", [])) == 1]
    last = _main_line("claude-trace/seven-lanes.jsonl")[12]["request"]["body"]
    body = call["request"]["body"]
    assert (len(last["tools"]), len(last["messages"]), len(body["messages"])) == (17, 25, 27)
    assert body["system"][0] == last["system"][0]
    assert body["system"][1]["text"] != last["system"][1]["text"]
    assert oracle.rendered_messages(body)[0] != oracle.rendered_messages(last)[0]
    assert _usage(call)["cache_read_input_tokens"] == 0


def test_cold_lane_writes_again_after_its_pause() -> None:
    """The fourth request comes 20 minutes late, reads nothing, and the fifth reads again."""
    main = _main_line("claude-trace/cold.jsonl")
    sent_s = [pair["request"]["timestamp"] for pair in main]
    assert [b - a > 1200 for a, b in pairwise(sent_s)] == [False, False, True, False]
    assert [_usage(pair)["cache_read_input_tokens"] > 0 for pair in main] == [False, True, True, False, True]
