"""G-MARKERS."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from cgcli.checks.base import Verdict
from cgcli.stash.store import Stash
from tests.checks.gated import BASH, Json, body, failures, fixture, lines, notes, result, said, turn, user
from tests.running import FIXTURES, compact

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.checks.base import Result

GATE = "G-MARKERS"
ORIGINAL = "the whole output"
KEY = sha256(ORIGINAL.encode()).hexdigest()[:16]
GONE = "3f9a0c4be1d27a55"


@pytest.fixture
def stash(tmp_path: Path) -> Stash:
    """A stash with one original."""
    made = Stash.open(tmp_path / "stash", create=True)
    with made:
        made.put(ORIGINAL.encode())
        made.commit()
    return made


def found(source: Path | bytes, stash: Stash | None) -> Result:
    """What the gate says, against *stash*."""
    return result(source, GATE, options={"stash": stash})


def output(words: str) -> bytes:
    """A request with one tool output."""
    return lines([body(user("a"), *turn(1, words))])


def test_the_failing_fixture(stash: Stash) -> None:
    """A key that the stash does not have, half a marker, and a person who quotes the first one."""
    data = fixture(GATE, "failing")
    got = found(data, stash)
    assert (got.verdict, got.checked, got.unit) == (Verdict.FAIL, 1, "markers")
    assert [(one.line, one.kind, one.path, one.is_note) for one in got.findings] == [
        (1, "dangling", "messages.2.content.0.content", False),
        (1, "cut", "messages.2.content.1.content", False),
        (2, "quoted", "messages.0.content.0.text", True),
    ]
    first, second = data.read_bytes().splitlines()
    assert [one.byte for one in got.findings] == [
        first.index(b"<<cg:3f9a0c4be1d27a55>>"),
        first.index(b'<<cg:3f9a"'),
        second.index(b"<<cg:"),
    ]


def test_the_passing_fixture(tmp_path: Path) -> None:
    """With the stash that has the original it passes; with none it is unknown, never a pass."""
    original = "".join(f"{n:03d} crane idle, no load, wind from the west\n" for n in range(1, 121))
    with Stash.open(tmp_path / "own", create=True) as own:
        own.put(original.encode())
        own.commit()
    data = fixture(GATE, "passing")
    assert (found(data, own).verdict, found(data, own).checked) == (Verdict.PASS, 1)
    without = found(data, None)
    assert (without.verdict, without.reason) == (
        Verdict.UNKNOWN,
        "there are markers, and no stash to look them up in: give --stash",
    )


def test_the_vacuous_fixture(stash: Stash) -> None:
    """`1 << 2 >> 1` is no marker; without one there is nothing to check, with a stash or without."""
    for one in (stash, None):
        got = found(fixture(GATE, "vacuous"), one)
        assert (got.verdict, got.checked, got.findings) == (Verdict.VACUOUS, 0, ())


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (f"cut <<cg:{KEY}>> here", []),
        (f"cut <<cg:{KEY.upper()}>> here", []),
        (f'{{"a": "\\u003c\\u003ccg:{KEY}\\u003e\\u003e"}}', []),
        (f"<<cg:{GONE}>>", [("dangling", False)]),
        (f"a{GONE}<<cg:3f9a0c4b", [("cut", False)]),
        (f"{GONE}>> and more", [("cut", False)]),
        ("<<cg:3f9a>>", [("malformed", False)]),
        ("write <<cg:HASH>> there", [("quoted", True)]),
        ("<<ccr:abcdef,lines 1-9>>", [("foreign", True)]),
        ("\u27eacg\u27eb", [("sentinel", True)]),
        ("x >> y, cg, hash=no", []),
    ],
)
def test_markers_in_a_tool_output(stash: Stash, words: str, expected: list[tuple[str, bool]]) -> None:
    """What leads nowhere, is cut or cannot be a key fails; what is no marker of ours, or kept nothing, is a note."""
    got = found(output(words), stash)
    assert [(one.kind, one.is_note) for one in got.findings] == expected


def test_a_cut_marker_fails_without_a_stash_too() -> None:
    """That it leads nowhere can be seen."""
    assert found(output("<<cg:3f9a"), None).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("request_body", "path"),
    [
        (body(user(f"what is <<cg:{GONE}>>")), "messages.0.content"),
        (body(user("a"), said(f"I see <<cg:{GONE}>>")), "messages.1.content"),
        (body(user("a"), system=f"Markers look like <<cg:{GONE}>>."), "system.0"),
        (body(user("a"), tools=[{**BASH, "description": f"Expands <<cg:{GONE}>>."}]), "tools.0"),
    ],
)
def test_what_is_quoted_is_a_note(stash: Stash, request_body: Json, path: str) -> None:
    """In words of a person, of the model, in the system prompt or a tool's description."""
    got = found(lines([request_body]), stash)
    assert (got.verdict, [(one.kind, one.path) for one in notes(got)]) == (Verdict.VACUOUS, [("quoted", path)])
    assert failures(got) == []


def test_the_byte_is_exact_behind_escapes(stash: Stash) -> None:
    """Behind a quote, a tab and an emoji that are written as escapes."""
    request = body(user("a"), *turn(1, f'"\t\U0001f6a2 <<cg:{GONE}>>'))
    data = lines([request])
    (one,) = failures(found(data, stash))
    assert one.byte == data.index(b"<<cg:")


def test_a_marker_in_every_request_is_told_once(stash: Stash) -> None:
    """Ten requests that repeat it have one finding; the same one in another output is the same."""
    history = [user("a"), *turn(1, f"<<cg:{GONE}>>"), *turn(2, f"again <<cg:{GONE}>>")]
    bodies = [body(*history, *[said(str(n)) for n in range(i)]) for i in range(10)]
    assert len(failures(found(lines(bodies), stash))) == 1


def test_hostile_text_is_cut_short(stash: Stash) -> None:
    """A foreign marker of 250 characters is shown with 80 of them."""
    got = found(output(f"<<ccr:a {'x' * 190}>>"), stash)
    assert [len(one.message.split(":\u0020another")[0]) for one in got.findings] == [81]


@pytest.mark.parametrize("policy", ["codesafe", "agent"])
def test_what_cg_wrote_resolves(tmp_path: Path, policy: str) -> None:
    """Every marker of a compacted file leads to its original in the stash that was written with it."""
    done = compact(FIXTURES / "context-guru" / "agent.jsonl", tmp_path, policy)
    got = found(done.output, Stash.open(done.stash, create=False))
    assert (got.verdict, failures(got)) == (Verdict.PASS, [])
    assert got.checked > 0
