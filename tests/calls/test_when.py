"""When a summary is wanted: the arithmetic, written out, and what is refused."""

from __future__ import annotations

import pytest

from cgcli.calls.call import CallMode
from cgcli.calls.when import When, when
from cgcli.compaction.summaries.state import What
from cgcli.errors import UsageError
from cgcli.providers.windows import window
from tests.compaction.summaries.lane import Lane, history


def test_the_budget_is_the_window_less_half_an_answer_and_a_margin() -> None:
    """200,000 and 64,000 (Claude Sonnet 4.5): 200,000 - 32,000 - 4,096, and its shares rounded down."""
    assert when("claude-sonnet-4-5") == When(
        window_tokens=200_000,
        is_assumed=False,
        budget_tokens=163_904,
        ask_tokens=98_342,
        apply_tokens=150_791,
        target_tokens=81_952,
    )


def test_a_longer_answer_leaves_less() -> None:
    """200,000 and 32,000 (Claude Opus 4.1): 200,000 - 16,000 - 4,096; a million and 128,000: 931,904."""
    assert when("claude-opus-4-1").budget_tokens == 179_904
    assert when("claude-opus-4-8").budget_tokens == 931_904
    assert when("claude-opus-4-8").apply_tokens == 857_351


@pytest.mark.parametrize(("context", "output", "budget"), [(200_000, 128_000, 131_904), (200_000, 64_000, 163_904)])
def test_the_examples_of_amplifier(context: int, output: int, budget: int) -> None:
    """Its budget before the reserve for a notice: 131,904, whose half is 65,952, and 163,904."""
    assert context - output // 2 - 4096 == budget
    found = window("claude-sonnet-4-5")
    assert found is not None
    if (found.context_tokens, found.output_tokens) == (context, output):
        assert when("claude-sonnet-4-5").budget_tokens == budget


@pytest.mark.parametrize("model", [None, "nobody-knows-it"])
def test_an_unknown_model_has_an_assumed_window(model: str | None) -> None:
    """200,000, no answer known: 195,904. That it is assumed is said."""
    found = when(model)
    assert (found.window_tokens, found.is_assumed, found.budget_tokens) == (200_000, True, 195_904)


def test_a_given_budget_takes_the_place_of_that() -> None:
    """The window is the model's all the same: a fork must fit into it."""
    found = when("claude-sonnet-4-5", budget_tokens=60_000)
    assert (found.budget_tokens, found.ask_tokens, found.apply_tokens, found.target_tokens) == (
        60_000,
        36_000,
        55_200,
        30_000,
    )
    assert (found.window_tokens, found.is_assumed) == (200_000, False)


def test_shares_of_ones_own() -> None:
    """Each of the three, rounded down."""
    found = when(None, budget_tokens=1001, ask_at=0.5, apply_at=1, target=0.25)
    assert (found.ask_tokens, found.apply_tokens, found.target_tokens) == (500, 1001, 250)


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ({"ask_at": 0.0}, "ask_at is 0.0, but must be above 0 and at most 1"),
        ({"ask_at": -0.1}, "ask_at is -0.1, but must be above 0 and at most 1"),
        ({"apply_at": 1.01}, "apply_at is 1.01, but must be above 0 and at most 1"),
        ({"target": 0.0}, "target is 0.0, but must be above 0 and at most 1"),
        ({"target": float("nan")}, "target is nan, but must be above 0 and at most 1"),
        ({"ask_at": 0.95}, "ask_at (0.95) is above apply_at (0.92)"),
        ({"target": 0.92}, "target (0.92) is not below apply_at (0.92)"),
    ],
)
def test_shares_that_mean_nothing_are_refused(shares: dict[str, float], said: str) -> None:
    """Out of range, or in an order in which nothing could happen."""
    with pytest.raises(UsageError, match=r".") as error:
        when(None, **shares)  # type: ignore[arg-type] # the names are parameters of it
    assert error.value.message == said


def test_a_budget_of_nothing_is_refused() -> None:
    """1 is the least."""
    with pytest.raises(UsageError, match="budget_tokens is 0, but must be 1 or more"):
        when(None, budget_tokens=0)


def test_one_when_two_executors() -> None:
    """The provider's own trigger is the number at which a summary of ours is applied, to the token."""
    budget = 100_000
    ours = when("claude-opus-4-8", budget_tokens=budget)
    assert ours.apply_tokens == 92_000
    theirs = Lane(call="native-threshold", budget_tokens=budget)
    sent = theirs.send(history(1, model="claude-opus-4-8"))
    (edit,) = sent["context_management"]["edits"]
    assert edit == {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": ours.apply_tokens}}
    (event,) = theirs.events
    assert (event.what, event.mode) == (What.SET_UP, CallMode.NATIVE_THRESHOLD)
