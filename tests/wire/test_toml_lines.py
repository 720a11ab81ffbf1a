"""The lines of a TOML document's keys: against counted literals, and against what the standard library finds."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.wire.toml_lines import error_line, line_at, lines

if TYPE_CHECKING:
    from collections.abc import Iterator

WHOLE = """# a comment = 1
policy = "agent" # [not.a.table]

[tool."cg.cli"]
held = 'pays'
components.mask.keep_recent = 5
components."a b".x = { deep = [1, 2], other = { y = 3 } }

[[steps]]
component = "mask"
tools = [
  "one", # a comma, a ]
  # nothing here
  "two",
]
[steps.by_tool]
Bash = 10
[[steps]]
text = \"\"\"
[[steps]]
component = "no"
\"\"\"
component = "format"
"""


def test_every_key_has_its_line() -> None:
    """Nested tables, arrays of tables, dotted and quoted keys, comments, arrays and texts over several lines."""
    assert lines(WHOLE) == {
        ("policy",): 2,
        ("tool",): 4,
        ("tool", "cg.cli"): 4,
        ("tool", "cg.cli", "held"): 5,
        ("tool", "cg.cli", "components"): 6,
        ("tool", "cg.cli", "components", "mask"): 6,
        ("tool", "cg.cli", "components", "mask", "keep_recent"): 6,
        ("tool", "cg.cli", "components", "a b"): 7,
        ("tool", "cg.cli", "components", "a b", "x"): 7,
        ("tool", "cg.cli", "components", "a b", "x", "deep"): 7,
        ("tool", "cg.cli", "components", "a b", "x", "deep", 0): 7,
        ("tool", "cg.cli", "components", "a b", "x", "deep", 1): 7,
        ("tool", "cg.cli", "components", "a b", "x", "other"): 7,
        ("tool", "cg.cli", "components", "a b", "x", "other", "y"): 7,
        ("steps",): 9,
        ("steps", 0): 9,
        ("steps", 0, "component"): 10,
        ("steps", 0, "tools"): 11,
        ("steps", 0, "tools", 0): 12,
        ("steps", 0, "tools", 1): 14,
        ("steps", 0, "by_tool"): 16,
        ("steps", 0, "by_tool", "Bash"): 17,
        ("steps", 1): 18,
        ("steps", 1, "text"): 19,
        ("steps", 1, "component"): 23,
    }


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a = ""\nkey = 1', 2),
        ('a = """"quoted""""\nkey = 1', 2),
        ("a = '''\n''quoted'''''\nkey = 1", 3),
        ('a = "\\"#\\\\"\nkey = 1', 2),
        ("a = 1979-05-27 07:32:00Z\r\nkey = 1", 2),
        ("a = [[1, 2],\n\t[3],]\nkey = 1", 3),
        ("a = [{b = 1}, {\tb = 2 }]\nkey = 1", 2),
        ("a = -1_000.5e+6#]\nkey=1", 2),
        ('"k\\u0065y" = 1', 1),
        ("a . b = 1\n  'key' = 1", 2),
        ("\n\n[key]\n[other]", 3),
        ("[key.inner]\n[key]", 1),
    ],
)
def test_what_stands_before_a_key_does_not_hide_it(text: str, line: int) -> None:
    """Texts with quotes at their ends, escapes, dates, nested arrays, Windows line ends; an escaped key is its text."""
    assert "key" in tomllib.loads(text)
    assert lines(text)["key",] == line


def test_the_line_of_what_has_none_is_that_around_it() -> None:
    """A key that is missing stands where its table does; what is nowhere has no line."""
    found = lines("a = 1\n[b.c]\nd = 1")
    assert line_at(found, ("b", "c", "missing", 0)) == 2
    assert line_at(found, ("b", "c", "d")) == 3
    assert line_at(found, ("missing",)) is None
    assert line_at(found, ()) is None


@pytest.mark.parametrize(("text", "line"), [("a = 1\nb = \n", 2), ("a = 1\n\n\na = 2", 4), ("\na = [\n", 2)])
def test_the_line_of_a_syntax_error(text: str, line: int) -> None:
    """As the message has it; the last one where it speaks of the end."""
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    assert error_line(caught.value, text) == line


@pytest.mark.parametrize("filling", ['"', "\\\\", "a", "#", "[", " ", ","])
def test_a_long_line_takes_no_long_time(filling: str) -> None:
    """A megabyte of one character within a text, and the key behind it."""
    text = f"a = '''{filling * 1_000_000} '''\n# {filling * 1_000_000}\nkey = 1"
    assert lines(text) == {("a",): 1, ("key",): 3}


KEYS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), max_size=4)
SCALARS = st.one_of(st.integers(-9, 9), st.booleans(), st.text("ab\"'\\#=[]{}\n,.", max_size=6))
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=6
)


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.lists(st.dictionaries(KEYS, VALUES, max_size=3), max_size=3))
def test_the_paths_are_those_of_the_document(table: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """Whatever a document has, every path in it has a line, that of its pair, and nothing else has one."""
    written = [f"{_quoted(key)} = {_written(said)}" for key, said in table.items()]
    at: dict[tuple[str | int, ...], int] = {(key,): i + 1 for i, key in enumerate(table)}
    for i, row in enumerate(rows):
        written += ["[['a.b'.rows]]"]
        at["a.b", "rows", i] = len(written)
        for key, said in row.items():
            written += [f"\t{_quoted(key)}={_written(said)} # the end"]
            at["a.b", "rows", i, key] = len(written)
    text = "\n".join(written)
    if "a.b" in table and rows:
        return
    found = lines(text)
    assert found.keys() == set(_paths(tomllib.loads(text)))
    assert {path: found[path] for path in at} == at


def _quoted(text: str) -> str:
    escaped = "".join(f"\\u{ord(char):04x}" if char in '"\\\n' else char for char in text)
    return f'"{escaped}"'


def _written(said: object) -> str:
    if isinstance(said, bool):
        return str(said).lower()
    if isinstance(said, str):
        return _quoted(said)
    if isinstance(said, list):
        return f"[{', '.join(map(_written, said))}]"
    if isinstance(said, dict):
        return "{" + ", ".join(f"{_quoted(key)} = {_written(inner)}" for key, inner in said.items()) + "}"
    return str(said)


def _paths(said: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if path:
        yield path
    inner = said.items() if isinstance(said, dict) else enumerate(said) if isinstance(said, list) else ()
    for key, one in inner:
        yield from _paths(one, (*path, key))
