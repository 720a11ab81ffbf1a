"""A policy over a capture: what is held, what is counted, and that nothing depends on what comes later."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cgcli.compaction.policy import Policy, named, pipeline
from cgcli.compaction.state import HeldRule
from cgcli.readers import read
from cgcli.replay.run import Run
from cgcli.tokens.counter import counter
from cgcli.wire.splice import splice
from tests import oracle
from tests.captures import capture
from tests.lanes.placing import Json, body, lines, output, turn, user
from tests.running import FIXTURES, compact

if TYPE_CHECKING:
    from pathlib import Path

    from tests.captures import Shape

GO = user("go")
MASK = {"mask": {"keep_recent": 1, "min_tokens": 10}}
MASKED = "[older tool output masked"


def _long(name: str) -> str:
    return f"the output of {name}: " + " ".join(f"{name}{i}" for i in range(60))


def _history(*names: str, first: int = 0) -> list[Json]:
    """A history with these outputs; its calls are numbered from *first*."""
    return [GO, *(message for i, name in enumerate(names, first) for message in turn(i, _long(name)))]


def _run(data: bytes, policy: Policy, held: str = "respect") -> tuple[Run, list[Json]]:
    """The run, and the bodies that are sent."""
    run = Run(read(BytesIO(data), file="made.jsonl"), policy, rule=HeldRule(held))
    sent = []
    for one in run:
        if one.outcome is not None:
            edits = [
                (one.entry.body_at + start, one.entry.body_at + stop, decision.literal)
                for start, stop, decision in one.outcome.edits
            ]
            sent += [found for _, found in oracle.bodies(splice(one.entry.raw, edits))]
    return run, sent


def _masked(sent: list[Json]) -> list[list[int]]:
    """Per request: the messages whose output is masked."""
    return [
        [int(path.split(".")[1]) for path, text in oracle.tool_outputs(one) if text.startswith(MASKED)] for one in sent
    ]


def _skipped(run: Run, component: str) -> dict[str, int]:
    return {reason: n for (who, reason), n in run.ledger.distinct.skipped.items() if who == component and n}


def test_a_mask_waits_for_a_cold_turn_and_then_stays(tmp_path: Path) -> None:
    """In the file with a pause of 20 minutes before its fourth request, `agent` masks on that turn, not before."""
    done = compact(FIXTURES / "claude-trace" / "cold.jsonl", tmp_path, "agent")
    sent = [found for _, found in oracle.bodies(done.output.read_bytes())]
    assert _masked(sent) == [[], [], [], [2], [2]]
    before, after = (dict(oracle.tool_outputs(one)) for one in sent[3:])
    path = "messages.2.content.0.content"
    assert before[path] == after[path]
    assert [row.is_cold for row in done.run.ledger.rows] == [False, False, False, True, False]


def test_a_mask_slides_where_the_held_prefix_is_ignored() -> None:
    """Each request masks one more, and from the second on each rewrites what was sent."""
    names = "abcd"
    bodies = [body(*_history(*names[: n + 1])) for n in range(4)]
    run, sent = _run(lines(bodies), pipeline(["mask"], MASK), "ignore")
    assert _masked(sent) == [[], [2], [2, 4], [2, 4, 6]]
    breaks = [row.output_break for row in run.ledger.rows]
    assert [(one.line, one.message) if one else None for one in breaks] == [None, (2, 2), (3, 4), (4, 6)]


def test_a_mask_never_enters_a_warm_prefix() -> None:
    """With the held prefix respected it says so, once for each output it would have taken."""
    bodies = [body(*_history(*"abcd"[: n + 1])) for n in range(4)]
    run, sent = _run(lines(bodies), pipeline(["mask"], MASK))
    assert _masked(sent) == [[], [], [], []]
    assert _skipped(run, "mask") == {"prefix_held": 3, "recent": 1}
    assert run.ledger.distinct.fired["mask"] == 0


def test_what_may_be_held_is_left_alone_too() -> None:
    """A file that begins in mid-conversation: up to the last answer the prefix may be held."""
    bodies = [body(*_history("a", "b", "c")), body(*_history("a", "b", "c", "d"))]
    run, sent = _run(lines(bodies), pipeline(["mask"], MASK))
    assert _masked(sent) == [[], []]
    # a and b may be held from before the file began, c is held by the time it is old.
    assert _skipped(run, "mask") == {"prefix_unknown": 2, "prefix_held": 1, "recent": 1}
    run, _ = _run(lines(bodies[:1]), pipeline(["mask"], MASK))
    assert _skipped(run, "mask") == {"prefix_unknown": 2, "recent": 1}


def test_several_outputs_in_the_newest_message_are_past_the_prefix() -> None:
    """Of a run of outputs after the last answer the older ones may be masked at once."""
    results = [output(i, _long(name))["content"][0] for i, name in enumerate("abc")]
    _, sent = _run(lines([body(GO, {"role": "user", "content": results})]), pipeline(["mask"], MASK))
    assert [text.startswith(MASKED) for _, text in oracle.tool_outputs(sent[0])] == [True, True, False]


@pytest.mark.parametrize("fields", [{"tools": []}, {"system": "Another."}, {"model": "claude-opus-4-5"}])
def test_under_another_head_nothing_is_held(fields: Json) -> None:
    """Other tools, system or model: the provider holds nothing of it, so the mask may act, and breaks nothing."""
    bodies = [body(*_history("a", "b")), body(*_history("a", "b", "c"), **fields)]
    run, sent = _run(lines(bodies), pipeline(["mask"], MASK))
    assert _masked(sent) == [[], [2, 4]]
    row = run.ledger.rows[1]
    assert (row.output_break, row.input_break and row.input_break.message) == (None, 0)


def test_a_summary_call_under_another_head_leaves_the_main_lines_prefix_alone() -> None:
    """What the call may decide, under tools of its own, is not carried into the prefix that the main line holds."""
    main = _history("a", "b")
    call = body(*main, user("Summarise the session."), tools=[])
    bodies = [body(*main), call, body(*_history("a", "b", "c"))]
    run, sent = _run(lines(bodies), pipeline(["mask"], MASK))
    assert _masked(sent) == [[], [2], []]
    assert run.ledger.rows[2].output_break is None
    assert oracle.is_append(sent[0], sent[2])


def test_two_models_in_turn_keep_a_prefix_each() -> None:
    """What is decided under one model is replayed under that model, and stays out of the other's prefix."""
    models = ("claude-opus-4-5", "claude-sonnet-4-5")
    bodies = [body(*_history(*"abcdef"[: n + 1]), model=models[n % 2]) for n in range(6)]
    _, sent = _run(lines(bodies), pipeline(["mask"], MASK))
    for earlier, later in zip(sent, sent[2:], strict=False):
        assert oracle.is_append(earlier, later)


