"""`extract`: noise goes, one copy of everything else stays."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.component import MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.extract import Extract, without_noise

TRACEBACK = "Traceback (most recent call last):\n  File \"x.py\", line 4\nModuleNotFoundError: No module named 'numpy'"


@pytest.mark.parametrize(
    ("text", "reduced"),
    [
        # blank runs
        ("a\n\n\n\nb\n \n\t\nc", "a\n\nb\n \nc"),
        ("\n\n\na\n\n\n", "\na\n"),
        ("a\r\n\r\n\r\n\r\nb\r\n", "a\r\n\r\nb\r\n"),
        # escapes
        ("\x1b[1;31mFAILED\x1b[0m test_x\x1b[K", "FAILED test_x"),
        ("\x1b]0;title\x07\x1b]8;;file:///a.py\x1b\\a.py\x1b]8;;\x1b\\:3", "a.py:3"),
        ("\x1b(B\x1b[?25l\x1b=ok", "ok"),
        # redraws
        ("downloading: 10%\rdownloading: 55%\rdownloading: 100%\ndone\n", "downloading: 100%\ndone\n"),
        ("Loading.\rLoading..\rLoading...\rLoaded", "Loading...\nLoaded"),
        ("10%\r50%\r100%\r\nnext\r\n", "100%\r\nnext\r\n"),
        ("50%\r100%\r      \nnext", "100%\nnext"),
        ("1%\rerror: disk full\r2%\r3%", "error: disk full\n3%"),
        # progress bars
        (
            " 10%|█    | 10/100 [00:01<00:09,  9.9it/s]\n 90%|█████████ | 90/100 [00:09<00:01, 9.9it/s]\nend",
            " 90%|█████████ | 90/100 [00:09<00:01, 9.9it/s]\nend",
        ),
        ("  0%|          | 0/9\n 50%|####5     | 4/9\n100%|##########| 9/9", "100%|##########| 9/9"),
        (
            "   ━━━╸━━━━ 1.2/9.9 MB 3.4 MB/s eta 0:00:02\n   ━━━━━━━━ 9.9/9.9 MB 3.4 MB/s eta 0:00:00",
            "   ━━━━━━━━ 9.9/9.9 MB 3.4 MB/s eta 0:00:00",
        ),
        ("Building [==>       ] 2/9\nBuilding [=======>  ] 7/9", "Building [=======>  ] 7/9"),
        # repeats
        ("same line\n" * 50 + "end", "same line  (x50)\nend"),
        ("same line\r\n" * 50 + "end", "same line  (x50)\r\nend"),
        (f"{TRACEBACK}\n" * 4 + "end", f"{TRACEBACK}\n... (3 repeats of the last 3 lines omitted)\nend"),
        (
            "one fine day\n\ntwo fine days\n" * 9 + "z",
            "one fine day\n\ntwo fine days\n... (8 repeats of the last 3 lines omitted)\nz",
        ),
    ],
)
def test_noise_goes(slot: Callable[..., Slot], text: str, reduced: str) -> None:
    """Blank runs, escapes, overwritten states, earlier states of a bar, and repeats."""
    extract = Extract(min_tokens=0, marker_mode=MarkerMode.OFF)
    assert extract.propose(slot(text)) == Reduction(text=reduced)


@pytest.mark.parametrize(
    "text",
    [
        "line one\nline two\nline three\nresult: 42\nerror: none",
        "crlf one\r\ncrlf two\r\n",
        "doubled\r\r\nreturns\r\r\n",
        "bare returns\rof an old\rfile",
        "  }\n  }\n})\n})\n",
        "50%\n60%\n70%\n",
        "    1\t50%\n    2\t60%\n    3\t70%\n",
        "Chrome ██████ 60%\nFirefox ██ 20%\n",
        "███████ 60%\n██ 20%\n",
        "Epoch 1: 100%|████| 9/9 [00:01]\nEpoch 2: 100%|████| 9/9 [00:01]",
        "50%|███   | 1/2 [00:01, loss=0.9]\n100%|██████| 2/2 [00:02, loss=0.1]",
        "[===  ] 1/2 failed\n[=====] 2/2 failed",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "━━━━━━━━━\ntable\n━━━━━━━━━",
        "a.py:1: error: x\na.py:2: error: x\n",
        "     1\timport os\n     2\t\n     3\t\n     4\t\n     5\tx = 1\n",
        "1 passed\n1 passed, 1 failed\nexit code 1",
        "\x1b]0;unended title\nreal line\nlast \x07bell",
        "x" * 1000,
    ],
)
def test_what_says_something_stays(slot: Callable[..., Slot], text: str) -> None:
    """Numbered lines, locations, results, tables, charts and every kind of line ending are no noise."""
    assert Extract(min_tokens=0).propose(slot(text)) == Skip(reason="nothing_to_extract")


def test_marker_stands_on_a_line_of_its_own(slot: Callable[..., Slot]) -> None:
    """The reduced text comes first, then the marker with its hint."""
    text = "same line again and again\n" * 60 + "end"
    full = Extract().propose(slot(text))
    summary = Extract(marker_mode=MarkerMode.SUMMARY).propose(slot(text))
    assert full == Reduction(
        text="same line again and again  (x60)\nend\n<<cg:0123456789abcdef>> [full output: call context_guru_expand]"
    )
    assert summary == Reduction(text="same line again and again  (x60)\nend\n⟪cg⟫")


@pytest.mark.parametrize(
    ("text", "min_tokens", "reason"),
    [
        ("a\n\n\n\nb" * 10, 300, "below_min_tokens"),
        ("a\n\n\n\nb", 0, "not_smaller"),
        ("\n" * 5000, 300, "nothing_would_remain"),
        ("\x1b[0m\n" * 5000, 300, "nothing_would_remain"),
        ("a\n\n\n<<cg:00000000000000aa>>\n" + "\n" * 2000, 300, "already_marked"),
        ("a\n\n\n⟪cg⟫\n" + "\n" * 2000, 300, "already_marked"),
        ("<<c\x1b[0mg:00000000000000aa>>\n" + "b\n" * 2000, 300, "already_marked"),
    ],
)
def test_output_is_left_alone_for_a_named_reason(
    slot: Callable[..., Slot], text: str, min_tokens: int, reason: str
) -> None:
    """No output turns into a bare marker, and taking out an escape forges none."""
    assert Extract(min_tokens=min_tokens).propose(slot(text)) == Skip(reason=reason)


def test_folding_brings_further_repeats_together() -> None:
    """Blocks that are equal only after their own repeats were folded are folded too."""
    block = "retrying the upload\n" * 3 + "upload failed: 503\n"
    assert without_noise(block * 4 + "end") == (
        "retrying the upload  (x3)\nupload failed: 503\n... (3 repeats of the last 2 lines omitted)\nend"
    )


@pytest.mark.parametrize("n_lines", [12, 13])
def test_blocks_of_up_to_twelve_lines_are_folded(n_lines: int) -> None:
    """A block of thirteen lines is looked at no more."""
    block = "".join(f"line {n} of the block\n" for n in range(n_lines))
    folded = f"{block}... (2 repeats of the last 12 lines omitted)\n"
    assert without_noise(block * 3) == (folded if n_lines == 12 else block * 3)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a" * 1_000_000, 1_000_000),
        ("[" * 1_000_000, 1_000_000),
        ("<" * 1_000_000, 1_000_000),
        ("\x1b" * 1_000_000, 1_000_000),
        ("\x1b[" + "0" * 1_000_000, 1_000_002),
        ("\x1b]" * 500_000, 1_000_000),
        ("█" * 1_000_000, 1_000_000),
        ("[===" * 250_000, 1_000_000),
        ("\r" * 1_000_000, 1_000_000),
        ("a\r" * 500_000, 2),
        ("[=] 1%\n" * 100_000, 18),
    ],
)
def test_hostile_text_is_read_once(text: str, left: int) -> None:
    """A megabyte of beginnings, of brackets, or of one character ends, and quickly."""
    assert len(without_noise(text)) == left


def test_escapes_within_escapes_end() -> None:
    """Text that needs a pass for every layer is given up on after fifty."""
    peeled = without_noise("\x1b" * 1000 + "[0m" * 1000)
    assert peeled == "\x1b" * 950 + "[0m" * 950


WORDS = st.sampled_from(["", "  ", "alpha line", "beta line", "}", "error: x", "a.py:3: y", "exit code 1", "  12\tx"])


@settings(deadline=None)
@given(lines=st.lists(WORDS, max_size=60))
def test_every_distinct_line_is_kept(lines: list[str]) -> None:
    """Each line that is not blank stands at least once in what is left, in order of first use."""
    left = [re.sub(r"(?:  \(x\d+\))+$", "", line) for line in without_noise("\n".join(lines)).split("\n")]
    kept = [line for line in left if line.strip() and not line.startswith("... (")]
    assert list(dict.fromkeys(kept)) == list(dict.fromkeys(line for line in lines if line.strip()))


@settings(deadline=None)
@given(lines=st.lists(WORDS, max_size=60))
def test_fold_counts_what_it_removes(lines: list[str]) -> None:
    """Writing out every count and note gives back the lines, blank runs apart."""
    written_out = unfolded(without_noise("\n".join(lines)).split("\n"))
    assert [line for line in written_out if line.strip()] == [line for line in lines if line.strip()]


def unfolded(lines: list[str]) -> list[str]:
    """*lines* with the repeats that counts and notes tell of; a note speaks of the lines as they stand."""
    groups: list[list[str]] = []
    heights: list[int] = []
    for line in lines:
        note = re.fullmatch(r"\.\.\. \((\d+) repeats of the last (\d+) lines omitted\)", line)
        times = re.fullmatch(r"(.*?)  \(x(\d+)\)", line)
        if note:
            n_groups = next(n for n in range(1, len(heights) + 1) if sum(heights[-n:]) == int(note[2]))
            block = [part for group in groups[-n_groups:] for part in group]
            height = sum(heights[-n_groups:]) + 1
            del groups[-n_groups:], heights[-n_groups:]
            groups.append(block * (int(note[1]) + 1))
            heights.append(height)
        else:
            groups.append([times[1]] * int(times[2]) if times else [line])
            heights.append(1)
    return [part for group in groups for part in group]
