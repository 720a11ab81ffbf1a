"""What holds for every filter and every text."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.filters.builtin import builtins
from cgcli.compaction.filters.engine import filtered
from tests.compaction.filters.writing import filter_of

STAY = [
    "error: no such file",
    "src/util.c:2:47: here",
    '  File "a.py", line 3, in f',
    "exit code 3",
    "=== 2 failed, 32 passed ===",
    "Failed!  - Failed:     3, Passed:    12",
    "FAILED tests/a.py::b",
    "no tests ran in 0.01s",
    "Traceback (most recent call last):",
]
NOISE = ["", "plain", "plain", "  deep", "10%\r20%", "[==>  ]", "\x1b[2mdim\x1b[0m", "| x", "y" * 500, "}", "a@b"]
LINES = st.lists(st.sampled_from(STAY) | st.sampled_from(NOISE), max_size=40)
ALL = st.sampled_from([(), (".*",), ("",), (r"\S",), ("error", "FAILED"), (r"[^\n]",)])
COUNTS = st.none() | st.integers(0, 3)
STAGES = st.fixed_dictionaries(
    {
        "strip_ansi": st.booleans(),
        "redraws": st.booleans(),
        "replace": st.sampled_from([(), ((".", ""),), (("error|line", "fine"),), (("a@b", "error"),)]),
        "keep_lines": st.sampled_from([(), ("nothing",), ("plain",)]),
        "drop_lines": ALL,
        "fold": ALL,
        "dedupe": st.booleans(),
        "head_lines": COUNTS,
        "tail_lines": COUNTS,
        "on_empty": st.none() | st.just("quiet"),
    }
)


@settings(deadline=None)
@given(stages=STAGES, lines=LINES)
def test_lines_that_tell_of_a_result_survive_every_filter(stages: dict[str, Any], lines: list[str]) -> None:
    """In their order and as often as they stood there, whatever the filter names."""
    left = filtered(filter_of(**stages), "\n".join(lines)).split("\n")
    assert [line for line in left if line in STAY] == [line for line in lines if line in STAY]


@settings(deadline=None)
@given(stages=STAGES, lines=LINES)
def test_a_second_time_changes_nothing(stages: dict[str, Any], lines: list[str]) -> None:
    """A filter leaves its own result alone."""
    one = filter_of(**stages)
    left = filtered(one, "\n".join(lines))
    assert filtered(one, left) == left


@settings(deadline=None)
@given(states=st.lists(st.sampled_from([*STAY, "1%", "50%", "90%"]), min_size=2, max_size=8))
def test_states_that_tell_of_a_result_survive(states: list[str]) -> None:
    """An error that a progress line drew over stays as a line."""
    left = filtered(filter_of(redraws=True), "\r".join(states)).split("\n")
    assert [line for line in left if line in STAY] == [state for state in states if state in STAY]


HOSTILE = {
    "letters": "a" * 1_000_000,
    "brackets": "(" * 500_000 + ")" * 500_000,
    "dots": "." * 1_000_000,
    "digits": "1" * 1_000_000,
    "blank lines": "\n" * 1_000_000,
    "spaces": " " * 1_000_000,
    "redraws": "x\r" * 500_000,
    "places": ".a" * 500_000,
    "counts": "1 " * 500_000,
    "escapes": "\x1b[" * 500_000,
    "rules": ("=" * 390 + "\n") * 2_500,
    "words": ("wordy " * 60 + "\n") * 2_700,
}


EVERYTHING = filter_of(
    redraws=True,
    replace=((r"\w+@\w+", "x"),),
    drop_lines=(r"\s*\S+ \S+ end$", r".*done$"),
    fold=(r"\S+ \S+$",),
    dedupe=True,
    head_lines=10,
    tail_lines=10,
    on_empty="quiet",
)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_takes_linear_time(text: str) -> None:
    """A megabyte of one character costs a filter with every stage a few seconds at most."""
    before_s = time.process_time()
    filtered(EVERYTHING, text)
    assert time.process_time() - before_s < 15


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_built_in_filter_is_slow_on_hostile_text(text: str) -> None:
    """A part of the same for each of them."""
    part = text[:30_000]
    for one in builtins():
        before_s = time.process_time()
        filtered(one, part)
        assert time.process_time() - before_s < 2, one.name
