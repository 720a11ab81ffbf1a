"""What a summary must not say."""

from __future__ import annotations

import pytest

from cgcli.summarisers.guarding import contained, forges

KEY = "0123456789abcdef"


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        (f"<<cg:{KEY}>>", f"<< cg:{KEY}>>"),
        (f"\\u003c\\u003Ccg:{KEY}\\u003e\\u003e", f"\\u003c\\u003C cg:{KEY}\\u003e\\u003e"),
        ("<<cg:", "<< cg:"),
        ("\u27eacg\u27eb", "\u27ea cg\u27eb"),
        ("=== History Summary ===", "== = History Summary ==="),
        ("===history  summary===", "== =history  summary==="),
        ("=====  History Summary", "==== =  History Summary"),
    ],
)
def test_what_is_ours_is_broken_up(text: str, safe: str) -> None:
    """Figures and words stay as they are; a blank is added."""
    assert contained(text) == safe
    assert forges(text)
    assert not forges(safe)


@pytest.mark.parametrize(
    "text", ["<<ccr:1>>", "=== 12 passed in 3.1s ===", "a << b", "History Summary", "=== History ==="]
)
def test_the_rest_is_left_alone(text: str) -> None:
    """Other tools' marks, bars and words are not ours."""
    assert contained(text) == text


def test_it_is_read_in_one_pass() -> None:
    """A million characters that nearly are a heading or a marker."""
    for text in ("=" * 1_000_000, "=== History " * 80_000, "===" + " " * 1_000_000, "<" * 1_000_000):
        assert not forges(text)
