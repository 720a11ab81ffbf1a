r"""`searchfold`: each path once, and the exact way back."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.component import Reduction, Skip, Slot
from cgcli.compaction.components.path_folds import fold, unfold
from cgcli.compaction.components.search_paths import paths
from cgcli.compaction.components.searchfold import Searchfold

FOLD = Searchfold(min_tokens=0)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        # hits with line numbers, and with columns
        (
            "src/net/client.py:12:one\nsrc/net/client.py:40:  two: three\nsrc/net/client.py:41:\n",
            "src/net/client.py:\n  12:one\n  40:  two: three\n  41:\n",
        ),
        ("a/bcdefghi.c:1:5:x\na/bcdefghi.c:2:9:y", "a/bcdefghi.c:\n  1:5:x\n  2:9:y"),
        # context lines, function lines and what parts blocks
        (
            "src/net/a.py-1-on\nsrc/net/a.py:2:hit\nsrc/net/a.py=3=def f\n--\nsrc/net/a.py-8-it\nsrc/net/a.py:9:hit",
            "src/net/a.py:\n  1-on\n  2:hit\n  3=def f\n  --\n  8-it\n  9:hit",
        ),
        # without line numbers
        ("./Makefile:all: a\n./Makefile:clean:\n./Makefile:\tx", "./Makefile:\n  all: a\n  clean:\n  \tx"),
        ("client.py:import os\nclient.py:import re\nclient.py:x", "client.py:\n  import os\n  import re\n  x"),
        # one hit in each file of a folder
        (
            "src/network/a.py:12:one\nsrc/network/b.py:4:two\nsrc/network/c/d.py:5:three",
            "src/network/\n  a.py:12:one\n  b.py:4:two\n  c/d.py:5:three",
        ),
        # lists
        ("/usr/lib/x/a\n/usr/lib/x/b\n/usr/lib/x/c.so.1\n", "/usr/lib/x/\n  a\n  b\n  c.so.1\n"),
        ("docs/guide/a.md\r\ndocs/guide/b.md\r\ndocs/guide/c.md\r\n", "docs/guide/\n  a.md\r\n  b.md\r\n  c.md\r\n"),
        # drives, blanks, colons
        (
            "C:\\Program Files\\x\\a.py:3:one\nC:\\Program Files\\x\\a.py:4:C:\\y:5:",
            "C:\\Program Files\\x\\a.py:\n  3:one\n  4:C:\\y:5:",
        ),
        ("C:\\work\\src\\a.py\nC:\\work\\src\\b.py\nC:\\work\\src\\c.py", "C:\\work\\src\\\n  a.py\n  b.py\n  c.py"),
        ("./My Files/a b.py:3:one\n./My Files/a b.py:14:two", "./My Files/a b.py:\n  3:one\n  14:two"),
        ("/srv/a:b/c.py:3:one\n/srv/a:b/c.py:14:two", "/srv/a:b/c.py:\n  3:one\n  14:two"),
        # a path whose folder counts, and one whose name looks like a context line
        ("lib/v-2-x/a.py:3:one\nlib/v-2-x/a.py:14:two", "lib/v-2-x/a.py:\n  3:one\n  14:two"),
        # what stands between stays
        (
            "$ grep x\nsrc/net/a.py:1:x\nsrc/net/a.py:2:x\n\nsrc/net/a.py:3:x\nexit code 1",
            "$ grep x\nsrc/net/a.py:\n  1:x\n  2:x\n\nsrc/net/a.py:3:x\nexit code 1",
        ),
    ],
)  # fmt: skip
def test_path_is_written_once(text: str, folded: str) -> None:
    """A file's name heads its hits and a folder its files; unfolding gives the text back."""
    assert fold(text) == folded
    assert unfold(folded) == text


def test_output_is_folded(slot: Callable[..., Slot]) -> None:
    """The proposal is the folded text, without any marker."""
    text = "src/net/client.py:12:one\nsrc/net/client.py:40:two\nsrc/net/client.py:41:three\n"
    assert FOLD.propose(slot(text)) == Reduction(text="src/net/client.py:\n  12:one\n  40:two\n  41:three\n")


