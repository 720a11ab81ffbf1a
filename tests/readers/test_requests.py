"""`cg`'s own lines: what is known of an exchange goes into one, and comes back out of it."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.model import Basis, Section, Usage
from cgcli.readers import read
from cgcli.readers.base import Known
from cgcli.readers.derived import Derived
from cgcli.readers.requests import Speller, line_of

if TYPE_CHECKING:
    from cgcli.model import Exchange

BODY = b'{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"go"}]}'
USAGE = Usage(
    fresh=3,
    read=100,
    write_by_ttl_s={300: 20, 3600: 7},
    output=5,
    iterations=(Usage(fresh=1, read=None, write_by_ttl_s=None, output=2),),
)
FULL = Derived(
    body=BODY,
    line=12,
    provider="anthropic",
    session_id="s/branch-2",
    sent_s=1.5,
    answered_s=2.5,
    find_answer=lambda: b'{"role":"assistant","content":[]}',
    usage=USAGE,
    unrecorded=frozenset({Section.TOOLS, Section.SYSTEM}),
)
LINE = (
    b'{"cg":"requests/1","from":"some-history","line":12,"reconstructed":true,"unrecorded":["tools","system"],'
    b'"provider":"anthropic","session_id":"s/branch-2","sent_s":1.5,"answered_s":2.5,"usage":{"fresh":3,"read":100,'
    b'"output":5,"write_by_ttl_s":{"300":20,"3600":7},"iterations":[{"fresh":1,"output":2}]},'
    b'"answer":{"role":"assistant","content":[]},"body":' + BODY + b"}\n"
)


def _exchange(line: bytes) -> Exchange:
    (entry,) = read(io.BytesIO(line), file="f")
    assert entry.exchange is not None
    return entry.exchange


def test_all_that_is_known_stands_in_the_line() -> None:
    """In this order, the body last and byte for byte."""
    assert Speller(format_name="some-history", reconstructed=True).line(FULL) == LINE


def test_what_is_not_known_is_left_out() -> None:
    """No null, no empty value stands for it."""
    assert Speller(format_name="har", reconstructed=False).line(Derived(body=BODY, line=1)) == (
        b'{"cg":"requests/1","from":"har","line":1,"body":' + BODY + b"}\n"
    )


def test_all_comes_back() -> None:
    """Usage with its lifetimes and steps, times, session, the answer; sections that are not recorded are None."""
    found = _exchange(LINE)
    assert bytes(found.request.raw) == BODY
    assert (found.request.tools, found.request.system) == (None, None)
    assert (found.session_id, found.sent_s, found.answered_s) == ("s/branch-2", 1.5, 2.5)
    assert found.usage == USAGE
    assert USAGE.basis is Basis.MEASURED
    assert found.answer == b'{"role":"assistant","content":[]}'
    assert found.source.reconstructed
    assert found.source.line == 1


def test_a_line_of_a_line_is_that_line() -> None:
    """Converting what was converted changes only where it is from."""
    again = line_of(_exchange(LINE), format_name="some-history")
    assert json.loads(again) == json.loads(LINE) | {"line": 1}
    assert again.endswith(b'"body":' + BODY + b"}\n")


def test_a_section_that_the_body_has_is_recorded() -> None:
    """Whatever the line says of the format."""
    body = BODY[:-1] + b',"system":"Be brief."}'
    without_tools = Derived(body=body, line=1, unrecorded=FULL.unrecorded)
    found = _exchange(bytes(Speller(format_name="x", reconstructed=True).line(without_tools)))
    assert found.request.tools is None
    assert found.request.system is not None
    assert [item.wire for item in found.request.system] == [b'"Be brief."']


def test_a_body_of_several_lines_takes_one() -> None:
    """Its line ends become spaces: nothing else of it changes."""
    body = BODY.replace(b",", b",\r\n  ")
    line = bytes(Speller(format_name="x", reconstructed=False).line(Derived(body=body, line=1)))
    assert line.count(b"\n") == 1
    assert bytes(_exchange(line).request.raw) == BODY.replace(b",", b",    ")


def test_the_file_says_what_is_known() -> None:
    """By its first lines; a file of several kinds knows what its first line's kind does."""
    found = read(io.BytesIO(LINE * 2), file="f")
    assert found.known == Known(tools=False, system=False, usage=True, response=True, time=True)
    assert found.is_reconstructed
    plain = bytes(Speller(format_name="har", reconstructed=False).line(Derived(body=BODY, line=1)))
    found = read(io.BytesIO(plain), file="f")
    assert found.known == Known(tools=True, system=True, usage=False, response=False, time=False)
    assert not found.is_reconstructed


@pytest.mark.parametrize(
    ("member", "given"),
    [
        ("usage", []),
        ("usage", {"fresh": "3", "write_by_ttl_s": {"x": 1, "5": "y"}, "iterations": [3, {"iterations": 1}]}),
        ("unrecorded", "tools"),
        ("unrecorded", ["tools", 3, None]),
        ("sent_s", "now"),
        ("session_id", 4),
        ("answer", "text"),
        ("provider", {}),
        ("reconstructed", 1),
    ],
)
def test_a_member_of_another_kind_is_not_known(member: str, given: Any) -> None:
    """It never keeps the body from being read."""
    line = json.dumps({**json.loads(LINE), member: given}).encode()
    assert json.loads(bytes(_exchange(line).request.raw)) == json.loads(BODY)


@pytest.mark.parametrize("body", ["null", '"text"', "[]", "{}"])
def test_a_line_without_a_body_is_skipped(body: str) -> None:
    """With its line and reason, as in every format."""
    line = b'{"cg":"requests/1","from":"x","line":1,"body":' + body.encode() + b"}\n"
    entries = list(read(io.BytesIO(LINE + line), file="f"))
    passed = entries[1].passed
    assert passed is not None
    assert (entries[1].line, passed.usable) == (2, False)
    assert passed.reason in ("no_body", "unknown_body")
