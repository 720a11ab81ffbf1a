"""What a compaction of a Claude Code session keeps word for word, put behind its summary.

The rows kept stay where they stand, before the boundary; `compactMetadata` of the boundary names them: as a list of
uuids, or (older) as the first and the last of them. Requests from then on have the summary, these rows, and what is
new.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import changed
from cgcli.readers.histories.claude_code.lines import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cgcli.readers.histories.claude_code.lines import Kept, Line


def put_behind(lines: list[Line], parents: list[int | None], places: Mapping[str, int]) -> None:
    """Add copies of what each compaction kept to *lines*, and hang on them what hangs on the originals since.

    *parents* has the place of each row's parent, *places* that of each uuid; both lists grow. No model gave the
    copies: the answers among them were given, and counted, before.
    """
    n_rows = len(lines)
    moved: set[int] = set()
    for boundary in range(n_rows - 1, -1, -1):
        kept = lines[boundary].kept
        anchor = _anchor(lines, boundary, places) if kept is not None else None
        if kept is None or anchor is None:
            continue
        copies: dict[int, int] = {}
        last = anchor
        for place in _places(kept, lines[:n_rows], parents, places):
            copies[place] = len(lines)
            lines.append(_copy(lines[place]))
            parents.append(last)
            last = copies[place]
        for row in range(boundary + 1, n_rows):
            if row not in moved and row != anchor and (to := _moves_to(parents[row], anchor, copies, last)) is not None:
                moved.add(row)
                parents[row] = to


def _anchor(lines: Sequence[Line], boundary: int, places: Mapping[str, int]) -> int | None:
    """The row that the kept ones come after: the summary, where the boundary names no other."""
    kept = lines[boundary].kept
    if kept is not None and kept.anchor is not None:
        return places.get(kept.anchor)
    return next((place for place in range(boundary, len(lines)) if lines[place].is_summary), None)


def _places(
    kept: Kept, lines: Sequence[Line], parents: Sequence[int | None], places: Mapping[str, int]
) -> Iterator[int]:
    """The places of the kept rows that say something, in order."""
    found = {places[uuid] for uuid in kept.uuids if uuid in places} or _between(kept, lines, parents, places)
    for place in sorted(found):
        if lines[place].kind in (Kind.USER, Kind.ANSWER, Kind.SAID):
            yield place


def _between(kept: Kept, lines: Sequence[Line], parents: Sequence[int | None], places: Mapping[str, int]) -> set[int]:
    """From the first to the last: the rows in one line, and the results that stand between them."""
    head, tail = places.get(kept.head or ""), places.get(kept.tail or "")
    path: set[int] = set()
    at = tail
    while at is not None and head is not None and at >= head and at not in path:
        path.add(at)
        at = parents[at] if at != head else None
    if head is None or tail is None or head not in path:
        return set()
    party = lines[tail].party
    return path | {place for place in range(head, tail) if lines[place].is_result and lines[place].party == party}


def _copy(line: Line) -> Line:
    kind = Kind.SAID if line.kind is Kind.ANSWER else line.kind
    return changed(line, uuid=None, parent=None, kind=kind, passed=None)


def _moves_to(parent: int | None, anchor: int, copies: Mapping[int, int], last: int) -> int | None:
    """Where a row goes that hung on a kept one, or on the row before these; None where it stays."""
    if parent is None:
        return None
    return last if parent == anchor and last != anchor else copies.get(parent)
