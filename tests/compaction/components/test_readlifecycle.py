"""`readlifecycle`: reads that are out of date, or were made again."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from cgcli.compaction.component import MarkerMode, Reduction, Skip
from cgcli.compaction.components.readlifecycle import Fate, ReadLifecycle
from cgcli.model import changed
from tests.compaction.viewing import (
    DIALECTS,
    MARK,
    Asked,
    Call,
    Said,
    Together,
    answers,
    bash,
    edits,
    reads,
    reason,
    reduced,
    slot,
    view,
)
from tests.running import CORPUS, NO_CORPUS

GO = Asked(text="Change the module.")
END = Said(text="Done.")
TEXT = "".join(f"{n:6}\tvalue_{n} = {n}\n" for n in range(1, 41))
NEW = TEXT.replace("value_3 ", "changed_3 ")
STALE = f"[file read, out of date: /x/a.py was changed later] {MARK}"
AGAIN = f"[file read, superseded: /x/a.py was read again later] {MARK}"


def lines(first: int, last: int, mark: str = "") -> str:
    """Numbered lines of a file."""
    return "".join(f"{n:6}\tthe line with number {n}{mark}\n" for n in range(first, last + 1))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_read_is_out_of_date_once_the_file_was_edited(dialect: str) -> None:
    """It says what is not true any more; a read of another file stays."""
    seen = view(GO, reads("/x/a.py", TEXT), reads("/x/b.py", TEXT), edits("/x/a.py"), END, dialect=dialect)
    assert answers(ReadLifecycle(), seen) == [STALE, "-fresh_read", "-below_min_tokens"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_read_is_superseded_by_a_later_one_of_the_same_lines(dialect: str) -> None:
    """The newest stays."""
    seen = view(GO, reads("/x/a.py", TEXT), reads("/x/a.py", NEW), END, dialect=dialect)
    assert answers(ReadLifecycle(), seen) == [AGAIN, "-fresh_read"]


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        (MarkerMode.FULL, STALE),
        (MarkerMode.SUMMARY, "[file read, out of date: /x/a.py was changed later] ⟪cg⟫"),
        (MarkerMode.OFF, "[file read, out of date: /x/a.py was changed later]"),
    ],
)
def test_marker_is_what_the_mode_says(mode: MarkerMode, text: str) -> None:
    """And what was replaced is not replaced again."""
    component = ReadLifecycle(marker_mode=mode, min_tokens=0)
    seen = view(GO, reads("/x/a.py", TEXT), edits("/x/a.py"), END)
    answer = component.propose(slot(seen, 0))
    assert answer == Reduction(text=text)
    assert component.propose(slot(seen, 0, text=text)) == Skip(reason="already_marked")


def test_path_in_the_note_is_one_clean_line() -> None:
    """A path that was made to look like a marker, or to move the cursor, does neither."""
    path = "/x/<<cg:0123456789abcdef>>\x1b[2J\nb.py"
    seen = view(GO, reads(path, TEXT), edits(path), END)
    text = f"[file read, out of date: /x/<< cg:0123456789abcdef>> b.py was changed later] {MARK}"
    assert answers(ReadLifecycle(), seen)[0] == text


@pytest.mark.parametrize(
    ("stale", "superseded", "numbers"),
    [(True, True, [0, 1]), (False, True, [1]), (True, False, [0]), (False, False, [])],
)
def test_each_proof_can_be_switched_off(*, stale: bool, superseded: bool, numbers: list[int]) -> None:
    """Output 0 was edited later, output 1 read again."""
    seen = view(GO, reads("/x/a.py", TEXT), reads("/x/b.py", TEXT), edits("/x/a.py"), reads("/x/b.py", NEW), END)
    assert reduced(ReadLifecycle(stale=stale, superseded=superseded), seen) == numbers


@pytest.mark.parametrize(
    ("earlier", "later", "superseded"),
    [
        ({}, {}, True),
        ({"offset": 1}, {}, True),
        ({"offset": 0}, {"offset": 1}, True),
        ({"offset": 10, "limit": 20}, {"offset": 10, "limit": 20}, True),
        ({}, {"offset": 10, "limit": 20}, False),
        ({"offset": 10, "limit": 20}, {"offset": 500, "limit": 20}, False),
        ({"offset": 10, "limit": 20}, {"offset": 10, "limit": 10}, False),
    ],
)
def test_same_range_is_told_by_the_arguments(
    earlier: dict[str, int], later: dict[str, int], *, superseded: bool
) -> None:
    """Where lines have no numbers, what was asked for decides."""
    text = "a line without a number\n" * 30
    seen = view(GO, reads("/x/a.py", text, **earlier), reads("/x/a.py", text + "more\n", **later), END)
    assert reduced(ReadLifecycle(), seen) == ([0] if superseded else [])


@pytest.mark.parametrize(
    ("earlier", "later", "superseded"),
    [
        ((50, 80, {"offset": 50, "limit": 31}), (1, 200, {}), True),
        ((50, 80, {"offset": 50, "limit": 31}), (40, 90, {"offset": 40, "limit": 51}), True),
        ((50, 80, {"offset": 50, "limit": 31}), (1, 70, {}), False),
        ((50, 80, {"offset": 50, "limit": 31}), (60, 200, {"offset": 60}), False),
        ((3000, 3040, {"offset": 3000, "limit": 41}), (1, 2000, {}), False),
        ((1, 60, {}), (1, 90, {"offset": 1, "limit": 90}), True),
    ],
)
def test_range_that_contains_it_is_told_by_the_lines_shown(
    earlier: tuple[int, int, dict[str, int]], later: tuple[int, int, dict[str, int]], *, superseded: bool
) -> None:
    """A read of a whole file shows its first 2,000 lines, so that being asked for is not enough."""
    seen = view(
        GO,
        reads("/x/a.py", lines(earlier[0], earlier[1]), **earlier[2]),
        reads("/x/a.py", lines(later[0], later[1], " now"), **later[2]),
        END,
    )
    assert reduced(ReadLifecycle(), seen) == ([0] if superseded else [])


@pytest.mark.parametrize(
    ("text", "is_error"),
    [
        ("<tool_use_error>File does not exist.</tool_use_error>", True),
        ("File unchanged since last read. The content from the earlier read is still current." + " " * 900, False),
        ("Error: EACCES" + " " * 900, False),
        ("see the earlier output", False),
        (TEXT, True),
        (TEXT, False),
    ],
    ids=["error", "unchanged", "error text", "short note", "error with text", "identical"],
)
def test_later_read_that_brings_nothing_supersedes_nothing(text: str, *, is_error: bool) -> None:
    """A note that sends the model back to the first read must find it there; so must a pointer of `dedup`."""
    later = Call(name="Read", arguments={"file_path": "/x/a.py"}, output=text, is_error=is_error)
    seen = view(GO, reads("/x/a.py", TEXT), later, END)
    assert reason(ReadLifecycle(), seen, 0) == "fresh_read"


def test_identical_later_read_supersedes_where_it_is_asked_for() -> None:
    """For policies without `dedup`."""
    seen = view(GO, reads("/x/a.py", TEXT), reads("/x/a.py", TEXT), END)
    assert answers(ReadLifecycle(identical=True), seen) == [AGAIN, "-fresh_read"]


@pytest.mark.parametrize(
    ("text", "is_error"),
    [
        ("String to replace not found in file.", False),
        ("<tool_use_error>File has not been read yet.</tool_use_error>", True),
        ("The user doesn't want to proceed with this tool use.", True),
        ("No replacement was performed, old_str did not appear", False),
        ("Error: ENOENT", False),
        ("ok", True),
    ],
)
def test_edit_that_failed_changed_nothing(text: str, *, is_error: bool) -> None:
    """The read is still right."""
    seen = view(GO, reads("/x/a.py", TEXT), edits("/x/a.py", text, is_error=is_error), END)
    assert reason(ReadLifecycle(), seen, 0) == "fresh_read"


def test_read_after_the_edit_is_fresh() -> None:
    """Only what comes later proves anything."""
    seen = view(GO, edits("/x/a.py"), reads("/x/a.py", TEXT), END)
    assert reason(ReadLifecycle(), seen, 1) == "fresh_read"


def test_read_that_the_model_has_not_seen_is_fresh() -> None:
    """In one turn a file is read and edited: nothing goes before it was read once."""
    both = Together(calls=(reads("/x/a.py", TEXT), edits("/x/a.py")))
    assert reason(ReadLifecycle(), view(GO, both), 0) == "fresh_read"
    assert reduced(ReadLifecycle(), view(GO, both, END)) == [0]


def test_first_proof_counts_for_good() -> None:
    """The text says the same on all later turns: superseded first, edited afterwards."""
    steps = [reads("/x/a.py", TEXT), reads("/x/a.py", NEW), edits("/x/a.py"), reads("/x/a.py", TEXT + "x\n")]
    told = [answers(ReadLifecycle(), view(GO, *steps[:n], END))[0] for n in range(1, 5)]
    assert told == ["-fresh_read", AGAIN, AGAIN, AGAIN]


def read(name: str, **arguments: Any) -> Call:
    """A read by another agent's tool."""
    return Call(name=name, arguments=arguments, output=TEXT)


