r"""`linecap`: long lines keep both ends, scattered repeats the first; what a reader acts on stays whole."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.component import MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.linecap import Linecap
from cgcli.errors import UsageError
from tests.running import CORPUS_CAPTURES, NO_CORPUS

MARK = "<<cg:0123456789abcdef>> [full output: call context_guru_expand]"
OFF = Linecap(min_size=0, marker_mode=MarkerMode.OFF)
DISTINCT = [f"copied object number {n} to the depot" for n in range(40)]


def building(*lines: str) -> str:
    """A build's output with *lines* between its first three and its last four lines."""
    return "\n".join([f"[ {n}%] Building object part{n}.o" for n in range(3)] + [*lines] + DISTINCT[:3] + ["done"])


def reduced(component: Linecap, slot: Slot) -> str:
    """The text that *component* proposes."""
    proposal = component.propose(slot)
    assert isinstance(proposal, Reduction), proposal
    return proposal.text


@pytest.mark.parametrize(
    ("n_chars", "n_head", "n_tail"),
    [(500, 325, 162), (100, 58, 29), (40, 18, 9)],
)
def test_long_line_keeps_both_ends(slot: Callable[..., Slot], n_chars: int, n_head: int, n_tail: int) -> None:
    """Two thirds of what stays are its beginning, one third its end, in `max_line_chars` together."""
    component = Linecap(min_size=0, max_line_chars=n_chars, marker_mode=MarkerMode.OFF)
    capped = "a" * n_head + " ...[cut]... " + "b" * n_tail
    assert len(capped) == n_chars
    assert component.propose(slot("a" * 5000 + "b" * 5000)) == Reduction(text=capped)


def test_line_of_the_very_length_stays_whole(slot: Callable[..., Slot]) -> None:
    """Five hundred characters are no long line, some more are."""
    assert OFF.propose(slot("a" * 500)) == Skip(reason="no_long_or_repeated_lines")
    assert reduced(OFF, slot("a" * 506)) == "a" * 325 + " ...[cut]... " + "a" * 162


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        # scattered, and in a row
        (["reading the index", "x", "reading the index"], ["reading the index  (x2)", "x"]),
        (["reading the index"] * 3, ["reading the index  (x3)"]),
        (["reading the index\r", "x", "reading the index\r"], ["reading the index  (x2)\r", "x"]),
        # in order of first use
        (
            ["first kind of line", "second kind", "first kind of line", "second kind", "x"],
            ["first kind of line  (x2)", "second kind  (x2)", "x"],
        ),
    ],
)
def test_repeats_are_folded(slot: Callable[..., Slot], lines: list[str], left: list[str]) -> None:
    """The first copy stays where it stands and says how many there were."""
    assert OFF.propose(slot(building(*lines))) == Reduction(text=building(*left))


@pytest.mark.parametrize(
    "line",
    [
        "short",
        "--------------",
        "  ========  ",
        # what must be said where it stands
        "FAILED",
        "    status: failed",
        "ERROR connection refused",
        "exit code 1",
        "src/a.py:12: unused",
        '  File "a.py", line 3',
        "\tat Foo.bar(Foo.java:3)",
        "3 passed, 1 skipped",
        "ok      pkg/a",
        "see https://x.example/y",
        "> tsc --noEmit",
        "$ make all",
        "a ...[cut]... b",
    ],
)
def test_repeat_that_says_something_in_its_place_stays(slot: Callable[..., Slot], line: str) -> None:
    """Layout, errors, places in files, exit codes, results, addresses and echoed commands are not folded."""
    assert OFF.propose(slot(building(line, "x", line, "y", line))) == Skip(reason="no_long_or_repeated_lines")


def test_edges_are_not_folded(slot: Callable[..., Slot]) -> None:
    """The first and the last three lines stay, whatever stands between them, and are not counted."""
    edge = ["reading the index"] * 3
    text = "\n".join([*edge, "x", "reading the index", "y", "reading the index", *edge])
    left = "\n".join([*edge, "x", "reading the index  (x2)", "y", *edge])
    assert OFF.propose(slot(text)) == Reduction(text=left)
    assert OFF.propose(slot("\n".join(edge * 2))) == Skip(reason="no_long_or_repeated_lines")


