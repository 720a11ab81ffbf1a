"""On turns that do not meet the triggers nothing new is decided; what was decided stands, and slots stay open."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.paying import Unpaid, Verdict
from cgcli.compaction.state import Held, HeldRule
from cgcli.compaction.triggers import Batch, CacheState, Conditions, Triggers
from tests import oracle
from tests.compaction.stepping import NOTHING, Age, Drop, Shorten, Walk, known, stepper, unknown
from tests.lanes.placing import TOOLS, Json, body, called, turn, user

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.compaction.component import Component
    from cgcli.compaction.paying import Candidate
    from cgcli.compaction.splicing import Placed
    from cgcli.model import Request

A, B, C, D, E, F = (letter * 60 for letter in "abcdef")
IGNORE, RESPECT, PAYS = HeldRule.IGNORE, HeldRule.RESPECT, HeldRule.PAYS
MARKER = 23
"""Characters of a marker, and so tokens here."""


def _marker(text: str) -> str:
    return f"<<cg:{oracle.marker_key(text)}>>"


def _old(text: str) -> str:
    return f"old {_marker(text)}"


def _history(*texts: str, model: str = "mystery") -> Json:
    """A conversation with these outputs, by a model whose tokens are taken as they are counted."""
    return body(user("go"), *(message for i, text in enumerate(texts) for message in turn(i, text)), model=model)


def _tokens(*texts: str) -> int:
    """Characters of such a request: tool, system prompt, first message, calls and outputs; three more a message."""
    parts = [TOOLS[0], *(called(i)["content"][0] for i in range(len(texts)))]
    written = [json.dumps(part, separators=(",", ":")) for part in parts]
    return sum(map(len, (*written, "You are an agent.", "go", *texts))) + 3 * (1 + 2 * len(texts))


def _walk(*components: Component, rule: HeldRule = RESPECT, **triggers: object) -> Walk:
    return Walk(stepper(*components, rule=rule, triggers=Conditions(whole=Triggers(**triggers))))  # type: ignore[arg-type]


def _says(walk: Walk) -> list[list[tuple[str, str]]]:
    """Why each output is left alone."""
    return [list(slot.skips) for slot in walk.state.slots]


@pytest.mark.parametrize(("more", "sent", "why"), [(0, _marker(A), []), (1, A, ["trigger_min_request_tokens"])])
def test_the_request_must_have_so_many_tokens(more: int, sent: str, why: list[str]) -> None:
    """Its own number is enough, one more is not."""
    walk = _walk(Drop(), min_request_tokens=_tokens(A) + more)
    assert walk.send(_history(A), shared=0, held=NOTHING) == {2: sent}
    assert _says(walk) == [[("drop", reason) for reason in why]]
    assert walk.state.open_slots == ((0,) if why else ())


@pytest.mark.parametrize(("model", "least"), [("mystery", 1000), ("claude-sonnet-4-5", 1240)])
def test_tokens_are_the_models_own(model: str, least: int) -> None:
    """Claude Sonnet 4.5 has 1.24 for each counted one; round figures on both sides of it."""
    texts = ["x" * (1000 - _tokens(""))]
    for more, fires in ((0, True), (1, False)):
        walk = _walk(Drop(), min_request_tokens=least + more)
        walk.send(_history(*texts, model=model), shared=0, held=NOTHING)
        assert (walk.last.before_tokens, bool(walk.last.edits)) == (1000, fires)


@pytest.mark.parametrize(("more", "sent"), [(0, _marker(B)), (1, B)])
def test_what_was_decided_counts_as_it_is_sent(more: int, sent: str) -> None:
    """The request is measured with the markers of earlier turns in it."""
    walk = _walk(Drop(), min_request_tokens=_tokens(_marker(A), B) + more)
    walk.steps = stepper(Drop())
    walk.send(_history(A), shared=0, held=NOTHING)
    walk.steps = _walk(Drop(), min_request_tokens=_tokens(_marker(A), B) + more).steps
    assert walk.send(_history(A, B), shared=3, held=known(3)) == {2: _marker(A), 4: sent}


@pytest.mark.parametrize(("least", "sent", "why"), [(3, _marker(A), []), (4, A, ["trigger_min_messages"])])
def test_the_request_must_have_so_many_messages(least: int, sent: str, why: list[str]) -> None:
    """One message, a call and its answer are three."""
    walk = _walk(Drop(), min_messages=least)
    assert walk.send(_history(A), shared=0, held=NOTHING) == {2: sent}
    assert _says(walk) == [[("drop", reason) for reason in why]]


@pytest.mark.parametrize(
    ("model", "fraction", "why"),
    [
        ("gpt-4o", 0.0078125, []),  # 1,000 of 128,000
        ("gpt-4o", 0.0078126, ["trigger_min_request_fraction"]),
        ("mystery", 0.0001, ["trigger_window_unknown"]),
    ],
)
def test_the_request_must_fill_a_part_of_the_window(model: str, fraction: float, why: list[str]) -> None:
    """Where no table has the window, it is not known to do so."""
    walk = _walk(Drop(), min_request_fraction=fraction)
    walk.send(_history("x" * (1000 - _tokens("")), model=model), shared=0, held=NOTHING)
    assert walk.last.before_tokens == 1000
    assert _says(walk) == [[("drop", reason) for reason in why]]


@pytest.mark.parametrize(
    ("tokens", "fraction", "why"),
    [
        (1000, 0.0078125, []),
        (1001, 0.005, ["trigger_min_request_tokens"]),
        (999, 0.008, ["trigger_min_request_fraction"]),
    ],
)
def test_a_fraction_only_raises_the_floor(tokens: int, fraction: float, why: list[str]) -> None:
    """Both must be met, so that the higher one decides."""
    walk = _walk(Drop(), min_request_tokens=tokens, min_request_fraction=fraction)
    walk.send(_history("x" * (1000 - _tokens("")), model="gpt-4o"), shared=0, held=NOTHING)
    assert _says(walk) == [[("drop", reason) for reason in why]]


STATE, UNKNOWN = "trigger_cache_state", "trigger_cache_state_unknown"


@pytest.mark.parametrize(
    ("state", "held", "why"),
    [
        (CacheState.COLD, NOTHING, None),
        (CacheState.COLD, known(3, is_cold=True, left_s=-61), None),
        (CacheState.COLD, known(3, left_s=-60), STATE),
        (CacheState.COLD, known(3, left_s=200), STATE),
        (CacheState.COLD, known(3), UNKNOWN),
        (CacheState.COLD, unknown(3), UNKNOWN),
        (CacheState.PRE_EXPIRY, NOTHING, STATE),
        (CacheState.PRE_EXPIRY, known(3, left_s=60.5), STATE),
        (CacheState.PRE_EXPIRY, known(3, left_s=60), None),
        (CacheState.PRE_EXPIRY, known(3, left_s=-60), None),
        (CacheState.PRE_EXPIRY, known(3, is_cold=True, left_s=-61), STATE),
        (CacheState.PRE_EXPIRY, known(3), UNKNOWN),
        (CacheState.PRE_EXPIRY, unknown(3), UNKNOWN),
        (CacheState.ANY, known(3), None),
    ],
)
def test_the_cache_must_be_in_a_state(state: CacheState, held: Held, why: str | None) -> None:
    """Cold, or about to lapse with a minute left and in the margin after its life; what is not known is not met."""
    walk = _walk(Drop(), rule=IGNORE, cache_state=state)
    walk.send(_history(A), shared=0, held=held)
    assert _says(walk) == [[("drop", why)] if why else []]


@pytest.mark.parametrize(("left_s", "why"), [(10, []), (10.5, [STATE])])
def test_what_is_about_to_lapse_is_said(left_s: float, why: list[str]) -> None:
    """`pre_expiry_s` in place of a minute."""
    walk = _walk(Drop(), rule=IGNORE, cache_state=CacheState.PRE_EXPIRY, pre_expiry_s=10.0)
    walk.send(_history(A), shared=0, held=known(3, left_s=left_s))
    assert _says(walk) == [[("drop", reason) for reason in why]]


def _rewritten(walk: Walk, *, n_turns: int) -> list[int | None]:
    """From which message each turn of a growing conversation rewrites what was sent."""
    texts = [letter * 60 for letter in "abcdefghijkl"]
    found = []
    for n in range(1, n_turns + 1):
        n_sent = 2 * n - 1
        walk.send(_history(*texts[:n]), shared=n_sent if n > 1 else 0, held=known(n_sent) if n > 1 else NOTHING)
        found.append(walk.last.rewritten_from)
    return found


def test_a_batch_rewrites_the_prefix_every_so_many_turns() -> None:
    """A mask that slides rewrites it on every turn from the second on; in batches of four on each fourth."""
    assert _rewritten(_walk(Age(), rule=IGNORE), n_turns=9) == [None, 2, 4, 6, 8, 10, 12, 14, 16]
    assert _rewritten(_walk(Age(), rule=IGNORE, every=Batch(turns=1)), n_turns=9) == [None, 2, 4, 6, 8, 10, 12, 14, 16]
    batched = _walk(Age(), rule=IGNORE, every=Batch(turns=4))
    assert _rewritten(batched, n_turns=9) == [None, None, None, None, 2, None, None, None, 10]
    assert [slot.decision is not None for slot in batched.state.slots] == [True] * 8 + [False]


def test_between_batches_slots_say_what_they_wait_for() -> None:
    """And what an earlier batch decided is sent again byte for byte."""
    walk = _walk(Age(), rule=IGNORE, every=Batch(turns=3))
    assert _rewritten(walk, n_turns=6) == [None, None, None, 2, None, None]
    last = walk.send(_history(A, B, C, D, E, F, "x"), shared=13, held=known(13))
    assert [last[i] == _old(text) for i, text in zip(range(2, 13, 2), (A, B, C, D, E, F), strict=True)] == [True] * 6
    walk.send(_history(A, B, C, D, E, F, "x", "y"), shared=15, held=known(15))
    assert _says(walk) == [[]] * 6 + [[("age", "small")], [("age", "recent")]]


def test_a_batch_of_tokens_enters_once_enough_can_leave_together() -> None:
    """Each masked output saves 33: three of them are 99, and two are not."""
    saved = 60 - len(_old(A))
    assert saved == 33
    at_99 = _rewritten(_walk(Age(), rule=IGNORE, every=Batch(tokens=99)), n_turns=9)
    assert at_99 == [None, None, None, 2, None, None, 8, None, None]
    at_100 = _rewritten(_walk(Age(), rule=IGNORE, every=Batch(tokens=100)), n_turns=9)
    assert at_100 == [None, None, None, None, 2, None, None, None, 10]


@pytest.mark.parametrize(("tokens", "sent"), [(2 * 37, [_marker(A), _marker(B)]), (2 * 37 + 1, [A, B])])
def test_new_outputs_count_for_a_batch(tokens: int, sent: list[str]) -> None:
    """What is first sent on this turn can leave too, under any rule."""
    walk = _walk(Drop(), every=Batch(tokens=tokens))
    assert [*walk.send(_history(A, B), shared=0, held=NOTHING).values()] == sent
    assert 60 - MARKER == 37


def test_what_may_not_enter_does_not_count_for_a_batch() -> None:
    """Under `respect` an output that was sent as it was stays so: it never makes a batch full."""
    walk = _walk(Drop(), every=Batch(tokens=74))
    walk.send(_history(A), shared=0, held=NOTHING)
    assert walk.send(_history(A, B), shared=3, held=known(3)) == {2: A, 4: B}
    assert walk.send(_history(A, B, C, D), shared=5, held=known(5)) == {2: A, 4: B, 6: _marker(C), 8: _marker(D)}
    ignoring = _walk(Drop(), rule=IGNORE, every=Batch(tokens=74))
    ignoring.send(_history(A), shared=0, held=NOTHING)
    assert ignoring.send(_history(A, B), shared=3, held=known(3)) == {2: _marker(A), 4: _marker(B)}


def test_a_late_decision_is_held_though_it_looks_at_content_alone() -> None:
    """Under `respect` what was sent as it stood stays, with its reason; `ignore` and a cold turn let it in."""
    turns = [(_history(A), 0, NOTHING), (_history(A, B), 3, known(3)), (_history(A, B, C), 5, known(5))]
    walk = _walk(Drop(cold_cache=True), min_messages=5)
    sent = [walk.send(made, shared=shared, held=held) for made, shared, held in turns]
    assert sent == [{2: A}, {2: A, 4: _marker(B)}, {2: A, 4: _marker(B), 6: _marker(C)}]
    assert _says(walk) == [[("drop", "prefix_held")], [], []]
    again = walk.send(_history(A, B, C, "x"), shared=7, held=known(7, is_cold=True))
    assert (again[2], walk.last.rewritten_from) == (_marker(A), 2)
    walk = _walk(Drop(cold_cache=False), min_messages=5)
    walk.send(_history(A), shared=0, held=NOTHING)
    assert walk.send(_history(A, B), shared=3, held=known(3, is_cold=True)) == {2: A, 4: _marker(B)}
    ignoring = _walk(Drop(), rule=IGNORE, min_messages=5)
    assert [ignoring.send(made, shared=shared, held=held) for made, shared, held in turns][1] == {
        2: _marker(A),
        4: _marker(B),
    }


def test_what_one_step_decided_stands_while_another_waits() -> None:
    """A step's own trigger holds that one back; its late part is held like any other."""
    triggers = Conditions(by_step={"drop": Triggers(min_messages=5)})
    walk = Walk(stepper(Shorten(), Drop(), triggers=triggers))
    assert walk.send(_history("-" + A), shared=0, held=NOTHING) == {2: A}
    assert _says(walk) == [[("drop", "trigger_min_messages")]]
    assert walk.send(_history("-" + A, "-" + B), shared=3, held=known(3)) == {2: A, 4: _marker("-" + B)}
    assert _says(walk)[0] == [("drop", "prefix_held")]
    ignoring = Walk(stepper(Shorten(), Drop(), rule=IGNORE, triggers=triggers))
    assert ignoring.send(_history("-" + A), shared=0, held=NOTHING) == {2: A}
    assert ignoring.send(_history("-" + A, B), shared=3, held=known(3)) == {2: _marker("-" + A), 4: _marker(B)}


