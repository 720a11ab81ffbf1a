"""Texts that make tiktoken panic, or slow, are counted."""

from __future__ import annotations

import random
import re
import string
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.tokens import counter
from cgcli.tokens.runs import MAX_RUN, pieces

N_LONG = 1_500_000

# Counted with splintr 0.22.0, which takes such runs whole. tiktoken 0.14.0 can count those of line feeds, and
# gives the same.
LONG_RUNS = [
    ("o200k_base", " ", "", 11_720),
    ("o200k_base", " ", "x", 11_720),
    ("o200k_base", "\t", "", 93_750),
    ("o200k_base", "\t", "x", 93_751),
    ("o200k_base", "\n", "x", 93_751),
    ("cl100k_base", " ", "x", 11_720),
    ("cl100k_base", "\n", "", 46_875),
]


@pytest.mark.parametrize(("encoding", "blank", "after", "expected"), LONG_RUNS)
def test_long_blank_run_has_the_count_it_would_have_whole(encoding: str, blank: str, after: str, expected: int) -> None:
    """A run that tiktoken panics on has the tokens of the uncut run."""
    assert counter(encoding, engine="tiktoken").count(blank * N_LONG + after) == expected


def test_long_blank_run_prints_nothing() -> None:
    """No panic and so no backtrace: counting a run of 1.5 million tabs leaves stderr empty."""
    script = (
        "from cgcli.tokens import counter\n"
        f"print(counter('o200k_base', engine='tiktoken').count('a' + '\\t' * {N_LONG} + 'x'))"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "93752\n", "")


_runs = st.tuples(
    st.sampled_from([" ", "\t", "\n", "\u3000", "x", "."]),
    st.sampled_from([1, 7, 400_000, 524_288, MAX_RUN - 1, MAX_RUN, MAX_RUN + 1, 1_048_576, 1_048_577, N_LONG]),
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(runs=st.lists(_runs, max_size=5))
def test_pieces_are_the_text_without_long_runs(runs: list[tuple[str, int]]) -> None:
    """Joined, the pieces are the text; none has a longer blank run, and without one the text stays whole."""
    text = "".join(char * n for char, n in runs)
    found = list(pieces(text))
    assert "".join(found) == text
    assert max((len(run) for piece in found for run in re.findall(r"\s+", piece)), default=0) <= MAX_RUN
    longest = max(map(len, re.findall(r"\s+", text)), default=0)
    assert (len(found) > 1) == (longest > MAX_RUN)


def test_cut_leaves_a_blank_before_the_word() -> None:
    """The last piece of a run keeps a blank, which the tokenizer joins with the word that follows."""
    assert [len(piece) for piece in pieces(" " * 1_048_577 + "x")] == [524_288, 524_288, 2]
    assert [len(piece) for piece in pieces(" " * 1_048_576 + "x")] == [524_288, 524_289]


def _random_text(alphabet: str, n: int) -> str:
    return "".join(random.Random(7).choices(alphabet, k=n))


# Counted once with tiktoken 0.14.0; random texts are as Python's generator with seed 7 gives them.
UNBROKEN = {
    "one-letter": ("a" * 1_000_000, 125_000),
    "one-ideograph": ("中" * 1_000_000, 1_000_000),
    "random-letters": (_random_text(string.ascii_lowercase, 1_000_000), 519_230),
    "random-ideographs": (_random_text("".join(map(chr, range(0x4E00, 0x9FFF))), 1_000_000), 1_921_876),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", UNBROKEN)
def test_long_unbroken_run_takes_seconds(name: str) -> None:
    """A million characters without a break are counted exactly, in time that grows with the length."""
    text, expected = UNBROKEN[name]
    count = counter("o200k_base", engine="tiktoken").count
    count("load")
    began = time.perf_counter()
    assert count(text) == expected
    assert time.perf_counter() - began < 20  # measured: 0.6 to 1.4; a quadratic merge would take minutes
