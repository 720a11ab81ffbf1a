"""What a compaction writes: product, stash and undo record, and all of it again from the product."""

from __future__ import annotations

import hashlib
import json
import re
from io import BytesIO
from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.component import MarkerMode
from cgcli.compaction.components.collapse import Collapse
from cgcli.compaction.components.format import Format
from cgcli.compaction.policy import Policy, named, pipeline
from cgcli.compaction.state import HeldRule
from cgcli.errors import StashCorrupt, StashMiss, StashUnwritable
from cgcli.readers import read
from cgcli.replay.compact import Writer
from cgcli.replay.run import Run
from cgcli.stash.store import Stash
from tests import oracle
from tests.compaction.stepping import Raises
from tests.lanes.placing import Json, body, lines, turn, user
from tests.running import FIXTURES, compact, expand_all

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COLLAPSE = Collapse(max_tokens=60, head_lines=2, tail_lines=2)
SHRINKS = Policy(name="shrinks", components=(Format(min_tokens=1), COLLAPSE))
LADDER = {"protected_tool_results": 0, "compact_threshold": 0.6, "target_usage": 0.5, "protected_recent": 0.0}
GO = user("go")
LONG = "\n".join(f"<line> {i} of caf\N{LATIN SMALL LETTER E WITH ACUTE} \N{ROCKET}" for i in range(90))
ROWS = json.dumps([{"n": i, "w": "<caf\N{LATIN SMALL LETTER E WITH ACUTE}>"} for i in range(9)], indent=2)
BODIES = [
    body(GO, *turn(1, LONG)),
    body(GO, *turn(1, LONG), *turn(2, ROWS)),
    body(GO, *turn(1, LONG), *turn(2, ROWS), *turn(3, LONG)),
]


def _plain(made: Json) -> str:
    return json.dumps(made, ensure_ascii=False)


def _go(made: Json) -> str:
    text = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


SPELLINGS: dict[str, Callable[[Json], str]] = {
    "ascii": json.dumps,
    "utf8": _plain,
    "go": _go,
    "upper-case escapes": lambda made: json.dumps(made).replace("\\u00e9", "\\u00E9"),
    "string": lambda made: json.dumps({"request": {"body": _plain(made)}}),
    "string of escapes": lambda made: json.dumps({"request": {"body": json.dumps(made)}}),
    "string in Go's escapes": lambda made: _go({"request": {"body": _go(made)}}),
}


@pytest.mark.parametrize("spelling", sorted(SPELLINGS))
def test_what_stands_beside_slots_is_found_by_its_marker(spelling: str, tmp_path: Path) -> None:
    """An output that is truncated by its text, messages that are left out by their bytes in the body."""
    history = [GO, *turn(1, LONG), *turn(2, ROWS), user("go on")]
    source = tmp_path / "in.jsonl"
    source.write_text(SPELLINGS[spelling](body(*history)) + "\n", encoding="utf-8")
    found: dict[str, bytes] = {}
    for budget, n_chars in ((1400, 250), (300, 5000)):
        policy = pipeline(["ladder"], {"ladder": {**LADDER, "budget_tokens": budget, "truncate_chars": n_chars}})
        done = compact(source, tmp_path, policy)
        stash = Stash.open(done.stash, create=False)
        keys = {key.decode() for key in re.findall(rb"cg:([0-9a-f]{16})", done.output.read_bytes())}
        found |= {key: stash.get(one.digest) for one in stash.ls() for key in keys if one.digest.startswith(key)}
        assert keys <= found.keys()
        assert expand_all(done, tmp_path / "back") == source.read_bytes()
    texts = [*found.values()]
    assert LONG.encode() in texts
    left_out = next(text for text in texts if text.startswith(b"{"))
    ((_, sent),) = oracle.bodies(source.read_bytes())
    assert json.loads(b"[%b]" % left_out) == sent["messages"][1:5]


@pytest.mark.parametrize("spelling", sorted(SPELLINGS))
def test_any_spelling_comes_back_byte_for_byte(spelling: str, tmp_path: Path) -> None:
    """Bodies as objects and as strings that hold JSON, in several encoders' escapes."""
    source = tmp_path / "in.jsonl"
    source.write_text("".join(SPELLINGS[spelling](made) + "\n" for made in BODIES), encoding="utf-8")
    done = compact(source, tmp_path, SHRINKS)
    check_texts(source.read_bytes(), done.output.read_bytes())
    assert done.output.stat().st_size < source.stat().st_size
    assert expand_all(done, tmp_path / "back") == source.read_bytes()


