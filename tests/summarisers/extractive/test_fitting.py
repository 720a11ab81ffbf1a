"""As much of the sections as a number of tokens allows; here a token is a word."""

from __future__ import annotations

import pytest

from cgcli.summarisers.extractive.fitting import MOST_ENTRIES, Entry, Section, fitted


def words(text: str) -> int:
    """A count that a person can check."""
    return len(text.split())


def section(title: str, *entries: Entry, rank: int = 0, share: float = 0.5) -> Section:
    """A section with *entries*."""
    return Section(title=title, share=share, rank=rank, entries=entries)


def entry(*lines: str, rank: int = 0) -> Entry:
    """An entry."""
    return Entry(lines=lines, rank=rank)


def test_all_is_shown_where_there_is_room() -> None:
    """In the order of the sections and entries, not of their ranks; a section without entries has no heading."""
    text = fitted(
        [
            section("B", entry("b2", rank=2), entry("b1", "more", rank=1), rank=1),
            section("C"),
            section("A", entry("a")),
        ],
        opening="O",
        most_tokens=100,
        count=words,
    )
    assert text == "O\n## B\n- b2\n- b1\n  more\n## A\n- a"


FIRST, SECOND, THIRD = "1 " * 7 + "1", "2 " * 7 + "2", "3 " * 7 + "3"


@pytest.mark.parametrize(
    ("most", "text"),
    [
        (4, ""),
        (17, ""),
        (18, f"O\n## A\n- {FIRST}\n- … (x2 more left out)"),
        (26, f"O\n## A\n- {FIRST}\n- … (x2 more left out)"),
        (27, f"O\n## A\n- {FIRST}\n- {SECOND}\n- … (x1 more left out)"),
        (29, f"O\n## A\n- {FIRST}\n- {SECOND}\n- … (x1 more left out)"),
        (30, f"O\n## A\n- {FIRST}\n- {THIRD}\n- {SECOND}"),
    ],
)
def test_the_lowest_ranks_stay(most: int, text: str) -> None:
    """What is left out is counted, and the note counts too."""
    entries = (entry(FIRST, rank=0), entry(THIRD, rank=2), entry(SECOND, rank=1))
    assert fitted([section("A", *entries)], opening="O", most_tokens=most, count=words) == text


def test_an_entry_may_lose_its_last_lines() -> None:
    """The first ones stand for it, with a sign that there were more."""
    text = fitted(
        [section("A", entry("one two", "three four", "five six seven eight nine"))],
        opening="O",
        most_tokens=12,
        count=words,
    )
    assert text == "O\n## A\n- one two\n  three four\n  …"


def test_an_entry_that_needs_two_lines_is_not_shown_with_one() -> None:
    """A command without its error says nothing."""
    both = Entry(lines=("one two", "three four five"), rank=0, least=2)
    assert (
        fitted([section("A", both)], opening="O", most_tokens=20, count=words)
        == "O\n## A\n- one two\n  three four five"
    )
    assert fitted([section("A", both)], opening="O", most_tokens=8, count=words) == ""


def test_each_section_has_its_best_before_any_has_its_second() -> None:
    """A long section does not push another one out."""
    many = tuple(entry(f"a{i} a{i}", rank=i) for i in range(20))
    text = fitted(
        [section("A", *many, share=0.9), section("B", entry("b b"), rank=1, share=0.1)],
        opening="O",
        most_tokens=20,
        count=words,
    )
    assert text == "O\n## A\n- a0 a0\n- a1 a1\n- … (x18 more left out)\n## B\n- b b"


def test_entries_beyond_the_most_are_counted_as_left_out() -> None:
    """Nothing of them is looked at, and the note says so."""
    many = tuple(entry(f"a{i}", rank=i) for i in range(MOST_ENTRIES + 7))
    text = fitted([section("A", *many)], opening="O", most_tokens=10_000, count=words)
    assert text.endswith(f"- a{MOST_ENTRIES - 1}\n- … (x7 more left out)")


def test_the_size_is_kept_whatever_the_counter() -> None:
    """A counter by characters, with which lines together have more than their sum, leads to fewer entries."""
    many = tuple(entry("x" * i, rank=i) for i in range(1, 40))
    text = fitted([section("A", *many)], opening="O", most_tokens=300, count=lambda text: 2 * len(text) - 1)
    assert 0 < 2 * len(text) - 1 <= 300
