"""Orders of steps in which one takes from another what that would have made more of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.compaction.component import MarkerMode
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cgcli.compaction.said import Said


@value
class Fact:
    """Steps that had better not stand before certain others."""

    first: tuple[str, ...]
    later: tuple[str, ...]
    why: str
    """What happens to the later ones."""
    source: str
    """What this is known from, with its date."""


_OF_THE_DEMO = "measured on the demo capture, 2026-11"
_PARTS = ("cmdfilter", "collapse", "extract", "linecap", "smartcrush", "tool_result_budget")
"""They keep part of an output."""
_LINES = (
    "claude-microcompact",
    "clear-tool-uses",
    "dedup",
    "failed_run",
    "mask",
    "opencode-prune",
    "openhands-mask",
    "readlifecycle",
)
"""They keep a line of it."""

FACTS = (
    Fact(
        first=_PARTS,
        later=_LINES,
        why="keeps part of an output and marks it, and what is marked no later step takes out",
        source=f"{_OF_THE_DEMO}: up to 33 % more saved the other way round",
    ),
    Fact(
        first=("linecap",),
        later=("cmdfilter", "collapse", "extract", "extract_llm", "smartcrush", "tool_result_budget"),
        why="takes little and marks it, and what is marked no later step shortens",
        source="context-guru, 2026-08: 5,524,476 tokens saved with it 7th, 5,811,621 with it last",
    ),
    Fact(
        first=_PARTS,
        later=("textclean",),
        why="marks what it shortens, and what is marked is not cleaned",
        source=f"{_OF_THE_DEMO}: up to 40 % more saved the other way round",
    ),
    Fact(
        first=("smartcrush",),
        later=("format",),
        why="marks the arrays that it shortens, and what is marked is not minified",
        source=f"{_OF_THE_DEMO}: 95 % more saved the other way round",
    ),
    Fact(
        first=("toon",),
        later=("smartcrush",),
        why="turns JSON arrays into tables, and those are no arrays to shorten",
        source=f"{_OF_THE_DEMO}: it acts on none that toon took",
    ),
    Fact(
        first=("mask",),
        later=("dedup",),
        why="leaves nothing of old outputs that a later one could be identical to",
        source=f"{_OF_THE_DEMO}: 8 % more saved the other way round",
    ),
)
"""Only orders that were measured, and found worse on every capture where they differ; docs/how-to/write-a-policy.md."""


def stealing(steps: Sequence[Said]) -> Iterator[str]:
    """A line for each step that stands too early, with its place where it has one.

    A step whose marker mode is `off` leaves no marker, so what it shortened stays open to all.
    """
    for i, step in enumerate(steps):
        if step.params.get("marker_mode") == MarkerMode.OFF:
            continue
        before = {one.name for one in steps[:i]}
        behind = [one.name for one in steps[i + 1 :] if one.name not in before]
        for fact in FACTS:
            robbed = [name for name in dict.fromkeys(behind) if name in fact.later]
            if step.name in fact.first and robbed:
                yield _line(step, robbed, fact)


def _line(step: Said, robbed: Sequence[str], fact: Fact) -> str:
    *most, last = (f"`{name}`" for name in robbed)
    listed = f"{', '.join(most)} and {last}" if most else last
    said = f"`{step.name}` stands before {listed}: it {fact.why} ({fact.source})"
    return said if step.where is None else f"{step.where}: {said}"
