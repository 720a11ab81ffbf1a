"""How the rows of a Claude Code session hang on each other: a tree by `parentUuid`, mended where it is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import unique
from cgcli.readers.base import Passed
from cgcli.readers.derived import Missed
from cgcli.readers.histories.claude_code.kept import put_behind
from cgcli.readers.histories.claude_code.lines import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cgcli.readers.histories.claude_code.lines import Line

_Lane = tuple[str | None, tuple[bool, str | None]]


@unique
class Tree:
    """The rows of a file, parents before children."""

    lines: Sequence[Line]
    """In the file's order; then copies of what compactions kept."""
    parents: Sequence[int | None]
    """The place of each row's parent in `lines`; None for the first of a conversation."""
    logical: Sequence[int | None]
    """The place of what stood before a compaction, at a row that begins anew after one."""
    order: Sequence[int]
    """The places, each after its parent's."""
    missed: Sequence[Missed]
    """What had to be mended."""


def tree_of(rows: Iterable[Line]) -> Tree:
    """The tree that *rows* are.

    A parent that is not in the file is taken to be the row before; so is the parent of an answer, a tool result or an
    unusable row that has none, for these begin no conversation, and of every row of a session in which no row has one.
    """
    missed: list[Missed] = []
    lines, places = _distinct(rows, missed)
    growing = {_lane(line) for line in lines if line.parent is not None}
    parents: list[int | None] = []
    newest: dict[_Lane, int] = {}
    for place, line in enumerate(lines):
        before = newest.get(_lane(line))
        parents.append(_parent(line, lines, places, before, is_list=_lane(line) not in growing, missed=missed))
        if line.kind is not Kind.LINK or parents[place] is not None:
            newest[_lane(line)] = place
    logical: list[int | None] = [None] * len(lines)
    for place, line in enumerate(lines):
        if _begins_anew(line, parents[place], lines):
            logical[place] = places.get(line.logical_parent or line.parent or "")
            parents[place] = None
    put_behind(lines, parents, places)
    logical += [None] * (len(lines) - len(logical))
    order = _ordered(lines, parents, missed)
    return Tree(lines=lines, parents=parents, logical=logical, order=order, missed=missed)


def _distinct(rows: Iterable[Line], missed: list[Missed]) -> tuple[list[Line], dict[str, int]]:
    """The rows without those that a resumed session says again, and where each uuid stands."""
    lines: list[Line] = []
    places: dict[str, int] = {}
    for line in rows:
        known = places.get(line.uuid) if line.uuid is not None else None
        if known is not None and (lines[known].kind is not Kind.LINK or line.kind is Kind.LINK):
            missed.append(_noted(line, "repeated", "its uuid stands in the file before"))
            continue
        if line.uuid is not None:
            places[line.uuid] = len(lines)
        lines.append(line)
    return lines, places


def _lane(line: Line) -> _Lane:
    return line.session, line.party


def _parent(
    line: Line,
    lines: Sequence[Line],
    places: dict[str, int],
    before: int | None,
    *,
    is_list: bool,
    missed: list[Missed],
) -> int | None:
    """The place of the parent of *line*; *before* is the row before it in its session."""
    if line.parent is None:
        may_begin = line.kind not in (Kind.ANSWER, Kind.SAID) and not line.is_result and line.passed is None
        return None if may_begin and not is_list else before
    place = places.get(line.parent)
    if place is not None and lines[place].party == line.party:
        return place
    if place is not None and line.is_side:
        return None
    if place is None and line.kind is not Kind.LINK and line.logical_parent is None:
        missed.append(_noted(line, "parent_not_in_file", "taken to follow the row before"))
    return before


def _begins_anew(line: Line, parent: int | None, lines: Sequence[Line]) -> bool:
    """True at a compaction: for the boundary, and for a summary that hangs on none."""
    if line.kind is Kind.BOUNDARY:
        return True
    return line.is_summary and not (parent is not None and lines[parent].kind is Kind.BOUNDARY)


def _ordered(lines: Sequence[Line], parents: list[int | None], missed: list[Missed]) -> list[int]:
    """Every place after its parent's; a circle is cut above its first row in the file."""
    order: list[int] = []
    is_done = bytearray(len(lines))
    for start in range(len(lines)):
        path: list[int] = []
        at: int | None = start
        on_path: set[int] = set()
        while at is not None and not is_done[at]:
            if at in on_path:
                first = min(path[path.index(at) :])
                missed.append(_noted(lines[first], "parent_circle", "taken to be the first of a conversation"))
                parents[first] = None
                path, on_path, at = [], set(), start
                continue
            path.append(at)
            on_path.add(at)
            at = parents[at]
        for place in reversed(path):
            is_done[place] = 1
            order.append(place)
    return order


def _noted(line: Line, reason: str, detail: str) -> Missed:
    return Missed(line=line.line, passed=Passed(reason=reason, usable=True, detail=detail))
