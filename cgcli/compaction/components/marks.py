"""What an offloading component writes where content left, and when it may write at all."""

from __future__ import annotations

from cgcli.compaction.component import MarkerMode, Reduction, Skip, Slot
from cgcli.markers import EXPAND_TOOL, SENTINEL, marker

HINT = f" [full output: call {EXPAND_TOOL}]"
"""Tells the model how to get the original back."""

ALREADY_MARKED = Skip(reason="already_marked")
BELOW_MIN_TOKENS = Skip(reason="below_min_tokens")
NOT_SMALLER = Skip(reason="not_smaller")


def left_behind(slot: Slot, mode: MarkerMode, *, hint: str = HINT) -> str:
    """The marker with its *hint*, the sentinel, or nothing, as *mode* says."""
    if mode is MarkerMode.FULL:
        return marker(slot.key) + hint
    return SENTINEL if mode is MarkerMode.SUMMARY else ""


def after(text: str, separator: str, left: str) -> str:
    """*left* behind *text*; without *separator* where nothing is left."""
    return f"{text}{separator}{left}" if left else text


def smaller(slot: Slot, text: str) -> Reduction | Skip:
    """*text*, marker included, where it has strictly fewer tokens than what stands in the slot."""
    return Reduction(text=text) if slot.count(text) < slot.tokens else NOT_SMALLER
