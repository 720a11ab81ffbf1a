"""Conversations that go on after what they repeat was worded otherwise: edits, and no new threads."""

from __future__ import annotations

import pytest

from tests.lanes.placing import Json, body, called, of_bodies, output, said, turn, user

GO = user("Go.")
CHAT: Json = {"model": "gpt-4.1", "system": None}


def prompt(words: str) -> Json:
    """A system message."""
    return {"role": "system", "content": words}


def relations(*bodies: Json) -> list[tuple[str, int, int]]:
    """What each request is to the thread it was put in."""
    return of_bodies(bodies)[0]


def test_an_output_that_was_elided_right_away() -> None:
    """The one output of the request before is a placeholder now, and the conversation goes on."""
    assert relations(body(GO, *turn(1, "a log")), body(GO, *turn(1, "(omitted)"), *turn(2))) == [
        ("new", 0, 0),
        ("edits", 0, 2),
    ]


def test_all_outputs_at_once() -> None:
    """Outputs under the same calls reappear, whatever they say now."""
    before = (GO, *turn(1, "a"), *turn(2, "b"), *turn(3, "c"))
    after = (GO, *turn(1, "x"), *turn(2, "y"), *turn(3, "z"), said("Done."))
    assert relations(body(*before), body(*after)) == [("new", 0, 0), ("edits", 0, 2)]


def test_a_reminder_that_is_taken_out_of_the_last_question() -> None:
    """The next request has the answer to the question with the reminder, behind the question without it."""
    before = (GO, said("Yes."), user("Next. (Mind the tide.)"))
    assert relations(body(*before), body(GO, said("Yes."), user("Next."), said("Done."), user("Bye."))) == [
        ("new", 0, 0),
        ("edits", 0, 2),
    ]


def test_a_question_that_was_asked_otherwise_is_another_way() -> None:
    """Until it goes on with an answer nobody knows; a request that ends on other words branches off."""
    before = (GO, said("Yes."), user("One."))
    assert relations(body(*before), body(GO, said("Yes."), user("Two."))) == [("new", 0, 0), ("branches", 1, 2)]


def test_other_calls_are_another_way() -> None:
    """Outputs of calls that were not made before do not reappear."""
    before = (GO, *turn(1), *turn(2), *turn(3))
    after = (GO, *turn(7), *turn(8), *turn(9), said("Done."))
    assert relations(body(*before), body(*after)) == [("new", 0, 0), ("branches", 1, 1)]


@pytest.mark.parametrize("role", ["system", "developer"])
def test_a_system_message_with_other_words(role: str) -> None:
    """Where the prompt is the first message, the conversation under another one is an edit that shares nothing."""
    bodies = [
        body({"role": role, "content": words}, *messages, **CHAT)
        for words, messages in (
            ("It is 14:05.", (GO,)),
            ("It is 14:06.", (GO, said("Yes."), user("More."))),
            ("It is 14:07.", (GO, said("Yes."), user("More."), said("Done."), user("Bye."))),
        )
    ]
    assert relations(*bodies) == [("new", 0, 0), ("edits", 0, 0), ("edits", 0, 0)]
    assert of_bodies(bodies)[1] == [("main", [("main", [1, 2, 3])])]


def test_two_agents_with_one_task_stay_apart() -> None:
    """The same first words under two prompts are two conversations, until one goes on with the other's answer."""
    one, two = prompt("You plan."), prompt("You check.")
    bodies = [
        body(one, GO, **CHAT),
        body(two, GO, **CHAT),
        body(one, GO, said("A plan."), user("More."), **CHAT),
        body(two, GO, said("A check."), user("More."), **CHAT),
    ]
    assert relations(*bodies) == [("new", 0, 0), ("new", 1, 0), ("extends", 0, 2), ("extends", 1, 2)]


def test_a_call_and_its_output_are_no_question() -> None:
    """What a side call asked is not what the main line goes on from."""
    bodies = [
        body(GO, *turn(1)),
        body(GO, *turn(1), user("Summarise the conversation.")),
        body(GO, *turn(1), called(2), output(2, "ok")),
    ]
    assert [relation for relation, _, _ in relations(*bodies)] == ["new", "extends", "returns"]


def test_an_opening_with_other_words() -> None:
    """A date in the first message: known by the answers that come again; until there are any it is another task."""
    opened = [user(f"Day {n}. Build.") for n in range(3)]
    assert relations(body(opened[0]), body(opened[1], *turn(1)), body(opened[2], *turn(1), *turn(2))) == [
        ("new", 0, 0),
        ("new", 1, 0),
        ("edits", 1, 0),
    ]


@pytest.mark.parametrize(
    "after",
    [
        body(user("Day 2."), *turn(1), *turn(2), tools=[]),
        body(user("Day 2."), *turn(7), *turn(1), *turn(5)),
        body(user("Day 2."), *turn(1), *turn(5)),
        body(user("Day 2."), turn(1)[0], *turn(7), *turn(8)),
        body(user("Day 2."), *turn(1), *turn(5), user("Write a summary of this conversation.")),
    ],
    ids=["other tools", "other answer first", "no longer", "less than half again", "a summariser call"],
)
def test_an_opening_of_another_conversation(after: Json) -> None:
    """It takes the same head and first answer, half of the messages and more of them, in a turn of its own."""
    assert relations(body(user("Day 1."), *turn(1), *turn(5)), after)[1] == ("new", 1, 0)


def test_a_reminder_of_its_own_that_is_left_out() -> None:
    """It stands last, is answered, and the next request has the answer without it."""
    asked = [body(GO, user("Mind 1.")), body(GO, *turn(1), user("Mind 2.")), body(GO, *turn(1), *turn(2))]
    assert relations(*asked) == [("new", 0, 0), ("edits", 0, 1), ("edits", 0, 3)]


def test_a_question_that_was_a_summariser_call_is_not_left_out() -> None:
    """Its answer is not what the conversation goes on with."""
    call = body(GO, *turn(1), user("Write a summary of this conversation."))
    assert relations(call, body(GO, *turn(1), *turn(2))) == [("new", 0, 0), ("branches", 1, 3)]
