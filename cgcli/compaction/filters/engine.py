"""A filter at work on a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.compaction.filters import stages as stage
from cgcli.compaction.filters.guard import Guard

if TYPE_CHECKING:
    from cgcli.compaction.filters.filter import Filter, Stages

_MOST_PASSES = 4


def filtered(one: Filter, text: str) -> str:
    """What the filter *one* leaves of *text*; a second time changes nothing.

    A text that goes on changing from pass to pass is left as it is. A line break at the end stays.
    """
    ending = "\n" if text.endswith("\n") else ""
    lines = text.removesuffix("\n").split("\n")
    guard = Guard(text)
    for _ in range(_MOST_PASSES):
        before, lines = lines, _once(one.stages, lines, guard)
        if lines == before:
            return "\n".join(lines) + ending if lines else ""
    return text


def _once(stages: Stages, lines: list[str], guard: Guard) -> list[str]:
    before = lines
    if stages.strip_ansi:
        lines = stage.stripped(lines)
    if stages.redraws:
        lines = stage.settled_lines(lines, guard)
    if stages.replace:
        lines = stage.replaced(lines, guard, stages.replace)
        guard = Guard("\n".join(lines))  # a replacement may bring a word that was nowhere before
    if stages.keep_lines:
        lines = stage.kept_lines(lines, guard, stages.keep_lines)
    if stages.drop_lines:
        lines = stage.without_lines(lines, guard, stages.drop_lines)
    if stages.fold:
        lines = stage.folded(lines, guard, stages.fold)
    if stages.dedupe:
        lines = stage.without_repeats(lines, guard)
    if stages.head_lines is not None or stages.tail_lines is not None:
        lines = stage.limited(lines, guard, stages.head_lines, stages.tail_lines)
    return lines if stages.on_empty is None else stage.not_empty(lines, stages.on_empty, before=before)
