"""A lane's decisions as byte ranges: what a summary stands for goes with it, and the outermost edit wins."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.splicing import edits
from cgcli.compaction.state import Decision, SlotState
from cgcli.compaction.summaries.state import Applied
from cgcli.model import Digest
from tests.lanes.placing import body, request, turn, user

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.compaction.splicing import Placed

RECORD = body(user("go"), *turn(0, "aaaa"), *turn(1, "bbbb"), user("on"))
MADE = request(RECORD)
RAW = bytes(MADE.raw)


def _decision(literal: str) -> Decision:
    return Decision(
        literal=literal.encode(),
        original=Digest(b"was"),
        replacement=Digest(b"is"),
        fired=(),
        saved_tokens=1,
        is_reversible=True,
        style=None,
    )


def _slot(i_message: int, literal: str | None) -> SlotState:
    decision = _decision(literal) if literal is not None else None
    return SlotState(i_message=i_message, i_part=0, tokens=4, seen=(), decision=decision, skips=(), is_open=False)


def _at(text: str) -> tuple[int, int]:
    start = RAW.index(text.encode())
    return start, start + len(text)


def _shown(
    slots: Sequence[SlotState], applied: Sequence[Applied] = (), others: Sequence[Placed] = ()
) -> list[tuple[int, int, str]]:
    return [(start, stop, one.literal.decode()) for start, stop, one in edits(MADE, slots, applied, others)]


A, B = (_at('"aaaa"'), _at('"bbbb"'))
SLOTS = (_slot(2, '"a"'), _slot(4, '"b"'))


def test_slot_s_decision_stands_at_its_string() -> None:
    """From quote to quote; a slot without a decision has no edit."""
    assert _shown(SLOTS) == [(*A, '"a"'), (*B, '"b"')]
    assert _shown((_slot(2, None), SLOTS[1])) == [(*B, '"b"')]


def test_slots_inside_a_summary_go_with_it() -> None:
    """The summary replaces its messages, from the first byte of the first to the last byte of the last."""
    one = Applied(start=1, stop=3, decision=_decision('{"summary"}'), tokens=3)
    start = MADE.starts[1]
    stop = MADE.starts[2] + MADE.messages[2].size_bytes
    assert _shown(SLOTS, (one,)) == [(start, stop, '{"summary"}'), (*B, '"b"')]
    assert json.loads(RAW[start:stop].split(b', {"role": "user"')[0])["role"] == "assistant"


def test_edits_inside_a_summary_are_dropped() -> None:
    """Whoever made them; those beside it stay."""
    one = Applied(start=1, stop=3, decision=_decision('{"summary"}'), tokens=3)
    inside, beside = (*_at("aa"), _decision("x")), (*_at('on"}'), _decision("y"))
    found = _shown((), (one,), (inside, beside))
    assert [literal for _, _, literal in found] == ['{"summary"}', "y"]


@pytest.mark.parametrize("whole", [B, (B[0] - 3, B[1] + 3)])
def test_slot_goes_with_an_edit_around_it(whole: tuple[int, int]) -> None:
    """An edit of the same bytes, or of more, is later than the slot's."""
    assert _shown(SLOTS, (), ((*whole, _decision("new")),)) == [(*A, '"a"'), (*whole, "new")]


def test_of_two_edits_of_the_same_bytes_the_later_one_stands() -> None:
    """And of two that are nested the outer one."""
    both = ((*B, _decision("first")), (*B, _decision("second")))
    assert _shown((), (), both) == [(*B, "second")]
    nested = ((*B, _decision("outer")), (B[0] + 1, B[1], _decision("inner")))
    assert _shown((), (), nested) == _shown((), (), nested[::-1]) == [(*B, "outer")]


def test_what_is_put_in_beside_a_replaced_range_stays() -> None:
    """At its first byte it stands before it, at its end behind it; inside it goes."""
    marks = [(at, at, _decision(sign)) for at, sign in ((B[0], "<"), (B[0] + 1, "!"), (B[1], ">"))]
    assert _shown(SLOTS, (), marks) == [(*A, '"a"'), (B[0], B[0], "<"), (*B, '"b"'), (B[1], B[1], ">")]
    assert _shown(SLOTS, (), marks[::-1]) == _shown(SLOTS, (), marks)


def test_edits_come_in_the_order_of_the_bytes() -> None:
    """Whatever the order of their steps."""
    others = ((*_at('on"}'), _decision("y")), (*_at('go"}'), _decision("x")))
    assert [literal for _, _, literal in _shown(SLOTS, (), others)] == ["x", '"a"', '"b"', "y"]
