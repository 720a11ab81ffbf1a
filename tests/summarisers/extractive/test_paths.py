"""Which words are paths."""

from __future__ import annotations

import pytest

from cgcli.summarisers.extractive.paths import paths


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see src/a.py and ./b/c.rs.", ["src/a.py", "./b/c.rs"]),
        ("src/a.py:12:3: error", ["src/a.py"]),
        ("tests/test_a.py::test_b FAILED", ["tests/test_a.py"]),
        ("/usr/local/bin/thing (deleted)", ["/usr/local/bin/thing"]),
        ('`~/notes/x.md`, "/etc/hosts"', ["~/notes/x.md", "/etc/hosts"]),
        ("Makefile and Dockerfile.", ["Makefile", "Dockerfile"]),
        ("diff --git a/x/y.go b/x/y.go", ["x/y.go", "x/y.go"]),
        ("C:\\Users\\x\\a.txt", ["C:\\Users\\x\\a.txt"]),
        ("--out=dist/app.js", ["dist/app.js"]),
        ("and/or, 10.8/36M, 3/4, text/html, 12/05/2026", []),
        ("https://example.org/a/b.html", []),
        ("node.js, e.g. this, v1.2.3, 3.14", []),
        ("response.json() is no file, response.json is", ["response.json"]),
        ("cmd > /dev/null 2>&1", []),
        ("/", []),
    ],
)  # fmt: skip
def test_paths_in_text(text: str, found: list[str]) -> None:
    """A path has a slash and an ending, or is rooted, or is a bare name with an ending that files have."""
    assert list(paths(text)) == found


def test_bare_names_can_be_left_out() -> None:
    """In a tool's output `console.log` and `self.m` are code as often as files."""
    assert list(paths("a.py and src/a.py", bare=False)) == ["src/a.py"]


def test_a_word_of_more_than_200_characters_is_no_path() -> None:
    """It is data."""
    assert list(paths("/" + "a" * 200 + "/b.py")) == []
