"""One lane, turn by turn: what was decided stays, and the held prefix is left alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar

import pytest

from cgcli.compaction.component import Loss, Reduction, Skip, Slot
from cgcli.compaction.components.mask import Mask
from cgcli.compaction.state import Held, HeldRule, LaneState, truncated
from cgcli.markers import marker
from tests import oracle
from tests.compaction.stepping import NOTHING, Age, Drop, Walk, known, stepper, unknown
from tests.lanes.placing import Json, body, output, request, said, turn, user
from tests.letting_go import no_collector, watched

if TYPE_CHECKING:
    from cgcli.compaction.component import Component
    from cgcli.compaction.view import View

A, B, C = ("a" * 60, "b" * 60, "c" * 60)
GO = user("go")


def _marker(text: str) -> str:
    return f"<<cg:{oracle.marker_key(text)}>>"


def _old(text: str) -> str:
    return f"old {_marker(text)}"


def _new(walk: Walk) -> list[str]:
    """The originals of the decisions that the last turn took."""
    return [one.original.decode() for one in walk.last.decided]


def _history(*texts: str) -> Json:
    return body(GO, *(message for i, text in enumerate(texts) for message in turn(i, text)))


def test_a_decision_is_replayed_byte_for_byte() -> None:
    """What was decided on an earlier turn stands in every later request, however deep."""
    walk = Walk(stepper(Drop()))
    assert walk.send(_history(A), shared=0, held=NOTHING) == {2: _marker(A)}
    assert walk.send(_history(A, "small"), shared=3, held=known(3)) == {2: _marker(A), 4: "small"}
    assert _new(walk) == []
    assert walk.send(_history(A, "small", B), shared=5, held=known(5)) == {2: _marker(A), 4: "small", 6: _marker(B)}
    assert _new(walk) == [B]


def test_a_replay_needs_no_component() -> None:
    """A decision is kept with the lane: another policy's lane goes on with it."""
    walk = Walk(stepper(Drop()))
    walk.send(_history(A), shared=0, held=NOTHING)
    walk.steps = stepper()
    assert walk.send(_history(A, B), shared=3, held=known(3)) == {2: _marker(A), 4: B}


def test_a_branch_starts_with_a_copy() -> None:
    """From the branch point on, each way has decisions of its own; what stands before it is replayed in both."""
    steps = stepper(Age())
    trunk = Walk(steps)
    trunk.send(_history(A), shared=0, held=NOTHING)
    at_branch = trunk.state
    assert trunk.send(_history(A, B), shared=3, held=NOTHING) == {2: _old(A), 4: B}
    branch = Walk(steps)
    branch.state = at_branch
    assert branch.send(_history(A, C), shared=3, held=known(3)) == {2: A, 4: C}
    assert trunk.send(_history(A, B, "small"), shared=5, held=known(5)) == {2: _old(A), 4: B, 6: "small"}


def test_an_edit_loses_only_what_lies_behind_it() -> None:
    """Messages before the edit keep their decisions; those behind it are decided anew."""
    walk = Walk(stepper(Age()))
    walk.send(_history(A, B, C), shared=0, held=NOTHING)
    assert len([slot for slot in walk.state.slots if slot.decision]) == 2
    edited = body(GO, *turn(0, A), said("between"), user("more"), *turn(1, B), *turn(2, C))
    assert walk.send(edited, shared=3, held=known(7)) == {2: _old(A), 6: B, 8: C}


def test_a_side_way_leaves_the_cut_state_as_it_was() -> None:
    """Cutting a state at a depth gives the state at that depth."""
    steps = stepper(Drop())
    walk = Walk(steps)
    walk.send(_history(A), shared=0, held=NOTHING)
    at_three = walk.state
    walk.send(_history(A, B, C), shared=3, held=known(3))
    cut = truncated(walk.state, 3)
    assert (cut.slots, cut.cumulative, cut.saved) == (at_three.slots, at_three.cumulative, at_three.saved)
    assert (cut.n_decisions, cut.open_slots) == (1, ())


