"""A filter as a value: plain data; expressions are texts until they are used."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from cgcli.model import unique, value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Patterns = tuple[str, ...]
"""Regular expressions, each matched from the beginning of a line."""


class FilterLoss(StrEnum):
    """What a filter takes away."""

    NONE = "none"
    """Only how the output looked on a terminal while it was made."""
    TAIL = "tail"
    """Everything behind a line; what stands before it is whole."""
    WHOLE = "whole"
    """Lines anywhere."""


class Sample(StrEnum):
    """Where the texts of a filter's tests come from."""

    REAL = "real"
    """After what the tool printed: names, hosts and paths replaced, lines of the same form added."""
    DOCUMENTED = "documented"
    """After the tool's documentation: the tool was not at hand."""


class Agent(StrEnum):
    """The sets of context-guru's `agent_filters`, which are off unless they are asked for."""

    SAFE = "safe"
    """Drops lines that it names."""
    LOSSY = "lossy"
    """Keeps lines that it names, and drops all others."""


@value
class Match:
    """The outputs that a filter is for."""

    head: Patterns = ()
    """One of the first lines matches one of them."""
    command: Patterns = ()
    """A simple command of the command line matches one of them."""
    unless: Patterns = ()
    """No output whose first lines match one of them."""


@value
class Stages:
    """What is done, in this order."""

    strip_ansi: bool = True
    redraws: bool = False
    replace: tuple[tuple[str, str], ...] = ()
    keep_lines: Patterns = ()
    drop_lines: Patterns = ()
    fold: Patterns = ()
    dedupe: bool = False
    head_lines: int | None = None
    tail_lines: int | None = None
    on_empty: str | None = None

    def named(self) -> tuple[str, ...]:
        """The stages that do something, in their order."""
        acting = {
            "strip_ansi": self.strip_ansi,
            "redraws": self.redraws,
            "replace": self.replace,
            "keep_lines": self.keep_lines,
            "drop_lines": self.drop_lines,
            "fold": self.fold,
            "dedupe": self.dedupe,
            "head_lines": self.head_lines is not None,
            "tail_lines": self.tail_lines is not None,
            "on_empty": self.on_empty is not None,
        }
        return tuple(name for name, acts in acting.items() if acts)


@value
class Case:
    """One test of a filter: what goes in, and exactly what comes out."""

    input: str
    expected: str
    command: str | None = None
    """The command line that is known with the output."""


@unique
class Filter:
    """One filter."""

    name: str
    description: str
    family: str
    loss: FilterLoss
    match: Match
    stages: Stages
    cases: tuple[Case, ...]
    sample: Sample = Sample.REAL
    agent: Agent | None = None
    """The set that it belongs to; None where it always acts."""
    priority: int = 0
    """The higher is asked first."""
    where: str = ""
    """`file:line` of its first key."""


def made(document: Mapping[str, Any], *, where: str) -> Filter:
    """The filter that *document* says, as it stands in a file and was checked."""
    match: Mapping[str, Any] = document["match"]
    stages: dict[str, Any] = dict(document["stages"])
    rules = stages.pop("replace", None) or ()
    acting: dict[str, Any] = {key: tuple(given) if isinstance(given, list) else given for key, given in stages.items()}
    return Filter(
        name=document["name"],
        description=document["description"],
        family=document.get("family", "own"),
        loss=FilterLoss(document["loss"]),
        match=Match(**{key: tuple(given or ()) for key, given in match.items()}),
        stages=Stages(
            replace=tuple((rule["pattern"], rule["with"]) for rule in rules),
            **acting,
        ),
        cases=tuple(Case(**case) for case in document["tests"]),
        sample=Sample(document.get("sample", Sample.REAL)),
        agent=Agent(document["agent"]) if document.get("agent") else None,
        priority=document.get("priority", 0),
        where=where,
    )


def expressions(one: Filter) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Every expression of a filter, with where in its document it stands."""
    for key in ("head", "command", "unless"):
        for i, pattern in enumerate(getattr(one.match, key)):
            yield ("match", key, i), pattern
    for key in ("keep_lines", "drop_lines", "fold"):
        for i, pattern in enumerate(getattr(one.stages, key)):
            yield ("stages", key, i), pattern
    for i, (pattern, _) in enumerate(one.stages.replace):
        yield ("stages", "replace", i, "pattern"), pattern