class _Asked:
    """Lets everything in, and counts how often it was asked."""

    def __init__(self) -> None:
        self.n_asked = 0

    def judge(self, request: Request, placed: Sequence[Placed], candidates: Sequence[Candidate]) -> Verdict:
        """From the first candidate on."""
        del request, placed
        self.n_asked += 1
        return Verdict(from_message=candidates[0].i_message)


def test_whether_it_pays_is_asked_on_the_turns_of_a_batch_alone() -> None:
    """A turn that waits asks nobody; in the batch all enter together."""
    judge = _Asked()
    steps = stepper(Drop(), rule=PAYS, triggers=Conditions(whole=Triggers(min_messages=7)))
    walk = Walk(steps, judge=judge)
    walk.send(_history(A), shared=0, held=NOTHING)
    assert walk.send(_history(A, B), shared=3, held=known(3)) == {2: A, 4: B}
    assert judge.n_asked == 0
    assert walk.send(_history(A, B, C), shared=5, held=known(5)) == {2: _marker(A), 4: _marker(B), 6: _marker(C)}
    assert (judge.n_asked, walk.last.rewritten_from) == (1, 2)


class _Never:
    def judge(self, request: Request, placed: Sequence[Placed], candidates: Sequence[Candidate]) -> Verdict:
        """Nothing pays."""
        del request, placed, candidates
        return Verdict(from_message=None, why_not=Unpaid.DOES_NOT_PAY)


def test_what_does_not_pay_stays_out_though_it_looks_at_content_alone() -> None:
    """Under `pays` a late decision is one in the held prefix."""
    steps = stepper(Drop(), rule=PAYS, triggers=Conditions(whole=Triggers(min_messages=5)))
    walk = Walk(steps, judge=_Never())
    walk.send(_history(A), shared=0, held=NOTHING)
    assert walk.send(_history(A, B), shared=3, held=known(3)) == {2: A, 4: _marker(B)}
    assert _says(walk) == [[("drop", "does_not_pay")], []]


def test_a_held_slot_says_so_while_the_turn_waits() -> None:
    """What the held prefix kept out would not enter if the trigger were met: that stays the reason."""
    walk = _walk(Age(), every=Batch(turns=2))
    for n in range(1, 5):
        texts = (A, B, C, D)[:n]
        walk.send(_history(*texts), shared=2 * n - 1 if n > 1 else 0, held=known(2 * n - 1) if n > 1 else NOTHING)
    assert _says(walk)[:2] == [[("age", "prefix_held")]] * 2
    assert walk.last.edits == ()
