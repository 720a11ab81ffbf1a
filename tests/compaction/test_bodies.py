"""Components of bodies in a row: later ones see and may take out what earlier ones did; a fault reverts one alone."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.body import BodyEdit, BodyPlan
from cgcli.compaction.component import Skip
from cgcli.compaction.components.taken import is_cut
from cgcli.compaction.state import NO_BODIES
from tests.compaction.scripted import (
    RAW,
    WORDS,
    First,
    Second,
    Stashing,
    Third,
    at,
    does,
    edited,
    put,
    swap,
    told,
    words,
)

if TYPE_CHECKING:
    from cgcli.compaction.body import Body


def test_edits_of_all_stand_in_the_request() -> None:
    """Each component's edits are spliced in, in the order of the bytes and not of the components."""
    done = edited(First(does(swap("seven", "7"))), Second(does(swap("two", "2"))))
    assert words(done) == "zero one 2 three four five six 7 eight nine"
    assert [start for start, _, _ in done.edits] == [at("two")[0], at("seven")[0]]
    assert {name: one.saved_tokens for name, one in told(done).items()} == {"first": 4, "second": 2}
    assert done.state.saved_tokens == 6


def test_component_sees_what_the_ones_before_replace() -> None:
    """Their ranges with what each saves, in order, and the tokens that are left."""
    last = Third(lambda _body: Skip(reason="idle"))
    edited(First(does(swap("seven", "7"))), Second(does(swap("two", "2"))), last, taken=((*at("five"), 3),))
    (body,) = last.seen
    assert body.taken == (at("two"), at("five"), at("seven"))
    assert body.taken_tokens == (2, 3, 4)
    assert body.sent_tokens == 1000 - 3 - 4 - 2
    assert body.saved_in(at("two")[0], at("five")[1]) == 5
    assert body.saved_in(at("two")[0] + 1, at("five")[1]) == 3
    assert is_cut(body.taken, at("five")[0], at("five")[0] + 1)
    assert not is_cut(body.taken, *at("four"))


def test_later_edit_takes_out_an_earlier_one_whole() -> None:
    """The earlier one is gone from the request, and what it saved is what the later one saves."""
    done = edited(
        First(does(swap("two", "2"), swap("seven", "7"))),
        Second(does(swap("one two three", "1-3", saved=8))),
    )
    assert words(done) == "zero 1-3 four five six 7 eight nine"
    assert {name: (len(one.fired), one.saved_tokens) for name, one in told(done).items()} == {
        "first": (1, 4),
        "second": (1, 10),
    }
    assert done.state.saved_tokens == 14 == len(WORDS) - len(words(done))


def test_third_sees_the_outermost_ranges_alone() -> None:
    """What a later edit took out is no range any more, a slot's either; what both save together is told."""
    last = Third(lambda _body: Skip(reason="idle"))
    edited(
        First(does(swap("two", "2"))),
        Second(does(swap("one two three", "1-3", saved=8))),
        last,
        taken=((*at("three"), 4), (*at("nine"), 1)),
    )
    (body,) = last.seen
    assert body.taken == (at("one two three"), at("nine"))
    assert body.taken_tokens == (8 + 2 + 4, 1)
    assert body.sent_tokens == 1000 - 5 - 2 - 8


@pytest.mark.parametrize(
    ("plan", "taken"),
    [
        (does(swap("two three", "x"), swap("three", "y")), ()),
        (does(swap("seven", "7"), swap("two", "2")), ()),
        (does(swap("three four", "x")), ((*at("two three"), 1),)),
        (does(swap("four", "4")), ((*at("three four five"), 1),)),
    ],
)
def test_edits_that_do_not_fit_are_reverted(plan: object, taken: tuple[tuple[int, int, int], ...]) -> None:
    """Over each other, out of order, over the end of what was replaced, or inside it: all of the component's go."""
    assert callable(plan)
    done = edited(First(does(swap("zero", "0"))), Second(plan), Third(does(swap("nine", "9"))), taken=taken)
    assert words(done) == "0 one two three four five six seven eight 9"
    assert {name: one.reverted for name, one in told(done).items()} == {
        "first": None,
        "second": "overlaps",
        "third": None,
    }


