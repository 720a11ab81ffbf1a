"""`openhands-mask`: observations outside the attention window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cgcli.compaction.component import MarkerMode, Reduction, Skip
from cgcli.compaction.components.openhands_mask import OpenhandsMask
from cgcli.errors import UsageError
from cgcli.model import changed
from tests.compaction.viewing import (
    DIALECTS,
    MARK,
    Asked,
    Call,
    Said,
    Together,
    answers,
    bash,
    body,
    reason,
    reduced,
    slot,
    view,
    view_of,
)

if TYPE_CHECKING:
    from cgcli.compaction.view import View
    from tests.compaction.viewing import Step

GO = Asked(text="Go.")
END = Said(text="Done.")
MASKED = f"[observation masked] {MARK}"


def runs(n: int) -> list[Step]:
    """So many calls and their observations."""
    return [bash(f"step {i}", f"line of step {i}\n" * 50) for i in range(n)]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("window", "numbers"), [(1, [0, 1, 2]), (2, [0, 1]), (3, [0, 1]), (4, [0]), (6, []), (99, [])])
def test_observation_is_masked_once_so_many_events_came_after_it(dialect: str, window: int, numbers: list[int]) -> None:
    """The events of this request: task, call, output, call, output, call, output, answer."""
    seen = view(GO, *runs(3), END, dialect=dialect)
    assert reduced(OpenhandsMask(attention_window=window), seen) == numbers


def test_text_before_a_call_is_its_thought() -> None:
    """In a message of its own, as Responses has it, or in the call's: one event with the call."""
    thought = {"role": "assistant", "content": "I look."}
    call = {"type": "function_call", "call_id": "c", "name": "t", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c", "output": "x" * 400}
    items = [{"role": "user", "content": "Go."}, thought, call, output, thought, call, output, thought]
    seen = view_of({"model": "gpt-5", "input": items})
    # From the end: the last text 1, output 1 2, call 3, output 0 4.
    assert [reduced(OpenhandsMask(attention_window=window), seen) for window in (2, 3, 4)] == [[0], [0], []]


def test_parallel_calls_are_an_event_each() -> None:
    """Two calls and two observations are four events."""
    calls = Together(calls=(bash("a", "x" * 400), bash("b", "y" * 400)))
    seen = view(GO, calls, calls, END)
    assert [reduced(OpenhandsMask(attention_window=n), seen) for n in (1, 2, 3, 5, 6, 7)] == [
        [0, 1, 2, 3],
        [0, 1, 2],
        [0, 1],
        [0, 1],
        [0],
        [],
    ]


def test_texts_of_one_result_are_one_event() -> None:
    """They are masked together; an image alone is an observation, too."""
    record = body([GO, *runs(3), END])
    texts = [{"type": "text", "text": "a" * 600}, {"type": "text", "text": "b" * 600}]
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    record["messages"][2]["content"][0]["content"] = texts
    record["messages"][4]["content"][0]["content"] = [image]
    seen = view_of(record)
    # From the end: text 1, output 2 2, call 3, image 4, call 5, output 0 6.
    assert [reduced(OpenhandsMask(attention_window=n), seen) for n in (1, 2, 5, 6)] == [[0, 1, 2], [0, 1], [0, 1], []]


def test_window_of_a_hundred_events_is_the_default() -> None:
    """As in OpenHands' configuration."""
    seen = view(GO, *runs(60), END)
    assert reduced(OpenhandsMask(), seen) == list(range(10))
    assert reason(OpenhandsMask(), seen, 10) == "in_attention_window"


def test_observations_that_the_model_has_not_seen_stay() -> None:
    """However small the window is."""
    calls = Together(calls=tuple(bash(f"step {i}", "x" * 400) for i in range(8)))
    assert reduced(OpenhandsMask(attention_window=1), view(GO, calls)) == []
    assert reduced(OpenhandsMask(attention_window=1), view(GO, calls, END)) == list(range(8))


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        (MarkerMode.FULL, MASKED),
        (MarkerMode.SUMMARY, "[observation masked] ⟪cg⟫"),
        (MarkerMode.OFF, "[observation masked]"),
    ],
)
def test_marker_is_what_the_mode_says(mode: MarkerMode, text: str) -> None:
    """And what was masked is not masked again."""
    component = OpenhandsMask(attention_window=1, marker_mode=mode)
    seen = view(GO, *runs(1), END)
    assert component.propose(slot(seen, 0)) == Reduction(text=text)
    assert component.propose(slot(seen, 0, text=text)) == Skip(reason="already_marked")


def test_output_is_left_alone_for_a_named_reason() -> None:
    """Too short, marked, or without its request."""
    marked = Call(name="t", arguments={}, output="x" * 300 + "⟪cg⟫")
    seen = view(GO, bash("ls", "a"), marked, END)
    component = OpenhandsMask(attention_window=1)
    assert [reason(component, seen, i) for i in (0, 1)] == ["not_smaller", "already_marked"]
    assert component.propose(changed(slot(seen, 1, text="x"), view=None)) == Skip(reason="no_view")


def test_views_may_go_on_from_turn_to_turn() -> None:
    """A view made from the turn before says the same as one of its own, and nothing comes back."""
    component = OpenhandsMask(attention_window=4)
    steps: list[Step] = [*runs(3), Said(text="Hm."), Asked(text="More."), *runs(3)]
    before: View | None = None
    masked: set[int] = set()
    for n in range(1, len(steps) + 1):
        before = view_of(body([GO, *steps[:n]]), before=before)
        assert answers(component, before) == answers(component, view(GO, *steps[:n]))
        assert masked <= set(reduced(component, before))
        masked = set(reduced(component, before))
    assert masked == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"attention_window": 0}, "attention_window is 0, but must be a whole number, 1 or more"),
        ({"attention_window": None}, "attention_window is None, but must be a whole number, 1 or more"),
    ],
)
def test_value_that_is_not_allowed_is_refused(params: dict[str, Any], message: str) -> None:
    """Nothing is clamped."""
    with pytest.raises(UsageError) as refused:
        OpenhandsMask(**params)
    assert refused.value.message == f"openhands-mask: {message}"
