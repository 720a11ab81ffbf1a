"""`dedup`: the later of two equal outputs becomes a pointer."""

from collections.abc import Callable

import pytest

from cgcli.compaction.component import MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.dedup import Dedup

LONG = "the quick brown fox jumps over the lazy dog\n" * 12


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        (MarkerMode.FULL, "[identical to an earlier tool output] <<cg:0123456789abcdef>>"),
        (MarkerMode.SUMMARY, "[identical to an earlier tool output] ⟪cg⟫"),
        (MarkerMode.OFF, "[identical to an earlier tool output]"),
    ],
)
def test_repeated_output_becomes_a_pointer(slot: Callable[..., Slot], mode: MarkerMode, text: str) -> None:
    """The pointer has the marker and no hint: what it stands for is in the request already."""
    assert Dedup(marker_mode=mode).propose(slot(LONG, seen_before=True)) == Reduction(text=text)


@pytest.mark.parametrize(
    ("text", "seen_before", "min_tokens", "reason"),
    [
        (LONG, False, 100, "no_earlier_identical_output"),
        ("short", True, 100, "below_min_tokens"),
        ("short", True, 0, "not_smaller"),
        (LONG + "<<cg:00000000000000aa>>", True, 100, "already_marked"),
        (LONG + "⟪cg⟫", True, 100, "already_marked"),
    ],
)
def test_output_is_left_alone_for_a_named_reason(
    slot: Callable[..., Slot], text: str, *, seen_before: bool, min_tokens: int, reason: str
) -> None:
    """First copies, short outputs and marked ones stay."""
    proposal = Dedup(min_tokens=min_tokens).propose(slot(text, seen_before=seen_before))
    assert proposal == Skip(reason=reason)


def test_quoted_marker_shape_is_no_marker(slot: Callable[..., Slot]) -> None:
    """`<<cg:HASH>>` in a manual has no key that was ever minted, and does not stop the component."""
    proposal = Dedup().propose(slot(LONG + "<<cg:HASH>>", seen_before=True))
    assert proposal == Reduction(text="[identical to an earlier tool output] <<cg:0123456789abcdef>>")
