"""The account of `cg expand --all`, for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.report.figures import counted, number
from cgcli.report.safe import safe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.replay.expand import Expanded
    from cgcli.replay.restore import Leftover

_MOST_SHOWN = 5
_MOST_CHARS = 80
_WHY = {
    "dangling": "its original is not in this stash",
    "quoted": "only quoted: the text around it is not what compaction left",
    "cut": "cut in half",
    "malformed": "not a key that was ever minted",
    "foreign": "another tool's",
    "sentinel": "its original was never kept (marker_mode summary)",
    "ambiguous": "several originals became this text",
}


def lines(done: Expanded) -> Iterator[str]:
    """What was restored, and which markers stay and why."""
    if done.whole is not None:
        edits = counted(done.whole.n_edits, "edit")
        yield f"restored byte for byte: {edits} undone, sha256 checked against the input's"
        return
    by_slot = done.by_slot
    if by_slot is None:
        return
    if not by_slot.n_restored and not by_slot.kinds:
        yield "no undo record for this file as it is, and no marker in it: given back as it is"
        return
    yield f"no undo record for this file as it is: {counted(by_slot.n_restored, 'slot')} restored one by one"
    for kind, n in sorted(by_slot.kinds.items()):
        shown = [left for left in by_slot.leftovers if left.kind == kind][:_MOST_SHOWN]
        yield f"{number(n)} {kind} left in place ({_WHY[kind]}):"
        yield from (f"  {_where(left)}: {safe(left.text[:_MOST_CHARS])}" for left in shown)


def _where(left: Leftover) -> str:
    return f"line {left.line}, {safe(left.path)}" if left.path else f"line {left.line}"
