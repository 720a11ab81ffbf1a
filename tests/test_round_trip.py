"""Over every file with whole requests, for every policy: nothing is lost, nothing else changes, no prefix is broken."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.compaction.components import BODY_COMPONENTS
from cgcli.compaction.policy import SPAN_STEPS, pipeline
from cgcli.compaction.presets import BUILT_IN
from cgcli.errors import CgError
from cgcli.readers import open_bytes, read
from tests import oracle
from tests.captures import capture
from tests.running import CORPUS_CAPTURES, FIXTURE_CAPTURES, FIXTURES, compact, expand_all

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.compaction.policy import Policy
    from tests.captures import Shape

SHAPES: dict[str, Shape] = {
    "anthropic": {"dialect": "anthropic", "turns": 32, "parallel": 2, "thinking": True, "moving_marks": True},
    "anthropic-lanes": {"dialect": "anthropic", "turns": 8, "side_lanes": 3, "container": "context-guru"},
    "anthropic-last": {"dialect": "anthropic", "turns": 6, "tools_last": True, "container": "array"},
    "chat": {"dialect": "chat", "turns": 12, "parallel": 3, "container": "ascii-bodies"},
    "chat-elided": {"dialect": "chat", "turns": 12, "elide": 2},
    "chat-quoted": {"dialect": "chat", "turns": 8, "parallel": 2, "container": "string-envelope"},
    "responses": {"dialect": "responses", "turns": 12, "parallel": 2, "thinking": True},
    "responses-enveloped": {"dialect": "responses", "turns": 8, "container": "envelope"},
}
POLICIES = sorted(
    name for name, steps in BUILT_IN.items() if not {step for step, _ in steps} & {*BODY_COMPONENTS, *SPAN_STEPS}
)
"""Those that edit tool outputs alone; tests/compaction/test_promises.py has what holds for the others."""
SELDOM = [name if name == "off" else pytest.param(name, marks=pytest.mark.slow) for name in POLICIES]
"""Peers have their turn in tests/compaction/test_promises.py every day, and here in the slow tests."""
OUTPUTS_ALONE = {
    name: pipeline([step for step, _ in BUILT_IN[name] if step not in BODY_COMPONENTS])
    for name in ("agent", "general", "codesafe")
}
"""Policies without their step on the system prompt."""
COLD_S = 360
"""Anthropic's five minutes and a margin of one: a longer pause is a cold turn."""


def _usable(path: Path) -> bool:
    """True where the file has a request in it."""
    try:
        with open_bytes(str(path)) as stream:
            return any(entry.exchange is not None for entry in read(stream, file=str(path)))
    except CgError:
        return False


FILES = [path for path in (*FIXTURE_CAPTURES, *CORPUS_CAPTURES) if _usable(path)]


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.name[-40:]}"


