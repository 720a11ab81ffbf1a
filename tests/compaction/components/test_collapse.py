"""`collapse`: head and tail of an oversized output."""

from collections.abc import Callable
from pathlib import Path

import pytest

from cgcli.compaction.component import MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.collapse import Collapse
from cgcli.compaction.components.cuts import cut_before, cut_behind

LINES = "\n".join(f"line {n}" for n in range(1, 101))
MARK = "<<cg:0123456789abcdef>> [full output: call context_guru_expand]"


def reduced(component: Collapse, slot: Slot) -> str:
    """The text that *component* proposes."""
    proposal = component.propose(slot)
    assert isinstance(proposal, Reduction), proposal
    return proposal.text


@pytest.mark.parametrize(
    ("mode", "head_lines", "tail_lines", "text"),
    [
        (MarkerMode.FULL, 2, 1, f"line 1\nline 2\n... (97 lines omitted) {MARK}\nline 100"),
        (MarkerMode.SUMMARY, 1, 1, "line 1\n... (98 lines omitted) ⟪cg⟫\nline 100"),
        (MarkerMode.OFF, 1, 1, "line 1\n... (98 lines omitted)\nline 100"),
        (MarkerMode.OFF, 0, 2, "\n... (98 lines omitted)\nline 99\nline 100"),
        (MarkerMode.OFF, 2, 0, "line 1\nline 2\n... (98 lines omitted)\n"),
    ],
)
def test_head_and_tail_lines_stay(
    slot: Callable[..., Slot], mode: MarkerMode, head_lines: int, tail_lines: int, text: str
) -> None:
    """The note between them says how many lines are omitted."""
    collapse = Collapse(max_tokens=50, head_lines=head_lines, tail_lines=tail_lines, marker_mode=mode)
    assert collapse.propose(slot(LINES)) == Reduction(text=text)


def test_single_line_of_400_kilobytes_is_collapsed(slot: Callable[..., Slot]) -> None:
    """A line window cannot cut it; a window of characters does (context-guru 138).

    8,000 characters and the note are 2,025 tokens here; nine tenths in proportion are 7,111 characters.
    """
    expected = "a" * 3555 + f"\n... (392889 characters omitted) {MARK}\n" + "a" * 3556
    assert reduced(Collapse(), slot("a" * 400_000)) == expected


def test_few_huge_lines_are_collapsed(slot: Callable[..., Slot]) -> None:
    """Forty kept lines of 4,000 characters would be twenty times the budget (context-guru 138)."""
    given = slot("\n".join([f"{n} " + "x" * 4000 for n in range(100)]))
    text = reduced(Collapse(), given)
    assert given.count(text) <= 2000
    assert text.startswith("0 xxx")
    assert " characters omitted)" in text
    assert text.endswith("xxx")


def test_dense_text_gets_a_smaller_window() -> None:
    """Where every character is a token, the window shrinks until it fits."""
    text = "é" * 10_000
    given = Slot(
        text=text,
        tokens=10_000,
        key="0123456789abcdef",
        i_output=0,
        n_outputs=1,
        seen_before=False,
        request_tokens=None,
        count=len,
    )
    assert 1000 < len(reduced(Collapse(), given)) <= 2000


def test_text_that_defies_proportion_ends_at_the_floor() -> None:
    """After three passes that do not fit, the smallest window stands."""
    text = "x" * 10_000
    given = Slot(
        text=text,
        tokens=10_000,
        key="0123456789abcdef",
        i_output=0,
        n_outputs=1,
        seen_before=False,
        request_tokens=None,
        count=lambda text: 2500 if len(text) > 400 else 100,
    )
    half = "x" * 100
    assert reduced(Collapse(), given) == f"{half}\n... (9800 characters omitted) {MARK}\n{half}"


def test_window_has_the_proportion_of_the_lines(slot: Callable[..., Slot]) -> None:
    """`head_lines: 3, tail_lines: 1` keeps three quarters of the window at the start."""
    collapse = Collapse(max_tokens=10, head_lines=3, tail_lines=1, marker_mode=MarkerMode.OFF)
    expected = "a" * 150 + "\n... (9800 characters omitted)\n" + "a" * 50
    assert collapse.propose(slot("a" * 10_000)) == Reduction(text=expected)


def test_no_lines_at_all_is_an_even_window(slot: Callable[..., Slot]) -> None:
    """A bare marker would tell the model nothing about what it stands for."""
    collapse = Collapse(max_tokens=0, head_lines=0, tail_lines=0, marker_mode=MarkerMode.OFF)
    expected = "a" * 100 + "\n... (9800 characters omitted)\n" + "a" * 100
    assert collapse.propose(slot("a" * 10_000)) == Reduction(text=expected)


