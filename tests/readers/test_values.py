"""Objects one after another, each over several lines."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from cgcli.readers import read

BODY: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "}\n{"}]}


def _found(content: bytes) -> tuple[str, list[tuple[int, str]], bytes]:
    capture = read(io.BytesIO(content), file="f")
    entries = list(capture)
    told = [
        (entry.line, entry.passed.reason if entry.passed else "request")
        for entry in entries
        if entry.passed or entry.exchange
    ]
    return capture.layout.name, told, b"".join(entry.raw for entry in entries)


@pytest.mark.parametrize(("between", "lines"), [("\n", [1, 10]), ("\n\n\n", [1, 12]), ("", [1, 9]), (" ", [1, 9])])
def test_each_object_is_a_record(between: str, lines: list[int]) -> None:
    """Whatever white space stands between two, and none at all; every byte of the file comes out again."""
    content = between.join([json.dumps(BODY, indent=2)] * 2).encode()
    assert _found(content) == ("VALUES", [(line, "request") for line in lines], content)


def test_a_broken_object_spoils_no_other() -> None:
    """One in the middle, and a last one that is cut: each is told with its line."""
    good = json.dumps(BODY, indent=2) + "\n"
    content = (f"// a comment\n{good}" + '{\n  "messages": [\n}\n' + good + good[:30]).encode()
    assert _found(content) == (
        "VALUES",
        [(2, "request"), (11, "not_json"), (14, "request"), (23, "half_written")],
        content,
    )


def test_one_object_alone_and_lines_are_what_they_were() -> None:
    """A single pretty-printed object is one document, and a first line that is broken does not make lines objects."""
    alone = json.dumps(BODY, indent=2).encode()
    assert _found(alone)[:2] == ("OBJECT", [(1, "request")])
    lines = b'{"messages": [\n' + json.dumps(BODY).encode() + b"\n"
    assert _found(lines)[:2] == ("LINES", [(1, "cut"), (2, "request")])
