"""G-STORM."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.checks.base import Verdict
from cgcli.checks.gates.storm import Storm
from tests.forking import HEAD, Json, bodies, fork, history, lane, run, run_fixture, said, user

if TYPE_CHECKING:
    from cgcli.checks.base import Result

GATE = Storm()
PASTED = "a pasted line of text that nobody can remove; " * 200


def judged(*found: Json) -> Result:
    """The gate over a file of these bodies."""
    return run(GATE, bodies(*found))


def view(n_turns: int, *, first: str = PASTED) -> Json:
    """A request of a long conversation: its pasted first message, and the newest two turns."""
    return {**HEAD, "messages": [user(first), *history(n_turns)[-4:]]}


def test_the_failing_fixture_rewrites_four_times() -> None:
    """Lines 4 to 7 each move the window, and the last is larger than the request before them."""
    result = run_fixture(GATE, "failing")
    assert (result.verdict, result.checked, result.unit) == (Verdict.FAIL, 7, "pairs of requests")
    assert [(f.line, f.i_exchange, f.kind, f.message) for f in result.findings] == [
        (
            4,
            3,
            "rewrites",
            (
                "4 requests in a row rewrite what was sent before and get no smaller, up to line 7: "
                "16,282 bytes before them, 16,748 in the last"
            ),
        )
    ]


def test_the_passing_fixture_frees_much_once() -> None:
    """One rewrite that drops the pasted text."""
    result = run_fixture(GATE, "passing")
    assert (result.verdict, result.checked, result.findings) == (Verdict.PASS, 5, ())


def test_the_vacuous_fixture_is_one_request() -> None:
    """Nothing follows anything."""
    result = run_fixture(GATE, "vacuous")
    assert (result.verdict, result.checked) == (Verdict.VACUOUS, 0)
    assert result.reason == "no request follows another one of its conversation"


@pytest.mark.parametrize(("n", "verdict"), [(3, Verdict.PASS), (4, Verdict.FAIL)])
def test_three_rewrites_in_a_row_are_a_storm(n: int, verdict: Verdict) -> None:
    """Three views after one another are two rewrites; a fourth makes a storm."""
    assert judged(*(view(i) for i in range(2, 2 + n))).verdict is verdict


def test_an_append_in_between_ends_the_row() -> None:
    """Two rewrites, a turn that only adds, two rewrites: no storm."""
    grown = {**HEAD, "messages": [*view(4)["messages"], *history(5)[-2:]]}
    assert judged(view(2), view(3), view(4), grown, view(6), view(7)).verdict is Verdict.PASS


def test_rewrites_that_free_five_percent_are_none() -> None:
    """The window moves each turn, and the pasted text at its end is 900 characters shorter than the turn before."""
    kept = [(user("Build."), *history(i)[-6:], user(PASTED[: 9000 - 900 * i])) for i in range(3, 9)]
    result = judged(*({**HEAD, "messages": list(messages)} for messages in kept))
    assert (result.verdict, result.checked) == (Verdict.PASS, 5)


def test_questions_behind_one_example_are_no_storm() -> None:
    """Each request has the same first messages and another question: conversations of their own, none a rewrite."""
    asked = [{**HEAD, "messages": [*history(1), said(i), user(f"Question {i}: " + PASTED)]} for i in range(3, 9)]
    assert judged(*asked).verdict is not Verdict.FAIL


def test_a_broken_fork_every_turn_is_no_storm() -> None:
    """Calls of a view that was never sent rewrite nothing of the lane, which goes on as before."""
    sent = lane(8)
    found = [body for i in range(3, 8) for body in (sent[i], fork(view(i, first="Build every part.")))]
    assert judged(*found).verdict is Verdict.PASS


@pytest.mark.parametrize(("n_sent", "verdict"), [(3, Verdict.PASS), (4, Verdict.FAIL)])
def test_three_repeats_in_a_row_are_a_storm(n_sent: int, verdict: Verdict) -> None:
    """The same request three times is a retry or two; a fourth time fails."""
    sent = lane(3)
    result = judged(sent[0], *[sent[1]] * n_sent, sent[2])
    assert result.verdict is verdict
    if verdict is Verdict.FAIL:
        assert [(f.line, f.kind, f.message) for f in result.findings] == [
            (3, "repeats", "the same request is sent again 3 times in a row, up to line 5")
        ]


def test_a_repeat_with_another_parameter_is_none() -> None:
    """Sent again with less effort each time: a fallback, not the same request."""
    sent = lane(2)[1]
    efforts = [{**sent, "output_config": {"effort": effort}} for effort in ("max", "medium", "low", "high")]
    assert judged(*efforts).verdict is Verdict.PASS


def test_a_batch_is_not_judged() -> None:
    """Independent requests may all be the same."""
    rows = [{"custom_id": str(i), "params": lane(2)[1]} for i in range(6)]
    assert judged(*rows).verdict is Verdict.VACUOUS
