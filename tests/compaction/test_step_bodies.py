"""The step with components that wake and with components of bodies: who is asked when, and what stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pytest

from cgcli.compaction.body import Body, BodyEdit, BodyPlan
from cgcli.compaction.component import Loss, Reduction, Skip, Slot
from cgcli.compaction.components.cachesplit import Cachesplit
from cgcli.compaction.components.toolfilter import Toolfilter
from cgcli.compaction.paying import Unpaid
from cgcli.compaction.pipeline import Pipeline
from cgcli.compaction.state import Held, HeldRule, truncated
from cgcli.compaction.step import Stepper
from cgcli.markers import marker
from cgcli.tokens.meter import Meter
from cgcli.wire.strings import Style
from tests.compaction.scripted import Scripted
from tests.compaction.stepping import NOTHING, Age, Drop, Walk, known, stepper
from tests.compaction.test_paying import Judging
from tests.lanes.placing import TOOLS, Json, body, said, turn, user

if TYPE_CHECKING:
    from cgcli.compaction.body import BodyComponent
    from cgcli.compaction.component import Component
    from cgcli.compaction.view import View

A, B, C, D = ("a" * 60, "b" * 60, "c" * 60, "d" * 60)
GO = user("go")
SIGNED = {"type": "thinking", "thinking": "I see.", "signature": "c2lnbmVk"}
BINDING = "claude-sonnet-5-5"


def _history(*texts: str, **fields: object) -> Json:
    return body(GO, *(message for i, text in enumerate(texts) for message in turn(i, text)), **fields)


class Waits:
    """Drops an output that has so many behind it; counts what it is asked."""

    name: ClassVar[str] = "waits"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = True
    settles: ClassVar[bool] = True
    passing: ClassVar[frozenset[str]] = frozenset({"young"})
    cold_cache: ClassVar[bool] = True

    def __init__(self, n_behind: int) -> None:
        """Wait for *n_behind* outputs."""
        self.n_behind = n_behind
        self.proposed: list[int] = []
        self.woken: list[int] = []

    def propose(self, slot: Slot) -> Reduction | Skip:
        """The marker, once it is old enough."""
        self.proposed.append(slot.i_output)
        if len(slot.text) < 40:
            return Skip(reason="small")
        if slot.n_outputs - slot.i_output <= self.n_behind:
            return Skip(reason="young")
        return Reduction(text=f"old {marker(slot.key)}")

    def wakes(self, i_output: int, view: View) -> bool:
        """Asked of what it skipped as young."""
        self.woken.append(i_output)
        return len(view.outputs) - i_output > self.n_behind


def test_waking_component_is_asked_only_where_it_may_act() -> None:
    """`wakes` of each slot that is left alone for a reason that passes, `propose` of those alone that wake."""
    waits = Waits(2)
    walk = Walk(stepper(waits, rule=HeldRule.IGNORE))
    walk.send(_history("small", A), shared=0, held=NOTHING)
    assert (waits.proposed, waits.woken) == ([0, 1], [])
    assert walk.state.open_slots == (1,)
    walk.send(_history("small", A, B), shared=5, held=NOTHING)
    assert (waits.proposed, waits.woken) == ([0, 1, 2], [1])
    sent = walk.send(_history("small", A, B, C), shared=7, held=NOTHING)
    # The second time is the round in which nothing is left to do: it is not made, for the text has its marker.
    assert (waits.proposed, waits.woken) == ([0, 1, 2, 1, 3], [1, 1, 2])
    assert sent[4].startswith("old <<cg:")
    walk.send(_history("small", A, B, C, "small"), shared=9, held=NOTHING)
    assert waits.woken[3:] == [2, 3]
    assert walk.state.open_slots == (3,)


def test_decision_of_a_waking_component_stays() -> None:
    """It is never asked again about what it decided, nor what it left for good."""
    waits = Waits(1)
    walk = Walk(stepper(waits, rule=HeldRule.IGNORE))
    walk.send(_history("small", A, B), shared=0, held=NOTHING)
    first = walk.send(_history("small", A, B, C), shared=7, held=NOTHING)
    asked = waits.proposed.count(1), waits.proposed.count(0)
    again = walk.send(_history("small", A, B, C, D), shared=9, held=NOTHING)
    assert again[4] == first[4]
    assert (waits.proposed.count(1), waits.proposed.count(0)) == asked


def test_waking_component_keeps_out_of_the_held_prefix() -> None:
    """What wakes inside it is denied, stays open, and acts on the next cold turn."""
    walk = Walk(stepper(Waits(1)))
    walk.send(_history(A), shared=0, held=NOTHING)
    assert walk.send(_history(A, B, C), shared=3, held=known(3))[2] == A
    assert walk.state.slots[0].skips == (("waits", "prefix_held"),)
    assert 0 in walk.state.open_slots
    assert walk.send(_history(A, B, C, D), shared=7, held=known(7, is_cold=True))[2].startswith("old <<cg:")


def test_what_wakes_is_told_to_the_judge() -> None:
    """Under `pays` a slot that was too young for a component is a candidate from the turn on that wakes it."""
    judge = Judging()
    walk = Walk(stepper(Waits(1), rule=HeldRule.PAYS), judge=judge)
    walk.send(_history(A), shared=0, held=known(0))
    walk.send(_history(A, B), shared=3, held=known(3))
    assert judge.asked == [[(2, 33)]]
    assert dict(walk.state.slots[0].skips) == {"waits": Unpaid.DOES_NOT_PAY}
    judge.from_message = 2
    sent = walk.send(_history(A, B, C), shared=5, held=known(5))
    assert judge.asked[1:] == [[(2, 33), (4, 33)]]
    assert [text.startswith("old") for text in sent.values()] == [True, True, False]


@pytest.mark.parametrize("rule", list(HeldRule))
@pytest.mark.parametrize("held", [known(5), known(5, is_cold=True)])
def test_nothing_changes_before_bound_thinking(rule: HeldRule, held: Held) -> None:
    """Whatever the rule and however cold: the provider would answer with 400."""
    call, output = turn(1, B)
    thought: Json = {"role": "assistant", "content": [SIGNED, *call["content"]]}
    messages = (GO, *turn(0, A), thought, output)
    walk = Walk(stepper(Waits(1), rule=rule))
    walk.send(body(*messages[:3], model=BINDING), shared=0, held=known(3))
    sent = walk.send(body(*messages, user("on"), model=BINDING), shared=3, held=held)
    assert sent[2] == A
    assert walk.state.slots[0].skips == (("waits", "thinking_bound"),)


class Notes(Scripted):
    """Puts how many turns it has seen behind the first message, and remembers it."""

    name: ClassVar[str] = "notes"

    def __init__(self) -> None:
        """Nothing is seen."""
        super().__init__(self._count)

    def _count(self, seen: Body) -> BodyPlan:
        n = (seen.memory or 0) + 1
        at = bytes(seen.request.raw).index(b'"go"') + 3
        return BodyPlan(edits=(BodyEdit(start=at, stop=at, new=b"%d" % n, i_message=0),), memory=n)


def _with(bodies: tuple[BodyComponent, ...], *components: Component, rule: HeldRule = HeldRule.RESPECT) -> Stepper:
    return Stepper(Pipeline(components, len, default_style=Style.ASCII), Meter(len), rule=rule, bodies=bodies)


def test_memory_goes_from_turn_to_turn_and_into_branches() -> None:
    """A branch starts with a copy; the trunk does not see what the branch remembers.

    From the second turn on each is taken twice: the note changes what is held.
    """
    notes = Notes()
    trunk = Walk(_with((notes,)))
    trunk.send(_history(A), shared=0, held=NOTHING)
    branch = Walk(trunk.steps)
    branch.state = trunk.state
    trunk.send(_history(A, B), shared=3, held=known(3))
    trunk.send(_history(A, B, C), shared=5, held=known(5))
    branch.send(_history(A, D), shared=3, held=known(3))
    assert (trunk.state.bodies.memories, branch.state.bodies.memories) == ({0: 3}, {0: 2})
    assert [seen.n_same for seen in notes.seen] == [0, 3, 3, 5, 5, 3, 3]


class Head(Scripted):
    """Puts the number of turns into the head of the request, or into its first message, from the third turn on."""

    name: ClassVar[str] = "head"

    def __init__(self, *, i_message: int | None, has_own_threshold: bool = False) -> None:
        """In message *i_message*, None: before all; at a threshold of its own, or by the content."""
        super().__init__(self._count)
        self.i_message = i_message
        self.has_own_threshold = has_own_threshold

    def _count(self, seen: Body) -> BodyPlan:
        n = (seen.memory or 0) + 1
        at = bytes(seen.request.raw).index(b'"go"') + 3
        edit = BodyEdit(start=at, stop=at, new=b"%d" % max(n, 2), i_message=self.i_message)
        return BodyPlan(edits=(edit,), memory=n)


@pytest.mark.parametrize("i_message", [None, 0])
@pytest.mark.parametrize(("has_own_threshold", "is_free"), [(False, True), (True, False)])
def test_what_a_component_of_bodies_resets_is_free(
    i_message: int | None, *, has_own_threshold: bool, is_free: bool
) -> None:
    """All is sent anew, so that old outputs may go; not where it acts for the size, which would then be another."""
    walk = Walk(_with((Head(i_message=i_message, has_own_threshold=has_own_threshold),), Age()))
    walk.send(_history(A), shared=0, held=NOTHING)
    assert walk.send(_history(A, B), shared=3, held=known(3)) == {2: A, 4: B}
    sent = walk.send(_history(A, B, C), shared=5, held=known(5))
    assert [text.startswith("old") for text in sent.values()] == [is_free, is_free, False]


class Passes(Scripted):
    """Puts a word into the head of the request, or into its first message, but not from the third turn on."""

    name: ClassVar[str] = "passes"

    def __init__(self, *, i_message: int | None) -> None:
        """In message *i_message*, None: before all."""
        super().__init__(self._count)
        self.i_message = i_message

    def _count(self, seen: Body) -> BodyPlan:
        n = (seen.memory or 0) + 1
        at = bytes(seen.request.raw).index(b'"go"') + 3
        edit = BodyEdit(start=at, stop=at, new=b"!", i_message=self.i_message)
        return BodyPlan(edits=(edit,) if n < 3 else (), memory=n)


@pytest.mark.parametrize(("i_message", "is_free"), [(None, True), (0, False)])
def test_what_a_component_of_bodies_gives_back_is_a_reset_of_the_head(i_message: int | None, *, is_free: bool) -> None:
    """What it changed in a message may stand in a summary by now, and is none."""
    walk = Walk(_with((Passes(i_message=i_message),), Age()))
    walk.send(_history(A), shared=0, held=NOTHING)
    assert walk.send(_history(A, B), shared=3, held=known(3)) == {2: A, 4: B}
    sent = walk.send(_history(A, B, C), shared=5, held=known(5))
    assert [text.startswith("old") for text in sent.values()] == [is_free, is_free, False]


MARK: Json = {"cache_control": {"type": "ephemeral"}}
TRACKER: Json = {"name": "mcp__tracker", "description": "d", "input_schema": {"type": "object"}}


@pytest.mark.parametrize(("then", "now"), [({}, MARK), (MARK, {})])
def test_a_mark_that_comes_or_goes_with_a_tool_that_is_taken_out_resets_nothing(then: Json, now: Json) -> None:
    """The model reads the same tools, so what is held stays held."""
    walk = Walk(_with((Toolfilter(remove=("mcp__tracker",)),), Age()))
    walk.send(_history(A, tools=[*TOOLS, {**TRACKER, **then}]), shared=0, held=NOTHING)
    walk.send(_history(A, B, tools=[*TOOLS, {**TRACKER, **then}]), shared=3, held=known(3))
    sent = walk.send(_history(A, B, C, tools=[*TOOLS, {**TRACKER, **now}]), shared=5, held=known(5))
    assert sent == {2: A, 4: B, 6: C}
    assert walk.last.rewritten_from is None


def test_a_mark_that_a_split_block_loses_resets_nothing() -> None:
    """With three marks of the client's the split has no place for a second one: the text stays split as it was."""
    system = [{"type": "text", "text": "You are an agent. " * 300 + "\ngitStatus:\nclean", **MARK}]
    walk = Walk(_with((Cachesplit(min_tokens=10),), Age()))
    for n, held in ((1, NOTHING), (2, known(3)), (3, known(5))):
        made = _history(*(A, B, C)[:n], system=system)
        for k in range(1, n + 1):
            made["messages"][-2 * k + 1]["content"][0].update(MARK)
        sent = walk.send(made, shared=held.n_messages, held=held)
        assert [*sent.values()] == [*(A, B, C)[:n]]
        assert walk.last.rewritten_from is None
    assert walk.last.edits


