"""The triggers of a policy and of its steps put together, and what does not go together refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.compaction.body import has_own_threshold
from cgcli.compaction.components import BODY_COMPONENTS, COMPONENTS
from cgcli.compaction.triggers import Conditions
from cgcli.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.compaction.policy_file import Written
    from cgcli.compaction.said import Said
    from cgcli.compaction.triggers import Triggers


def conditions(written: Written) -> tuple[Conditions, tuple[str, ...]]:
    """The triggers of the policy as it is *written*, and what is to be said of their spelling.

    Raises:
        UsageError: a step has triggers that has thresholds of its own, or stands twice with different ones; or the
            policy waits for tokens of outputs and has no step that takes any.
    """
    said = written.triggers
    every = said.triggers.every
    if every is not None and every.tokens is not None and not any(step.name in COMPONENTS for step in written.steps):
        raise UsageError(
            "`every` waits for tokens of tool outputs, and no step shortens any",
            where=said.places["every"],
            hint="every = { turns = 5 }, or leave it out",
        )
    warnings = dict(said.warnings)
    for step in written.steps:
        for spelling, line in (step.triggers.warnings if step.triggers is not None else {}).items():
            warnings.setdefault(spelling, line)
    made = Conditions(whole=said.triggers, by_step=_by_step(written.steps), places=said.places)
    return made, tuple(warnings.values())


def _by_step(steps: Sequence[Said]) -> dict[str, Triggers]:
    found: dict[str, Triggers | None] = {}
    for step in steps:
        said = step.triggers.triggers if step.triggers is not None else None
        if said is not None and _has_own(step.name):
            raise UsageError(
                f"`{step.name}` has thresholds of its own, and takes no trigger",
                where=step.where,
                hint="see docs/reference/components.md for its parameters",
            )
        if found.setdefault(step.name, said) != said:
            raise UsageError(
                f"`{step.name}` stands twice, with different triggers",
                where=step.where,
                hint="reports tell a step by its name: give both the same trigger",
            )
    return {name: said for name, said in found.items() if said is not None}


def _has_own(step: str) -> bool:
    """True for a step that acts where the request would not fit otherwise."""
    if step in COMPONENTS:
        return False
    return step not in BODY_COMPONENTS or has_own_threshold(BODY_COMPONENTS[step])
