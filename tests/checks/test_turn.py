"""A turn: a request beside the one that it is compared with."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from cgcli.checks.run import Allowed, check
from cgcli.checks.turn import static_items
from cgcli.model import Section
from cgcli.prefix.spelling import Spelling
from cgcli.readers import read
from tests.checks.gated import BASH, Json, body, lines, said, turn, user

if TYPE_CHECKING:
    from cgcli.checks.turn import Turn

GO = user("Go.")
MARK = {"cache_control": {"type": "ephemeral"}}


class Keeping:
    """An observer that keeps all turns."""

    def __init__(self) -> None:
        """Nothing is kept yet."""
        self.turns: list[Turn] = []

    def see(self, turn: Turn) -> None:
        """Keep it."""
        self.turns.append(turn)


def turns(*bodies: Json) -> list[Turn]:
    """The turns of a file with these bodies."""
    keeping = Keeping()
    check(read(BytesIO(lines(bodies)), file="made.jsonl"), [], Allowed(), {}, observers=[keeping])
    return keeping.turns


def test_turns_are_numbered_in_the_file_and_in_their_thread() -> None:
    """Two conversations in turn: each counts its own, and fresh messages are those that its thread did not have."""
    other = user("Name the cranes.")
    seen = turns(body(GO), body(other), body(GO, *turn(1)), body(other, *turn(2)), body(GO, *turn(1), *turn(3)))
    assert [(one.i_exchange, one.line, one.thread, one.number) for one in seen] == [
        (0, 1, 0, 1),
        (1, 2, 1, 1),
        (2, 3, 0, 2),
        (3, 4, 1, 2),
        (4, 5, 0, 3),
    ]
    assert [list(one.fresh) for one in seen] == [[0], [0], [1, 2], [1, 2], [3, 4]]
    assert [one.before is None for one in seen] == [True, True, False, False, False]
    assert [one.breaks for one in seen] == [None] * 5


def test_a_break_stands_at_a_byte_of_the_body() -> None:
    """Counted from the body's first byte; None where the place is not in it."""
    before, after = body(GO, *turn(1, "one")), body(GO, *turn(1, "two"), *turn(2))
    _, broken = turns(before, after)
    assert broken.breaks is not None
    assert broken.break_byte == lines([after]).index(b'"two"') + 1
    assert broken.byte_of(Section.TOOLS, 0, 0) == lines([after]).index(b'{"name":"Bash"')
    assert broken.byte_of(Section.SYSTEM, 0, 1) == lines([after]).index(b'"You are') + 1
    assert (broken.byte_of(Section.MESSAGES, 99, 0), broken.byte_of(Section.MESSAGES, 0, None)) == (None, None)
    _, shorter = turns(body(GO, *turn(1), tools=[BASH, {**BASH, "name": "B"}]), body(GO, *turn(1), *turn(2)))
    assert shorter.breaks is not None
    assert shorter.break_byte is None


def test_a_break_in_a_body_that_is_a_string_counts_in_the_body() -> None:
    """What escapes the container puts in front of quotes does not count."""
    import json  # noqa: PLC0415

    before, after = body(GO, *turn(1, "one")), body(GO, *turn(1, "two"), *turn(2))
    inner = [lines([one]).decode().strip() for one in (before, after)]
    records: list[Json] = [{"request": {"body": text}} for text in inner]
    keeping = Keeping()
    check(read(BytesIO(lines(records)), file="made.jsonl"), [], Allowed(), {}, observers=[keeping])
    assert keeping.turns[1].break_byte == inner[1].index('"two"') + 1
    assert json.loads(inner[1])["messages"][2]["content"][0]["content"] == "two"


def test_respelled_messages_are_named_once() -> None:
    """Only messages that read the same in other bytes: not the new ones, not the edited ones, not the equal ones."""
    string, marked = said("Yes."), {"role": "assistant", "content": [{"type": "text", "text": "Yes.", **MARK}]}
    tail = {"role": "user", "content": [{"type": "text", "text": "More.", **MARK}]}
    seen = turns(
        body(GO, string, tail),
        body(GO, marked, user("More."), said("Done.")),
        body(GO, marked, user("More."), said("Done."), user("Bye.")),
    )
    assert [one.respelled() for one in seen] == [
        [],
        [(1, Spelling.STRING_OR_LIST), (2, Spelling.STRING_OR_LIST)],
        [],
    ]


def test_static_items_are_tools_then_system() -> None:
    """In cache order; none where there are none."""
    (one,) = turns(body(GO))
    assert [item.section for item in static_items(one.request)] == [Section.TOOLS, Section.SYSTEM]
    (bare,) = turns(body(GO, tools=None, system=None))
    assert static_items(bare.request) == ()