def test_a_pause_is_cold_only_where_the_cache_has_lapsed() -> None:
    """Six minutes for five-minute entries; an hour and one minute once a mark asked for an hour."""
    assert _cold_after([300, 360, 361]) == [False, False, False, True]
    assert _cold_after([361, 3660, 3661], ttl="1h") == [False, False, False, True]


def _cold_after(pauses_s: list[float], ttl: str | None = None) -> list[bool]:
    mark = {"type": "ephemeral", **({"ttl": ttl} if ttl else {})}
    system = [{"type": "text", "text": "You are an agent.", "cache_control": mark}]
    sent_s, records = 1000.0, []
    for n, pause_s in enumerate([0.0, *pauses_s]):
        sent_s += pause_s
        sent: Json = {"timestamp": sent_s, "method": "POST", "url": "https://api.example/v1/messages"}
        made = body(*_history(*"abcdef"[:n]), system=system)
        records.append({"request": {**sent, "body": made}, "response": None, "logged_at": "x"})
    run, _ = _run(lines(records), named("off"))
    return [row.is_cold for row in run.ledger.rows]


def test_without_times_nothing_is_cold() -> None:
    """Not recorded is not a pause."""
    run, _ = _run((FIXTURES / "context-guru" / "agent.jsonl").read_bytes(), named("agent"))
    assert not any(row.is_cold for row in run.ledger.rows)


def test_what_an_edit_brings_back_is_not_decided_for_other_content() -> None:
    """An older version of the history after an edit gets its own replacement, not that of what stood there since."""
    pretty = [json.dumps({"rows": [{"name": name, "n": i} for i in range(40)]}, indent=2) for name in ("old", "new")]
    older = [GO, *turn(1, pretty[0]), *turn(2)]
    newer = [GO, *turn(1, pretty[1]), *turn(2), *turn(3)]
    bodies = [body(*older), body(*newer), body(*older, *turn(3), *turn(4))]
    _, sent = _run(lines(bodies), pipeline(["format"]))
    first = [oracle.tool_outputs(one)[0][1] for one in sent]
    assert first == [json.dumps(json.loads(pretty[i]), separators=(",", ":")) for i in (0, 1, 0)]


