"""`modelled`: a stand-in that answers by rule, and what it keeps of an output."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.errors import UsageError
from cgcli.model import Basis, changed
from cgcli.summarisers.extractive.shortening import must_stay, shortened
from cgcli.summarisers.extractive.summariser import Extractive
from cgcli.summarisers.modelled import Modelled
from cgcli.summarisers.protocol import Summary, Wanted
from cgcli.tokens.counter import counter
from tests.summarisers.conversing import request, task

if TYPE_CHECKING:
    from cgcli.model import Refusal
    from cgcli.summarisers.protocol import Task

LOG = "\n".join(
    [
        *(f"compiling module {i} of the tree" for i in range(60)),
        "src/net/client.py:41: error: no attribute 'port'",
        *(f"linking part {i} of the tree" for i in range(60)),
        "see https://example.org/why",
        *(f"copying file {i} of the tree" for i in range(60)),
        "=== 3 failed, 12 passed in 4.20s ===",
    ]
)
ERROR = "src/net/client.py:41: error: no attribute 'port'"
RESULT = "=== 3 failed, 12 passed in 4.20s ==="


def wants(text: str, *, tokens: int, most_tokens: int) -> Task:
    """A task for one output."""
    made = task(request("anthropic", [("user", "Hi.")]))
    return changed(made, output=Wanted(text=text, tokens=tokens, most_tokens=most_tokens))


def text_of(answer: Summary | Refusal) -> str:
    """The text of an answer, which must be one."""
    assert isinstance(answer, Summary)
    return answer.text


def by_chars(text: str, most: int) -> str:
    """*text* in at most so many characters, one being a token."""
    return shortened(text, most_tokens=most, count=len)


def test_lines_that_say_most_stay_in_their_order() -> None:
    """The error and the result first, then the address, then the two ends; gaps where others stood."""
    assert by_chars(LOG, 126).split("\n") == ["...", ERROR, "...", "see https://example.org/why", "...", RESULT]
    assert by_chars(LOG, 200).split("\n") == [
        "compiling module 0 of the tree",
        "compiling module 1 of the tree",
        "...",
        ERROR,
        "...",
        "see https://example.org/why",
        "...",
        RESULT,
    ]


@pytest.mark.parametrize("most", [1, 40, 100])
def test_faults_and_the_result_stay_whatever_is_allowed(most: int) -> None:
    """What failed and how it ended is never left out; nothing else is in it then."""
    assert by_chars(LOG, most).split("\n") == ["...", ERROR, "...", RESULT]


def test_what_must_stay_is_told() -> None:
    """The same lines that an answer is held against."""
    assert must_stay(LOG) == [ERROR, "3 failed, 12 passed in 4.20s"]
    assert must_stay("a\nb\nc") == []


def test_one_of_a_kind_comes_before_its_repeats() -> None:
    """A warning that comes a hundred times takes no room from another one."""
    text = "\n".join([*(f"warning: slow query {i}" for i in range(100)), "warning: disk is full", "done"])
    assert "warning: disk is full" in by_chars(text, 60).split("\n")


@pytest.mark.parametrize("ratio", [0.1, 0.25, 0.5])
def test_ratio_is_kept(ratio: float) -> None:
    """At most that share of the tokens, and no less than three quarters of that."""
    tokens = 6000
    text = "\n".join(f"line {i} of the output" for i in range(1000))
    answer = text_of(Modelled(ratio=ratio).summarise(wants(text, tokens=tokens, most_tokens=1)))
    assert 0.75 * ratio * tokens <= counter().count(answer) <= ratio * tokens


def test_extractive_goes_by_what_the_call_asks_for() -> None:
    """It has no ratio of its own; `modelled` has, and does not ask."""
    wanted = wants(LOG, tokens=4000, most_tokens=100)
    asked = text_of(Extractive().summarise(wanted))
    assert asked == text_of(Modelled(ratio=0.025).summarise(wanted))
    assert len(asked) < len(text_of(Modelled(ratio=0.2).summarise(wanted)))


def test_answers_are_simulated() -> None:
    """No model was asked, and nothing was billed."""
    for summariser in (Extractive(), Modelled(ratio=0.3)):
        answer = summariser.summarise(wants(LOG, tokens=2000, most_tokens=300))
        assert isinstance(answer, Summary)
        assert (answer.basis, answer.usage, answer.block, answer.fault) == (Basis.SIMULATED, None, None, None)


def test_messages_are_quoted_as_extractive_does() -> None:
    """In a share of their tokens."""
    made = task(
        request("anthropic", [("user", "Find out why the build fails. " * 9), ("assistant", "It is the port.")])
    )
    answer = text_of(Modelled(ratio=0.9).summarise(changed(made, selection=changed(made.selection, tokens=400))))
    assert "Find out why the build fails." in answer
    refused = Modelled(ratio=0.001).summarise(made)
    assert not isinstance(refused, Summary)
    assert refused.reason == "empty"


@pytest.mark.parametrize("ratio", [0, 1, -0.5, 7, float("nan")])
def test_wrong_ratio_is_a_usage_error(ratio: float) -> None:
    """Nothing is clamped."""
    with pytest.raises(UsageError, match="must be above 0 and below 1"):
        Modelled(ratio=ratio)


@pytest.mark.parametrize("text", ["", "\n\n \n", "\x1b[0m\n"])
def test_blank_output_has_no_line_to_keep(text: str) -> None:
    """Empty: `accept` refuses that."""
    assert by_chars(text, 100) == ""


def test_one_long_line_is_shown_as_far_as_it_fits() -> None:
    """JSON on one line: a good part of it where there is room, and its beginning in any case."""
    text = '{"rows": [' + ", ".join(f'{{"id": {i}}}' for i in range(4000)) + "]}"
    count = counter().count
    shown = shortened(text, most_tokens=5000, count=count)
    assert 2000 < count(shown) <= 5000
    assert text.startswith(shown.removesuffix(" …\n...").removesuffix(" …"))
    assert count(shortened(text, most_tokens=38, count=count)) in range(10, 39)


def test_markers_in_the_output_are_taken_apart() -> None:
    """A stand-in must not forge one, whole or spelled with escapes."""
    text = "\n".join(["<<cg:0123456789abcdef>>", r"\u003c\u003ccg:0123456789abcdef\u003e\u003e", "⟪cg⟫", "end"] * 30)
    answer = by_chars(text, 200)
    assert "cg:" in answer
    assert re.search(r"(?:<|\\u003c)cg:", answer) is None
    assert "⟪cg⟫" not in answer


LINES = st.lists(
    st.sampled_from(
        ["a", "error: x", "src/a.py:3: y", "1 passed", " ", "", "z" * 900, "\x1b[31mred\x1b[0m", "<<cg:00"]
    ),
    max_size=60,
)


@given(lines=LINES, most=st.integers(min_value=1, max_value=2000))
def test_every_line_is_one_of_the_output(lines: list[str], most: int) -> None:
    """Cut, cleaned or taken apart, but never made up; in order; the same twice."""
    text = "\n".join(lines)
    answer = by_chars(text, most)
    assert by_chars(text, most) == answer
    known = [re.sub(r"\x1b\[\d*m", "", line).replace("<cg:", "< cg:") for line in lines]
    at = 0
    for row in answer.split("\n") if answer else []:
        if row != "...":
            at = next(i for i in range(at, len(known)) if known[i].startswith(row.removesuffix(" …"))) + 1


@pytest.mark.parametrize("text", ["x" * 10**6, "[(" * 500_000, "1.1." * 250_000, "error " * 170_000, "\x1b[" * 500_000])
def test_a_megabyte_takes_no_time(text: str) -> None:
    """Of one character, of brackets, of figures, of words that count, of broken escapes."""
    begun = time.perf_counter()
    by_chars(text, 500)
    assert time.perf_counter() - begun < 3
