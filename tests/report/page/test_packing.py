"""What the page's script draws from."""

from __future__ import annotations

from typing import Any

import pytest

from cgcli.report.page.packing import packed
from tests.report.page.made import arm, document, file, turn


def _edit(before: str | None, after: str | None, **fields: Any) -> dict[str, Any]:
    made = {"path": "messages.1", "component": "mask", "before_tokens": 9, "after_tokens": 3, "cut": False}
    return made | {"before": before, "after": after} | fields


def _with_edits(*edits: dict[str, Any]) -> dict[str, Any]:
    """Two policies with these edits in their second turn."""
    turns = [turn(0), turn(1, edits=list(edits))]
    return document([file([arm("off", turns=turns), arm("mask", turns=turns)])])


def test_columns_hold_what_the_turns_say() -> None:
    """Figures as they are, dollars as numbers, words once each and which of them stands where."""
    turns = [turn(0, usd="0.0250000001", reset=True), turn(1, usd=None, read_tokens=None, why="expired")]
    (columns,) = [
        one["columns"] for one in packed(document([file([arm("off", turns=turns)])])).data["files"][0]["arms"]
    ]

    assert columns["usd"] == [0.025, None]
    assert columns["read_tokens"] == [0, None]
    assert columns["why"] == {"of": ["first_request", "expired"], "at": [0, 1]}
    assert columns["reset"] == [1, 0]
    assert columns["before_tokens"] == [12_000, 13_500]


def test_a_column_of_the_first_policy_is_not_repeated() -> None:
    """Only what differs is there."""
    other = [turn(i, usd="0.5") for i in range(3)]
    data = packed(document([file([arm("off"), arm("safe", turns=other), arm("mask")])])).data

    assert [sorted(one["columns"]) for one in data["files"][0]["arms"][1:]] == [["usd"], []]


def test_a_text_stands_once() -> None:
    """Both policies point to it, and to one comparison."""
    data = packed(_with_edits(_edit("a\nb", "a"), _edit("a", "a\nb"))).data

    assert data["texts"] == ["a\nb", "a"]
    assert data["runs"] == [[1, 1, 0], [1, 0, 1]]
    assert [one["edits"] for one in data["files"][0]["arms"]] == [
        {"1": [["messages.1", "mask", 9, 3, 0, 1, 0, 0], ["messages.1", "mask", 9, 3, 1, 0, 1, 0]]}
    ] * 2


def test_texts_that_are_not_there_stay_missing() -> None:
    """Not recorded is not empty."""
    data = packed(_with_edits(_edit(None, None), _edit("", ""))).data
    missing, empty = data["files"][0]["arms"][0]["edits"]["1"]

    assert missing[4:7] == [None, None, None]
    assert [data["texts"][i] for i in empty[4:6]] == ["", ""]


@pytest.mark.parametrize(("most", "length"), [(16_005, None), (5_000, 2_000), (900, 400), (10, 120)])
def test_texts_are_cut_where_they_are_too_many(most: int, length: int | None) -> None:
    """All to the same length, the longest that fits, and the edit says so; the shortest where nothing fits."""
    pack = packed(_with_edits(_edit("a" * 8_000, "b" * 8_000), _edit("short", None)), most_characters=most)
    edits = pack.data["files"][0]["arms"][0]["edits"]["1"]

    assert pack.cut_to == length
    assert len(pack.data["texts"][0]) == (4_000 if length is None else length)
    assert [edit[7] for edit in edits] == [1, 0]
