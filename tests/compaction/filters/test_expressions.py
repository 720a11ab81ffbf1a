"""Expressions that a text could make slow are refused."""

from __future__ import annotations

import re
import time

import pytest

from cgcli.compaction.filters.expressions import LONGEST_CHARS, Slow, check, check_template, compiled, steps

FINE = [
    "plain",
    r"\s*\[INFO\] Downloading .*",
    r"^npm (?:warn|notice) ",
    r"(?:\d{1,3}\.){3}\d{1,3}",
    r"\S++ \S++ \S++ \S++",
    r"(?:abc)+ x",
    r"(?>a*)b",
    r"(?!.* - )x",
    r"[^:]*: .*",
    r"a{2,900}",
    r"(?i:error) .*",
]


@pytest.mark.parametrize("pattern", FINE)
def test_an_expression_with_a_bound_is_taken(pattern: str) -> None:
    """Groups, lookarounds, possessive repetitions, and one or two that may backtrack."""
    check(pattern)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(a+)+", "a repetition inside a repetition"),
        ("(a*)*b", "a repetition inside a repetition"),
        (r"(?:\w+\s?)*$", "a repetition inside a repetition"),
        ("(a{1,9}){5}", "a repetition inside a repetition"),
        ("((a{9}){9})+", "a repetition inside a repetition"),
        ("(?:(?:a?)b)*", "a repetition inside a repetition"),
        ("(?:a+)*+", "a repetition inside a repetition"),
        ("(?=(a+)+)x", "a repetition inside a repetition"),
        ("(ab|cd)*", "alternatives inside a repetition"),
        (r"(a)\1", "a reference to a group"),
        (r"(a)?(?(1)b|c)", "a reference to a group"),
        (".*a.*b.*c", "too many repetitions that backtrack"),
        ("a?" * 20, "too many repetitions that backtrack"),
        ("(?:.*x){2}.*", "too many repetitions that backtrack"),
        (r"\d{1,9}" * 7, "too many repetitions that backtrack"),
        ("a" * 1001, "longer than 1,000 characters"),
    ],
)
def test_an_expression_without_one_is_refused(pattern: str, why: str) -> None:
    """The reason says what is wrong, the hint what to write."""
    with pytest.raises(Slow, match=re.escape(why)) as refused:
        check(pattern)
    assert refused.value.hint


@pytest.mark.parametrize("pattern", ["(", "[a", "*", r"\8", "(?P<a", "a{2,1}"])
def test_what_is_no_expression_is_refused(pattern: str) -> None:
    """As Python's own compiler refuses it."""
    with pytest.raises(re.error):
        check(pattern)


@pytest.mark.parametrize(
    ("pattern", "n_steps"),
    [("abc", 1), ("a*", 400), ("a*b*", 160_000), ("a*+b*+", 1), ("a?b?", 4), ("a|b*", 401), ("(?:a?b){3}", 8)],
)
def test_steps_are_multiplied_out(pattern: str, n_steps: int) -> None:
    """A repetition may end in as many places as it has lengths."""
    assert steps(pattern) == n_steps


@pytest.mark.parametrize("pattern", FINE)
@pytest.mark.parametrize("text", ["a", ".", "1", " ", "x:", "1.", "abc", "a a "])
def test_an_expression_that_is_taken_is_fast(pattern: str, text: str) -> None:
    """On a line of the longest that is matched, whatever fills it."""
    found = compiled((pattern,))
    line = (text * LONGEST_CHARS)[:LONGEST_CHARS]
    before_s = time.process_time()
    for _ in range(10):
        found.match(line)
    assert time.process_time() - before_s < 0.5


def test_expressions_are_joined() -> None:
    """One of them is enough, and none of none."""
    assert compiled(("a|b", "c")).match("c")
    assert compiled(("a|b", "c")).match("d") is None
    assert compiled(()).match("") is None


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("a\nb", "more than one line"),
        (r"\2", "names none of the 1 groups"),
        (r"\g<0>", "`\\g`"),
        (r"\n", "`\\n`"),
        ("\\", "`\\`"),
    ],
)
def test_a_replacement_that_does_not_go_with_it_is_refused(template: str, why: str) -> None:
    """It is one line, and refers to groups by their digit alone."""
    with pytest.raises(ValueError, match=re.escape(why)):
        check_template("(a)b", template)
    check_template("(a)b", r"\1 \\ plain")