@pytest.mark.parametrize(
    ("rule", "held", "sent", "reason"),
    [
        (HeldRule.RESPECT, known(3), A, "prefix_held"),
        (HeldRule.RESPECT, unknown(3), A, "prefix_unknown"),
        (HeldRule.RESPECT, known(2), _old(A), None),
        (HeldRule.RESPECT, known(3, is_cold=True), _old(A), None),
        (HeldRule.RESPECT, NOTHING, _old(A), None),
        (HeldRule.IGNORE, known(3), _old(A), None),
        (HeldRule.IGNORE, unknown(3), _old(A), None),
    ],
)
def test_a_gated_decision_keeps_out_of_the_held_prefix(
    rule: HeldRule, held: Held, sent: str, reason: str | None
) -> None:
    """It acts past what is held, on a cold turn, or where it is told to ignore that; else it says why not."""
    walk = Walk(stepper(Age(), rule=rule))
    assert walk.send(_history(A, B), shared=0, held=held)[2] == sent
    assert dict(walk.state.slots[0].skips).get("age") == reason


def test_a_component_that_is_not_for_cold_turns_stays_out_on_one() -> None:
    """`cold_cache = false` keeps it from acting in a lapsed prefix."""
    walk = Walk(stepper(Age(cold_cache=False)))
    assert walk.send(_history(A, B), shared=0, held=known(5, is_cold=True)) == {2: A, 4: B}
    assert walk.state.slots[0].skips == (("age", "prefix_held"),)


def test_a_pure_component_acts_anywhere() -> None:
    """What depends on the content alone gives the same bytes on every turn and needs no gate."""
    walk = Walk(stepper(Drop()))
    assert walk.send(_history(A), shared=0, held=known(3)) == {2: _marker(A)}


def test_what_fired_on_a_cold_turn_stays() -> None:
    """The turn after is warm again and replays it; what got old since waits for the next cold turn."""
    walk = Walk(stepper(Age()))
    walk.send(_history(A, B), shared=0, held=known(5))
    assert walk.send(_history(A, B, C), shared=5, held=known(5, is_cold=True)) == {2: _old(A), 4: _old(B), 6: C}
    assert walk.last.rewritten_from == 2
    assert walk.send(_history(A, B, C, "x"), shared=7, held=known(7)) == {2: _old(A), 4: _old(B), 6: C, 8: "x"}
    assert walk.last.rewritten_from is None


def test_with_the_held_prefix_ignored_the_mask_slides() -> None:
    """Each turn masks what got old, and rewrites what the provider holds from there on."""
    walk = Walk(stepper(Age(), rule=HeldRule.IGNORE))
    walk.send(_history(A), shared=0, held=NOTHING)
    assert walk.send(_history(A, B), shared=3, held=known(3)) == {2: _old(A), 4: B}
    assert walk.last.rewritten_from == 2
    assert walk.send(_history(A, B, C), shared=5, held=known(5)) == {2: _old(A), 4: _old(B), 6: C}
    assert walk.last.rewritten_from == 4


def test_the_same_output_at_two_places_is_decided_by_place() -> None:
    """A decision belongs to a place in the history, not to the content: the newer copy stays as it is."""
    walk = Walk(stepper(Age()))
    assert walk.send(_history(A, A), shared=0, held=NOTHING) == {2: _old(A), 4: A}
    assert walk.send(_history(A, A, "x"), shared=5, held=known(5)) == {2: _old(A), 4: A, 6: "x"}
    # A branch at depth in which the same output comes again: its copy was never sent masked.
    assert walk.send(_history(A, B, A), shared=3, held=known(3)) == {2: _old(A), 4: _old(B), 6: A}


def test_the_state_is_not_changed() -> None:
    """A step gives a new state; the old one gives the same step again."""
    steps = stepper(Age(), Drop())
    first, _ = steps.step(LaneState(), request(_history(A)), 0, NOTHING)
    before = (first.slots, first.open_slots, first.cumulative, dict(first.saved), first.n_decisions)
    asked = request(_history(A, B))
    one, told = steps.step(first, asked, 3, known(3))
    other, again = steps.step(first, asked, 3, known(3))
    assert (first.slots, first.open_slots, first.cumulative, dict(first.saved), first.n_decisions) == before
    assert [(a, b, decision.literal) for a, b, decision in told.edits] == [
        (a, b, decision.literal) for a, b, decision in again.edits
    ]
    assert (one.cumulative, one.saved, one.n_decisions) == (other.cumulative, other.saved, other.n_decisions)


def test_tokens_before_and_after_differ_by_what_is_saved() -> None:
    """Before: every part, tools and system too, three a message; after: less what the markers save."""
    walk = Walk(stepper(Drop()))
    made = _history(A)
    walk.send(made, shared=0, held=NOTHING)
    tool, call = (
        json.dumps(part, separators=(",", ":")) for part in (made["tools"][0], made["messages"][1]["content"][0])
    )
    before = len(tool) + len("You are an agent.") + len("go") + len(call) + len(A) + 3 * 3
    assert walk.last.before_tokens == before
    assert walk.last.after_tokens == before - (len(A) - 23)


