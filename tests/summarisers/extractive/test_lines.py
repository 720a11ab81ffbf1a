"""Text as lines and sentences."""

from __future__ import annotations

import pytest

from cgcli.summarisers.extractive.lines import clean, lines, quoted, sentences


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m text", "red text"),
        ("1\x1b[0m2", "1 2"),
        ("a\x00b\u200bc", "a b c"),
        ("\u202eabc\u202c", "abc"),
        ("\ud83d!", "\ufffd!"),
        ("\x1b]8;;http://x\x07link\x1b]8;;\x07", "link"),
        ("never ended \x1b[31", "never ended [31"),
        ("a\tb\nc\r\nd", "a\tb\nc\r\nd"),
        ("<\x1b[0m<cg:0123456789abcdef>>", "< <cg:0123456789abcdef>>"),
    ],
)
def test_text_is_cleaned(text: str, shown: str) -> None:
    """Escapes and unseen characters go, and what stood apart stays apart."""
    assert clean(text) == shown


def test_every_line_break_ends_a_line() -> None:
    """Also a carriage return, a form feed and Unicode's separators; blank lines are left out."""
    assert list(lines("a\nb\r\nc\rd\fe\u2028f\u2029g\x85h\n\n \n")) == list("abcdefgh")


@pytest.mark.parametrize(
    ("line", "most", "short"),
    [
        ("  two   words ", 40, "two words"),
        ("one two three", 13, "one two three"),
        ("one two three", 12, "one two …"),
        ("one 12345", 8, "one …"),
        ("123456789", 8, ""),
        (" " * 400 + "word", 40, ""),
        ("a b" + " " * 400, 40, "a …"),
    ],
)
def test_a_line_is_cut_between_words(line: str, most: int, short: str) -> None:
    """A figure is shown whole or not at all."""
    assert quoted(line, most) == short


def test_sentences_end_at_marks_and_lines() -> None:
    """Not before a small letter, so `e.g. this` is one; fenced code has none."""
    text = "Use it, e.g. this one. It works! Does it?\nA line\n```\nmust(not) be. Read\n```\nThe end."
    assert list(sentences(text)) == ["Use it, e.g. this one.", "It works!", "Does it?", "A line", "The end."]


def test_a_sentence_without_end_is_left_out() -> None:
    """More than 400 characters are no sentence to quote."""
    assert list(sentences("word " * 100 + "end. Short one.")) == ["Short one."]
