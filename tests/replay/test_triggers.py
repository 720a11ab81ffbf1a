"""Triggers on whole files: the times that were recorded, and what the report says of turns that wait."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.policy import named
from cgcli.compaction.state import HeldRule
from cgcli.readers import read
from cgcli.replay.run import Run
from cgcli.report.compaction_text import lines as texts
from tests.lanes.placing import Json, body, lines, turn, user
from tests.running import FIXTURES, compact

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cgcli.lanes import Lane
    from cgcli.lanes.threads import Turn
    from tests.running import Compacted

MASK = "[[steps]]\ncomponent = 'mask'\nkeep_recent = 0\nmin_tokens = 0\n"


def _policy(folder: Path, text: str) -> str:
    path = folder / "p.toml"
    path.write_text(text)
    return str(path)


def _records(pauses_s: list[float | None], *, ttl: str | None = None) -> list[Json]:
    """One conversation, sent again after each pause with one more long output; None: without a time."""
    mark = {"type": "ephemeral", **({"ttl": ttl} if ttl else {})}
    system = [{"type": "text", "text": "You are an agent.", "cache_control": mark}]
    sent_s, records = 1000.0, []
    for n, pause_s in enumerate([0.0, *pauses_s], start=1):
        sent_s += pause_s or 0
        made = body(
            user("go"), *(one for i in range(n) for one in turn(i, f"output {i} " + "word " * 200)), system=system
        )
        sent: Json = {"method": "POST", "url": "https://api.example/v1/messages", "body": made}
        when: Json = {"timestamp": sent_s} if pause_s is not None else {}
        records.append({"request": {**when, **sent}, "response": None, "logged_at": "x"})
    return records


def _waits(records: list[Json], policy: str, rule: HeldRule = HeldRule.IGNORE) -> list[str]:
    """What the newest output of each request waits for; `-` where it is masked."""
    run = Run(read(BytesIO(lines(records)), file="made.jsonl"), named(policy), rule=rule)
    outcomes = [sent.outcome for sent in run if sent.outcome is not None]
    newest = [max(one.considered, key=lambda evaluation: evaluation.slot.i_message).slot for one in outcomes]
    return ["-" if slot.decision is not None else dict(slot.skips)["mask"] for slot in newest]


STATE, UNKNOWN = "trigger_cache_state", "trigger_cache_state_unknown"


@pytest.mark.parametrize(
    ("state", "ttl", "pauses_s", "waits"),
    [
        ("'pre_expiry'", None, [239, 240, 300, 360, 361], [STATE, "-", "-", "-", STATE]),
        ("'pre_expiry'\npre_expiry_s = 10", None, [289, 290], [STATE, "-"]),
        ("'pre_expiry'", "1h", [300, 3539, 3540], [STATE, STATE, "-"]),
        ("'cold'", None, [300, 360, 361], [STATE, STATE, "-"]),
        ("'cold'", "1h", [361, 3661], [STATE, "-"]),
        ("'cold'", None, [361, None, 400, 400], ["-", UNKNOWN, UNKNOWN, "-"]),
        ("'any'", None, [1, None], ["-", "-"]),
    ],
)
def test_the_recorded_times_tell_the_state(
    state: str, ttl: str | None, pauses_s: list[float | None], waits: list[str], tmp_path: Path
) -> None:
    """Five minutes, or an hour where a mark asked for it; the last minute, and the one after, are before the expiry."""
    policy = _policy(tmp_path, f"[triggers]\ncache_state = {state}\n{MASK}")
    first, *later = _waits(_records(pauses_s, ttl=ttl), policy)
    # The first request has an answer in it: what is held of it is not known.
    assert (first, later) == ("-" if state == "'any'" else UNKNOWN, waits)


AGENT = FIXTURES / "context-guru" / "agent.jsonl"


def _rewritten(done: Compacted) -> int:
    return sum(lane["broken_by_compaction"]["times"] for lane in done.report["lanes"])


def test_a_batched_mask_rewrites_the_prefix_less_often(tmp_path: Path) -> None:
    """On the demo capture: only on each fifth request of a lane, and less often than a mask that slides."""
    sliding = compact(AGENT, tmp_path, _policy(tmp_path, "[[steps]]\ncomponent = 'mask'\n"), "ignore", name="a")
    batched = compact(
        AGENT,
        tmp_path,
        _policy(tmp_path, "[triggers]\nevery = { turns = 5 }\n[[steps]]\ncomponent = 'mask'\n"),
        "ignore",
        name="b",
    )
    lines_of_main = [turn.line for lane in batched.run.lanes if lane.label.value == "main" for turn in _turns_of(lane)]
    breaks = [row.output_break.line for row in batched.run.ledger.rows if row.output_break is not None]
    assert {lines_of_main.index(line) % 5 for line in breaks} == {0}
    assert 0 < _rewritten(batched) == len(breaks) < _rewritten(sliding)


def _turns_of(lane: Lane) -> Iterator[Turn]:
    return (turn for epoch in lane.epochs for turn in epoch.thread.turns)


def test_the_report_tells_what_was_waited_for(tmp_path: Path) -> None:
    """The triggers, the reason of each output, and why a step never fired."""
    text = (
        "[triggers]\nmin_request_tokens = 1_000_000\nevery = { turns = 5 }\n"
        "[[steps]]\ncomponent = 'collapse'\ntriggers = { min_request_fraction = 0.5, min_messages = 3 }\n"
    )
    report = compact(AGENT, tmp_path, _policy(tmp_path, text)).report
    assert report["triggers"] == [
        {"step": None, "name": "min_request_tokens", "value": 1_000_000},
        {"step": None, "name": "every", "value": {"turns": 5}},
        {"step": "collapse", "name": "min_messages", "value": 3},
        {"step": "collapse", "name": "min_request_fraction", "value": 0.5},
    ]
    (step,) = report["components"]
    assert (step["fired"], step["skipped"]) == (
        0,
        {"below_max_tokens": 16, "trigger_min_request_tokens": 1},
    )
    assert step["never_fired_because"].startswith("no request was as large as its trigger asks for")
    assert (
        "triggers: min_request_tokens 1,000,000, every 5 turns, collapse min_messages 3, "
        "collapse min_request_fraction 0.5" in texts(report)
    )
    assert json.loads(json.dumps(report)) == report


def test_a_report_without_triggers_has_none(tmp_path: Path) -> None:
    """An empty list, and no line."""
    report = compact(AGENT, tmp_path, "safe").report
    assert report["triggers"] == []
    assert not [line for line in texts(report) if line.startswith("triggers:")]
