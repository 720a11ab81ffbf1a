"""Components that edit a request elsewhere than in outputs wait too; once they have begun, they go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.body import Body, BodyEdit, BodyPlan
from cgcli.compaction.component import Skip
from cgcli.compaction.pipeline import Pipeline
from cgcli.compaction.policy import pipeline
from cgcli.compaction.state import Held, HeldRule
from cgcli.compaction.step import Stepper
from cgcli.compaction.triggers import Batch, Conditions, Triggers
from cgcli.model import changed
from cgcli.summarisers.extractive.summariser import Extractive
from cgcli.tokens.meter import Meter
from cgcli.wire.strings import Style
from tests.compaction.scripted import First, Scripted, Second
from tests.compaction.stepping import NOTHING, Walk, known
from tests.compaction.test_promises import SESSIONS
from tests.lanes.placing import Json, body, turn, user
from tests.running import compact

if TYPE_CHECKING:
    from pathlib import Path


def _history(n_outputs: int) -> Json:
    return body(user("go"), *(message for i in range(n_outputs) for message in turn(i)))


def _says_went(seen: Body) -> BodyPlan:
    """The first message reads `gone`, and so it stays."""
    at = bytes(seen.request.raw).index(b'"go"') + 3
    return BodyPlan(edits=(BodyEdit(start=at, stop=at, new=b"ne", i_message=0),), memory="begun")


def _marks(seen: Body) -> BodyPlan:
    """Something that no model reads."""
    at = bytes(seen.request.raw).index(b'"go"') + 3
    return BodyPlan(edits=(BodyEdit(start=at, stop=at, new=b"ne", i_message=0, keeps_reading=True),))


def _walk(
    *bodies: Scripted, rule: HeldRule = HeldRule.RESPECT, whole: Triggers | None = None, **by_step: Triggers
) -> Walk:
    conditions = Conditions(whole=whole or Triggers(), by_step=by_step)
    outputs = Pipeline((), len, default_style=Style.ASCII)
    return Walk(Stepper(outputs, Meter(len), rule=rule, bodies=bodies, triggers=conditions))


def _turns(walk: Walk, *held: Held) -> list[tuple[int, tuple[str, ...]]]:
    """How many edits each turn of a growing conversation has, and what its one component says."""
    found = []
    for n, one in enumerate(held, start=1):
        walk.send(_history(n), shared=2 * n - 1 if n > 1 else 0, held=one)
        found.append((len(walk.last.edits), walk.last.bodies[0].skips))
    return found


def test_what_waits_is_not_asked() -> None:
    """It says what it waits for, and begins where the request's beginning may change."""
    steps = Scripted(_says_went)
    walk = _walk(steps, rule=HeldRule.IGNORE, whole=Triggers(min_messages=7))
    waits = (0, ("trigger_min_messages",))
    assert _turns(walk, NOTHING, known(3), known(5)) == [waits, waits, (1, ())]
    assert [len(seen.request.messages) for seen in steps.seen] == [7]
    assert walk.last.rewritten_from == 0


def test_what_has_begun_goes_on() -> None:
    """On turns that wait it is told so, may enter nothing, and says again what it said."""
    steps = Scripted(_says_went)
    walk = _walk(steps, whole=Triggers(every=Batch(turns=3)))
    assert _turns(walk, NOTHING, known(3), known(5), known(7)) == [(1, ())] * 4
    assert [seen.waits for seen in steps.seen] == [None, "trigger_every", "trigger_every", None]
    assert [seen.may_enter(99) for seen in steps.seen] == [True, False, False, True]
    assert [seen.memory for seen in steps.seen] == [None, "begun", "begun", "begun"]
    assert walk.last.rewritten_from is None


@pytest.mark.parametrize(
    ("rule", "held", "begins"),
    [
        (HeldRule.RESPECT, known(5), False),
        (HeldRule.PAYS, known(5), False),
        (HeldRule.RESPECT, known(5, is_cold=True), True),
        (HeldRule.RESPECT, NOTHING, True),
        (HeldRule.IGNORE, known(5), True),
    ],
)
def test_what_comes_late_keeps_out_of_the_held_prefix(rule: HeldRule, held: Held, *, begins: bool) -> None:
    """What was sent without it and is held stays as it was; nothing of the attempt is remembered."""
    steps = Scripted(_says_went)
    walk = _walk(steps, rule=rule, whole=Triggers(min_messages=7))
    assert _turns(walk, NOTHING, known(3), held)[2] == ((1, ()) if begins else (0, ("prefix_held",)))
    assert dict(walk.state.bodies.memories) == ({0: "begun"} if begins else {})


def test_marks_come_late_as_well() -> None:
    """What the model reads stays the same."""
    walk = _walk(Scripted(_marks), whole=Triggers(min_messages=5))
    assert _turns(walk, NOTHING, known(3)) == [(0, ("trigger_min_messages",)), (1, ())]


def test_what_had_nothing_to_do_at_first_is_not_late() -> None:
    """It was asked on the lane's first turn, and acts when it likes."""
    walk = _walk(
        Scripted(lambda seen: _says_went(seen) if len(seen.request.messages) > 3 else Skip(reason="idle")),
        whole=Triggers(min_messages=1),
    )
    assert _turns(walk, NOTHING, known(3)) == [(0, ("idle",)), (1, ())]


def test_one_waits_and_another_does_not() -> None:
    """Each has its own triggers."""
    walk = _walk(First(_marks), Second(lambda _seen: Skip(reason="idle")), first=Triggers(min_messages=9))
    walk.send(_history(1), shared=0, held=NOTHING)
    assert {one.component: one.skips for one in walk.last.bodies} == {
        "first": ("trigger_min_messages",),
        "second": ("idle",),
    }


@pytest.mark.parametrize("step", ["ladder", "summarize", "codex-local", "pi-keep-recent"])
def test_what_has_a_threshold_of_its_own_waits_for_nothing(step: str, tmp_path: Path) -> None:
    """Where it is due, the alternative is a request that does not fit."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(SESSIONS["anthropic-turns"])
    params = {"budget_tokens": 4000, **({"keep_recent_tokens": 500} if step == "pi-keep-recent" else {})}
    never = Conditions(whole=Triggers(min_messages=10_000))
    policy = pipeline([step, "collapse"], {step: params, "collapse": {"max_tokens": 100}})
    done = compact(source, tmp_path, changed(policy, triggers=never), summariser=Extractive())
    assert done.run.ledger.distinct.fired[step] > 0
    assert done.run.ledger.distinct.fired["collapse"] == 0
    assert done.run.ledger.distinct.skipped["collapse", "trigger_min_messages"] > 0


def test_thinking_is_cleared_in_batches(tmp_path: Path) -> None:
    """On the fourth request, not on the second and third, on which it would be without a batch."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(SESSIONS["anthropic-turns"])
    policy = pipeline(["clear-thinking"], {"clear-thinking": {"keep": 1}})
    at_once = compact(source, tmp_path, policy, "ignore", name="a")
    batched = changed(policy, triggers=Conditions(whole=Triggers(every=Batch(turns=3))))
    done = compact(source, tmp_path, batched, "ignore", name="b")
    breaks = [[row.output_break is not None for row in one.run.ledger.rows] for one in (at_once, done)]
    assert breaks == [[False, False, True, True], [False, False, False, True]]
    assert done.run.ledger.distinct.skipped["clear-thinking", "trigger_every"] > 0