def test_components_of_bodies_are_told_what_outputs_are_rewritten() -> None:
    """The first message that is sent otherwise than on the turn before; decisions of earlier turns are no news."""
    notes = Notes()
    walk = Walk(_with((notes,), Age(), rule=HeldRule.IGNORE))
    walk.send(_history(A), shared=0, held=NOTHING)
    walk.send(_history(A, B), shared=3, held=known(3))
    walk.send(_history(A, B, C), shared=5, held=known(5))
    walk.send(_history(A, B, C), shared=7, held=known(7))
    assert [seen.rewritten_from for seen in notes.seen] == [None, 2, 4, None]


def test_edited_lane_says_how_much_of_it_is_the_same() -> None:
    """The memory comes back whole; the component is told from which message on the lane is another."""
    notes = Notes()
    walk = Walk(_with((notes,)))
    walk.send(_history(A, B, C), shared=0, held=NOTHING)
    walk.send(body(GO, *turn(0, A), said("x"), user("y"), *turn(1, B)), shared=3, held=known(3))
    assert (notes.seen[1].memory, notes.seen[1].n_same) == (1, 3)
    assert truncated(walk.state, 2).bodies == walk.state.bodies


def test_components_of_bodies_see_what_those_of_slots_did() -> None:
    """The ranges of their decisions with what each saves, on the turn itself and on all later ones."""
    looks = Scripted(lambda _seen: Skip(reason="idle"))
    walk = Walk(_with((looks,), Drop()))
    walk.send(_history(A), shared=0, held=NOTHING)
    walk.send(_history(A, B), shared=3, held=known(3))
    for n, seen in enumerate(looks.seen, 1):
        raw = bytes(seen.request.raw)
        assert [raw[start:stop] for start, stop in seen.taken] == [b'"%b"' % text.encode() for text in (A, B)[:n]]
        assert seen.taken_tokens == (60 - 23,) * n
    assert looks.seen[1].sent_tokens == walk.last.before_tokens - 2 * (60 - 23)
    assert [one.skips for one in walk.last.bodies] == [("idle",)]


