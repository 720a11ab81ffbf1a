"""The triggers of a policy, as a document and in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.compaction.components import fields
from cgcli.compaction.triggers import Batch
from cgcli.report.figures import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cgcli.compaction.triggers import Conditions, Triggers


def told(triggers: Triggers) -> dict[str, Any]:
    """Those that are not as they are by default, as JSON has them, in the order in which they are looked at."""
    given = {name: (getattr(triggers, name), default) for name, default in fields(type(triggers)).items()}
    return {name: _plain(said) for name, (said, default) in given.items() if said != default}


def document(conditions: Conditions) -> list[dict[str, Any]]:
    """Each trigger, with the step that waits for it; None where the whole policy does."""
    by_step = [(None, conditions.whole), *conditions.by_step.items()]
    return [
        {"step": step, "name": name, "value": value}
        for step, triggers in by_step
        for name, value in told(triggers).items()
    ]


def lines(told_all: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The *document* for a person; nothing where there is no trigger."""
    if told_all:
        yield "triggers: " + ", ".join(
            f"{one['step'] + ' ' if one['step'] else ''}{one['name']} {shown(one['value'])}" for one in told_all
        )


def shown(value: object) -> str:
    """A trigger's value for a person."""
    if isinstance(value, dict):
        ((unit, n),) = value.items()
        return f"{number(n)} {unit}"
    if isinstance(value, float):
        return f"{value:g}"
    return number(value) if isinstance(value, int) else str(value)


def _plain(said: object) -> object:
    if isinstance(said, Batch):
        return {"turns": said.turns} if said.turns is not None else {"tokens": said.tokens}
    return said.value if hasattr(said, "value") else said