@pytest.mark.parametrize(
    "line",
    [
        "12:30:45 INFO started",
        "2026-10-01T12:30:45 INFO started",
        "2026/10/01 12:30:45 started",
        "127.0.0.1 - - [01/Oct/2026:12:30:45 +0000] GET /x",
        "Oct  1 12:30:45 host app[1]: started",
        "ERROR:12:not a path",
        "ERROR:root:not a path",
        "12:single file",
        "note: something",
        "https://example.org/a/b: text",
        "https://example.org/a/b",
        "tests/test_a.py::test_b PASSED",
        "and/or this that is a sentence",
        "either/or.",
        "// a/comment in code",
        "import a/b.js:3:from",
        "/* a/comment */",
        "'src/a.py':12:quoted",
        "key = src/a.py:12:x",
        "<a href=/b/c>:1:",
        "Files a/b.py:12:x",
        "--- a/src/x.py",
        " M src/x.py",
        "src/x.py\t12",
        "src/folder/",
        "src/net/a.py:",
        "src/net/a.py-12-context of nothing",
        "x:y:z",
        "",
        "::1:x",
        "C:",
    ],
)
def test_ambiguous_line_has_no_path(slot: Callable[..., Slot], line: str) -> None:
    """Times, labels, addresses, test names, sentences, code, diffs, headings: nothing of them is folded."""
    assert paths([line]) == [None]
    assert FOLD.propose(slot(f"{line}\n" * 5)) == Skip(reason="no_repeated_path")


@pytest.mark.parametrize(
    "text",
    [
        "a.c:1:x\na.c:2:y",
        "src/net/a.py:1:x\nsrc/web/b.py:2:y",
        "/a/b\n/a/c\n/a/d",
        "src/net/a.py:1:x",
        "src/net/a.py:1:x\n\nsrc/net/a.py:2:x",
        # an indented line behind would be taken for a row
        "src/net/a.py:1:x\nsrc/net/a.py:2:y\n  note of the second",
        # a text that begins as a context line's would, without line numbers
        "src/net/a.py:12-months\nsrc/net/a.py:3-months\nsrc/net/a.py:x",
        "a line\nanother line",
    ],
)
def test_what_does_not_pay_or_come_back_stays(text: str) -> None:
    """Short and lone paths, and runs of which a line would come back as another."""
    assert fold(text) == text


@pytest.mark.parametrize(
    ("text", "min_tokens", "reason"),
    [
        ("src/net/a.py:1:x\nsrc/net/a.py:2:x", 50, "below_min_tokens"),
        ("plain words\n" * 50, 50, "no_repeated_path"),
        # what reads as a head with its rows stands there already
        ("src/net/a.py:1:x\nsrc/net/a.py:2:x\nports:\n  80\n  90\n", 0, "not_invertible"),
        ("src/net/client.py:1:x <<cg:00000000000000aa>>\nsrc/net/client.py:2:x", 0, "already_marked"),
        ("src/net/client.py:1:x ⟪cg⟫\nsrc/net/client.py:2:x", 0, "already_marked"),
    ],
)
def test_output_is_left_alone_for_a_named_reason(
    slot: Callable[..., Slot], text: str, min_tokens: int, reason: str
) -> None:
    """What is short, what repeats nothing, what could not be told from a fold, what is marked."""
    assert Searchfold(min_tokens=min_tokens).propose(slot(text)) == Skip(reason=reason)


def test_fold_that_is_no_shorter_in_tokens_stays() -> None:
    """Tokens decide, not characters."""
    text = "src/net/a.py:1:x\nsrc/net/a.py:2:x"
    taken = Slot(
        text=text,
        tokens=9,
        key="0123456789abcdef",
        i_output=0,
        n_outputs=1,
        seen_before=False,
        request_tokens=None,
        count=lambda text: 9 if text else 0,
    )
    assert FOLD.propose(taken) == Skip(reason="not_smaller")


