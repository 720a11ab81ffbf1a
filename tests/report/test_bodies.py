"""Bodies as a person reads them."""

from __future__ import annotations

import json
import re
from difflib import unified_diff
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from cgcli.report.bodies import difference, laid_out
from tests.calls.asking import SESSION, claude, compact, user

if TYPE_CHECKING:
    from collections.abc import Sequence

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@given(JSON, st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", "\t: ")]))
def test_a_layout_is_that_of_the_standard_library(tree: Any, separators: tuple[str, str]) -> None:
    """One member a line, indented by one, however it was spaced before."""
    body = json.dumps(tree, separators=separators).encode()

    assert laid_out(body) == json.dumps(tree, indent=1).splitlines()


def test_spelling_is_kept() -> None:
    """Numbers, escapes and a name that stands there twice are shown as they are on the wire."""
    assert laid_out(b'{"a":1.50,"a":1e2,"b":"\\u00e9\\/\xc3\xa9"}') == [
        "{",
        ' "a": 1.50,',
        ' "a": 1e2,',
        ' "b": "\\u00e9\\/\u00e9"',
        "}",
    ]


def test_hostile_text_is_escaped() -> None:
    """Whatever a string has that a terminal would obey is shown instead."""
    body = '{"a":"\u202e\x9b\x7f\u2028"}'.encode()

    assert laid_out(body)[1] == ' "a": "\\u202e\\x9b\\x7f\\u2028"'
    assert laid_out(b'{"a":"\xff"}')[1] == ' "a": "\\udcff"'


def test_a_fork_differs_by_its_last_message() -> None:
    """One hunk, nothing taken away."""
    parent, fork = compact(claude(*SESSION)), compact(claude(*SESSION, user("Sum up.")))
    shown = list(difference(parent, fork, parent_name="parent", name="fork"))

    assert shown[:2] == ["--- parent", "+++ fork"]
    assert [line for line in shown[2:] if line[0] in "+-"] == [
        "+  },",
        "+  {",
        '+   "role": "user",',
        '+   "content": "Sum up."',
    ]
    assert sum(line.startswith("@@ ") for line in shown) == 1


def test_a_difference_applies() -> None:
    """What the hunks say, applied to the parent's lines, is the other body's lines."""
    parent = compact(claude(*SESSION))
    for other in (claude(*SESSION[:3]), claude(*SESSION[2:], user("x")), claude(user("z"), *SESSION[1:], system="")):
        body = compact(other)
        shown = list(difference(parent, body, parent_name="a", name="b"))
        assert applied(laid_out(parent), shown) == laid_out(body)


def test_the_same_has_no_difference() -> None:
    """Not even a head."""
    body = compact(claude(*SESSION))

    assert list(difference(body, body, parent_name="a", name="b")) == []
    assert list(unified_diff(["a"], ["a"])) == []


def applied(before: Sequence[str], shown: Sequence[str]) -> list[str]:
    """*before* with the hunks of a unified difference in it."""
    after: list[str] = []
    at = 0
    for line in shown[2:]:
        if line.startswith("@@ "):
            found = re.match(r"@@ -(\d+)", line)
            assert found is not None
            after += before[at : int(found[1]) - 1]
            at = int(found[1]) - 1
        elif line[0] != "+":
            assert before[at] == line[1:]
            at += 1
            after += [line[1:]] if line[0] == " " else []
        else:
            after.append(line[1:])
    return [*after, *before[at:]]