def done(name: str, arguments: Any) -> Call:
    """A call of another agent's tool that succeeded."""
    return Call(name=name, arguments=arguments, output="ok")


PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: new.py\n+z\n*** End Patch"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (read("Read", file_path="/x/a.ipynb"), done("NotebookEdit", {"notebook_path": "/x/a.ipynb"})),
        (read("Read", file_path="/x/a.py"), done("Write", {"file_path": "/x/a.py", "content": "b"})),
        (read("Read", file_path="/x/a.py"), done("MultiEdit", {"file_path": "/x/./a.py", "edits": []})),
        (read("read_file", file_path="src/a.py"), done("apply_patch", {"input": PATCH})),
        (read("read_file", file_path="src/a.py"), done("apply_patch", PATCH)),
        (read("read_file", file_path="src/a.py"), done("shell", {"command": ["apply_patch", PATCH]})),
        (
            read("read_file", file_path="src/a.py"),
            done("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF"]}),
        ),
        (read("read_file", path="src/a.py"), done("replace_in_file", {"path": "src/a.py", "diff": "x"})),
        (read("read_file", path="src/a.py"), done("write_to_file", {"path": "src/a.py", "content": "x"})),
        (
            read("str_replace_editor", command="view", path="/x/a.py"),
            done("str_replace_editor", {"command": "str_replace", "path": "/x/a.py", "old_str": "a"}),
        ),
        (
            read("str_replace_based_edit_tool", command="view", path="/x/a.py", view_range=[1, 9]),
            done("str_replace_based_edit_tool", {"command": "undo_edit", "path": "/x/a.py"}),
        ),
        (read("open", path="setup.py"), done("create", {"filename": "setup.py"})),
        (read("read", filePath="/x/a.py"), done("edit", {"filePath": "/x/a.py", "oldString": "a"})),
        (read("read", filePath="/x/a.py"), done("write", {"filePath": "/x/a.py", "content": "a"})),
        (read("read", filePath="src/a.py"), done("patch", {"patchText": PATCH})),
        (read("mcp__fs__read_file", path="/x/a.py"), done("mcp__fs__write_file", {"path": "/x/a.py"})),
        (read("Read", file_path="C:\\x\\a.py"), done("Edit", {"file_path": "C:/x/a.py"})),
    ],
    ids=lambda call: f"{call.name} {str(call.arguments)[:20]}",
)
def test_tools_of_each_agent_read_and_edit(first: Call, second: Call) -> None:
    """Claude Code, Codex, Cline, SWE-agent, opencode; a tool of an MCP server by its last name."""
    assert reduced(ReadLifecycle(), view(GO, first, second, END)) == [0]