def test_only_tool_outputs_are_edited() -> None:
    """What a person or the assistant says stays, however long."""
    walk = Walk(stepper(Drop()))
    made = body(user(A), said(B), user(C), *turn(0, A))
    walk.send(made, shared=0, held=NOTHING)
    assert _new(walk) == [A]
    assert len(walk.last.edits) == 1


def test_a_request_with_nothing_to_edit_has_no_edits() -> None:
    """No tool output, no edit."""
    walk = Walk(stepper(Drop()))
    walk.send(body(GO, said(A), user(B)), shared=0, held=NOTHING)
    assert (walk.last.edits, walk.last.considered) == ((), ())


def test_parts_of_one_message_are_decided_one_by_one() -> None:
    """Two answers in one message are two places."""
    answers = [output(1, A)["content"][0], output(2, "small")["content"][0], output(3, B)["content"][0]]
    walk = Walk(stepper(Drop()))
    walk.send(body(GO, {"role": "user", "content": answers}), shared=0, held=NOTHING)
    assert [(slot.i_message, slot.i_part, slot.decision is not None) for slot in walk.state.slots] == [
        (1, 0, True),
        (1, 1, False),
        (1, 2, True),
    ]


class Shrinking:
    """Keeps a tenth of the request's size, so that its answer changes as the request grows."""

    name: ClassVar[str] = "shrinking"
    loss: ClassVar[Loss] = Loss.NONE
    gated: ClassVar[bool] = True
    cold_cache = False

    def propose(self, slot: Slot) -> Reduction | Skip:
        """As much of the text as the request's size lets stay."""
        assert slot.request_tokens is not None
        budget = slot.request_tokens // 10
        return Reduction(text=slot.text[:budget]) if len(slot.text) > budget else Skip(reason="small")


@pytest.mark.parametrize("held", [known(3), known(3, is_cold=True)])
@pytest.mark.parametrize("rule", list(HeldRule))
def test_a_decision_is_not_taken_back(rule: HeldRule, held: Held) -> None:
    """What a gated component decided on first send stays, also where it may not or would not decide so any more."""
    walk = Walk(stepper(Age(cold_cache=False), Shrinking(), rule=rule))
    first = walk.send(_history(A), shared=0, held=NOTHING)
    assert len(first[2]) < len(A)
    again = walk.send(_history(A, "x" * 30, "more"), shared=3, held=held)
    if rule is HeldRule.RESPECT:
        assert again[2] == first[2]
        assert walk.last.rewritten_from is None
    else:
        assert len(again[2]) <= len(first[2])


@pytest.mark.parametrize("name", ["context_guru_expand", "mcp__guru__context_guru_expand"])
def test_what_the_agent_asked_back_is_left_alone(name: str) -> None:
    """An expanded original is neither dropped again nor taken for a copy; another tool's copy of it is."""
    call = {"type": "tool_use", "id": "call_1", "name": name, "input": {"id": "k"}}
    asked: Json = {"role": "assistant", "content": [call]}
    walk = Walk(stepper(Drop(), Age()))
    sent = walk.send(body(GO, *turn(0, A), asked, output(1, A), *turn(2, A)), shared=0, held=NOTHING)
    assert sent == {2: _marker(A), 4: A, 6: _marker(A)}
    assert walk.state.slots[1].skips == (("drop", "recovered"), ("age", "recovered"))
    assert walk.send(body(GO, *turn(0, A), asked, output(1, A), *turn(2, A), *turn(3)), shared=7, held=known(7))[4] == A


def test_a_call_is_found_behind_its_parallel_ones() -> None:
    """Two calls in one message, answered in two: each output belongs to its own call."""
    calls = [
        {"type": "tool_use", "id": "call_1", "name": "Bash", "input": {}},
        {"type": "tool_use", "id": "call_2", "name": "context_guru_expand", "input": {"id": "k"}},
    ]
    both: Json = {"role": "assistant", "content": calls}
    walk = Walk(stepper(Drop()))
    assert walk.send(body(GO, both, output(1, A), output(2, B)), shared=0, held=NOTHING) == {2: _marker(A), 3: B}


def test_a_later_decision_that_saves_less_is_not_taken() -> None:
    """What stands there is shorter than the older output's note would be: it stays, and the component says why."""
    walk = Walk(stepper(Age(), Drop(), rule=HeldRule.IGNORE))
    assert walk.send(_history(A), shared=0, held=NOTHING) == {2: _marker(A)}
    assert walk.send(_history(A, "small"), shared=3, held=known(3)) == {2: _marker(A), 4: "small"}
    assert walk.last.rewritten_from is None
    assert walk.state.slots[0].skips == (("age", "not_smaller"),)


