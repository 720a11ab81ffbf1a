"""What holds for every component, every parameter and every text."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.component import Reduction, Skip, Slot
from cgcli.compaction.components import build

MODES = ("full", "summary", "off")
WINDOWS = ((0, 0), (60, 3), (90, 20))


def configured() -> list[tuple[str, dict[str, object]]]:
    """Each component in each of its modes, without a lower limit, by its name and parameters."""
    made: list[tuple[str, dict[str, object]]] = [("format", {"min_tokens": 0})]
    for mode in MODES:
        made += [(name, {"min_tokens": 0, "marker_mode": mode}) for name in ("dedup", "mask", "extract")]
        for max_tokens, n_lines in WINDOWS:
            params = {"max_tokens": max_tokens, "head_lines": n_lines, "tail_lines": 2}
            made.append(("collapse", {**params, "marker_mode": mode}))
    return made


WORDS = ["\n", "\r", " ", "a", "same line\n", "error: x\n", "12%", "█", "[===]", " 3/9", "x" * 90]
SIGNS = ["\x1b", "[0m", "]0;", "\x07", "{", "}", '"', ":", ",", "\ud83d", "\ude00", "😀", "⟪cg", "⟫"]
MARKS = ["\\u003c", "<<cg:", "cg:", "0123456789abcdef", ">>", "<<cg:00000000000000aa>>", "<<ccr:00aa>>"]
PIECES = st.sampled_from(WORDS) | st.sampled_from(SIGNS) | st.sampled_from(MARKS)
TEXTS = st.lists(st.tuples(PIECES, st.integers(1, 12)), max_size=30).map(
    lambda runs: "".join(piece * n for piece, n in runs)
)


@pytest.mark.parametrize(("name", "params"), configured())
@settings(deadline=None)
@given(text=TEXTS)
def test_proposal_is_smaller_stable_and_final(
    slot: Callable[..., Slot], name: str, params: dict[str, object], text: str
) -> None:
    """Fewer tokens, the same answer twice, no marker but the slot's own, and nothing to add to it."""
    component = build(name, params)
    taken = slot(text, seen_before=True)
    proposal = component.propose(taken)
    assert component.propose(taken) == proposal
    if isinstance(proposal, Reduction):
        assert taken.count(proposal.text) < taken.tokens
        marks = re.findall("<<cg:[0-9a-fA-F]{16}>>", proposal.text)
        assert marks == ([f"<<cg:{taken.key}>>"] if params.get("marker_mode") == "full" else [])
        assert isinstance(component.propose(slot(proposal.text, seen_before=True)), Skip)