@pytest.mark.parametrize(
    "lines",
    [
        # its note stands there already
        ["reading the index", "x", "reading the index", "reading the index  (x2)"],
        # notes that count lines
        ["reading the index", "x", "reading the index", "... (3 repeats of the last 3 lines omitted)"],
    ],
)
def test_fold_that_would_tell_a_wrong_number_is_not_made(slot: Callable[..., Slot], lines: list[str]) -> None:
    """A note is never ambiguous, and no line that another note counts goes."""
    assert OFF.propose(slot(building(*lines))) == Skip(reason="no_long_or_repeated_lines")


LONG = "x" * 300


@pytest.mark.parametrize(
    "line",
    [
        f"{LONG} error: it broke {LONG}",
        f"{LONG} src/net/client.py:12: {LONG}",
        f'  File "{LONG}/a.py", line 3, in {LONG}',
        f"{LONG} exit status 2 {LONG}",
        f"{LONG} 12 passed {LONG}",
        f"{LONG} https://x.example/{LONG}",
        '{"key": "' + LONG + LONG + '"}',
        '[{"a": "' + LONG * 2 + '"}]',
        "it is a sentence of plain words that goes on and on without an end, " * 9,
    ],
)
def test_line_that_a_reader_acts_on_is_not_cut(slot: Callable[..., Slot], line: str) -> None:
    """Errors, places in files, exit codes, results, addresses, JSON lines and sentences stay whole."""
    assert OFF.propose(slot(building(line))) == Skip(reason="no_long_or_repeated_lines")


def test_cut_does_not_part_a_surrogate_pair(slot: Callable[..., Slot]) -> None:
    """Both halves go, and so does a marker's shape as a whole."""
    text = "a" * 324 + "\ud83d\ude00" + "b" * 800 + "\ud83d\ude00" + "c" * 161
    assert reduced(OFF, slot(text)) == "a" * 324 + " ...[cut]... " + "c" * 161
    text = "a" * 320 + "<<cg:HASH>>" + "b" * 800
    assert reduced(OFF, slot(text)) == "a" * 320 + " ...[cut]... " + "b" * 162


@pytest.mark.parametrize(
    ("mode", "left"),
    [
        (MarkerMode.FULL, f"reading the index of the depot  (x9)\nx\n{MARK}"),
        (MarkerMode.SUMMARY, "reading the index of the depot  (x9)\nx\n⟪cg⟫"),
        (MarkerMode.OFF, "reading the index of the depot  (x9)\nx"),
    ],
)
def test_marker_stands_on_a_line_of_its_own(slot: Callable[..., Slot], mode: MarkerMode, left: str) -> None:
    """The reduced text comes first, then the marker with its hint."""
    edge = ["1st line", "2nd line", "3rd line"]
    text = "\n".join([*edge, *["reading the index of the depot"] * 9, *edge[:2], "x"])
    expected = left.replace("\nx", "\n1st line\n2nd line\nx")
    component = Linecap(marker_mode=mode, min_size=0)
    assert component.propose(slot(text)) == Reduction(text="\n".join([*edge, expected]))


