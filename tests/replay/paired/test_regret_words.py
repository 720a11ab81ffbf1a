"""Which words of a text are fragments that can be looked for elsewhere."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.replay.paired.regret_words import facts, is_distinctive

DISTINCTIVE = [
    "src/app/main",
    "config.yaml",
    "retry_limit",
    "maxRetries",
    "a1b2c3d4",
    "9f86d081884c7d659a2f",
    "123456",
    "10.0.0.17",
    "self.value",
    "2026-11-30",
]
COMMON = [
    "configuration",
    "Something",
    "read-only",
    "and/or",
    "client/server",
    "python3",
    "chapter-12",
    "10-minute",
    "12-character-long",
    "UTF-8",
    "1234",
    "x_y",
]


@pytest.mark.parametrize("word", DISTINCTIVE)
def test_paths_identifiers_hashes_and_numbers_are_fragments(word: str) -> None:
    """Each is found in a sentence, without the punctuation around it."""
    assert is_distinctive(word)
    assert facts(f"We saw (`{word}`), then ./{word}.").words == {word}


@pytest.mark.parametrize("word", COMMON)
def test_what_anybody_would_write_is_no_fragment(word: str) -> None:
    """English words, with a hyphen, a slash or a number too; what is short."""
    assert facts(f"There is {word} in it.").words == frozenset()


def test_a_long_run_is_no_fragment() -> None:
    """160 characters are one, 161 are none."""
    assert facts("ab_" + "c" * 157).words == {"ab_" + "c" * 157}
    assert facts("ab_" + "c" * 158).words == frozenset()


def test_an_escape_of_a_quoted_text_is_no_letter() -> None:
    r"""In `"a\nretry_limit"`, quoted in an output, the name is `retry_limit`."""
    assert facts(r'"first\nretry_limit\tsecond"').words == {"retry_limit"}


def test_lines_are_told_without_their_indent() -> None:
    """Lines of fewer than 8 characters are left out."""
    assert facts("  if ready:\n\telse:\n}\n  12345678  \r\n1234567").lines == {"if ready:", "12345678"}


@given(st.text(alphabet="aB1_./-~@+ é\\n\u2028", max_size=80))
def test_every_fragment_stands_in_the_text(text: str) -> None:
    """It has 6 to 160 characters, begins and ends with a letter, a digit or `_`."""
    for word in facts(text.replace("\\", "")).words:
        assert word in text.replace("\\", "")
        assert re.fullmatch(r"\w[\w./@+~-]{4,158}\w", word, re.ASCII)


@pytest.mark.parametrize("unit", ["a", "a.", "/", ".", "a/", "1-", "ab-", "a_", "x" * 7 + "-"])
def test_long_runs_take_linear_time(unit: str) -> None:
    """A megabyte of nothing but beginnings is read at once."""
    started = time.process_time()
    facts(unit * (1_000_000 // len(unit)))
    assert time.process_time() - started < 2
