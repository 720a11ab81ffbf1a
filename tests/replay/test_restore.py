"""A file that was changed since: whole slots come back one by one, every other marker is reported and stays."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.compaction.components.collapse import Collapse
from cgcli.compaction.components.format import Format
from cgcli.compaction.policy import Policy, pipeline
from cgcli.replay.expand import Expanded, expand
from cgcli.replay.output import Output
from cgcli.stash.store import Stash
from tests import oracle
from tests.lanes.placing import Json, body, lines, said, turn, user
from tests.running import Compacted, compact

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SHRINKS = Policy(name="shrinks", components=(Format(min_tokens=1), Collapse(max_tokens=60, head_lines=2, tail_lines=2)))
GO = user("go")
LONG = "\n".join(f"line {i} of caf\N{LATIN SMALL LETTER E WITH ACUTE}" for i in range(90))
OTHER = "\n".join(f"other {i}" for i in range(90))
ROWS = json.dumps([{"n": i} for i in range(12)], indent=2)
BODIES = [
    body(GO, *turn(1, LONG)),
    body(GO, *turn(1, LONG), *turn(2, ROWS)),
    body(GO, *turn(1, LONG), *turn(2, ROWS), *turn(3, OTHER)),
]
MARKER = f"<<cg:{oracle.marker_key(LONG)}>>"


@pytest.fixture(name="done")
def _done(tmp_path: Path) -> Compacted:
    (tmp_path / "in.jsonl").write_bytes(lines(BODIES))
    return compact(tmp_path / "in.jsonl", tmp_path, SHRINKS)


def _expand(done: Compacted, change: Callable[[list[Json]], Any], *, stash: bool = True) -> tuple[Expanded, list[Json]]:
    """Change the compacted bodies, write them as Python does, and expand that."""
    bodies = [found for _, found in oracle.bodies(done.output.read_bytes())]
    change(bodies)
    path = done.output.with_name("changed.jsonl")
    path.write_bytes(lines(bodies))
    back = done.output.with_name("back.jsonl")
    with Output(str(back)) as sink:
        expanded = expand(str(path), Stash.open(done.stash, create=False) if stash else None, sink)
        sink.finish()
    return expanded, [found for _, found in oracle.bodies(back.read_bytes())]


def _left(expanded: Expanded) -> list[tuple[str, int, str, str]]:
    assert expanded.by_slot is not None
    return [(left.kind, left.line, left.path, left.text) for left in expanded.by_slot.leftovers]


def test_the_unchanged_output_comes_back_whole(done: Compacted, tmp_path: Path) -> None:
    """By its undo record: six edits, the bytes of the input."""
    with Output(str(tmp_path / "back.jsonl")) as sink:
        expanded = expand(str(done.output), Stash.open(done.stash, create=False), sink)
        sink.finish()
    assert expanded.by_slot is None
    assert expanded.whole is not None
    size = (tmp_path / "in.jsonl").stat().st_size
    assert (expanded.whole.n_edits, expanded.whole.output_bytes) == (6, size)
    assert expanded.whole.input_bytes == done.output.stat().st_size
    assert (tmp_path / "back.jsonl").read_bytes() == (tmp_path / "in.jsonl").read_bytes()


def test_a_file_with_a_line_less_comes_back_but_for_that_line(done: Compacted) -> None:
    """Every slot that is left, again in each record that repeats it; those without a marker too."""
    expanded, back = _expand(done, lambda bodies: bodies.pop(0))
    assert back == BODIES[1:]
    assert expanded.by_slot is not None
    assert expanded.by_slot.n_restored == 5
    assert _left(expanded) == []


@pytest.mark.parametrize(
    "spell",
    [
        lambda made: json.dumps(made, indent=1),
        lambda made: json.dumps(made, ensure_ascii=False),
        lambda made: json.dumps(made).replace("<", "\\u003c"),
        lambda made: json.dumps({"request": {"body": json.dumps(made)}}),
    ],
)
def test_a_file_in_another_spelling_comes_back(done: Compacted, spell: Callable[[Json], str], tmp_path: Path) -> None:
    """What a slot reads decides, not how it is spelled."""
    bodies = [found for _, found in oracle.bodies(done.output.read_bytes())]
    path = tmp_path / "spelled.json"
    # One record that may go over several lines.
    path.write_text(spell(bodies[-1]), encoding="utf-8")
    with Output(str(tmp_path / "back.json")) as sink:
        expand(str(path), Stash.open(done.stash, create=False), sink)
        sink.finish()
    ((_, back),) = oracle.bodies((tmp_path / "back.json").read_bytes())
    assert back == BODIES[-1]


def test_a_slot_comes_back_in_any_role(done: Compacted) -> None:
    """A whole text that compaction wrote is restored where a client moved it: to a user, the assistant, the system."""

    def move(bodies: list[Json]) -> None:
        text = oracle.tool_outputs(bodies[0])[0][1]
        bodies[:] = [body(user(text), said(text), user("and"), system=text)]

    _, back = _expand(done, move)
    assert back == [body(user(LONG), said(LONG), user("and"), system=LONG)]


def test_an_example_in_a_tools_description_is_no_loss(done: Compacted) -> None:
    """It was never anything's marker: quoted, whether the stash has such a key or not."""

    def describe(bodies: list[Json]) -> None:
        bodies[1]["tools"] = [{**bodies[1]["tools"][0], "description": "Gives back <<cg:0123456789abcdef>>."}]

    expanded, _ = _expand(done, describe)
    assert _left(expanded) == [("quoted", 2, "tools.0", "<<cg:0123456789abcdef>>")]