DIFF = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n"
REPEATED = "\n".join(["a line that is repeated", "x"] * 30)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (DIFF + "+return nothing\n+x\n" * 40, "diff"),
        ("commit 0a1b\nAuthor: A\n\n    words\n\n" + DIFF + "+return nothing\n+x\n" * 40, "diff"),
        ("--- old/x\n+++ new/x\n" + "+return nothing\n x\n" * 40, "diff"),
        ("*** 1,9 ****\n" + "! a changed line\n" * 40, "diff"),
        ("*** Begin Patch\n" + "+a changed line\n" * 40, "diff"),
        ("+return nothing\n-return something\n same line\n" * 40, "diff"),
        (DIFF + "+" + "x" * 2000, "diff"),
        ("[\n" + '  {\n    "kind": "same"\n  },\n' * 40 + "  {}\n]", "json"),
        ('{"a": 1, "b": ' + "\n" + '"same value",\n' * 40 + "1}", "json"),
        ("".join(f"{n:6}\t    return nothing\n" for n in range(1, 60)) + "x" * 900, "numbered_lines"),
        ("".join(f"{n:6}→    return nothing\n" for n in range(1, 60)) + "x" * 900, "numbered_lines"),
        ("".join(f"{n}:    return nothing\n" for n in range(1, 60)) + "x" * 900, "numbered_lines"),
        ("".join(f"{n}\tdef f():\n\t    # a\n\t    return n\n" for n in range(1, 60)), "numbered_lines"),
        ("".join(f"def f{n}():\n    return nothing\n" for n in range(60)), "not_log_or_plain"),
        ("".join(f"[part{n}]\nenabled = true\n" for n in range(60)), "not_log_or_plain"),
        ("".join(f"part{n}:\n  type: string\n" for n in range(60)), "not_log_or_plain"),
        ("# Title\n" + "| a | b |\n|---|---|\n| 1 | same |\n" * 20, "not_log_or_plain"),
        ("top\n" + "├── index.js\n│   └── index.js\n" * 30, "not_log_or_plain"),
        ("<ul>\n" + "<li>the same</li>\n" * 40, "not_log_or_plain"),
        ("name,kind,size\n" + "a row,of a table,3\n" * 40, "not_log_or_plain"),
        ("-----BEGIN CERTIFICATE-----\nc2FtZQ== same\nc2FtZQ== same\n-----END THAT-----\n" * 9, "not_log_or_plain"),
        ("words of a text that has been wrapped\nand the same words once more are here\n" * 20, "not_log_or_plain"),
    ],
)  # fmt: skip
def test_shape_that_is_no_log_is_left_alone(slot: Callable[..., Slot], text: str, reason: str) -> None:
    """Diffs, JSON, numbered files, code, configuration, Markdown, trees, markup, tables, keys and prose."""
    assert OFF.propose(slot(text)) == Skip(reason=reason)


@pytest.mark.parametrize(
    "head",
    [
        "2026-10-01T12:00:{n:02}Z INFO started part {n}",
        "[2026-10-01 12:00:{n:02}] started part {n}",
        "12:00:{n:02} started part {n}",
        "Oct  1 12:00:{n:02} host app[1]: started part {n}",
        "INFO: started part {n}",
        "[INFO] started part {n}",
        "I1001 12:00:{n:02}.000 main] started part {n}",
        "time=2026 level=info msg=part{n}",
        "copying part {n} of the depot",
        "Step {n}/40 : RUN part",
    ],
)
def test_logs_and_plain_output_are_folded(slot: Callable[..., Slot], head: str) -> None:
    """Time stamps, levels, and lines of a command that stand for themselves."""
    lines = [line for n in range(40) for line in (head.format(n=n), "waiting for the lock")]
    waits = {0: ["waiting for the lock"], 1: ["waiting for the lock  (x37)"], 38: ["waiting for the lock"]}
    waits[39] = waits[0]
    left = [line for n in range(40) for line in (head.format(n=n), *waits.get(n, []))]
    assert OFF.propose(slot("\n".join(lines))) == Reduction(text="\n".join(left))


@pytest.mark.parametrize(
    ("text", "params", "reason"),
    [
        ("a" * 399, {"max_line_chars": 40}, "below_min_size"),
        ("é" * 200 + "x", {"max_line_chars": 40}, "not_smaller"),
        ("a" * 5000, {"max_line_chars": 0}, "no_long_or_repeated_lines"),
        (building(*["the same line"] * 40), {"collapse_duplicate_lines": False}, "no_long_or_repeated_lines"),
        (building(*["the same line"] * 2) + "\n" + "y" * 300, {}, "not_smaller"),
        ("a" * 5000 + "<<cg:00000000000000aa>>", {}, "already_marked"),
        ("a" * 5000 + "⟪cg⟫", {}, "already_marked"),
    ],
)
def test_output_is_left_alone_for_a_named_reason(
    slot: Callable[..., Slot], text: str, params: dict[str, Any], reason: str
) -> None:
    """Size is in bytes; each half can be turned off; a marker that costs more than it saves is not set."""
    taken = slot(text)
    if text.startswith("é"):
        taken = Slot(
            text=text,
            tokens=9,
            key="0123456789abcdef",
            i_output=0,
            n_outputs=1,
            seen_before=False,
            request_tokens=None,
            count=lambda _: 9,
        )
    assert Linecap(**params).propose(taken) == Skip(reason=reason)