def test_a_slot_that_is_masked_after_it_was_formatted_fired_once_each() -> None:
    """A later decision about the same output does not count the earlier component again."""
    pretty = json.dumps([{"name": name, "n": i} for i, name in enumerate("abcdefghij" * 8)], indent=2)
    history = [GO, *turn(1, pretty)]
    bodies = [body(*history), body(*history, *turn(2, _long("b")))]
    run, sent = _run(lines(bodies), pipeline(["format", "mask"], MASK), "ignore")
    assert _masked(sent) == [[], [2]]
    assert dict(run.ledger.distinct.fired) == {"format": 1, "mask": 1}
    compact_json = json.dumps(json.loads(pretty), separators=(",", ":"))
    marked = oracle.tool_outputs(sent[1])[0][1]
    assert dict(run.ledger.distinct.saved_tokens) == {
        "format": _count(pretty) - _count(compact_json),
        "mask": _count(compact_json) - _count(marked),
    }
    assert run.ledger.saved_gross["format"] == 2 * (_count(pretty) - _count(compact_json))
    assert run.ledger.saved_gross["mask"] == _count(compact_json) - _count(marked)


def _count(text: str) -> int:
    return counter("o200k_base").count(text)


def test_an_eliding_client_does_not_multiply_what_fired() -> None:
    """What comes again behind an edit is the same output, counted once."""
    plain = [found for _, found in oracle.bodies(capture(turns=10, seed=4))]
    elided = [found for _, found in oracle.bodies(capture(turns=10, seed=4, elide=2))]
    policy = pipeline(["format"])
    one, other = _run(lines(plain), policy)[0], _run(lines(elided), policy)[0]
    assert one.ledger.distinct.fired["format"] > 1
    assert other.ledger.distinct.fired == one.ledger.distinct.fired
    assert other.ledger.distinct.saved_tokens == one.ledger.distinct.saved_tokens
    assert other.ledger.saved_gross["format"] < one.ledger.saved_gross["format"]


def test_two_lanes_with_one_first_message_have_states_of_their_own() -> None:
    """The same first message under another system prompt is another session: 98 % of a capture is not one lane."""
    one = [body(*_history(*"abc"[:n])) for n in range(4)]
    other = [body(*_history(*"xyz"[:n], first=7), system="You are a reviewer.") for n in range(4)]
    mixed = [made for pair in zip(one, other, strict=True) for made in pair]
    run, sent = _run(lines(mixed), pipeline(["mask"], MASK), "ignore")
    alone = _run(lines(one), pipeline(["mask"], MASK), "ignore")[1]
    assert [len(lane.epochs[0].thread.turns) for lane in run.lanes] == [4, 4]
    assert sent[::2] == alone
    assert _masked(sent[1::2]) == _masked(alone)


def test_the_kinds_and_order_of_messages_stay() -> None:
    """Roles, block kinds and ids of every request, consecutive ones of one role included, are those of the input."""
    made = body(GO, user("again"), *turn(1, _long("a")), user("and"), user("more"), *turn(2, _long("b")))
    _, sent = _run(lines([made]), pipeline(["mask", "format", "extract"], MASK), "ignore")
    assert _shape(sent[0]) == _shape(made)
    assert _masked(sent) == [[3]]


def _shape(one: Json) -> list[Any]:
    return [
        (message["role"], [{**block, "content": 0} for block in message["content"] if isinstance(block, dict)])
        for message in one["messages"]
    ]


SHAPES: list[Shape] = [
    {"turns": 8, "parallel": 2, "moving_marks": True, "thinking": True},
    {"turns": 8, "dialect": "chat", "elide": 3},
    {"turns": 6, "dialect": "responses", "side_lanes": 2},
    {"turns": 7, "side_lanes": 1, "elide": 1},
]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    shape=st.sampled_from(SHAPES),
    seed=st.integers(0, 99),
    policy=st.sampled_from(["agent", "general", "codesafe"]),
    held=st.sampled_from(["respect", "ignore"]),
    share=st.floats(0, 1),
)
def test_no_decision_depends_on_a_later_request(shape: Shape, seed: int, policy: str, held: str, share: float) -> None:
    """A capture that is cut short is compacted to the beginning of what the whole one is compacted to."""
    seeded: Shape = {**shape, "seed": seed}
    records = capture(**seeded).splitlines(keepends=True)
    cut = records[: round(share * len(records))]
    whole = _run(b"".join(records), named(policy), held)[1]
    if cut:
        assert _run(b"".join(cut), named(policy), held)[1] == whole[: len(cut)]
    assert _run(b"".join(records), named(policy), held)[1] == whole