@pytest.mark.parametrize("components", [(Drop(),), (Age(), Mask(keep_recent=1, min_tokens=0))])
def test_a_turn_leaves_its_request_as_soon_as_it_is_over(components: tuple[Component, ...]) -> None:
    """Nothing of it is in a cycle or in the lane's state: requests are large, and there is one a turn."""
    steps, state = stepper(*components, rule=HeldRule.IGNORE), LaneState()
    bodies = []
    with no_collector():
        for texts in ((A,), (A, B), (A, B, C)):
            made, body_ref = watched(request(_history(*texts)))
            bodies.append(body_ref)
            state, outcome = steps.step(state, made, 2 * len(texts) - 1, NOTHING)
            assert outcome.before_tokens
            del made, outcome
            assert [ref() for ref in bodies] == [None] * len(bodies)
    assert state.n_decisions


class Reaches:
    """Drops the third output once a fifth is there, out of the held prefix if that is held."""

    name: ClassVar[str] = "reaches"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = True
    passing: ClassVar[frozenset[str]] = frozenset({"waits"})

    def propose(self, slot: Slot) -> Reduction | Skip:
        """The marker, for the one output, in time."""
        is_due = slot.view is not None and self.wakes(slot.i_output, slot.view)
        return Reduction(text=f"gone {marker(slot.key)}") if is_due else Skip(reason="waits")

    def wakes(self, i_output: int, view: View) -> bool:
        """True for the one output, in time."""
        return i_output == 2 and len(view.outputs) > 4

    def enters(self, i_output: int, view: View) -> bool:
        """Wherever it acts."""
        return self.wakes(i_output, view)


def test_what_stands_behind_a_reset_of_ours_is_free() -> None:
    """One step changes the third output in the held prefix, so another may drop old ones from there on."""
    walk = Walk(stepper(Reaches(), Age()))
    texts = tuple(letter * 60 for letter in "abcde")
    walk.send(_history(*texts[:1]), shared=0, held=NOTHING)
    for n in range(2, 5):
        sent = walk.send(_history(*texts[:n]), shared=2 * n - 1, held=known(2 * n - 1))
        assert [*sent.values()] == [*texts[:n]]
    sent = walk.send(_history(*texts), shared=9, held=known(9))
    assert [*sent.values()] == [*texts[:2], f"gone {_marker(texts[2])}", _old(texts[3]), texts[4]]
    assert walk.last.rewritten_from == 6
    assert dict(walk.state.slots[0].skips)["age"] == "prefix_held"
    assert dict(walk.state.slots[1].skips)["age"] == "prefix_held"


class Once(Reaches):
    """The same, the first time that it is asked to."""

    name: ClassVar[str] = "once"

    def __init__(self) -> None:
        """It was not asked."""
        self.n_asked = 0

    def propose(self, slot: Slot) -> Reduction | Skip:
        """The marker, once."""
        found = super().propose(slot)
        self.n_asked += isinstance(found, Reduction)
        return found if self.n_asked == 1 else Skip(reason="waits")


def test_nothing_is_free_where_the_reset_does_not_come_about() -> None:
    """A step that changed something, and finds nothing to do once others act behind it, has reset nothing for them."""
    walk = Walk(stepper(Once(), Age()))
    texts = (A, B, "c" * 39, "d" * 60, "e" * 60)  # the third is too small for the other step
    walk.send(_history(*texts[:4]), shared=0, held=known(0))
    walk.send(_history(*texts[:4]), shared=9, held=known(9))
    sent = walk.send(_history(*texts), shared=9, held=known(9))
    assert sent[6] == f"gone {_marker(texts[2])}"
    assert (sent[8], sent[10]) == (texts[3], texts[4])


@pytest.mark.parametrize("rule", [HeldRule.PAYS, HeldRule.IGNORE])
def test_other_rules_say_themselves_what_enters(rule: HeldRule) -> None:
    """A turn is taken once, though a step changes what is held."""
    once = Once()
    walk = Walk(stepper(once, Age(), rule=rule))
    texts = tuple(letter * 60 for letter in "abcde")
    walk.send(_history(*texts[:4]), shared=0, held=known(9))
    walk.send(_history(*texts), shared=9, held=known(9))
    assert once.n_asked == 1