@pytest.mark.parametrize(
    "second",
    [
        done("str_replace_editor", {"command": "view", "path": "/x/b.py"}),
        done("edit", {"search": "a", "replace": "b"}),
        done("TodoWrite", {"file_path": "/x/a.py"}),
        done("apply_patch", {"input": "*** Update File: other.py"}),
        done("Grep", {"pattern": "a", "path": "/x/a.py"}),
        done("Edit", "{broken"),
        done("Edit", {"file_path": 3}),
    ],
)
def test_call_that_changes_no_known_file_proves_nothing(second: Call) -> None:
    """A guess would take what is right."""
    assert reason(ReadLifecycle(), view(GO, reads("/x/a.py", TEXT), second, END), 0) == "fresh_read"


@pytest.mark.parametrize(
    "call",
    [
        bash("cat /x/a.py", TEXT),
        Call(name="Grep", arguments={"pattern": "x", "path": "/x/a.py"}, output=TEXT),
        Call(name="Read", arguments={}, output=TEXT),
        Call(name="Read", arguments={"file_path": "/x/a.py"}, output=TEXT, is_error=True),
        Call(name="Read", arguments={"file_path": "/x/a.py"}, output="Error: no such file " + TEXT),
        Call(name="Edit", arguments={"file_path": "/x/a.py"}, output=TEXT),
    ],
    ids=["cat", "grep", "no path", "error", "error text", "edit"],
)
def test_only_reads_are_looked_at(call: Call) -> None:
    """Not what a command shows, not a search, not a read that failed, not the answer of an edit."""
    assert reason(ReadLifecycle(), view(GO, call, edits("/x/a.py"), END), 0) == "not_a_read"