def test_edit_around_a_slot_takes_its_place() -> None:
    """The slot's decision stays with the lane, and stands again where the edit does not."""

    def once(seen: Body) -> BodyPlan:
        (start, stop), tokens = seen.taken[0], 60 - 23 + 10
        edits = (BodyEdit(start=start, stop=stop, new=b'"note"', saved_tokens=tokens - 37, i_message=2),)
        return BodyPlan(edits=edits if seen.memory is None else (), memory=1)

    walk = Walk(_with((Scripted(once),), Drop()))
    assert walk.send(_history(A), shared=0, held=NOTHING) == {2: "note"}
    assert walk.last.after_tokens == walk.last.before_tokens - 47
    assert walk.send(_history(A, "small"), shared=3, held=known(3)) == {2: marker(_key(A)), 4: "small"}
    assert walk.last.rewritten_from == 2
    assert walk.last.after_tokens == walk.last.before_tokens - 37


def _key(text: str) -> str:
    """The key of a text's marker, by the state that has it."""
    walk = Walk(stepper(Drop()))
    return walk.send(_history(text), shared=0, held=NOTHING)[2][5:21]


def test_first_request_of_a_lane_rewrites_nothing() -> None:
    """There is nothing that was sent before."""
    walk = Walk(_with((Notes(),)))
    walk.send(_history(A), shared=0, held=NOTHING)
    assert walk.last.rewritten_from is None
    walk.send(_history(A, B), shared=3, held=known(3))
    assert walk.last.rewritten_from == 0


def test_kept_view_has_no_bytes_of_the_request() -> None:
    """A lane keeps what was found out about its messages, and not the body of its last request."""
    walk = Walk(_with((Scripted(lambda seen: Skip(reason=seen.view.text(0)[:1])),)))
    walk.send(_history(A), shared=0, held=NOTHING)
    kept = walk.state.view
    assert kept is not None
    assert len(kept.outputs) == 1
    with pytest.raises(AssertionError, match="let go"):
        kept.text(0)
    assert Walk(stepper(Drop())).state.view is None
