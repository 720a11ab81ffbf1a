r"""`textclean`: colours and overwritten states go, every line stays."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.component import Reduction, Skip, Slot
from cgcli.compaction.components.escapes import without_style
from cgcli.compaction.components.redraws import without_redraws
from cgcli.compaction.components.terminal import without_ansi
from cgcli.compaction.components.textclean import Textclean, cleaned, keeps_every_line

CLEAN = Textclean(min_tokens=0)
METER = "  {}   12k  {}  1200    0     0   9000      0  0:00:0{} --:--:-- --:--:--  9000"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        # colours, modes, erases to the right, titles, character sets
        ("\x1b[1;31mFAILED\x1b[0m test_x\x1b[K", "FAILED test_x"),
        ("\x1b[38;5;208mwarm\x1b[39m \x1b[38:2::1:2:3mtrue\x1b[m", "warm true"),
        ("\x1b(B\x1b[?25l\x1b=ok\x1b>\x1b[?25h", "ok"),
        ("\x1b]0;make: all\x07built\x1b]2;bash\x1b\\", "built"),
        ("\x1b]133;A\x07$ ls\x1b]633;E;ls\x07", "$ ls"),
        # moves at a line's edge
        ("one\n\x1b[1A\x1b[2Ktwo\x1b[1G\nthree", "one\ntwo\nthree"),
        ("\x1b[2J\x1b[Hscreen", "screen"),
        # a link whose text tells its target
        ("\x1b]8;;https://x.example/a\x1b\\https://x.example/a\x1b]8;;\x1b\\", "https://x.example/a"),
        ("\x1b]8;;file://host/src/a.py\x07a.py\x1b]8;;\x07:3", "a.py:3"),
        # redraws
        ("downloading: 10%\rdownloading: 55%\rdownloading: 100%\ndone\n", "downloading: 100%\ndone\n"),
        ("10%\r50%\r100%\r\nnext\r\n", "100%\r\nnext\r\n"),
        ("50%\r100%\r\r\nnext", "100%\r\r\nnext"),
        ("10%\r50%\r      \nnext", "50%\nnext"),
        ("get 1.2/9.9 MB 3.4 MB/s eta 0:00:02\rget 9.9/9.9 MB 5.6 MB/s eta 0:00", "get 9.9/9.9 MB 5.6 MB/s eta 0:00"),
        ("Receiving objects:  10% (1/10), 1.2 KiB | 9 KiB/s\rReceiving objects: 100% (10/10), 2.1 MiB | 1 MiB/s, done.",
         "Receiving objects: 100% (10/10), 2.1 MiB | 1 MiB/s, done."),
        ("⠋ linking\r⠙ linking\r⠹ linking", "⠹ linking"),
        ("| wait\r/ wait\r- wait", "- wait"),
        ("Loading.\rLoading..\rLoading...", "Loading..."),
        ("[=>  ]\r[==> ]\r[===>]", "[===>]"),
        (METER.format("10", "10", "1") + "\r" + METER.format("99", "99", "2"), METER.format("99", "99", "2")),
        ("\x1b[32ma.gz\x1b[0m  0% 0.0/36M\r\x1b[32ma.gz\x1b[0m ## 50% 18.0/36M\x1b[K", "a.gz ## 50% 18.0/36M"),
        ("build 10%\x1b[2K\x1b[1Gbuild 90%\n", "build 90%\n"),
        # what is no redraw of the other stays beside it, as it was
        ("1%\rerror: disk full\r2%\r3%\x1b[K", "1%\rerror: disk full\r3%"),
        ("a 10%\rb 10%\rb 20%", "a 10%\rb 20%"),
    ],
)  # fmt: skip
def test_presentation_goes(slot: Callable[..., Slot], text: str, left: str) -> None:
    """Escapes that say nothing but how a text looks, and all but the last state of a redrawn display."""
    assert cleaned(text) == left
    pad = "and a line of plain words to make it long enough to pay\n"
    assert CLEAN.propose(slot(pad + text + "\x1b[0m" * 9)) == Reduction(text=pad + left)


@pytest.mark.parametrize(
    "text",
    [
        "crlf one\r\ncrlf two\r\n",
        "doubled\r\r\nreturns\r\r\n",
        "an old file\rwith bare\rreturns\r\rand a blank line",
        "}\r}\r}\r",
        "1,2\r3,4\r5,6",
        "01/02/2024\r02/02/2024\r03/02/2024",
        "step 1\rstep 2\rstep 3",
        "Downloading\rDone",
        "3/9 passed\r2/9 passed",
        "3/9 passed\r4/7 passed",
        "90%\r10%",
        "10% loss 0.9\r20% loss 0.5",
        "50% 3 failed\r100% 0 failed",
        "12% done\rwarning: slow disk",
        # a link's target, a clipboard, an image
        "\x1b]8;;https://x.example/why\x1b\\why\x1b]8;;\x1b\\",
        "\x1b]52;c;c2VjcmV0\x07",
        "\x1b]1337;File=inline=1:aGk=\x07",
        "\x1bPq#0;2;0;0;0\x1b\\",
        # moves inside a line would glue words together; a repeated character is content
        "name\x1b[20Gsize",
        "name\x1b[5Csize",
        "name\x1b[3;9Hsize",
        "=\x1b[20b",
        "left\x1b[2Kright",
        # unended
        "\x1b]0;unended title\nreal line\nlast \x07bell",
        "\x1b",
        "\x1b[",
    ],
)
def test_what_says_something_stays(slot: Callable[..., Slot], text: str) -> None:
    """Line ends, rows of files with bare returns, other states, link targets and moves inside lines."""
    assert CLEAN.propose(slot(text)) == Skip(reason="nothing_to_clean")


@pytest.mark.parametrize(
    ("text", "min_tokens", "reason"),
    [
        ("plain", 0, "nothing_to_clean"),
        ("\x1b[31mred\x1b[0m", 50, "below_min_tokens"),
        ("\x1b[0m" * 99, 50, "nothing_would_remain"),
        ("abcd\x1b=", 0, "not_smaller"),
        ("\x1b[0m <<cg:00000000000000aa>>" * 9, 0, "already_marked"),
        ("\x1b[0m ⟪cg⟫" * 9, 0, "already_marked"),
        ("<<c\x1b[0mg:00000000000000aa>>" + "\x1b[0m b\n" * 9, 0, "already_marked"),
        ("x \x1b\x1b[0m[31m" * 9, 0, "escapes_nest"),
        ("     1\tred = '\x1b[31m'\n     2\tend = '\x1b[0m'\n     3\tprint(red, end)\n", 0, "numbered_lines"),
        ("11\ta = '\x1b[31m'\n12\tb = 1\n13\tc = 2\n", 0, "numbered_lines"),
    ],
)
def test_output_is_left_alone_for_a_named_reason(
    slot: Callable[..., Slot], text: str, min_tokens: int, reason: str
) -> None:
    """No file that was read with line numbers is changed, and taking out an escape forges neither mark nor escape."""
    assert Textclean(min_tokens=min_tokens).propose(slot(text)) == Skip(reason=reason)


@pytest.mark.parametrize(
    ("before", "after", "is_kept"),
    [
        ("\x1b[31mFAIL\x1b[0m x", "FAIL x", True),
        ("FAIL x", "FAIL", False),
        ("one\ntwo", "one", False),
        ("10%\rdone", "done", True),
        ("loading modules\rdone", "done", False),
        ("error 1\rerror 2", "error 2", False),
        ("10%\r20%", "30%", False),
        ("a\r\nb\r\n", "a\nb\n", True),
    ],
)
def test_check_sees_what_is_missing(before: str, after: str, *, is_kept: bool) -> None:
    """The check that every proposal goes through knows a lost line, a lost word, an invented state, a lost error."""
    assert keeps_every_line(before, after) == is_kept


STATES = st.sampled_from(
    ["10%", "55%", "get 3/9", "get 9/9", "error: x", "done", "", "a.py:3: y", "⠋ go", "⠙ go", "1 passed"]
)
STYLES = st.sampled_from(
    ["", "\x1b[31m", "\x1b[0m", "\x1b[K", "\x1b[2K", "\x1b[1G", "\x1b]0;t\x07", "\x1b[1A", "\x1b[9C"]
)
LINES = st.lists(st.tuples(STYLES, STATES, STYLES), max_size=5)


@settings(deadline=None)
@given(lines=st.lists(LINES, max_size=6))
def test_errors_places_and_results_survive(slot: Callable[..., Slot], lines: list[list[tuple[str, str, str]]]) -> None:
    """Every state that is no progress figure is still there, on its own line, and there are as many lines."""
    text = "\n".join("\r".join(before + state + behind for before, state, behind in line) for line in lines)
    proposal = CLEAN.propose(slot(text))
    if isinstance(proposal, Reduction):
        left = proposal.text.split("\n")
        assert len(left) == len(lines)
        for line, states in zip(left, lines, strict=True):
            for state in ("error: x", "a.py:3: y", "done", "1 passed"):
                assert (state in line) == any(state == said for _, said, _ in states)


@pytest.mark.parametrize(
    ("text", "n_left"),
    [
        ("\x1b" * 1_000_000, 1_000_000),
        ("\x1b[" + "0" * 1_000_000, 1_000_002),
        ("\x1b[0m" * 250_000, 0),
        ("\x1b[A" * 333_333 + "x", 1),
        ("x" + "\x1b[A" * 333_333 + "x", 1_000_001),
        ("\x1b]0;" * 250_000, 1_000_000),
        ("\x1b]8;;" * 200_000, 1_000_000),
        ("\r" * 1_000_000, 1_000_000),
        ("a\r" * 500_000, 1_000_000),
        ("1%\r" * 333_333, 3),
        ("1%\r" * 333_333 + "2", 4),
        ("." * 1_000_000 + "\r.", 1_000_002),
        ("\r" + "1/" * 500_000, 1_000_001),
        ("\r" + "9," * 500_000, 1_000_001),
        ("[" * 1_000_000, 1_000_000),
    ],
)
def test_hostile_text_is_read_once(text: str, n_left: int) -> None:
    """A megabyte of beginnings, of moves, or of states ends, and quickly."""
    assert len(cleaned(text)) == n_left


def test_each_half_does_one_thing() -> None:
    """Escapes and redraws are told apart: what one takes out the other leaves."""
    assert without_style("\x1b[31m1%\r2%") == "1%\r2%"
    assert without_redraws("\x1b[31m1%\r2%") == "2%"
    assert without_ansi("\x1b[9C") == ""
    assert without_style("a\x1b[9Cb") == "a\x1b[9Cb"