@pytest.fixture(name="generated", params=sorted(SHAPES))
def _generated(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "generated.jsonl"
    shape: Shape = {**SHAPES[request.param], "seed": 3}
    path.write_bytes(capture(**shape))
    return path


def check_all(source: Path, tmp_path: Path, policy: str | Policy, held: str) -> None:
    """Everything that must hold for one file under one policy."""
    before = _unpacked(source)
    done = compact(source, tmp_path, policy, held)
    after = done.output.read_bytes()
    _same_but_for_slots(before, after)
    _valid(before, after)
    if held == "respect":
        _append_only_stays(source, before, after)
    again = compact(source, tmp_path, policy, held, name="again")
    assert again.output.read_bytes() == after
    twice = compact(done.output, tmp_path, policy, held, name="twice")
    assert twice.output.read_bytes() == after
    assert expand_all(done, tmp_path / "back") == before


def _same_but_for_slots(before: bytes, after: bytes) -> None:
    """Every byte outside tool outputs is in place."""
    assert _masked(before) == _masked(after)


def _unpacked(source: Path) -> bytes:
    data = source.read_bytes()
    return gzip.decompress(data) if source.suffix == ".gz" else data


def _masked(data: bytes) -> list[bytes]:
    """Each record without its tool outputs; what is no JSON, and a byte-order mark, as it is."""
    for pieces in ([data], data.split(b"\n")):
        try:
            return [_mask(piece, strict=len(pieces) == 1) for piece in pieces]
        except ValueError:
            continue
    raise AssertionError("a piece that is no JSON stays as it is")


def _mask(piece: bytes, *, strict: bool) -> bytes:
    try:
        return oracle.mask_slots(piece)
    except ValueError:
        if strict:
            raise
        return piece


def _valid(before: bytes, after: bytes) -> None:
    """Every call is answered as before, and no tool output has a marker in a marker's place."""
    for (_, old), (_, new) in zip(oracle.bodies(before), oracle.bodies(after), strict=True):
        assert oracle.check_tool_pairs(new) == oracle.check_tool_pairs(old)
        for (path, was), (same_path, now) in zip(oracle.tool_outputs(old), oracle.tool_outputs(new), strict=True):
            assert path == same_path
            if now != was and "<<cg:" in now:
                assert now.count("<<cg:") == 1
                assert f"<<cg:{oracle.marker_key(was)}>>" in now
                assert "<<cg:" not in was


def _append_only_stays(source: Path, before: bytes, after: bytes) -> None:
    """Where a lane only grew, the compacted lane only grows, but for cold turns."""
    old, new = oracle.bodies(before), oracle.bodies(after)
    pauses = _pauses(before) if source.parent.name == "claude-trace" else {}
    by_line = {i: (was, now) for i, ((_, was), (_, now)) in enumerate(zip(old, new, strict=True))}
    for lane in oracle.lanes_by_first_message(list(enumerate(body for _, body in old))):
        for i, k in pairwise(lane):
            if pauses.get(old[k][0], 0) <= COLD_S and oracle.is_append(by_line[i][0], by_line[k][0]):
                assert oracle.is_append(by_line[i][1], by_line[k][1]), (i, k)


def _pauses(data: bytes) -> dict[int, float]:
    """Per line, the seconds since the line before that was a request."""
    found: dict[int, float] = {}
    last: float | None = None
    for number, line in enumerate(data.split(b"\n"), 1):
        record: Any = json.loads(line) if line.strip() else {}
        sent = record.get("request", {}).get("timestamp") if isinstance(record, dict) else None
        if isinstance(sent, float) and "messages" in str(record["request"].get("url")):
            found[number] = sent - last if last is not None else 0
            last = sent
    return found


@pytest.mark.parametrize("policy", SELDOM)
@pytest.mark.parametrize("source", FILES, ids=_name)
def test_files_keep_every_promise(source: Path, policy: str, tmp_path: Path) -> None:
    """Round trip, determinism, idempotence, validity, untouched bytes and append-only lanes, held prefix respected."""
    check_all(source, tmp_path, policy, "respect")


@pytest.mark.parametrize(("policy", "held"), [("codesafe", "respect"), ("agent", "ignore"), ("general", "ignore")])
@pytest.mark.parametrize("source", FILES, ids=_name)
def test_files_keep_every_promise_of_several_steps(source: Path, policy: str, held: str, tmp_path: Path) -> None:
    """Step behind step; all but append-only lanes hold with `--held ignore` too."""
    check_all(source, tmp_path, OUTPUTS_ALONE[policy], held)


@pytest.mark.parametrize("policy", SELDOM)
def test_generated_captures_keep_every_promise(generated: Path, policy: str, tmp_path: Path) -> None:
    """The same over generated captures, one of 32 turns, in three dialects."""
    check_all(generated, tmp_path, policy, "respect")


@pytest.mark.parametrize("policy", [pytest.param("agent", marks=pytest.mark.slow), "general"])
def test_generated_captures_with_the_held_prefix_ignored(generated: Path, policy: str, tmp_path: Path) -> None:
    """All but append-only lanes hold with `--held ignore` too."""
    check_all(generated, tmp_path, policy, "ignore")


def test_there_are_files_to_run_on() -> None:
    """The files are found by glob; at least the shipped fixtures with requests are among them."""
    assert len([path for path in FILES if path.is_relative_to(FIXTURES)]) >= 40
