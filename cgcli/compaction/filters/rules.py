"""What a filter's values must be to one another, beyond their shape."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.compaction.filters.expressions import Slow, check, check_template
from cgcli.compaction.filters.filter import Agent, FilterLoss, expressions
from cgcli.compaction.filters.guard import Guard
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.compaction.filters.filter import Filter

Place = tuple[str | int, ...]
"""Where in a filter's document: keys and indices."""

_ALLOWED = {
    FilterLoss.NONE: frozenset({"strip_ansi", "redraws"}),
    FilterLoss.TAIL: frozenset({"strip_ansi", "head_lines"}),
}


@value
class Fault:
    """Something that a filter may not say."""

    place: Place
    message: str
    hint: str


def faults(one: Filter) -> Iterator[Fault]:
    """Everything that is wrong with the filter *one*, its tests aside."""
    yield from _wrong_expressions(one)
    yield from _wrong_match(one)
    yield from _wrong_stages(one)


def _wrong_expressions(one: Filter) -> Iterator[Fault]:
    for place, pattern in expressions(one):
        try:
            check(pattern)
        except re.error as error:
            yield Fault(place=place, message=f"{pattern!r} is no regular expression: {error}", hint="mend it")
        except Slow as error:
            yield Fault(place=place, message=f"{pattern!r} may be slow: {error}", hint=error.hint)
    for i, (pattern, template) in enumerate(one.stages.replace):
        try:
            check_template(pattern, template)
        except re.error:
            continue  # said above
        except ValueError as error:
            place = ("stages", "replace", i, "with")
            yield Fault(place=place, message=f"{template!r} is no replacement: {error}", hint=r"`\1` is the first")


def _wrong_match(one: Filter) -> Iterator[Fault]:
    if not (one.match.head or one.match.command):
        yield Fault(place=("match",), message="matches nothing", hint="give `head`, `command` or both")
    for i, pattern in enumerate(one.match.head):
        try:
            is_all = re.compile(pattern).match("") is not None
        except re.error:
            continue
        if is_all:
            yield Fault(
                place=("match", "head", i),
                message=f"{pattern!r} matches any line",
                hint="say how the tool's line begins",
            )


def _wrong_stages(one: Filter) -> Iterator[Fault]:
    stages = one.stages
    acting = frozenset(stages.named())
    if not acting:
        yield Fault(place=("stages",), message="no stage does anything", hint="see docs/reference/filters.md")
    allowed = _ALLOWED.get(one.loss)
    for name in sorted(acting - allowed) if allowed is not None else ():
        said = ", ".join(sorted(allowed or ()))
        yield Fault(
            place=("stages", name),
            message=f"loss is {one.loss}, but `{name}` takes more",
            hint=f"{one.loss} allows {said}; else write `loss: whole`",
        )
    if one.loss is FilterLoss.TAIL and stages.head_lines is None:
        yield Fault(place=("loss",), message="loss is tail, but `head_lines` is missing", hint="give `head_lines`")
    if stages.keep_lines and stages.drop_lines:
        yield Fault(
            place=("stages", "keep_lines"), message="`keep_lines` and `drop_lines` exclude each other", hint="give one"
        )
    if one.agent is Agent.SAFE and acting & {"keep_lines", "head_lines", "tail_lines"}:
        yield Fault(place=("agent",), message="agent is safe, but lines that no one named go", hint="write `lossy`")
    if stages.on_empty is not None and Guard(stages.on_empty).protects(stages.on_empty):
        yield Fault(
            place=("stages", "on_empty"),
            message=f"{stages.on_empty!r} reads as a result of the tool",
            hint="say what was left out, not how it ended",
        )