def test_a_history_that_is_spelled_anew_in_each_record_comes_back(tmp_path: Path) -> None:
    """The same outputs, in another encoder's escapes in every record: each record gets its own bytes back."""
    order = ["utf8", "ascii", "go", "upper-case escapes", "utf8", "string", "ascii"]
    made = [*BODIES, *BODIES, BODIES[0]]
    source = tmp_path / "in.jsonl"
    source.write_text(
        "".join(SPELLINGS[name](one) + "\n" for name, one in zip(order, made, strict=True)), encoding="utf-8"
    )
    done = compact(source, tmp_path, SHRINKS)
    check_texts(source.read_bytes(), done.output.read_bytes())
    assert expand_all(done, tmp_path / "back") == source.read_bytes()


def check_texts(before: bytes, after: bytes) -> None:
    """Every tool output is as it was, in fewer characters of the same JSON, or around its own marker."""
    n_marked = 0
    for (_, old), (_, new) in zip(oracle.bodies(before), oracle.bodies(after), strict=True):
        for (path, was), (same, now) in zip(oracle.tool_outputs(old), oracle.tool_outputs(new), strict=True):
            assert path == same
            if f"<<cg:{oracle.marker_key(was)}>>" in now:
                n_marked += 1
            elif now != was:
                assert json.loads(now) == json.loads(was)
    assert n_marked > 0


def test_an_edited_history_comes_back(tmp_path: Path) -> None:
    """Where a client puts an older version back, each record has its own originals."""
    other = json.dumps([{"n": i, "w": "other"} for i in range(9)], indent=2)
    older, newer = [GO, *turn(1, ROWS), *turn(2)], [GO, *turn(1, other), *turn(2), *turn(3)]
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines([body(*older), body(*newer), body(*older, *turn(3), *turn(4)), body(*older)]))
    done = compact(source, tmp_path, SHRINKS)
    sent = [oracle.tool_outputs(one)[0][1] for _, one in oracle.bodies(done.output.read_bytes())]
    assert [json.loads(text)[0]["w"][:5] for text in sent] == ["<caf\xe9", "other", "<caf\xe9", "<caf\xe9"]
    assert expand_all(done, tmp_path / "back") == source.read_bytes()


def test_each_distinct_original_is_stashed_once(tmp_path: Path) -> None:
    """Two outputs in three records and two places: two originals, each under the sha256 of its text."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines(BODIES))
    done = compact(source, tmp_path, SHRINKS)
    stash = Stash.open(done.stash, create=False)
    assert {one.digest for one in stash.ls()} == {hashlib.sha256(text.encode()).hexdigest() for text in (LONG, ROWS)}
    assert done.written.stashed is not None
    assert (done.written.stashed.n_new, done.written.stashed.n_known) == (2, 0)
    assert done.written.stashed.new_bytes == len(LONG.encode()) + len(ROWS.encode())
    again = compact(source, tmp_path, SHRINKS, name="again")
    assert again.written.stashed is not None
    assert (again.written.stashed.n_new, again.written.stashed.n_known) == (0, 2)


def test_sizes_and_digest_are_those_of_the_files(tmp_path: Path) -> None:
    """Bytes read, bytes written and the sha256 of what was written."""
    source = FIXTURES / "context-guru" / "agent.jsonl"
    done = compact(source, tmp_path, "general")
    content = done.output.read_bytes()
    assert done.written.input_bytes == source.stat().st_size
    assert done.written.output_bytes == len(content)
    assert done.written.output_digest == hashlib.sha256(content).hexdigest()
    assert done.written.example_key is not None
    assert f"cg:{done.written.example_key}".encode() in content


@pytest.mark.parametrize("policy", ["off", "codesafe"])
def test_nothing_to_do_makes_no_stash(policy: str, tmp_path: Path) -> None:
    """Without an edit the bytes are the input's, and no folder is made."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines([body(GO), body(GO, *turn(1, "ok"))]))
    done = compact(source, tmp_path, policy)
    assert done.output.read_bytes() == source.read_bytes()
    assert not done.stash.exists()
    assert done.written.stashed is None


def test_a_dry_run_writes_nothing_and_counts_the_same(tmp_path: Path) -> None:
    """No product, no stash; the figures are those of the real run."""
    source = FIXTURES / "context-guru" / "agent.jsonl"
    with source.open("rb") as stream:
        run = Run(read(stream, file=str(source)), named("general"), rule=HeldRule.IGNORE)
        dry = Writer(run, None, None).write()
    done = compact(source, tmp_path, "general", "ignore")
    assert (dry.output_bytes, dry.example_key) == (done.written.output_bytes, done.written.example_key)
    assert run.ledger.distinct.fired == done.run.ledger.distinct.fired
    assert run.ledger.rows == done.run.ledger.rows


