"""What a summariser is asked, and how often."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pytest

from cgcli.calls.call import Call, CallMode, CallOptions
from cgcli.model import Basis, Refusal
from cgcli.readers.single import parse_body
from cgcli.shapes.answers import Answers
from cgcli.summarisers.absent import Absent
from cgcli.summarisers.extractive.summariser import Extractive
from cgcli.summarisers.protocol import Summary, Task
from tests.calls.asking import asking, built
from tests.captures import capture

if TYPE_CHECKING:
    from cgcli.model import Request
    from cgcli.select.selection import Selection

DATA = capture(turns=8, seed=4).splitlines()[-1].replace(b"claude-sonnet-4-5-20250929", b"claude-opus-5-5")


class Counting:
    """Answers with its own words, and counts how often it is asked."""

    name: ClassVar[str] = "counting"

    def __init__(self, text: str) -> None:
        """Answer *text*."""
        self.text = text
        self.asked: list[CallMode] = []

    def summarise(self, task: Task) -> Summary:
        """The text."""
        self.asked.append(task.call.mode)
        return Summary(text=self.text, basis=Basis.MEASURED)


def call(mode: CallMode) -> tuple[Call, Request, Selection]:
    """A call, and what it is asked of."""
    wanted = asking(DATA, 1, 9, options=CallOptions(), span_tokens=2000)
    return built(mode, wanted), parse_body(DATA), wanted.selection


def test_extractive_is_asked_once_a_span() -> None:
    """It quotes the span, however it is asked: the very same answer serves a fork and a standalone call."""
    answers = Answers(Extractive())
    one, other = (answers.to(*call(mode), len) for mode in (CallMode.STANDALONE, CallMode.FORK))

    assert isinstance(one, Summary)
    assert one is other


def test_any_other_summariser_is_asked_every_call() -> None:
    """What a model answers depends on the call."""
    summariser = Counting("All is built.")
    answers = Answers(summariser)
    for mode in (CallMode.STANDALONE, CallMode.FORK, CallMode.STANDALONE):
        assert isinstance(answers.to(*call(mode), len), Summary)

    assert summariser.asked == [CallMode.STANDALONE, CallMode.FORK, CallMode.STANDALONE]


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "empty"), ("x " * 4000, "not_smaller"), ("As said in <<cg:0123456789abcdef>>.", "forged_marker")],
)
def test_an_answer_is_judged(text: str, reason: str) -> None:
    """Nothing that may not stand for the span does."""
    found = Answers(Counting(text)).to(*call(CallMode.FORK), len)

    assert isinstance(found, Refusal)
    assert found.reason == reason


def test_only_the_provider_answers_a_native_call() -> None:
    """Extractive is not even asked; another one's text is no block."""
    for summariser in (Extractive(), Counting("All is built.")):
        found = Answers(summariser).to(*call(CallMode.NATIVE_ON_DEMAND), len)
        assert isinstance(found, Refusal)
        assert found.reason == "no_block"


def test_no_summariser_is_told() -> None:
    """By its name, before anything is asked."""
    assert Answers(Absent()).is_absent
    assert not Answers(Extractive()).is_absent