@pytest.mark.parametrize(
    ("command", "is_edit"),
    [
        ("sed -i 's/a/b/' /x/a.py", True),
        ("sed -i.bak -e 's/a/b/' f /x/a.py", True),
        ("echo hi > /x/a.py", True),
        ("cat b >> /x/a.py", True),
        ("python gen.py | tee /x/a.py", True),
        ("mv /x/a.py /x/b.py", True),
        ("mv /x/b.py /x/a.py", True),
        ("cp /x/b.py /x/a.py", True),
        ("rm -f /x/a.py", True),
        ("git checkout -- /x/a.py", True),
        ("cd /x && git restore a.py", True),
        ("cd /x && cat <<'E' > a.py\nit's\nE", True),
        ("perl -pi -e 's/a/b/' /x/a.py", True),
        ("patch -p1 /x/a.py < d.diff", True),
        ("truncate -s 0 /x/a.py", True),
        ("echo hi > '/x/a.py'", True),
        ("cat /x/a.py", False),
        ("sed -n 1,9p /x/a.py", False),
        ("cp /x/a.py /x/b.py", False),
        ("grep -rn x /x/a.py 2> /dev/null", False),
        ("git diff /x/a.py", False),
        ("git apply d.diff", False),
        ("python build.py", False),
        ("python -c 'print(1)' < /x/a.py", False),
        ("echo '> /x/a.py'", False),
        ("# > /x/a.py", False),
        ("cat <<'E'\n> /x/a.py\nE", False),
        ("git checkout main", False),
        ("echo 'open > /x/a.py", False),
    ],
)
def test_command_lines_are_edits_where_asked_for(command: str, *, is_edit: bool) -> None:
    """Only of files that their words name; off by default."""
    seen = view(GO, reads("/x/a.py", TEXT), bash(command, ""), END)
    assert reduced(ReadLifecycle(), seen) == []
    assert reduced(ReadLifecycle(bash_edits=True), seen) == ([0] if is_edit else [])


def test_command_that_failed_is_no_edit() -> None:
    """By its exit code or as an error."""
    command = "sed -i s/a/b/ /x/a.py"
    for call in (bash(command, "Exit code 1\nsed: no"), bash(command, "no", is_error=True)):
        assert reduced(ReadLifecycle(bash_edits=True), view(GO, reads("/x/a.py", TEXT), call, END)) == []