def test_folded_text_is_not_folded_again(slot: Callable[..., Slot]) -> None:
    """Heads of files in one folder are no hits of their own."""
    text = "".join(f"src/network/deep/f{n}.py:{i}:x\n" for n in range(4) for i in range(1, 4))
    once = fold(text)
    assert once.split("\n")[:5] == ["src/network/deep/f0.py:", "  1:x", "  2:x", "  3:x", "src/network/deep/f1.py:"]
    assert isinstance(FOLD.propose(slot(once)), Skip)


NAMES = st.sampled_from(
    ["src/", "network/", "deep-2-er/", "a.py", "b c.py", "Makefile", "C:\\", "./", "/", "x\\", "--", "é.rs"]
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("".join)
JOINTS = st.sampled_from([":1:", ":22:", "-3-", "=4=", ":", "", ":5", "-", "\n", "\n--\n", "\r\n", "  ", "::"])
TEXTS = st.sampled_from(["", "x", "  y", "12:z", "error: no", "a/b.py:7:q", "\ud83d", "--", "\r", "head:", "src/"])
ROWS = st.lists(st.tuples(PATHS, JOINTS, TEXTS, st.integers(1, 4)), max_size=12)


@settings(deadline=None, max_examples=300)
@given(rows=ROWS)
def test_unfolding_is_exact_wherever_a_fold_is_proposed(
    slot: Callable[..., Slot], rows: list[tuple[str, str, str, int]]
) -> None:
    """Whatever looks like search output comes back byte for byte, or is left alone for a reason that is known."""
    text = "\n".join("\n".join([path + joint + said] * n) for path, joint, said, n in rows)
    proposal = FOLD.propose(slot(text))
    if isinstance(proposal, Reduction):
        assert unfold(proposal.text) == text
        assert len(proposal.text) < len(text)
        assert isinstance(FOLD.propose(slot(proposal.text)), Skip)
    else:
        assert proposal.reason in {"no_repeated_path", "not_invertible", "not_smaller"}


@settings(deadline=None)
@given(hits=st.lists(st.tuples(st.integers(0, 2), st.integers(1, 999), st.text("ab: -", max_size=9)), max_size=30))
def test_every_hit_can_be_read(hits: list[tuple[int, int, str]]) -> None:
    """Of each hit the number and the text stand on one line, below or behind the path."""
    files = ("src/network/client.py", "src/network/server.py", "lib/other/long/name.rs")
    text = "\n".join(f"{files[i]}:{number}:{said}" for i, number, said in hits)
    folded = fold(text)
    for (i, number, said), line in zip(hits, _rows(folded), strict=False):
        assert line == (files[i], f"{number}:{said}")


def _rows(folded: str) -> list[tuple[str, str]]:
    """What a reader sees: each row with the path that stands above it or in it."""
    seen = []
    head = ""
    for line, following in pairwise([*folded.split("\n"), ""]):
        if following.startswith("  ") and not line.startswith("  "):
            head = line
            continue
        path, _, rest = line.partition(":")
        if not line.startswith("  "):
            seen.append((path, rest))
        elif head.endswith("/"):
            seen.append((head + path[2:], rest))
        else:
            seen.append((head[:-1], line[2:]))
    return seen


@pytest.mark.parametrize(
    "text",
    [
        "/" * 1_000_000,
        "a/" * 500_000,
        ":1:" * 333_333,
        "a-1-" * 250_000,
        ("a.b:1:x" + "-1-" * 300 + "\n") * 1000,
        "a/b.c:1:\n" * 30_000,
        "x.c:1:\n--\n" * 30_000,
        "/aaaaaaaa/b\n" * 30_000,
        ("/aaaaaaa" * 100 + "\n") * 1200,
        "a.b:1: x\n  y\n" * 30_000,
        "\n" * 1_000_000,
        "[" * 1_000_000,
        '"' * 1_000_000,
    ],
)
def test_hostile_text_is_read_once(text: str) -> None:
    """A megabyte of separators, of one path, or of lines that almost make a run ends, and quickly."""
    assert unfold(fold(text)) == text