def test_edit_inside_an_earlier_component_s_is_reverted() -> None:
    """What was put there is not the input's any more."""
    done = edited(First(does(swap("one two three", "1-3"))), Second(does(swap("two", "2"))))
    assert words(done) == "zero 1-3 four five six seven eight nine"
    assert told(done)["second"].reverted == "overlaps"


def _fails(_body: Body) -> BodyPlan:
    raise ZeroDivisionError("nothing left")


def test_component_that_raises_is_reverted_alone() -> None:
    """The others act; the report has the error. What it remembered stays for the next turn."""
    first = edited(First(does(memory=3)), Second(does(swap("two", "2"))))
    done = edited(First(_fails), Second(does(swap("two", "2"))), before=first.state)
    assert words(done) == "zero one 2 three four five six seven eight nine"
    fault = told(done)["first"]
    assert (fault.reverted, fault.detail) == ("raised", "ZeroDivisionError('nothing left')")
    assert done.state.memories[0] == 3


@pytest.mark.parametrize("saved", [0, -3])
def test_content_that_leaves_for_nothing_is_reverted(saved: int) -> None:
    """A component that takes content out must save something; one that takes none need not."""
    edit = swap("two", "2", saved=saved)
    assert words(edited(Stashing(does(edit)))) == WORDS
    assert told(edited(Stashing(does(edit))))["stashing"].reverted == "grew"
    assert words(edited(First(does(edit)))) == "zero one 2 three four five six seven eight nine"
    assert told(edited(Stashing(does())))["stashing"].reverted is None


def test_what_is_put_in_at_an_end_of_what_goes_stays() -> None:
    """A mark beside a replaced range is not part of it; one inside it goes with it."""
    start, stop = at("two")
    marks = First(does(put(start, "<"), put(start + 1, "!"), put(stop, ">")))
    done = edited(marks, Second(does(swap("two", "2"))))
    assert words(done) == "zero one <2> three four five six seven eight nine"
    assert len(told(done)["first"].fired) == 2
    assert words(edited(Second(does(swap("two", "2"))), marks)) == "zero one 2 three four five six seven eight nine"
    ends = First(does(put(start, "<"), put(stop, ">")))
    assert words(edited(Second(does(swap("two", "2"))), ends)) == words(done)


def test_skip_and_reasons_are_told() -> None:
    """A skip of the whole, or of single candidates."""
    done = edited(First(lambda _body: Skip(reason="none_declared")), Second(does(skips=("called", "called"))))
    assert told(done)["first"].skips == ("none_declared",)
    assert told(done)["second"].skips == ("called", "called")
    assert (done.edits, done.rewritten_from) == ((), None)


def test_memory_is_each_component_s_own() -> None:
    """It comes back on the next turn, to the place in the policy that it is from; a skip leaves it."""
    counting = [
        First(lambda body: BodyPlan(memory=(body.memory or 0) + 1)),
        First(lambda body: BodyPlan(memory=(body.memory or 0) + 10)),
    ]
    done = edited(*counting)
    done = edited(*counting, before=done.state)
    assert done.state.memories == {0: 2, 1: 20}
    done = edited(First(lambda _body: Skip(reason="idle")), counting[1], before=done.state)
    assert done.state.memories == {0: 2, 1: 30}