def test_folder_of_a_command_may_be_an_argument() -> None:
    """Codex calls its shell with a `workdir`."""
    arguments = {"command": ["bash", "-lc", "echo x > a.py"], "workdir": "/x"}
    seen = view(GO, reads("/x/a.py", TEXT), Call(name="shell", arguments=arguments, output=""), END)
    assert reduced(ReadLifecycle(bash_edits=True), seen) == [0]


@pytest.mark.parametrize(
    ("text", "min_tokens", "why"),
    [
        ("x = 1", 100, "below_min_tokens"),
        ("x = 1", 0, "not_smaller"),
        (TEXT + "<<cg:00000000000000aa>>", 100, "already_marked"),
        (TEXT + "⟪cg⟫", 100, "already_marked"),
    ],
)
def test_output_is_left_alone_for_a_named_reason(text: str, min_tokens: int, why: str) -> None:
    """Short ones, marked ones, and those that would not get shorter."""
    seen = view(GO, reads("/x/a.py", text), edits("/x/a.py"), END)
    assert reason(ReadLifecycle(min_tokens=min_tokens), seen, 0) == why


def test_without_a_view_nothing_is_known() -> None:
    """A slot alone says nothing about its call."""
    seen = view(GO, reads("/x/a.py", TEXT), edits("/x/a.py"), END)
    assert ReadLifecycle().propose(changed(slot(seen, 0), view=None)) == Skip(reason="no_view")


def test_stale_read_may_enter_a_held_prefix_only_where_asked_for() -> None:
    """A superseded one never."""
    seen = view(GO, reads("/x/a.py", TEXT), reads("/x/b.py", TEXT), edits("/x/a.py"), reads("/x/b.py", NEW), END)
    component = ReadLifecycle(stale_at_depth=True)
    assert [component.enters(i, seen) for i in range(4)] == [True, False, False, False]
    assert not any(ReadLifecycle().enters(i, seen) for i in range(4))
    assert (component.gated, component.cold_cache) == (True, False)


def test_waking_is_where_a_proof_came() -> None:
    """An open slot is worth asking again once something later proves it."""
    steps = [reads("/x/a.py", TEXT), bash("ls", "x"), edits("/x/a.py")]
    woken = [ReadLifecycle().wakes(0, view(GO, *steps[:n], END)) for n in (1, 2, 3)]
    assert woken == [False, False, True]
    assert ReadLifecycle.passing == {"fresh_read"}


def test_reads_of_public_transcripts_are_split_as_counted_by_hand() -> None:
    """Of the reads of one public fixture some are stale, none is superseded, the others stay."""
    found = sorted(CORPUS.rglob("*read_lifecycle.json")) if CORPUS else []
    if not found:
        pytest.skip(NO_CORPUS)
    fates: Counter[Fate] = Counter()
    by_hand: Counter[str] = Counter()
    for transcript in json.loads(found[0].read_text(encoding="utf-8")):
        calls = [Call(name=one["tool"], arguments=one["args"], output=one["out"]) for one in transcript["calls"]]
        seen = view(GO, *calls, END)
        component = ReadLifecycle()
        fates.update(component.fate(i, seen) for i, call in enumerate(calls) if call.name == "Read")
        by_hand.update(_split(transcript["calls"]))
    assert {fate.value: n for fate, n in fates.items()} == dict(by_hand)
    assert by_hand["stale"] > 0
    assert by_hand["fresh"] > 0


def _split(calls: list[dict[str, Any]]) -> list[str]:
    """Stale where a later edit has the same path, else fresh: told without the code under test."""
    found = []
    for i, one in enumerate(calls):
        if one["tool"] == "Read":
            path = one["args"]["file_path"]
            later = [other for other in calls[i + 1 :] if other["tool"] in ("Edit", "Write", "MultiEdit")]
            found.append("stale" if any(other["args"]["file_path"] == path for other in later) else "fresh")
    return found