def test_markers_that_are_only_quoted_stay(done: Compacted) -> None:
    """In a person's words, a tool's description and another output: reported with line and path, and left."""

    def quote(bodies: list[Json]) -> None:
        bodies[1]["messages"].append(user(f"What was {MARKER}?"))
        bodies[1]["tools"] = [{**bodies[1]["tools"][0], "description": f"Gives back {MARKER}."}]
        bodies[2]["messages"] += turn(9, f"grep: {MARKER} and more")

    expanded, back = _expand(done, quote)
    assert _left(expanded) == [
        ("quoted", 2, "tools.0", MARKER),
        ("quoted", 2, "messages.5.content", MARKER),
        ("quoted", 3, "messages.8.content.0.content", f"{MARKER}"),
    ]
    assert back[1]["messages"][:5] == BODIES[1]["messages"]
    assert back[1]["messages"][5] == user(f"What was {MARKER}?")
    assert back[2]["messages"][8] == turn(9, f"grep: {MARKER} and more")[1]


KINDS = [
    ("cut", MARKER[:12], MARKER[:12]),
    ("cut", "<<cg:", "<<cg:"),
    ("dangling", "<<cg:0123456789abcdef>>", "<<cg:0123456789abcdef>>"),
    ("malformed", "<<cg:HASH>>", "<<cg:HASH>>"),
    ("foreign", "<<ccr:abc123>>", "<<ccr:abc123>>"),
    ("foreign", "<<ctxzip:9 40 lines>>", "<<ctxzip:9 40 lines>>"),
    ("sentinel", "\N{MATHEMATICAL LEFT DOUBLE ANGLE BRACKET}cg\N{MATHEMATICAL RIGHT DOUBLE ANGLE BRACKET}", None),
]


@pytest.mark.parametrize(("kind", "text", "shown"), KINDS)
def test_each_kind_of_marker_that_stays_is_named(done: Compacted, kind: str, text: str, shown: str | None) -> None:
    """With its line, its path and what stands there; the output that it stands in is unchanged."""
    expanded, back = _expand(done, lambda bodies: bodies[2]["messages"].extend(turn(9, f"an output with {text} in it")))
    assert _left(expanded) == [(kind, 3, "messages.8.content.0.content", shown or text)]
    assert oracle.tool_outputs(back[2])[-1][1] == f"an output with {text} in it"
    assert back[2]["messages"][:7] == BODIES[2]["messages"]


def test_a_changed_slot_stays_and_is_named(done: Compacted) -> None:
    """A word more around the marker: the text is no longer what compaction left."""

    def edit(bodies: list[Json]) -> None:
        block = bodies[2]["messages"][2]["content"][0]
        block["content"] += " (edited)"

    expanded, back = _expand(done, edit)
    assert _left(expanded) == [("quoted", 3, "messages.2.content.0.content", MARKER)]
    assert back[2]["messages"][2]["content"][0]["content"].endswith(" (edited)")
    assert back[:2] == BODIES[:2]


def test_each_distinct_leftover_is_reported_once(done: Compacted) -> None:
    """A marker that the history repeats is named where it stands first."""

    def add(bodies: list[Json]) -> None:
        for one in bodies:
            one["messages"].append(user("old: <<cg:0123456789abcdef>>"))

    expanded, _ = _expand(done, add)
    assert [(kind, line) for kind, line, _, _ in _left(expanded)] == [("dangling", 1)]


def test_without_a_stash_every_marker_dangles(done: Compacted) -> None:
    """Two distinct outputs with a marker; the file is given back as it is."""
    expanded, back = _expand(done, list, stash=False)
    assert [kind for kind, *_ in _left(expanded)] == ["dangling", "dangling"]
    assert back == [found for _, found in oracle.bodies(done.output.read_bytes())]


def test_a_text_that_two_originals_became_is_not_guessed(tmp_path: Path) -> None:
    """Two spellings of one JSON: which one it was cannot be told without the undo record."""
    other = json.dumps(json.loads(ROWS), indent=4)
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines([body(GO, *turn(1, ROWS)), body(user("else"), *turn(2, other))]))
    done = compact(source, tmp_path, pipeline(["format"]))
    expanded, back = _expand(done, lambda bodies: bodies.append(bodies[0]))
    assert [(kind, line, text) for kind, line, _, text in _left(expanded)] == [
        ("ambiguous", 1, "2 originals became this text"),
        ("ambiguous", 2, "2 originals became this text"),
    ]
    assert oracle.tool_outputs(back[0])[0][1] == json.dumps(json.loads(ROWS), separators=(",", ":"))


def test_the_document_names_way_and_leftovers(done: Compacted) -> None:
    """What `--json` shows."""
    expanded, _ = _expand(done, lambda bodies: bodies[0]["messages"].append(user("<<cg:HASH>>")))
    assert expanded.document(file="f", output="o", stash="s") == {
        "schema": "cgcli/expand-all/v1",
        "file": "f",
        "output": "o",
        "stash": "s",
        "way": "by_slot",
        "edits_undone": 6,
        "left": [{"kind": "malformed", "line": 1, "path": "messages.3.content", "text": "<<cg:HASH>>"}],
    }
