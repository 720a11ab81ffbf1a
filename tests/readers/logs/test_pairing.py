"""Which answer belongs to which request: by id, by order where one is open, else to none."""

from __future__ import annotations

import pytest

from cgcli.readers.derived import Missed
from cgcli.readers.logs.pairing import MOST_WAITING, Call, Pairs


def _asked(pairs: Pairs, *names: str, session: str | None = "s") -> dict[str, Call]:
    """Requests without ids, told on lines from 1."""
    calls = {name: Call(line=i, session=session) for i, name in enumerate(names, 1)}
    for call in calls.values():
        pairs.ask(call)
    return calls


def _reason(found: Call | Missed) -> str:
    assert isinstance(found, Missed)
    assert found.passed.usable
    return found.passed.reason


def test_the_one_open_request_is_answered() -> None:
    """Whatever its session's name is; one of another session does not count."""
    pairs = Pairs()
    mine, other = _asked(pairs, "a"), _asked(pairs, "b", session="t")
    assert pairs.answered("s", None, 9) is mine["a"]
    assert pairs.answered("t", None, 9) is other["b"]


def test_ids_tell_whatever_the_order() -> None:
    """Three are open; each is found by its own."""
    pairs = Pairs()
    calls = [Call(line=i, session="s", request_id=f"r{i}") for i in range(3)]
    for call in calls:
        pairs.ask(call)
    assert [pairs.answered("s", f"r{i}", 9) for i in (2, 0, 1)] == [calls[2], calls[0], calls[1]]


def test_two_open_requests_make_the_answer_ambiguous_and_the_next_one_too() -> None:
    """Two answers come for two requests, and none is given to either; the request after them is certain again."""
    pairs = Pairs()
    both = _asked(pairs, "a", "b")
    assert [_reason(pairs.answered("s", None, 9)) for _ in range(2)] == ["ambiguous", "ambiguous"]
    assert [call.is_done for call in both.values()] == [True, True]
    assert pairs.answered("s", None, 9) is not both["a"]
    later = _asked(pairs, "c")
    assert pairs.answered("s", None, 9) is later["c"]


def test_a_request_sent_while_answers_are_owed_is_owed_one_too() -> None:
    """One of two open ones was answered, so of two that come then no one can tell either."""
    pairs = Pairs()
    _asked(pairs, "a", "b")
    assert _reason(pairs.answered("s", None, 9)) == "ambiguous"
    third = _asked(pairs, "c")["c"]
    assert third.is_done
    assert [_reason(pairs.answered("s", None, 9)) for _ in range(2)] == ["ambiguous", "ambiguous"]
    assert _reason(pairs.answered("s", None, 9)) == "unpaired"


def test_what_ends_a_session_ends_what_is_owed() -> None:
    """Nothing can be under way when the next prompt comes."""
    pairs = Pairs()
    _asked(pairs, "a", "b")
    assert _reason(pairs.answered("s", None, 9)) == "ambiguous"
    pairs.end("s")
    later = _asked(pairs, "c")
    assert pairs.answered("s", None, 9) is later["c"]


def test_an_answer_to_nothing_is_unpaired() -> None:
    """Also one whose id nobody has, where the open request has another."""
    pairs = Pairs()
    assert _reason(pairs.answered("s", None, 9)) == "unpaired"
    pairs.ask(Call(line=1, session="s", request_id="r1"))
    assert _reason(pairs.answered("s", "r2", 9)) == "unpaired"


def test_an_id_that_two_requests_have_tells_nothing() -> None:
    """A retry under the same id."""
    pairs = Pairs()
    for line in (1, 2):
        pairs.ask(Call(line=line, session="s", request_id="r"))
    assert _reason(pairs.answered("s", "r", 9)) == "ambiguous"


def test_an_answer_with_an_id_may_be_that_of_the_one_request_without() -> None:
    """Where only the answers have ids, order tells."""
    pairs = Pairs()
    call = _asked(pairs, "a")["a"]
    assert pairs.answered("s", "r", 9) is call


def test_requests_come_out_in_the_order_in_which_they_were_sent() -> None:
    """The first one waits, so the second, which is done, waits too."""
    pairs = Pairs()
    calls = _asked(pairs, "a", "b")
    calls["b"].is_done = True
    assert list(pairs.ready()) == []
    calls["a"].is_done = True
    assert list(pairs.ready()) == list(calls.values())


@pytest.mark.parametrize("more", [0, 1, 5])
def test_so_many_wait_and_no_more(more: int) -> None:
    """Requests that are never answered do not keep the others from coming out."""
    pairs = Pairs()
    _asked(pairs, *(f"{i}" for i in range(MOST_WAITING + more)))
    assert [call.line for call in pairs.ready()] == list(range(1, more + 1))
    assert len(list(pairs.ready(all_of_them=True))) == MOST_WAITING
