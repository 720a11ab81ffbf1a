"""The document with every text safe to show."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from cgcli.report.page.showing import in_lines, shown
from tests.report.page.hostile import HOSTILE, SHOWN


def test_every_text_is_made_safe() -> None:
    """At any depth, the names of fields too; what is no text stays."""
    made = shown({"a\x1b": [HOSTILE, {"b": ("\u202e", 1, None, True, 0.5)}]})

    assert made == {r"a\x1b": [SHOWN, {"b": [r"\u202e", 1, None, True, 0.5]}]}


def test_texts_of_edits_keep_their_lines() -> None:
    """Tabs and line ends stay, the longer line end as the shorter one; a lone carriage return is shown."""
    assert shown({"before": "a\tb\r\nc\rd\n", "after": "\x07", "path": "a\nb"}) == {
        "before": "a\tb\nc\\rd\n",
        "after": r"\x07",
        "path": r"a\nb",
    }


@given(st.text(st.characters()))
def test_nothing_is_left_to_obey(text: str) -> None:
    """No control character but tab and line end, no lone surrogate."""
    assert {c for c in in_lines(text) if unicodedata.category(c) in ("Cc", "Cs")} <= {"\t", "\n"}