@pytest.mark.parametrize("mode", [MarkerMode.SUMMARY, MarkerMode.OFF])
def test_what_was_not_kept_cannot_be_given_back(mode: MarkerMode, tmp_path: Path) -> None:
    """The undo record says how many outputs have no original, and nothing is written."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines(BODIES))
    lossy = Policy(name="lossy", components=(Collapse(max_tokens=60, head_lines=2, tail_lines=2, marker_mode=mode),))
    done = compact(source, tmp_path, lossy)
    assert done.run.ledger.distinct.n_irreversible == 3
    assert not list(Stash.open(done.stash, create=False).ls())
    with pytest.raises(StashMiss, match="3 edits were irreversible"):
        expand_all(done, tmp_path / "back")
    assert not (tmp_path / "back").exists()


def test_some_that_cannot_be_given_back_keep_the_whole_from_it(tmp_path: Path) -> None:
    """One reversible step beside an irreversible one: the file does not come back, and does not pretend to."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines(BODIES))
    lossy = Collapse(max_tokens=60, head_lines=2, tail_lines=2, marker_mode=MarkerMode.OFF)
    done = compact(source, tmp_path, Policy(name="mixed", components=(Format(min_tokens=1), lossy)))
    with pytest.raises(StashMiss, match="edits were irreversible"):
        expand_all(done, tmp_path / "back")
    assert not (tmp_path / "back").exists()


def test_a_faulty_component_loses_nothing(tmp_path: Path) -> None:
    """It is named with its fault, the others act, and the file comes back."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines(BODIES))
    done = compact(source, tmp_path, Policy(name="faulty", components=(Raises(), Format(min_tokens=1), COLLAPSE)))
    assert done.run.ledger.distinct.reverted == {("raises", "raised"): 3}
    (_, last) = oracle.bodies(done.output.read_bytes())[-1]
    marked = ["<<cg:" in text for _, text in oracle.tool_outputs(last)]
    assert marked == [True, False, True]
    assert done.run.ledger.distinct.fired == {"format": 1, "collapse": 2}
    assert expand_all(done, tmp_path / "back") == source.read_bytes()


def test_a_corrupt_original_stops_the_restoration(tmp_path: Path) -> None:
    """An object that is not what its name says is exit 5, and nothing is written."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines(BODIES))
    done = compact(source, tmp_path, SHRINKS)
    stash = Stash.open(done.stash, create=False)
    victim = stash.layout.object(hashlib.sha256(LONG.encode()).hexdigest())
    victim.chmod(0o600)
    victim.write_bytes(LONG.encode()[:-1] + b"?")
    with pytest.raises(StashCorrupt):
        expand_all(done, tmp_path / "back")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out.jsonl", "stash"]


def test_a_missing_original_stops_the_restoration(tmp_path: Path) -> None:
    """As a corrupt one does."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines(BODIES))
    done = compact(source, tmp_path, SHRINKS)
    Stash.open(done.stash, create=False).layout.object(hashlib.sha256(ROWS.encode()).hexdigest()).unlink()
    with pytest.raises(StashMiss):
        expand_all(done, tmp_path / "back")
    assert not (tmp_path / "back").exists()


def test_an_original_that_cannot_be_kept_leaves_no_product(tmp_path: Path) -> None:
    """What needs the original does not leave the request: the run ends, and the output is not there."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines(BODIES))
    (tmp_path / "stash").write_text("a file where the folder should be")
    with pytest.raises(StashUnwritable):
        compact(source, tmp_path, SHRINKS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "stash"]


def test_two_inputs_that_become_one_output_are_not_mixed_up(tmp_path: Path) -> None:
    """Two spellings of a JSON output compact to the same bytes: which one it was is not guessed."""
    other = json.dumps(json.loads(ROWS), indent=4)
    source = tmp_path / "in.jsonl"
    for text in (ROWS, other):
        source.write_bytes(lines([body(GO, *turn(1, text))]))
        compact(source, tmp_path, pipeline(["format"]))
    done = compact(source, tmp_path, pipeline(["format"]))
    with pytest.raises(StashMiss, match="2 inputs became the output"):
        expand_all(done, tmp_path / "back")


def test_records_that_are_no_requests_pass_through(tmp_path: Path) -> None:
    """Between requests, byte for byte; usable ones counted by reason, unusable ones with their line."""
    source = tmp_path / "in.jsonl"
    spoiled = b'{"model": NaN, "messages": []}\n{"half": \n// a comment\n\n{"ping": 1}\n'
    source.write_bytes(lines(BODIES[:1]) + spoiled + lines(BODIES[1:]))
    done = compact(source, tmp_path, SHRINKS)
    assert spoiled in done.output.read_bytes()
    assert {line for line, _, _ in done.written.skipped} >= {2, 3}
    assert expand_all(done, tmp_path / "back") == source.read_bytes()


def test_a_run_reads_its_capture_as_a_stream() -> None:
    """One entry at a time: what stands behind is not read before it is needed."""
    stream = BytesIO(lines(BODIES * 2000))
    entries = iter(Run(read(stream, file="made"), named("off"), rule=HeldRule.RESPECT))
    next(entries)
    assert stream.tell() < len(stream.getbuffer())