def test_only_what_reads_otherwise_than_before_is_a_rewrite() -> None:
    """New edits and lost ones of the messages that are the same; marks and what was sent so before are none."""
    two, nine = swap("two", "2", i_message=0), swap("Yes.", "Y", i_message=1)
    first = edited(First(does(two)))
    assert first.rewritten_from == 0
    assert edited(First(does(two)), before=first.state, n_same=3).rewritten_from is None
    both = edited(First(does(two, nine)), before=first.state, n_same=3)
    assert both.rewritten_from == 1
    assert edited(First(does(two)), before=both.state, n_same=3).rewritten_from == 1
    assert edited(First(does(two)), before=both.state, n_same=1).rewritten_from is None
    assert edited(First(does(swap("two", "2", keeps=True)))).rewritten_from is None


def test_later_component_is_told_what_earlier_ones_rewrite() -> None:
    """What is new or gone on this turn; not what stood so before, nor what the later ones did themselves."""
    yes, tools = swap("Yes.", "Y", i_message=1), swap("Runs a command.", "Runs.", i_message=None)
    mine = swap("two", "2", i_message=0)
    plans = ((yes,), (yes,), (tools, yes), (tools, yes), (yes,), (), ())
    state, seen_by_second = NO_BODIES, []
    for plan in plans:
        second = Second(does(mine))
        state = edited(First(does(*plan)), second, before=state, n_same=3).state
        seen_by_second.append(second.seen[0].rewritten_from)
    assert seen_by_second == [1, None, 0, None, 0, 1, None]


def test_tools_are_a_rewrite_only_where_they_change() -> None:
    """An edit of tools or system prompt that stands as it did is none; one that is new or gone is one of everything."""
    tools = swap("Runs a command.", "Runs.", i_message=None)
    first = edited(First(does(tools)))
    assert first.rewritten_from == 0
    assert edited(First(does(tools)), before=first.state, n_same=3).rewritten_from is None
    assert edited(First(does()), before=first.state, n_same=3).rewritten_from == 0
    assert edited(First(does(swap("Runs a command.", "R.", i_message=None))), before=first.state).rewritten_from == 0


def test_decision_keeps_what_stood_there() -> None:
    """The digests are those of the bytes before and after; the change is the same one on every turn."""
    done = edited(First(does(swap("two", "2"))))
    ((start, stop, decision),) = done.edits
    assert RAW[start:stop] == b"two"
    assert decision.original == sha256(b"two").digest()
    assert decision.replacement == sha256(b"2").digest()
    assert decision.is_reversible
    assert told(done)["first"].fired == (sha256(sha256(b"two").digest() + sha256(b"2").digest()).digest(),)


def test_component_may_count_its_changes_otherwise() -> None:
    """One change in several edits is one."""
    edits = (swap("two", "2"), swap("seven", "7"))
    done = edited(First(lambda _body: BodyPlan(edits=edits, n_fired=1)))
    assert (len(told(done)["first"].fired), told(done)["first"].saved_tokens) == (1, 6)


def test_edit_of_nothing_is_disjoint_with_its_neighbours() -> None:
    """Something may be put in right before and right behind what is replaced."""
    start, stop = at("two")
    new = BodyEdit(start=start, stop=stop, new=b"2", saved_tokens=2, i_message=0)
    assert words(edited(First(does(put(start, "("), new, put(stop, ")"))))) == (
        "zero one (2) three four five six seven eight nine"
    )


def test_the_same_text_in_the_place_of_more_is_a_rewrite() -> None:
    """Another tool that goes, or one message more: nothing stands there, as before, but in the place of other text."""
    one = edited(First(does(swap("Bash", "", i_message=None))))
    assert edited(First(does(swap("Runs", "", i_message=None))), before=one.state, n_same=3).rewritten_from == 0
    starts = [at("Yes."), at("Go on.")]
    short, long = (
        BodyEdit(start=starts[0][0], stop=stop, new=b"", saved_tokens=1, i_message=1)
        for stop in (starts[0][1], starts[1][1])
    )
    first = edited(First(does(short)))
    assert edited(First(does(short)), before=first.state, n_same=3).rewritten_from is None
    assert edited(First(does(long)), before=first.state, n_same=3).rewritten_from == 1