@pytest.mark.parametrize(
    ("text", "max_tokens", "reason"),
    [
        (LINES, 2000, "below_max_tokens"),
        ("a" * 263, 10, "too_few_lines_and_chars"),
        ("a" * 270, 10, "not_smaller"),
        (LINES + "<<cg:00000000000000aa>>", 10, "already_marked"),
        (LINES + "⟪cg⟫", 10, "already_marked"),
    ],
)
def test_output_is_left_alone_for_a_named_reason(
    slot: Callable[..., Slot], text: str, max_tokens: int, reason: str
) -> None:
    """What fits, what cannot be cut, and what is marked stays."""
    assert Collapse(max_tokens=max_tokens).propose(slot(text)) == Skip(reason=reason)


@pytest.mark.parametrize(
    ("max_frac", "request_tokens", "collapses"),
    [
        (0.1, 2000, True),
        (0.1, 2010, False),
        (0.0, 10, False),
        (0.1, None, False),
    ],
)
def test_budget_may_follow_the_request(
    slot: Callable[..., Slot], max_frac: float, request_tokens: int | None, *, collapses: bool
) -> None:
    """LINES have 201 tokens: over a tenth of 2,000, at a tenth of 2,010; unknown falls back on max_tokens."""
    given = slot("x" * 800, request_tokens=request_tokens)
    assert given.tokens == 201
    proposal = Collapse(max_frac=max_frac).propose(given)
    assert isinstance(proposal, Reduction) == collapses


def test_cut_does_not_part_a_surrogate_pair(slot: Callable[..., Slot]) -> None:
    """Both halves of a pair at the head's end go, and both of one at the tail's start."""
    text = "a" * 99 + "\ud83d\ude00" + "b" * 800 + "\ud83d\ude00" + "c" * 99
    collapse = Collapse(max_tokens=10, marker_mode=MarkerMode.OFF)
    expected = "a" * 99 + "\n... (804 characters omitted)\n" + "c" * 99
    assert collapse.propose(slot(text)) == Reduction(text=expected)


def test_lone_surrogate_survives(slot: Callable[..., Slot]) -> None:
    """It is no half of a pair, and stays as it is."""
    text = "\ud83d" + "a" * 998 + "\ude00"
    collapse = Collapse(max_tokens=10, marker_mode=MarkerMode.OFF)
    assert reduced(collapse, slot(text))[0] == "\ud83d"
    assert reduced(collapse, slot(text))[-1] == "\ude00"


@pytest.mark.parametrize(
    "shape",
    [
        "<<cg:HASH>>",
        r"\u003c\u003ccg:0123456789abcdef\u003e\u003e",
        "<<ccr:4f2a77 5_rows_offloaded>>",
        "<<cg:0123",
    ],
)
def test_cut_does_not_part_what_reads_as_a_marker(shape: str) -> None:
    """A quoted, escaped, foreign or damaged marker is kept whole or left out whole."""
    text = "a" * 500 + shape + " " + "b" * 500
    inside = range(501, 500 + len(shape))
    assert {cut_before(text, index) for index in inside} == {500}
    assert {cut_behind(text, index) for index in inside} == {500 + len(shape)}
    assert cut_before(text, 500) == cut_behind(text, 500) == 500


def test_ends_of_the_text_are_cuts() -> None:
    """There is nothing to part at the very start and the very end."""
    assert cut_before("ab", 0) == 0
    assert cut_behind("ab", 2) == 2


def test_this_file_is_collapsed_by_lines() -> None:
    """On ordinary text the kept lines are whole, from the first and to the last."""
    text = Path(__file__).read_text(encoding="utf-8")
    lines = text.split("\n")
    n_omitted = len(lines) - 20
    head, tail = "\n".join(lines[:12]), "\n".join(lines[-8:])
    collapse = Collapse(max_tokens=500, head_lines=12, tail_lines=8)
    given = Slot(
        text=text.replace("⟪cg⟫", "").replace("<<cg:", "<<"),
        tokens=3000,
        key="0123456789abcdef",
        i_output=0,
        n_outputs=1,
        seen_before=False,
        request_tokens=None,
        count=lambda text: len(text) // 4,
    )
    assert reduced(collapse, given) == f"{head}\n... ({n_omitted} lines omitted) {MARK}\n{tail}"
