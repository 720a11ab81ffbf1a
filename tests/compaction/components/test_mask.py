"""`mask`: old outputs become one line."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.compaction.component import MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.mask import Mask, peek

LONG = "total 48\n" + "drwxr-xr-x 2 root root 4096 file\n" * 20
HINT = "[full output: call context_guru_expand]"


@pytest.mark.parametrize(
    ("mode", "keep_head_chars", "text"),
    [
        (
            MarkerMode.FULL,
            20,
            f"[older tool output masked; starts: total 48 drwxr-xr-x …] <<cg:0123456789abcdef>> {HINT}",
        ),
        (MarkerMode.FULL, 0, f"[older tool output masked] <<cg:0123456789abcdef>> {HINT}"),
        (MarkerMode.SUMMARY, 8, "[older tool output masked; starts: total 48…] ⟪cg⟫"),
        (MarkerMode.OFF, 8, "[older tool output masked; starts: total 48…]"),
        (MarkerMode.OFF, 0, "[older tool output masked]"),
    ],
)
def test_old_output_becomes_one_line(
    slot: Callable[..., Slot], mode: MarkerMode, keep_head_chars: int, text: str
) -> None:
    """The line says how the output began."""
    mask = Mask(keep_head_chars=keep_head_chars, marker_mode=mode)
    assert mask.propose(slot(LONG)) == Reduction(text=text)


@pytest.mark.parametrize(
    ("keep_recent", "n_outputs", "masked"),
    [(3, 5, [0, 1]), (3, 3, []), (3, 0, []), (0, 2, [0, 1]), (1, 4, [0, 1, 2])],
)
def test_newest_outputs_stay(slot: Callable[..., Slot], keep_recent: int, n_outputs: int, masked: list[int]) -> None:
    """Exactly the newest `keep_recent` outputs are left, each for the reason `recent`."""
    proposals = [
        Mask(keep_recent=keep_recent).propose(slot(LONG, i_output=i, n_outputs=n_outputs)) for i in range(n_outputs)
    ]
    assert [i for i, proposal in enumerate(proposals) if isinstance(proposal, Reduction)] == masked
    left = [proposal for proposal in proposals if isinstance(proposal, Skip)]
    assert left == [Skip(reason="recent")] * (n_outputs - len(masked))


@pytest.mark.parametrize(
    ("text", "min_tokens", "reason"),
    [
        ("short", 100, "below_min_tokens"),
        ("short", 0, "not_smaller"),
        (LONG + "<<cg:00000000000000aa>>", 100, "already_marked"),
        (LONG + "⟪cg⟫", 100, "already_marked"),
        ("[older tool output masked; starts: x]" + LONG, 0, "already_marked"),
    ],
)
def test_output_is_left_alone_for_a_named_reason(
    slot: Callable[..., Slot], text: str, min_tokens: int, reason: str
) -> None:
    """Short outputs stay, and what was masked is not masked again."""
    assert Mask(min_tokens=min_tokens).propose(slot(text)) == Skip(reason=reason)


@pytest.mark.parametrize(
    ("text", "n_chars", "start"),
    [
        ("one two", 96, "one two"),
        ("one two", 3, "one…"),
        ("\n\n \t  1\n2\n", 96, "1 2"),
        ("\n" * 5000 + "late", 96, "late"),
        ("Exit code 1\r\nTraceback (most\r\n", 96, "Exit code 1 Traceback (most"),
        ("\x1b[1;31mFAILED\x1b[0m x\x00y\x07", 96, "FAILED x y"),
        ("\x1b]8;;file:///a\x07a.py\x1b]8;;\x07:3", 96, "a.py:3"),
        ("a\u202eb\ufeffc\u200bd", 96, "a b c d"),
        ("a\ud83db", 96, "a b"),
        ("日本語😀テキスト", 4, "日本語😀…"),
        ("<<cg:0123456789abcde", 96, "<< cg:0123456789abcde"),
        ("<<c\x1b[0mg:0123456789abcdef>>", 96, "<< cg:0123456789abcdef>>"),
        (r"\u003c\u003Ccg:0123456789abcdef\u003e>", 96, r"\u003c\u003C cg:0123456789abcdef\u003e>"),
        ("⟪c\x1b[0mg⟫", 96, "⟪ cg⟫"),
        ("anything", 0, ""),
        ("\x1b[0m \n", 96, ""),
    ],
)
def test_peek_is_one_clean_line(text: str, n_chars: int, start: str) -> None:
    """Nothing in a peek moves the cursor, turns the text around or reads as a marker."""
    assert peek(text, n_chars) == start


@given(st.text(alphabet=st.sampled_from("ab \t\n\x85\u00a0\u2028\u3000\u202e\x07\ud83d"), max_size=12))
def test_peek_has_a_blank_for_what_does_not_print(text: str) -> None:
    """However blanks and such characters follow each other, between two words stands one space."""
    words = "".join(char if char.isprintable() else " " for char in text).split()
    assert peek(text, 96) == " ".join(words)
