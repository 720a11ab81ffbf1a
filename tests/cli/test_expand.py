"""`cg expand`: single originals, whole files, and what it says where it cannot."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import oracle
from tests.lanes.placing import body, lines, turn, user
from tests.snapshots import as_file

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from tests.cli.calling import Cg

LONG = "\n".join(f"line {i} of caf\N{LATIN SMALL LETTER E WITH ACUTE}" for i in range(500))
OTHER = "\n".join(f"other {i}" for i in range(900))
BODIES = [body(user("go"), *turn(1, LONG)), body(user("go"), *turn(1, LONG), *turn(2, OTHER))]
SHOWN = {
    "demo": "context-guru/agent.jsonl",
    "cold": "claude-trace/cold.jsonl",
    "responses": "context-guru/responses.jsonl",
}
KEY, OTHER_KEY = oracle.marker_key(LONG), oracle.marker_key(OTHER)


@pytest.fixture(name="compacted")
def _compacted(cg: Cg) -> Cg:
    cg.write("in.jsonl", lines(BODIES))
    cg.write("p.toml", '[[steps]]\ncomponent = "collapse"\nmax_tokens = 100\n')
    assert cg("compact", "in.jsonl", "-o", "out.jsonl", "--policy", "p.toml", "-q") == 0
    return cg


@pytest.mark.parametrize(
    "spelled",
    [
        KEY,
        KEY.upper(),
        KEY[:6],
        f"<<cg:{KEY}>>",
        f"\\u003c\\u003ccg:{KEY}\\u003e\\u003e",
        hashlib.sha256(LONG.encode()).hexdigest(),
    ],
)
def test_a_marker_gives_its_original_byte_for_byte(spelled: str, compacted: Cg) -> None:
    """By the key, its first digits, the marker as it stands, or the whole digest; nothing is added."""
    assert compacted("expand", spelled) == 0
    assert (compacted.out, compacted.err) == (LONG.encode(), b"")


def test_several_markers_give_their_originals_in_turn(compacted: Cg) -> None:
    """To stdout, to a file, or as one document."""
    assert compacted("expand", OTHER_KEY, KEY) == 0
    assert compacted.out == OTHER.encode() + LONG.encode()
    assert compacted("expand", OTHER_KEY, KEY, "-o", "both.txt") == 0
    assert compacted.read("both.txt") == OTHER.encode() + LONG.encode()
    assert compacted.report("expand", KEY) == {
        "schema": "cgcli/expand/v1",
        "objects": [{"sha256": hashlib.sha256(LONG.encode()).hexdigest(), "bytes": len(LONG.encode()), "text": LONG}],
    }


@pytest.mark.parametrize("wrong", ["0123456789abcdef", "abc", "<<cg:HASH>>", ""])
def test_what_the_stash_has_not_is_exit_5(wrong: str, compacted: Cg) -> None:
    """An unknown key, too few digits, no key; nothing goes to stdout, also where another was found."""
    assert compacted("expand", KEY, wrong) == 5
    assert compacted.out == b""
    assert compacted.err.startswith(b"cg: ")


def test_without_a_stash_it_says_where_it_looked(cg: Cg) -> None:
    """Exit 5, and none is made."""
    assert cg("expand", KEY) == 5
    assert cg.names() == []


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_the_whole_file_comes_back(name: str, cg: Cg, snapshot: SnapshotAssertion) -> None:
    """Byte for byte, and the talk says how many edits that took."""
    source = cg.fixture(SHOWN[name])
    assert cg("compact", source, "-o", "out.jsonl", "--policy", "general", "--held", "ignore", "-q") == 0
    assert cg("expand", "--all", "out.jsonl", "-o", "back.jsonl") == 0
    assert cg.read("back.jsonl") == cg.read(source)
    assert cg.out == b""
    assert cg.err == as_file(snapshot, "txt")
    assert cg("expand", "--all", "out.jsonl", "-q") == 0
    assert (cg.out, cg.err) == (cg.read(source), b"")


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_a_changed_file_comes_back_slot_by_slot(name: str, cg: Cg, snapshot: SnapshotAssertion) -> None:
    """Its first record left out, markers of every kind added: restored where possible, the rest named."""
    source = cg.fixture(SHOWN[name])
    assert cg("compact", source, "-o", "out.jsonl", "--policy", "general", "--held", "ignore", "-q") == 0
    records = cg.read("out.jsonl").splitlines(keepends=True)
    wrapped = {"provider": "anthropic", "model": "m"}
    quoted = b"".join(
        lines([{"body": body(user(f"{text} was here")), **wrapped}, {"note": text}])
        for text in (
            "<<cg:HASH>>",
            "<<cg:3f",
            "<<ccr:abc123>>",
            "\N{MATHEMATICAL LEFT DOUBLE ANGLE BRACKET}cg\N{MATHEMATICAL RIGHT DOUBLE ANGLE BRACKET}",
        )
    )
    cg.write("changed.jsonl", b"".join(records[1:]) + quoted)
    assert cg("expand", "--all", "changed.jsonl", "-o", "back.jsonl") == 0
    assert cg.err == as_file(snapshot, "txt")
    assert cg.read("back.jsonl") == b"".join(cg.read(source).splitlines(keepends=True)[1:]) + quoted


def test_a_dangling_marker_is_exit_5_with_all_else_restored(compacted: Cg) -> None:
    """The file is written, the marker is named and stays."""
    more = lines([body(user("old: <<cg:0123456789abcdef>>"))])
    compacted.write("changed.jsonl", compacted.read("out.jsonl") + more)
    assert compacted("expand", "--all", "changed.jsonl", "-o", "back.jsonl") == 5
    assert compacted.read("back.jsonl") == compacted.read("in.jsonl") + more
    assert compacted.err.decode().splitlines()[1:] == [
        "1 dangling left in place (its original is not in this stash):",
        "  line 3, messages.0.content: <<cg:0123456789abcdef>>",
    ]


def test_a_file_with_markers_and_no_stash_is_exit_5(compacted: Cg) -> None:
    """Nothing is written; the hint is how to name the stash."""
    assert compacted("expand", "--all", "out.jsonl", "-o", "back.jsonl", "--stash", "nowhere") == 5
    assert b"the file has markers and there is no stash" in compacted.err
    assert b"--stash DIR" in compacted.err
    assert "back.jsonl" not in compacted.names()


def test_a_file_without_markers_needs_no_stash(cg: Cg) -> None:
    """It comes back as it is."""
    cg.write("in.jsonl", lines([body(user("go"))]))
    assert cg("expand", "--all", "in.jsonl", "-o", "back.jsonl") == 0
    assert cg.read("back.jsonl") == cg.read("in.jsonl")
    assert cg.err == b"no undo record for this file as it is, and no marker in it: given back as it is\n"


@pytest.mark.parametrize("content", [b"", b"{", b"changed"])
def test_a_corrupt_original_is_exit_5_and_nothing_is_written(content: bytes, compacted: Cg) -> None:
    """Whatever stands in its place: empty, cut, something else."""
    (victim,) = (
        path for path in Path(".cg").rglob("*") if path.name.startswith(KEY) or KEY in str(path).replace("/", "")
    )
    victim.chmod(0o600)
    victim.write_bytes(content)
    assert compacted("expand", "--all", "out.jsonl", "-o", "back.jsonl") == 5
    assert "back.jsonl" not in compacted.names()
    assert compacted("expand", KEY) == 5
    assert compacted.out == b""


def test_the_report_of_all_is_a_document(compacted: Cg) -> None:
    """Way, edits, and what was left; the product goes to the file."""
    assert compacted.report("expand", "--all", "out.jsonl", "-o", "back.jsonl") == {
        "schema": "cgcli/expand-all/v1",
        "file": "out.jsonl",
        "output": "back.jsonl",
        "stash": str(Path.cwd() / ".cg"),
        "way": "undo_record",
        "edits_undone": 3,
        "left": [],
    }


def _two_inputs_of_one_output(cg: Cg) -> tuple[bytes, bytes]:
    """The capture, and what `safe` makes of it: `codesafe` makes the same of both."""
    name = cg.fixture(SHOWN["demo"])
    assert cg("compact", name, "--policy", "safe", "-o", "safe.jsonl", "-q") == 0
    assert cg("compact", "safe.jsonl", "-o", "out.jsonl", "-q") == 0
    assert cg("compact", name, "-o", "same.jsonl", "-q") == 0
    assert cg.read("out.jsonl") == cg.read("same.jsonl")
    return cg.read(name), cg.read("safe.jsonl")


def test_of_several_inputs_of_one_output_each_comes_back(cg: Cg) -> None:
    """By its sha256; without it nothing is guessed, and the digests to choose from are told with the sizes."""
    inputs = _two_inputs_of_one_output(cg)
    assert cg("expand", "--all", "out.jsonl", "-o", "back.jsonl") == 5
    assert b"2 inputs became the output" in cg.err
    assert "back.jsonl" not in cg.names()
    for content in inputs:
        digest = hashlib.sha256(content).hexdigest()
        assert cg("expand", "--all", "out.jsonl", "-o", "back.jsonl") == 5
        assert f"{digest[:16]} ({len(content):,} bytes)".encode() in cg.err
        assert cg("expand", "--all", "out.jsonl", "-o", "back.jsonl", "--input", digest[:16].upper()) == 0
        assert cg.read("back.jsonl") == content
        Path("back.jsonl").unlink()


def test_an_input_that_never_became_the_file_is_exit_5(compacted: Cg) -> None:
    """Also where there is no choice: it is what the person meant; and the one that did is told."""
    digest = hashlib.sha256(compacted.read("in.jsonl")).hexdigest()
    wrong = "0" * 8 if not digest.startswith("0" * 8) else "1" * 8
    assert compacted("expand", "--all", "out.jsonl", "-o", "back.jsonl", "--input", wrong) == 5
    assert f"no input whose sha256 begins with {wrong} became this file\n  try: known: {digest[:16]}".encode() in (
        compacted.err
    )
    assert "back.jsonl" not in compacted.names()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), b"cg: give hashes, or --all FILE\n"),
        ((KEY, "--input", "00ff"), b"cg: --input goes with --all\n"),
        ((KEY, "--all", "out.jsonl"), b"cg: give hashes, or --all FILE\n"),
        (("--all", "out.jsonl", "-o", "out.jsonl"), b"cg: out.jsonl: the output is the input\n"),
    ],
)
def test_wrong_usage_is_exit_2(arguments: tuple[str, ...], said: bytes, compacted: Cg) -> None:
    """Neither, both, and the file over itself."""
    before = compacted.read("out.jsonl")
    assert compacted("expand", *arguments) == 2
    assert compacted.err.startswith(said)
    assert compacted.read("out.jsonl") == before