@pytest.mark.parametrize("n_chars", [1, 39])
def test_cap_that_leaves_nothing_is_refused(n_chars: int) -> None:
    """Less than forty characters would be little more than the note of the cut."""
    with pytest.raises(UsageError, match=f"linecap: max_line_chars is {n_chars}, but must be 0, or 40 or more"):
        Linecap(max_line_chars=n_chars)


LINES = st.sampled_from(
    [
        "2026-10-01 12:00:01 INFO a",
        "copied one of the parts",
        "x",
        "",
        "error: no such part",
        "src/a.py:3: unused name",
        "exit code 1",
        "3 passed, 1 failed",
        "y" * 700,
        "y" * 600 + " error " + "y" * 600,
        "z" * 600 + " a.c:7: " + "z" * 600,
        "copied one of the parts  (x2)",
        "😀" * 300,
        "\ud83d" * 700,
        "waiting for it\r",
    ]
)


@settings(deadline=None, max_examples=200)
@given(lines=st.lists(LINES, max_size=40), n_chars=st.sampled_from([0, 40, 500]))
def test_informative_lines_survive_whole(slot: Callable[..., Slot], lines: list[str], n_chars: int) -> None:
    """Errors, places, exit codes and results stand there as often as before, and no line is lost without a note."""
    component = Linecap(min_size=0, max_line_chars=n_chars, marker_mode=MarkerMode.OFF)
    proposal = component.propose(slot("\n".join(lines)))
    if isinstance(proposal, Skip):
        return
    left = proposal.text.split("\n")
    for line in set(lines):
        if any(word in line for word in ("error", ".py:", ".c:", "exit code", "passed")):
            assert left.count(line) == lines.count(line)
        core = line.rstrip("\r")
        assert any(seen == line or seen.startswith((f"{core}  (x", core[:18])) for seen in left)
    assert left[0][:18] == lines[0][:18]
    assert left[-1][:18] == lines[-1][:18]


@pytest.mark.skipif(not CORPUS_CAPTURES, reason=NO_CORPUS)
def test_public_files_lose_nothing(slot: Callable[..., Slot]) -> None:
    """A capture or a session that is read as a tool output is no log."""
    for path in CORPUS_CAPTURES:
        text = path.read_text(encoding="utf-8", errors="surrogateescape")[:1_000_000]
        assert isinstance(Linecap().propose(slot(text)), Skip), path


@pytest.mark.parametrize(
    ("text", "n_left"),
    [
        ("a" * 1_000_000, 500),
        ("[" * 1_000_000, None),
        ("\\" * 1_000_000, None),
        ("/" * 1_000_000, None),
        ("." * 1_000_000, 500),
        ("a/" * 500_000, 500),
        ("1 " * 500_000, 500),
        ("\ud83d" * 1_000_000, 500),
        ("same line\n" * 100_000, 70),
        ("\n".join(["x" * 499] * 7) + "\n" * 990_000, 992_000),
        ("--- a\n" * 160_000, None),
        ("- " * 500_000, None),
        ("\t" * 1_000_000, None),
        ("\r" * 1_000_000, None),
        ("{" * 1_000_000 + "}", None),
    ],
)
def test_hostile_text_is_read_once(slot: Callable[..., Slot], text: str, n_left: int | None) -> None:
    """A megabyte of one character, of brackets, of one line ends, and quickly."""
    proposal = OFF.propose(slot(text))
    assert (len(proposal.text) if isinstance(proposal, Reduction) else None) == n_left
