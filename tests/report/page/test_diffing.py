"""What changed between two texts, line by line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.report.page.diffing import runs

TEXTS = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12).map("\n".join)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a", "a", [1, 0, 0]),
        ("a", "b", [0, 1, 1]),
        ("a\nb\nc", "a\nc", [1, 1, 0, 1, 0, 0]),
        ("a\nc", "a\nb\nc", [1, 0, 1, 1, 0, 0]),
        ("1\n2\n3\n4\n5", "1\nx\n3\ny\nz\n5", [1, 1, 1, 1, 1, 2, 1, 0, 0]),
        ("", "a", [0, 1, 1]),
    ],
)
def test_equal_removed_added(before: str, after: str, expected: list[int]) -> None:
    """Three numbers for each place that differs."""
    assert runs(before, after) == expected


@given(TEXTS, TEXTS)
def test_the_later_text_follows_from_the_earlier(before: str, after: str) -> None:
    """Taking the removed lines away and the added ones in gives the one from the other; equal lines are equal."""
    old, new = before.split("\n"), after.split("\n")
    i = j = 0
    found = runs(before, after)
    for equal, removed, added in zip(*[iter(found)] * 3, strict=True):
        assert old[i : i + equal] == new[j : j + equal]
        i, j = i + equal + removed, j + equal + added
    assert (i, j) == (len(old), len(new))


def test_a_long_middle_is_replaced_whole() -> None:
    """Beyond 400 lines between the equal ends, which are still found."""
    old = ["head", *(f"old {i}" for i in range(401)), "tail"]
    new = ["head", "new", "tail"]

    assert runs("\n".join(old), "\n".join(new)) == [1, 401, 1, 1, 0, 0]
